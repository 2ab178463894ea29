import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type PayingMalipo, payingMalipo, payOut, payoutInDoubt } from '../../server/src/testing/paying.ts'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'
import { installationOf, openStaff } from './testing/staff.ts'

/** The command line of an admin next to a Malipo that pays; `run` returns what a person sees. */
async function operatorContext(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { variables } = await openStaff(t, malipo)
  return { malipo, run: commandLine({ ...variables, ...(await installationOf(malipo)) }) }
}

async function inDoubt(malipo: PayingMalipo) {
  const merchant = await malipo.merchant()
  malipo.work()
  return payoutInDoubt(malipo, merchant)
}

const grounds = ['--reason', 'case 4711', '--evidence', 'statement line 88']

test('a payment in doubt is listed, shown and resolved, each by one command', async (t) => {
  const { malipo, run } = await operatorContext(t)
  const { id, key } = await inDoubt(malipo)
  await malipo.later(60)

  const listed = await run('payments', 'list', '--doubt', '--provider', 'pawapay', '--env', 'sandbox')
  const shown = await run('payments', 'show', key)
  const resolved = await run('payments', 'resolve', id, '--failed', ...grounds)
  const again = await run('payments', 'resolve', id, '--successful', ...grounds)

  assert.match(listed.out, /^PAYMENT +TYPE +AMOUNT +STATE +PROVIDER +ATTEMPT +AGE +NEXT POLL +REASON\n/)
  const line = `${id} +payout +100\\.00 KES +unknown +pawapay sandbox +1 +\\d+ (s|min) +.+ no clear response: the money may`
  assert.match(listed.out, new RegExp(line))
  assert.match(shown.out, new RegExp(`^${id}: payout of 100.00 KES, unknown, no clear response`))
  assert.match(shown.out, new RegExp(`1 +pawapay +${key} +once`))
  assert.match(shown.out, /\nNext: Malipo queries pawapay again\. Due 20\d\d-/)
  assert.match(shown.out, /Nothing is posted\./)
  assert.equal(resolved.err, '')
  assert.match(
    resolved.out,
    /^Resolved txn_\w+ as failed\.\n100\.00 KES and the fee of 1\.00 KES are back in .* the loss is yours\.\n$/,
  )
  assert.deepEqual([again.code, again.out], [exitCodes.refused, ''])
  assert.equal(again.err, `${id} is failed already, and that is final.\n`)
})

test('a manual resolution requires an outcome, a reason and evidence before it does anything', async (t) => {
  const { malipo, run } = await operatorContext(t)
  const { id } = await payOut(await malipo.merchant())

  const cases: [number, RegExp, string[]][] = [
    [exitCodes.usage, /--successful or --failed is required/, [id, ...grounds]],
    [exitCodes.usage, /cannot be used with option/, [id, '--successful', '--failed', ...grounds]],
    [exitCodes.usage, /'--evidence <text>' not specified/, [id, '--failed', '--reason', 'x']],
    [exitCodes.usage, /'--reason <text>' not specified/, [id, '--failed', '--evidence', 'x']],
    [exitCodes.refused, /^The evidence must not be empty/, [id, '--failed', '--reason', 'x', '--evidence', ' ']],
    [exitCodes.refused, /was not sent to a provider yet/, [id, '--successful', ...grounds]],
    [exitCodes.refused, /^order-17 is not a payment; use an id such as txn_/, ['order-17', '--failed', ...grounds]],
  ]
  for (const [code, message, args] of cases) {
    const result = await run('payments', 'resolve', ...args)
    assert.equal(result.code, code, args.join(' '))
    assert.match(result.err, message)
    assert.doesNotMatch(result.err, /\n {4}at /)
  }

  assert.equal(await malipo.stateOf(id), 'accepted')
})

