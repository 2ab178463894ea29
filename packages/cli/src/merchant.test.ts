import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../server/src/dev-stack/until.ts'
import { openInbox } from '../../server/src/testing/inbox.ts'
import { exitCodes } from './exit-codes.ts'
import { openShop, type Shop } from './testing/shop.ts'

const charge = (phone: string, ...more: string[]) => [
  ...['charge', 'momo', '--amount', '1500', '--currency', 'kes', '--phone', phone, ...more],
]
const pays = '+254703456789'

async function json<Value>(run: Shop['run'], ...args: string[]): Promise<Value> {
  const { code, out, err } = await run('--json', ...args)
  assert.equal(code, exitCodes.done, err)
  return JSON.parse(out) as Value
}

test('a charge is made, waited for, listed, shown and in the events', async (t) => {
  const { run } = await openShop(t)

  const paid = await run(...charge(pays, '--reference', 'order-1', '--wait'))
  const listed = await run('transactions', '--limit', '5')
  const shown = await run('transactions', 'get', 'order-1')
  const events = await run('events')

  assert.equal(paid.err, '')
  assert.match(
    paid.out,
    /^The charge of KES 1,500 by mobile money \(M-Pesa\) was paid: [^.]+\.\n {2}transaction {2}txn_\w{32}\n {2}reference {4}order-1\n$/,
  )
  assert.match(
    listed.out,
    /^WHEN \(UTC\) +TRANSACTION +TYPE +AMOUNT +CUR +STATUS +BY OR TO\n20.* charge +1,500\.00 +KES +successful +MoMo\n$/,
  )
  assert.match(shown.out, /^txn_\w{32}: charge of 1,500\.00 KES, successful \(COMPLETED\)\n/)
  assert.match(shown.out, /\narrives +1,485\.00 KES\nfee +15\.00 KES\n/)
  assert.match(
    events.out,
    /#1 {2}transaction_created {2}pending .*order-1.*\n(.*\n)*.*transaction_updated {2}successful/,
  )
})

test('explain prints the sentence of the API, and the time of each step', async (t) => {
  const { run } = await openShop(t)
  await run(...charge(pays, '--reference', 'order-1', '--wait'))

  const { explanation } = await json<{ explanation: { sentence: string } }>(run, 'transactions', 'get', 'order-1')
  const explained = await run('explain', 'order-1')

  const [sentence = ''] = explained.out.split('\n\n')
  assert.equal(sentence.replaceAll('\n', ' '), explanation.sentence)
  assert.match(explained.out, /\n\nWHEN +STAGE +WHAT\n20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC +/)
})

test('a payment that fails during --wait is reported, with exit code 1', async (t) => {
  const { run } = await openShop(t)

  const charged = await run(...charge('+254703456039', '--wait'))
  const paid = await run(
    ...['pay', '--amount', '300', '--currency', 'KES', '--country', 'KE', '--to', '+254712345089'],
    ...['--name', 'Juma Ali', '--wait'],
  )

  assert.deepEqual([charged.code, paid.code], [exitCodes.refused, exitCodes.refused])
  assert.match(charged.out, /^The charge of KES 1,500 by mobile money \(M-Pesa\) failed: [^.]+\.\n/)
  assert.match(paid.out, /^The payout of KES 300 to Juma Ali failed: [^.]+\.\n/)
})

test('a --wait that times out says that the payment continues', async (t) => {
  const { run } = await openShop(t)

  const { code, err } = await run(...charge('+254703456129', '--wait', '--timeout', '1s'))

  assert.equal(code, exitCodes.unreachable)
  assert.match(err, /^txn_\w{32} is still pending after 1 s\. The payment continues: malipo explain txn_/)
})

test('a card charge that asks for a PIN and a code succeeds after both', async (t) => {
  const { run } = await openShop(t)
  const card = ['charge', 'card', '--amount', '1200', '--currency', 'NGN', '--number', '5531886652142950', '--wait']

  const asked = await run(...card, '--reference', 'order-2')
  const [, id = ''] = /malipo charge authorise (txn_\w+) --type pin --value 1234/.exec(asked.out) ?? []
  const pin = await run('charge', 'authorise', id, '--type', 'pin', '--value', '1234')
  await until('the code to be asked for', async () => (await run('transactions', 'get', id)).out.includes('type otp'))
  const wrong = await run('charge', 'authorise', id, '--type', 'otp', '--value', '999999')
  await run('charge', 'authorise', id, '--type', 'otp', '--value', '123456')

  assert.match(pin.out, /^Payment is processing\.\n/)
  assert.equal(wrong.code, exitCodes.refused)
  assert.match(wrong.err, /AUTHORISATION_FAILED/)
  await until('it to succeed', async () => (await run('explain', id, '--json')).out.includes('"successful"'))
})

