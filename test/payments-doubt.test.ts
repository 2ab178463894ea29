import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { putQuestion } from '../packages/server/src/payments/model/store.ts'
import { createResolver } from '../packages/server/src/payments/resolve/resolve.ts'
import type { ProviderStatus } from '../packages/server/src/providers/contract.ts'
import { assertFinalIsFinal, keyOf, minutes, type Payments, testPayments } from './support/load/payments.ts'

const pastWindow = minutes(16)
const success: ProviderStatus = { state: 'successful', settled: { amount: 10_000n, currency: 'KES', receipt: 'R1' } }

const report = (
  { malipo }: Payments,
  id: string,
  providerStatus: ProviderStatus,
  cause: 'callback' | 'query' | 'attempt' = 'callback',
) =>
  malipo.ctx.resolver.submit({
    transaction_id: id,
    attempt: 1,
    cause,
    observation: { kind: 'reported', providerStatus },
  })

test('a resent payout with an undocumented 400 stays in doubt until the provider reports', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'payout', mode: 'drop_before_processing', times: 1 })
  payments.work()
  const id = await payments.payOut()
  await payments.becomes(id, { state: 'unknown', sends: 1 })
  await simulator.fault({ operation: 'payout', mode: 'unknown_words', times: 1 })
  const body = { failureReason: { failureCode: 'UNDOCUMENTED_CODE' } }

  await payments.forward(pastWindow)
  await payments.becomes(id, { state: 'unknown', sends: 2, provider: 'pawapay', doubt: 'no_response' })
  await simulator.fault({ operation: 'payout', mode: 'http_status', status: 400, body, moment: 'after', times: 1 })
  await simulator.fault({ operation: 'payout', mode: 'callback_never' })
  await payments.forward(pastWindow)
  const taken = await until('a third send', async () => {
    const seen = await payments.seen(id)
    return seen.sends === 3 && seen.state !== 'sending' && seen
  })
  assert.equal(taken.state, 'unknown')
  await payments.forward(minutes(5))
  await payments.becomes(id, { state: 'successful' })

  assert.equal((await simulator.moved(keyOf(id))).length, 1)
  await assertFinalIsFinal(payments.malipo)
})

test('two observations of one payment in one batch have one effect and one event', async (t) => {
  const payments = await testPayments(t)
  await payments.simulator.fault({ operation: 'payout', mode: 'stuck_pending' })
  const lanes = payments.work()
  const [first, id] = [await payments.payOut(), await payments.payOut()]
  for (const each of [first, id]) await payments.becomes(each, { state: 'submitted' })
  await lanes.stop()
  await payments.booked()
  const { events } = await payments.seen(id)

  const [, called, asked] = await Promise.all([
    report(payments, first, { state: 'submitted' }), // Keeps the writer busy, so that the next two share a batch.
    report(payments, id, success),
    report(payments, id, success, 'query'),
  ])

  assert.deepEqual([called?.isChanged, asked?.isChanged], [true, false])
  assert.partialDeepStrictEqual(await payments.seen(id), { state: 'successful', events: events + 1 })
  assert.deepEqual(await payments.booked(), {
    'clearing KES': '0 (10000)',
    'fees KES': '-100 (100)',
    'float pawapay KES': '-10000',
    'wallet KES': '10100 (-10100)',
  })
})

test('a payout cancelled while it is claimed is either sent or cancelled, never both', async (t) => {
  const payments = await testPayments(t)
  const { resolver } = payments.malipo.ctx
  const cancel = async (id: string) => {
    const observation = { kind: 'cancel' } as const
    return (
      (await resolver.submit({ transaction_id: id, attempt: undefined, cause: 'request', observation }))?.isChanged ===
      true
    )
  }
  payments.work()
  const ids: string[] = []
  const cancelled: boolean[] = []
  for (let round = 0; round < 20; round += 1) {
    const some = await Promise.all(Array.from({ length: 5 }, () => payments.payOut()))
    cancelled.push(...(await Promise.all(some.map(cancel))))
    ids.push(...some)
  }
  for (const [index, id] of ids.entries())
    await payments.becomes(id, { state: cancelled[index] ? 'failed' : 'successful' })

  for (const [index, id] of ids.entries())
    assert.equal((await payments.simulator.moved(keyOf(id))).length, cancelled[index] ? 0 : 1)
  const paid = cancelled.filter((isCancelled) => !isCancelled).length
  t.diagnostic(`${ids.length - paid} cancelled, ${paid} paid`)
  assert.equal((await payments.booked())['wallet KES'], paid === 0 ? undefined : String(paid * 10_100))
})