test('a provider is paused and resumed from the command line, and its payments show it', async (t) => {
  const { malipo, run } = await operatorContext(t)
  const { id, key } = await payOut(await malipo.merchant())
  const incident = ['--env', 'sandbox', '--reason', 'incident 12']

  const paused = await run('providers', 'pause', 'pawapay', ...incident)
  const status = await run('providers', 'status')
  const retried = await run('payments', 'retry', id, '--reason', 'asked to')
  const shown = await run('payments', 'show', id)
  const resumed = await run('providers', 'resume', 'pawapay', ...incident)
  const refused = await run('providers', 'resume', 'pawapay', ...incident)

  assert.equal(paused.out, 'Paused pawapay in sandbox.\n')
  assert.match(status.out, /pawapay +sandbox +.*\d accepted.* paused since 20.* UTC: incident 12\n/)
  assert.equal(retried.out, `Malipo sends ${id} to pawapay once pawapay is resumed, under the same key ${key}.\n`)
  assert.match(shown.out, /Next: Held until pawapay is resumed in sandbox; it was paused because of: incident 12\n/)
  assert.match(
    resumed.out,
    /^Resumed pawapay in sandbox\. (1 waiting payment continues|(?!1 )\d+ waiting payments continue)\.\n$/,
  )
  assert.deepEqual([refused.code, refused.err], [exitCodes.refused, 'Pawapay is not paused in sandbox.\n'])
})

test('the payments and providers commands and ledger check print JSON with --json', async (t) => {
  const { malipo, run } = await operatorContext(t)
  const { id } = await payOut(await malipo.merchant())
  const incident = ['--env', 'sandbox', '--reason', 'incident 12']

  const outputs = [
    await run('--json', 'payments', 'list', '--limit', '5'),
    await run('--json', 'payments', 'show', id),
    await run('--json', 'payments', 'retry', id, '--reason', 'asked to'),
    await run('--json', 'payments', 'resolve', id, '--failed', ...grounds),
    await run('--json', 'providers', 'pause', 'house', ...incident),
    await run('--json', 'providers', 'status'),
    await run('--json', 'providers', 'resume', 'house', ...incident),
    await run('--json', 'ledger', 'check'),
  ]

  for (const { code, out, err } of outputs) {
    assert.equal(code, exitCodes.done, err)
    assert.doesNotThrow(() => JSON.parse(out), out)
  }
})

test('find, show and the lists print what staff look for', async (t) => {
  const { malipo, run } = await operatorContext(t)
  const merchant = await malipo.merchant()
  const { id } = await payOut(merchant)
  const { externalReference } = await malipo.operator.payments.show(id)

  const found = await run('payments', 'find', externalReference)
  const nothing = await run('payments', 'find', 'order-unknown')
  const refused = await run('payments', 'find', ' ')
  const listed = await run('payments', 'list', '--merchant', merchant.id, '--state', 'accepted', '--limit', '1')
  const ended = await run('payments', 'list', '--merchant', merchant.id, '--state', 'failed')
  const shown = await run('merchants', 'show', merchant.id)
  const wallets = await run('wallets', 'show', merchant.id, '--env', 'sandbox')

  assert.match(found.out, new RegExp(`${id} +reference +Duka, ${merchant.id} +${externalReference} +payout`))
  assert.equal(nothing.out, 'No payments found.\n')
  assert.deepEqual([refused.code, refused.err], [exitCodes.refused, 'The query must not be empty.\n'])
  assert.match(listed.out, new RegExp(`\n${id} +payout[^\n]+\nMore: add --after ${id}\n$`))
  assert.equal(ended.out, 'No payments failed.\n')
  assert.match(shown.out, new RegExp(`^${merchant.id}: Duka, active\n`))
  assert.match(shown.out, /\nKES KE +sandbox +999899\.00 +101\.00 +0\.00\n/)
  assert.match(shown.out, /\naccepted +sandbox +1 /)
  assert.match(wallets.out, /\nKES KE +sandbox +999899\.00 +101\.00 +0\.00\n/)
})

test('a float below its mark is a warning in the list and in the status of providers', async (t) => {
  const { malipo, run } = await operatorContext(t)
  const float = ['--provider', 'pawapay', '--env', 'sandbox', '--currency', 'KES', '--country', 'KE']
  t.after(() => malipo.ask('delete from float_marks'))

  const marked = await run('floats', 'mark', ...float, '--amount', '5000000', '--reason', 'two days of payouts')
  const listed = await run('floats', 'list')
  const status = await run('providers', 'status')
  const refused = await run('floats', 'mark', ...float, '--amount', 'much', '--reason', 'two days of payouts')

  assert.match(marked.out, /has the mark 5000000\.00 KES; it holds .+ KES\.\nIt is below the mark: top it up/)
  for (const { out } of [listed, status])
    assert.match(out, /pawapay +sandbox +KE +\S+ KES +5000000\.00 +below its mark/)
  assert.deepEqual([refused.code, refused.out], [exitCodes.refused, ''])
})
