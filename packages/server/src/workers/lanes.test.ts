import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { claim } from '../payments/dispatch/claim.ts'
import { createLaneQueue } from '../payments/dispatch/lane-queue.ts'
import { type DueTimers, dueAfter, type Place } from '../payments/dispatch/timers.ts'
import { newId, readId } from '../platform/ids.ts'
import { payingMalipo, payOut } from '../testing/paying.ts'
import { sweepPage } from './sweeper.ts'

const nowhere = '00000000-0000-0000-0000-000000000000'

test('timers that expire at the same moment are all read, page by page', async (t) => {
  const { ctx, ask } = await payingMalipo(t)
  const ids = Array.from({ length: 3000 }, () => newId(Date.now(), 0))
  await ask(
    `insert into timers select record_time() - interval '1 second', 'one moment', id from unnest($1::uuid[]) id`,
    [ids],
  )

  const counts: number[] = []
  let after: Place | undefined = { due: '1970-01-01', transaction_id: nowhere }
  while (after) {
    const { count, last }: DueTimers = await dueAfter(ctx.db.write, 'one moment', { after, limit: 700 })
    counts.push(count)
    after = last
  }

  assert.deepEqual(counts, [700, 700, 700, 700, 200, 0])
})

test("a backlog above the provider's rate limit is worked off without the sweeper", async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const house = malipo.ctx.connectors.sandbox.get('house')
  assert(house)
  Object.assign(house, { requestsPerSecond: 15 })
  const ids: string[] = []
  for (let index = 0; index < 40; index += 1) ids.push((await payOut(merchant, { by: 'house' })).id)

  malipo.work()

  await until('all of them to be sent', async () => {
    const [row] = await malipo.ask<{ count: string }>(
      `select count(*) from transactions where id = any($1) and state = 'accepted'`,
      [ids.map((id) => readId('transaction', id))],
    )
    return row?.count === '0'
  })
})

test('payments due in the 30 seconds before a worker starts are claimed at once, before a sweep', async (t) => {
  const malipo = await payingMalipo(t)
  const { id } = await payOut(await malipo.merchant())
  await malipo.later(30)

  malipo.work()

  await malipo.comesTo(id, 'successful')
})

test('a payment that the provider has is queried, not sent again, though once marked lost', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const [lost, other] = [await payOut(merchant), await payOut(merchant)]
  await malipo.ask(
    `with t as (update transactions set state = 'submitted' where id = $1 returning id)
     update attempts set is_lost = true, sends = 1 where transaction_id in (select id from t)`,
    [readId('transaction', lost.id)],
  )
  const ids = [lost, other].map(({ id }) => readId('transaction', id) ?? '')

  const work = ids.map((id) => ({ id, merchant_id: merchant.id, kind: 'payout' as const }))
  const { taken } = await claim(malipo.ctx.db.write, {
    lane: 'sandbox/pawapay',
    rates: { requestsPerSecond: 10 },
    choose: () => [{ kind: 'payout', work, limit: 10 }],
  })

  assert.deepEqual(
    new Map(taken.flatMap(({ claimed }) => claimed.map(({ transaction, todo }) => [transaction.id, todo]))),
    new Map([
      [ids[0], 'ask'],
      [ids[1], 'send'],
    ]),
  )
})

test('an expired charge is ended, not sent', async (t) => {
  const malipo = await payingMalipo(t)
  const { call } = await malipo.merchant()
  const charge = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: 'late' }
  const { body } = await call('POST', '/api/b2b/fiat/deposit/momo', charge)
  await malipo.later(16 * 60)

  malipo.work()

  await malipo.comesTo(String(body['transactionId']), 'failed')
  const read = await call('GET', '/api/b2b/transactions/late')
  assert.equal((read.body['data'] as { stage: string }).stage, 'EXPIRED')
  assert.deepEqual(await malipo.simulator.requests(''), [])
})