test('wallets and statements agree, as a table and as CSV', async (t) => {
  const { run } = await openShop(t)
  await run(...charge(pays, '--reference', 'order-3', '--wait'))

  const balance = await run('balance', '--currency', 'KES')
  const [today = ''] = new Date().toISOString().split('T')
  const statement = await run('statement', '--from', today, '--currency', 'KES')
  const csv = await run('statement', '--from', today, '--to', today, '--csv')
  const backwards = await run('statement', '--from', today, '--to', '2026-01-01')
  const both = ['--from', '2026-11-02', '--to', '2026-11-01']
  const none = await run('balance', '--currency', 'CHF')

  assert.match(balance.out, /^WALLET +AVAILABLE +PENDING +BALANCE\nKES KE +1,001,485\.00 +0\.00 +1,001,485\.00\n$/)
  assert.deepEqual([backwards.code, backwards.err], [exitCodes.usage, `--to 2026-01-01 is before --from ${today}.\n`])
  assert.equal((await run('transactions', 'list', ...both)).err, '--to 2026-11-01 is before --from 2026-11-02.\n')
  assert.match(statement.out, /^KES KE: opens with 0\.00, closes with 1,001,485\.00\n/)
  const [head = '', ...lines] = csv.out.trim().split('\n')
  assert.equal(head, 'at,currency,country,transactionId,externalReference,type,amount,balance')
  assert.match(lines.filter((line) => line.includes(',KES,')).at(-1) ?? '', /,order-3,deposit,-15,1001485$/)
  assert.equal(none.code, exitCodes.refused)
  assert.match(none.err, /^No wallet matches\. You have wallets in .*KES/)
})

test('webhooks are listed, shown and resent', async (t) => {
  const { run } = await openShop(t)
  const inbox = await openInbox()
  t.after(() => inbox.close())
  assert.equal((await run('webhooks', 'url', inbox.url)).out, `${inbox.url}\n`)
  await run(...charge(pays, '--reference', 'order-4', '--wait'))

  const listed = await until('both to be delivered', async () => {
    const { out } = await run('webhooks', '--status', 'SUCCESS', '--reference', 'order-4')
    return out.split('transaction_updated').length >= 2 && out
  })
  const [id = ''] = /wh_\w{32}/.exec(listed) ?? []
  const shown = await run('webhooks', 'get', id)
  const before = inbox.received.length
  const resent = await run('webhooks', 'resend', id)

  assert.match(shown.out, new RegExp(`^${id}: SUCCESS\n\nevent +transaction_\\w+, \\w+\n`))
  assert.equal(resent.code, exitCodes.done)
  await until('it to come again', () => inbox.received.length > before)
  assert.match((await run('webhooks', 'url', '--unset')).out, /^Not set/)
  assert.match((await run('webhooks', 'rotate-secret')).out, /^whsec_/)
})

test('every trigger reaches its status and shows its events', async (t) => {
  const { run } = await openShop(t)

  for (const [name, status] of [
    ['charge.pending', 'pending'],
    ['charge.successful', 'successful'],
    ['charge.failed', 'failed'],
    ['charge.expired', 'failed'],
    ['card.successful', 'successful'],
    ['card.declined', 'failed'],
    ['bank-transfer.successful', 'successful'],
    ['payout.pending', 'pending'],
    ['payout.successful', 'successful'],
    ['payout.failed', 'failed'],
  ] as const) {
    const { code, out, err } = await run('trigger', name)
    assert.equal(code, exitCodes.done, `${name}: ${err}`)
    const lines = out.trim().split('\n')
    assert.match(lines[0] ?? '', /#\d+ {2}transaction_created {2}pending/, name)
    assert.match(lines.at(-2) ?? '', new RegExp(`  ${status}  `), name)
  }
})

test('clock advance brings an expiry forward, and a fault is set, listed and cleared', async (t) => {
  const { run } = await openShop(t)

  const set = await run('faults', 'set', 'order-5', 'expiry')
  await run('faults', 'set', 'order-6', 'lost-answer')
  const listed = await run('faults')
  await run(...charge(pays, '--reference', 'order-5'))
  const advanced = await run('clock', 'advance', '1h')
  await until('it to expire', async () => (await run('explain', 'order-5', '--json')).out.includes('"failed"'))
  const cleared = await run('faults', 'clear', 'order-6')

  assert.equal(set.out, 'Set expiry for order-5.\n')
  assert.match(
    listed.out,
    /^lost-answer {11}The provider executes(.*\n)*\nREFERENCE +SCENARIO\n(.*\n)*order-5 +expiry\n/,
  )
  assert.match(advanced.out, /^Advanced 60 min: 1 payments, 0 webhooks\.\n$/)
  assert.equal(cleared.out, 'Removed the scenario of order-6.\n')
})

test('real money moves only with --live', async (t) => {
  const { as, malipo, merchantId, file } = await openShop(t)
  const { publicKey, apiKey } = await malipo.operator.keys.create(merchantId, { env: 'live' })
  const run = as({ MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey })
  const wages = file('wages.csv', 'externalReference,amount,externalAccountId\nwage-1,100,ea_1\n')

  for (const args of [
    charge(pays),
    ['pay', '--amount', '5', '--currency', 'KES', '--external-account', 'ea_1'],
    ['bulk', wages],
  ]) {
    const { code, err } = await run(...args)
    assert.equal(code, exitCodes.usage)
    assert.match(err, /^The key pair from the environment is live: real money would move\. Add --live/)
  }
  const card = await run('charge', 'card', '--amount', '5', '--currency', 'NGN', '--live')
  assert.match(card.err, /^This command charges test cards only/)
  const trigger = await run('trigger', 'charge.successful')
  assert.notEqual(trigger.code, exitCodes.done)
})
