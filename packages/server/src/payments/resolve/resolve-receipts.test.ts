import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../dev-stack/until.ts'
import { providerKeyOf, readId } from '../../platform/ids.ts'
import type { QueryOutcome, Receipt } from '../../providers/contract.ts'
import { balanceOf, transferBody } from '../../testing/charging.ts'
import { openTransaction } from '../../testing/open-transaction.ts'
import { payingMalipo, payOut } from '../../testing/paying.ts'
import { followUp } from '../dispatch/dispatch.ts'
import { putQuestion, type Question } from '../model/store.ts'
import type { Observation } from './decision.ts'

const whole: Receipt = { id: 'R1', amount: 10_000n, currency: 'NGN' }
const part: Receipt = { ...whole, amount: 6000n }
const back: Receipt = { ...whole, isReversed: true }
const received = (...receipts: Receipt[]) => ({ state: 'received', receipts }) as const
const saying = (...receipts: Receipt[]): Observation => ({ kind: 'reported', providerStatus: received(...receipts) })
const refused: Observation = {
  kind: 'reported',
  providerStatus: { state: 'failed', failure: { code: 'UNSPECIFIED_FAILURE', message: '' } },
}
const why = { reason: 'r', evidence: 'e' }

/** Bank transfer charges of NGN 100 whose provider reports what the test sets. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { ctx } = malipo
  const merchant = await malipo.merchant()
  const charge = async () => {
    const { status, body } = await merchant.call(
      'POST',
      '/api/b2b/fiat/deposit/bank-transfer',
      transferBody({ amount: 100 }),
    )
    assert.equal(status, 200, JSON.stringify(body))
    return String((body['data'] as { transactionId: string }).transactionId)
  }
  const rowId = (shown: string) => readId('transaction', shown) ?? ''
  const put = (shown: string) => putQuestion(ctx.db.write, rowId(shown), 1)
  const settle = (shown: string, observation: Observation, question?: Question) =>
    ctx.resolver.submit({
      ...{ transaction_id: rowId(shown), attempt: 1, observation, cause: 'query' },
      ...(question !== undefined && { question }),
    })
  const row = async (shown: string) => {
    const [found] = await malipo.ask<{ state: string; received: string; suspended: string }>(
      'select state, received, suspended from transactions where id = $1',
      [rowId(shown)],
    )
    return found && [found.state, Number(found.received), Number(found.suspended)]
  }
  const cases = async (shown: string) =>
    (await malipo.operator.suspense.list({ limit: 1000 }))
      .filter(({ transactionId }) => transactionId === shown)
      .map(({ kind, amount }) => [kind, amount])
  const balance = () => balanceOf(malipo, merchant.id, 'NGN')
  const isClean = () => malipo.operator.ledger.check({ isFull: true })
  return { malipo, ctx, merchant, charge, put, settle, row, rowId, cases, balance, isClean }
}

test('an older response of two callbacks does not credit what the bank has since taken back', async (t) => {
  const { malipo, ctx, charge, settle, rowId, balance, isClean } = await setUp(t)
  const id = await charge()
  const before = await balance()
  await settle(id, saying(whole))
  const { transferCharges, callbacks } = ctx.connectors.sandbox.get('flutterwave') ?? {}
  assert.ok(transferCharges && callbacks)
  const slow = Promise.withResolvers<void>()
  let asked = 0
  t.mock.method(transferCharges, 'query', async (): Promise<QueryOutcome> => {
    asked += 1
    if (asked > 1) return { found: 'yes', providerStatus: received(back) }
    await slow.promise
    return { found: 'yes', providerStatus: received(whole) }
  })
  const observations = [{ key: providerKeyOf(rowId(id), 1), providerStatus: received(back) }]
  t.mock.method(callbacks, 'read', () => ({ isGenuine: true, isProof: false, observations }))
  const call = async () =>
    (await fetch(`${malipo.url}/callbacks/sandbox/flutterwave`, { method: 'POST', body: '{}' })).status

  const older = call()
  await until('the first question', async () => asked === 1)
  const newer = await call()
  slow.resolve()

  assert.deepEqual([await older, newer], [200, 200])
  assert.equal(await balance(), before)
  await isClean()
})

test('an older response does not credit a transfer that the bank took back before it was booked', async (t) => {
  const { malipo, ctx, charge, settle, rowId, balance, isClean } = await setUp(t)
  const id = await charge()
  await settle(id, saying(whole))
  const before = await balance()
  const { transferCharges, callbacks } = ctx.connectors.sandbox.get('flutterwave') ?? {}
  assert.ok(transferCharges && callbacks)
  const next: Receipt = { ...whole, id: 'R2' }
  const gone: Receipt = { ...next, isReversed: true }
  const slow = Promise.withResolvers<void>()
  let asked = 0
  t.mock.method(transferCharges, 'query', async (): Promise<QueryOutcome> => {
    asked += 1
    if (asked > 1) return { found: 'yes', providerStatus: received(whole, gone) }
    await slow.promise
    return { found: 'yes', providerStatus: received(whole, next) }
  })
  const call = async (receipt: Receipt) => {
    const observations = [{ key: providerKeyOf(rowId(id), 1), providerStatus: received(receipt) }]
    t.mock.method(callbacks, 'read', () => ({ isGenuine: true, isProof: false, observations }))
    return (await fetch(`${malipo.url}/callbacks/sandbox/flutterwave`, { method: 'POST', body: '{}' })).status
  }

  const older = call(next)
  await until('the first question', async () => asked === 1)
  const newer = await call(gone)
  slow.resolve()

  assert.deepEqual([await older, newer], [200, 200])
  assert.equal(await balance(), before)
  await isClean()
})

test('a transfer that the bank took back before it was booked pays the charge once the bank restores it', async (t) => {
  const { charge, put, settle, row, isClean } = await setUp(t)
  const id = await charge()
  await settle(id, saying(back, { id: 'X', amount: 1n, currency: 'USD' }))
  await settle(id, saying(whole))
  assert.equal((await row(id))?.[1], 0)
  await isClean()

  const restored = await settle(id, saying(whole), await put(id))

  assert.deepEqual([await row(id), restored?.transaction.receipt], [['successful', 10_000, 0], 'R1'])
  await isClean()
})

test('the response to an older query about receipts books nothing against the newer one', async (t) => {
  const { charge, put, settle, balance, isClean } = await setUp(t)
  const id = await charge()
  const before = await balance()
  await settle(id, saying(whole))
  const [older, newer] = [await put(id), await put(id)]

  await settle(id, saying(back), newer)
  const late = await settle(id, saying(whole), older)

  assert.deepEqual([late?.isChanged, await balance()], [false, before])
  await isClean()
})

test('a receipt reversed in the same batch stays reversed, and the reversal is booked once', async (t) => {
  const { charge, put, settle, balance, isClean } = await setUp(t)
  const [other, id] = [await charge(), await charge()]
  const [before, next] = [await balance(), { ...whole, id: 'R2' }]
  await settle(id, saying(whole))
  await settle(id, saying(back), await put(id))
  const question = await put(id)

  await Promise.all([
    settle(other, { kind: 'announce' }),
    settle(id, saying(back, next)),
    settle(id, saying(back, { ...next, isReversed: true }), question),
  ])
  const again = await settle(id, saying(back, { ...next, isReversed: true }), await put(id))

  assert.deepEqual([again?.isChanged, again?.receipts[1]?.is_reversed, await balance()], [false, true, before])
  await isClean()
})

test('a part reversed in the same batch before the end leaves nothing, and the full amount pays', async (t) => {
  const { charge, settle, row, isClean } = await setUp(t)
  const [other, id] = [await charge(), await charge()]
  const gone = { ...part, isReversed: true as const }

  await Promise.all([settle(other, { kind: 'announce' }), settle(id, saying(part)), settle(id, saying(gone))])
  await settle(id, saying(gone))
  assert.equal((await row(id))?.[1], 0)
  await isClean()
  await settle(id, saying(gone, { ...whole, id: 'R2' }))

  assert.deepEqual(await row(id), ['successful', 10_000, 0])
  await isClean()
})

test('a failed charge with a part received has a case until the bank takes the part back', async (t) => {
  const { malipo, charge, put, settle, row, rowId, cases, isClean } = await setUp(t)
  const [resolved, notified] = [await charge(), await charge()]
  for (const id of [resolved, notified]) await settle(id, saying(part))
  await malipo.ask(`update attempts set send_deadline = now() - interval '1 hour' where transaction_id = $1`, [
    rowId(resolved),
  ])

  await malipo.operator.payments.resolve(resolved, { outcome: 'failed', ...why })
  await settle(notified, refused)

  for (const id of [resolved, notified]) {
    assert.deepEqual([await row(id), await cases(id)], [['failed', 6000, 6000], [['underpaid', '60.00']]])
    await isClean()
    await settle(id, saying({ ...part, isReversed: true }), await put(id))
    assert.deepEqual(await cases(id), [])
  }
  await isClean()
})

test('a query that starts while a response is resolved has its own number', async (t) => {
  const { malipo, merchant, charge, put, settle, isClean } = await setUp(t)
  const id = await charge()
  await settle(id, saying(whole))
  const first = await put(id)
  const merchantId = readId('merchant', merchant.id)
  const release = await openTransaction(t, `select from wallets where merchant_id = '${merchantId}' for no key update`)
  const waiting = async () => {
    const [row] = await malipo.ask<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return row?.count ?? 0
  }

  const settled = settle(id, saying(back), first)
  await until('the resolution to wait for the wallet', async () => (await waiting()) >= 1)
  let isPut = false
  const older = put(id).finally(() => {
    isPut = true
  })
  await until('the question to wait, or to be put', async () => isPut || (await waiting()) >= 2)
  await release()
  await settled
  const newer = await put(id)

  assert.equal(new Set([first, await older, newer].map(({ number }) => number)).size, 3)
  await isClean()
})

test('a receipt in another currency does not block the others, and alerts once', async (t) => {
  const { malipo, charge, settle, row, balance, isClean } = await setUp(t)
  const id = await charge()
  const foreign: Receipt = { id: 'X', amount: 1n, currency: 'USD' }
  const alerts = () => malipo.log.filter((line) => line.includes('in another currency than the charge')).length

  await settle(id, saying(part, foreign))
  assert.deepEqual(await row(id), ['unknown', 6000, 0])
  await settle(id, saying(part, foreign))
  const rest = { ...whole, id: 'R2', amount: 4000n }
  await settle(id, saying(part, rest, foreign))
  const paid = await balance()
  await settle(id, saying(part, rest, { ...whole, id: 'R3', amount: 5000n }, foreign))

  assert.deepEqual([await row(id), alerts()], [['successful', 10_000, 0], 1])
  assert.ok((await balance()) > paid)
  await isClean()
})

test('a report against an end makes one event and one alert when the provider does not respond', async (t) => {
  const { malipo, ctx, merchant, rowId } = await setUp(t)
  const { id } = await payOut(merchant)
  const transaction_id = rowId(id)
  await malipo.ask(`update transactions set state = 'sending' where id = $1`, [transaction_id])
  const result = await ctx.resolver.submit({ transaction_id, attempt: 1, cause: 'query', observation: refused })
  const payouts = ctx.connectors.sandbox.get(result?.transaction.provider ?? '')?.payouts
  assert.ok(payouts)
  t.mock.method(payouts, 'query', async (): Promise<QueryOutcome> => ({ found: 'unclear', detail: 'timeout' }))
  const settled = { amount: 10_000n, currency: 'KES' } as const
  const late: Observation = { kind: 'reported', providerStatus: { state: 'successful', settled } }

  for (let time = 0; time < 2; time += 1) await followUp(ctx, 1, result, late)

  const events = await malipo.ask<{ message: string; detail: { reported: string } }>(
    'select message, detail from events where transaction_id = $1 order by number',
    [transaction_id],
  )
  assert.equal(events.filter(({ detail }) => detail.reported === 'successful').length, 1)
  assert.equal(malipo.log.filter((line) => line.includes('provider status not booked')).length, 1)
  assert.equal(await malipo.stateOf(id), 'failed')
})
