import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { putQuestion } from '../payments/model/store.ts'
import type { Observation } from '../payments/resolve/decision.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import { payingMalipo, payOut, walletOf } from '../testing/paying.ts'

const paidOf = (amount: bigint): Observation => ({
  kind: 'reported',
  providerStatus: { state: 'successful', settled: { amount, currency: 'KES' } },
})
const paid = paidOf(10_000n)
const failure = { code: 'UNSPECIFIED_FAILURE', message: '' } as const
const short: Observation = { kind: 'reported', providerStatus: { state: 'failed', failure, isOurShortfall: true } }
const reversed: Observation = { kind: 'reported', providerStatus: { state: 'reversed', failure } }

/** A payout of KES 100 whose first attempt failed because our float was empty; a second attempt waits to be sent. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { ctx } = malipo
  const merchant = await malipo.merchant()
  const before = (await walletOf(malipo, merchant.id)).available
  const settle = async (shown: string, observation: Observation, attempt: number) => {
    const transaction_id = readId('transaction', shown) ?? ''
    const question = await putQuestion(ctx.db.write, transaction_id, attempt)
    return ctx.resolver.submit({ transaction_id, attempt, observation, cause: 'query', question })
  }
  const send = (shown: string) =>
    malipo.ask(
      `with sent as (update transactions set state = 'sending' where id = $1 returning id)
       update attempts a set sends = a.sends + 1, send_deadline = now() - interval '1 hour'
       from sent where a.transaction_id = sent.id and outcome is null`,
      [readId('transaction', shown)],
    )
  const waiting = async () => {
    const { id } = await payOut(merchant)
    await send(id)
    await settle(id, short, 1)
    return id
  }
  const cases = async (id: string) =>
    (await malipo.operator.suspense.list({ limit: 1000 }))
      .filter(({ transactionId }) => transactionId === id)
      .map(({ kind, amount }) => [kind, amount])
  const paidThrough = async (id: string) => {
    const keys = [2, 3].map((attempt) => providerKeyOf(readId('transaction', id) ?? '', attempt))
    return (await Promise.all(keys.map((key) => malipo.simulator.movements(key)))).flat().length
  }
  const spent = async () => before - (await walletOf(malipo, merchant.id)).available
  return { malipo, merchant, settle, send, waiting, cases, paidThrough, spent }
}

test('a payout paid by its first attempt while the second was sent is not resent or cancelled', async (t) => {
  const { malipo, merchant, settle, send, waiting, cases, paidThrough, spent } = await setUp(t)
  const id = await waiting()
  await send(id)
  await settle(id, paid, 1)
  assert.deepEqual(await cases(id), [['abandoned_attempt_success', '-100.00']])

  const ends = [await settle(id, short, 2), await settle(id, short, 2), await settle(id, paid, 1)]
  const cancelled = await merchant.call('POST', `/api/b2b/fiat/payout/${id}/cancel`)
  malipo.work()
  const other = await payOut(merchant)
  await malipo.later(10 * 60)
  await malipo.comesTo(other.id, 'successful')

  assert.deepEqual(
    ends.map((armed) => armed?.isChanged),
    [true, false, false],
  )
  assert.deepEqual([await malipo.stateOf(id), cancelled.body['errorCode']], ['successful', 'PAYOUT_NOT_CANCELLABLE'])
  assert.deepEqual([await cases(id), await paidThrough(id), await spent()], [[], 0, 2n * 10_100n])
  await malipo.operator.ledger.check({ isFull: true })

  await settle(id, reversed, 1)
  assert.deepEqual([await spent(), await cases(id)], [10_100n + 100n, []])
  await malipo.operator.ledger.check({ isFull: true })
})

test('a payout whose earlier attempt moved money is not sent when it is due', async (t) => {
  const { malipo, settle, waiting, cases, paidThrough, merchant, spent } = await setUp(t)
  const [whole, part] = [await waiting(), await waiting()]
  for (const amount of [9000n, 10_000n]) await settle(whole, paidOf(amount), 1)
  await settle(part, paidOf(9000n), 1)
  const cancelled = await merchant.call('POST', `/api/b2b/fiat/payout/${part}/cancel`)

  malipo.work()
  await malipo.later(10 * 60)
  await malipo.comesTo(whole, 'successful')
  await until('the other to be in doubt', async () => (await malipo.stateOf(part)) === 'unknown')

  assert.equal(cancelled.body['errorCode'], 'PAYOUT_NOT_CANCELLABLE')
  assert.deepEqual([await paidThrough(whole), await paidThrough(part)], [0, 0])
  assert.deepEqual([await cases(whole), await cases(part)], [[], [['abandoned_attempt_success', '-90.00']]])
  await malipo.operator.payments.resolve(part, { outcome: 'failed', reason: 'r', evidence: 'e' })
  assert.equal(await spent(), 10_100n)
  await malipo.operator.ledger.check({ isFull: true })
})

test('an operator who resolves a payout as failed sees that an earlier attempt paid it', async (t) => {
  const { malipo, settle, send, waiting, cases, spent } = await setUp(t)
  const id = await waiting()
  await send(id)
  await settle(id, paid, 1)

  const settled = await malipo.operator.payments.resolve(id, { outcome: 'failed', reason: 'r', evidence: 'e' })

  assert.equal(settled.state, 'successful')
  assert.deepEqual([await malipo.stateOf(id), await spent(), await cases(id)], ['successful', 10_100n, []])
  await malipo.operator.ledger.check({ isFull: true })
})