test('a payment for a provider that is not configured waits with a named reason', async (t) => {
  const malipo = await payingMalipo(t)
  const { id } = await payOut(await malipo.merchant())
  const connectors = malipo.ctx.connectors.sandbox as Map<string, unknown>
  connectors.delete('pawapay')

  malipo.work()

  await until('the reason to be named', async () => {
    const [row] = await malipo.ask<{ doubt: string }>('select doubt from transactions where id = $1', [
      readId('transaction', id),
    ])
    return row?.doubt === 'closed'
  })
})

test('the sweeper queues a payment whose timer was lost, and leaves one that is not due', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const [forgotten, fresh] = [await payOut(merchant), await payOut(merchant)]
  await malipo.ask('delete from timers')
  await malipo.ask(`update transactions set wake_at = record_time() - interval '2 minutes' where id = $1`, [
    readId('transaction', forgotten.id),
  ])

  const queue = createLaneQueue()
  const findLane = (name: string) =>
    name === 'sandbox/pawapay' ? { add: queue.add, wake: () => undefined } : undefined
  await sweepPage(malipo.ctx, findLane)

  const found = queue.next('payout', 10_000, () => 10_000).map(({ id }) => id)
  assert.ok(found.includes(readId('transaction', forgotten.id) ?? ''))
  assert.ok(!found.includes(readId('transaction', fresh.id) ?? ''))
})

test('the sweeper queues a late payment once, and logs it once', async (t) => {
  const malipo = await payingMalipo(t)
  const { id } = await payOut(await malipo.merchant())
  await malipo.ask(`update transactions set wake_at = record_time() - interval '2 minutes' where id = $1`, [
    readId('transaction', id),
  ])
  const queue = createLaneQueue()
  const wakes: string[] = []
  const findLane = (name: string) => ({ add: queue.add, wake: () => wakes.push(name) })

  for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweepPage(malipo.ctx, findLane)

  assert.deepEqual(wakes, ['sandbox/pawapay'])
  assert.equal(malipo.log.filter((line) => line.includes('overdue payments queued')).length, 1)
})

test('a timer committed ten seconds after later ones were read is found before any sweep', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const [late, other] = [await payOut(merchant), await payOut(merchant)]
  const id = readId('transaction', late.id)
  await malipo.ask('delete from timers where transaction_id = $1', [id])
  malipo.work()
  await malipo.comesTo(other.id, 'successful')

  await malipo.ask(`insert into timers values (record_time() - interval '10 seconds', 'sandbox/pawapay', $1)`, [id])

  await malipo.comesTo(late.id, 'successful')
})

test('a payment that was rerouted to another provider is left to the lane of that provider', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const { id } = await payOut(merchant)
  const transaction_id = readId('transaction', id) ?? ''
  await malipo.ask(
    `with moved as (update transactions set provider = 'house' where id = $1 returning id)
     update attempts set provider = 'house' where transaction_id in (select id from moved)`,
    [transaction_id],
  )
  const after = { due: '1970-01-01', transaction_id: nowhere }
  const work = [{ id: transaction_id, merchant_id: merchant.id, kind: 'payout' as const }]
  const claimIn = async (lane: string) => {
    const choose = () => [{ kind: 'payout' as const, work, limit: 10 }]
    const { taken } = await claim(malipo.ctx.db.write, { lane, rates: { requestsPerSecond: 10 }, choose })
    return taken.flatMap(({ claimed }) => claimed).length
  }

  const { due } = await dueAfter(malipo.ctx.db.write, 'sandbox/pawapay', { after, limit: 1000 })

  assert.ok(!due.some((each) => each.id === transaction_id))
  assert.deepEqual([await claimIn('sandbox/pawapay'), await claimIn('sandbox/house')], [0, 1])
})

test('timers are read from the new time when the database clock is set back', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await malipo.later(600)
  malipo.work()
  const first = await payOut(merchant)
  await malipo.comesTo(first.id, 'successful')
  await malipo.later(-600)

  const { id } = await payOut(merchant)

  await malipo.comesTo(id, 'successful')
})
