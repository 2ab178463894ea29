import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PayingMalipo, payingMalipo, payOut, payoutInDoubt } from '../testing/paying.ts'
import { createRecentOutcomes } from './recent-outcomes.ts'

const env = 'sandbox' as const

const rowOf = async ({ operator }: PayingMalipo, provider = 'pawapay') =>
  (await operator.providers.board({ env })).rows.find((row) => row.provider === provider && row.operation === 'payout')

test('the board shows success rates, times, failures and open payments of each operation', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const paid = await Promise.all([payOut(merchant), payOut(merchant), payOut(merchant)])
  for (const { id } of paid) await malipo.comesTo(id, 'successful')
  const doubt = await payoutInDoubt(malipo, merchant)
  await malipo.later(60)
  await malipo.operator.payments.resolve(doubt.id, { outcome: 'failed', reason: 'case 1', evidence: 'line 1' })
  const open = await payoutInDoubt(malipo, merchant)

  const row = await rowOf(malipo)

  assert.equal(await malipo.stateOf(open.id), 'unknown')
  const ended = { successful: 3, failed: 1, successRate: 0.75 }
  assert.deepEqual([row?.last15Minutes, row?.last24Hours, row?.open], [ended, ended, 1])
  assert.deepEqual([row?.hours.length, row?.hours.at(-1)?.successful, row?.hours[0]?.successful], [24, 3, 0])
  assert.deepEqual(
    row?.failures.map(({ payments }) => payments),
    [1],
  )
  assert.ok((row?.p50Seconds ?? 0) < 30 && (row?.p95Seconds ?? 0) > 30, JSON.stringify(row))
  assert.deepEqual((await malipo.operator.providers.board({ env: 'live' })).rows, [])
  // The simulator of the next test does not know it, so it would be sent again there.
  await malipo.later(60)
  await malipo.operator.payments.resolve(open.id, { outcome: 'failed', reason: 'case 2', evidence: 'line 2' })
})

test('an end in an old slot is seen at the next read, and the outcomes of a day ago are dropped', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const doubt = await payoutInDoubt(malipo, merchant)
  await malipo.later(3600)
  const before = await rowOf(malipo)

  await malipo.operator.payments.resolve(doubt.id, { outcome: 'successful', reason: 'case 1', evidence: 'line 1' })
  const after = await rowOf(malipo)
  await malipo.later(24 * 3600)

  const known = before?.last24Hours.successful ?? 0
  assert.deepEqual(
    [after?.last24Hours.successful, after?.last15Minutes.successful, after?.open],
    [known + 1, 0, (before?.open ?? 0) - 1],
  )
  assert.equal((await rowOf(malipo))?.last24Hours.successful ?? 0, 0)
})

test('a slot without a change is not read again', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const paid = await payOut(merchant)
  await malipo.comesTo(paid.id, 'successful')
  await malipo.later(3600)
  const texts: string[] = []
  const db = malipo.ctx.db.write
  const recent = createRecentOutcomes({
    query: (query) => {
      texts.push(JSON.stringify(query.values))
      return db.query(query)
    },
  })

  await recent.read()
  const first = texts.splice(0)
  const [one, same] = await Promise.all([recent.read(), recent.read()])

  assert.equal(one, same)
  assert.ok(first.length > 10)
  assert.ok(texts.length <= 3, String(texts.length)) // The clock, the open payments, and the slots of the last minutes.
})

test('a float shows what leaves it in an hour and how long it lasts', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const float = { provider: 'pawapay', env, country: 'KE', currency: 'KES' }
  await malipo.operator.floats.adjust({ ...float, amount: '1200.00', evidence: 'line 3', reason: 'top-up' })
  await malipo.later(25 * 3600)
  const [before] = await malipo.operator.floats.list()
  const paid = await payOut(merchant, { amount: 240 })
  await malipo.comesTo(paid.id, 'successful')

  const [shown] = await malipo.operator.floats.list()

  const amount = Number(before?.amount) - 240
  assert.deepEqual([before?.outflowPerHour, before?.hoursLeft], [undefined, undefined])
  assert.deepEqual(
    [Number(shown?.amount), shown?.outflowPerHour, shown?.hoursLeft],
    [amount, '10.00', Math.floor(amount) / 10],
  )
})

test('the board names a paused and an unhealthy provider', async (t) => {
  const malipo = await payingMalipo(t)
  await payOut(await malipo.merchant())
  await malipo.operator.providers.pause('pawapay', { env, reason: 'incident 12' })
  await malipo.ask(
    `update lanes set unhealthy_until = record_time() + interval '1 hour' where lane = 'sandbox/pawapay'`,
  )

  const row = await rowOf(malipo)

  assert.deepEqual([row?.state, row?.pauseReason, row?.isUnhealthy], ['paused', 'incident 12', true])
  assert.ok((row?.open ?? 0) >= 1)
})

test('a paused provider without payments is on the board', async (t) => {
  const { operator } = await payingMalipo(t)
  const states = async () => {
    const { rows } = await operator.providers.board({ env })
    return rows.filter(({ provider }) => provider === 'flutterwave').map(({ state }) => state)
  }

  await operator.providers.pause('flutterwave', { env, reason: 'incident 13' })
  assert.deepEqual(await states(), ['paused'])
  await operator.providers.resume('flutterwave', { env, reason: 'it is over' })

  assert.deepEqual(await states(), [])
})