test('a report on a payout believed unsent is taken, and the rest of its batch is resolved too', async (t) => {
  const payments = await testPayments(t)
  await payments.simulator.fault({ operation: 'payout', mode: 'operator_closed', times: 1 })
  await payments.simulator.fault({ operation: 'payout', mode: 'stuck_pending' })
  const lanes = payments.work()
  const closed = await payments.payOut()
  await payments.becomes(closed, { state: 'accepted', doubt: 'closed' })
  const neighbour = await payments.payOut()
  await payments.becomes(neighbour, { state: 'submitted' })
  await lanes.stop()

  const reported = await Promise.allSettled([
    report(payments, neighbour, { state: 'submitted' }),
    report(payments, closed, success),
    report(payments, neighbour, success),
  ])

  assert.deepEqual(
    reported.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.equal((await payments.seen(neighbour)).state, 'successful')
  assert.equal((await payments.seen(closed)).state, 'successful')
})

test('a report of money from an abandoned provider is matched to its payment', async (t) => {
  const payments = await testPayments(t)
  const { connectors } = payments.malipo.ctx
  const errors: string[] = []
  const log = { ...payments.malipo.ctx.log, error: (_: unknown, text: string) => void errors.push(text) }
  const both = [...connectors.sandbox.values()]
  const resolver = createResolver({
    ...payments.malipo.ctx,
    cell: 0,
    onMerchantEvents: () => undefined,
    db: payments.malipo.ctx.db.write,
    log: log as unknown as typeof payments.malipo.ctx.log,
    routing: { providersOf: () => both, isUsable: () => true },
  })
  const id = await payments.payOut()
  await payments.malipo.ask(`update transactions set state = 'sending' where id = $1`, [id])
  await payments.malipo.ask(`update attempts set sends = 1 where transaction_id = $1`, [id])
  const closed = { kind: 'not_submitted', cause: 'closed', detail: '' } as const
  await resolver.submit({ transaction_id: id, attempt: 1, cause: 'attempt', observation: closed })
  assert.equal((await payments.seen(id)).provider, 'house')

  const from = { env: 'sandbox', provider: 'pawapay' } as const
  const observation = { kind: 'reported', providerStatus: success } as const
  const result = await resolver.submit({
    transaction_id: id,
    attempt: 1,
    cause: 'query',
    question: await putQuestion(payments.malipo.ctx.db.write, id, 1),
    from,
    observation,
  })

  assert.ok(result, 'the report is not matched to a payment')
  assert.ok(errors.some((text) => text.includes('abandoned attempt moved money')))
})

// The last test here: while it fails, its lane moves nothing any more.
test('a payout to be sent again that turns out to be with the provider does not stop its lane', async (t) => {
  const payments = await testPayments(t)
  await payments.simulator.fault({ operation: 'payout', mode: 'drop_after_processing', times: 1 })
  await payments.simulator.fault({ operation: 'payout', mode: 'stuck_pending', times: 1 })
  const lanes = payments.work()
  const id = await payments.payOut()
  await payments.becomes(id, { state: 'unknown' })
  await lanes.stop()

  const { resolver } = payments.malipo.ctx
  await resolver.submit({ transaction_id: id, attempt: 1, cause: 'operator', observation: { kind: 'retry' } })
  await report(payments, id, { state: 'submitted' }, 'query')
  await payments.forwardDatabase(minutes(1))
  const other = await payments.payOut()
  payments.work()

  await payments.becomes(other, { state: 'successful' })
  assert.equal((await payments.seen(id)).state, 'submitted')
})
