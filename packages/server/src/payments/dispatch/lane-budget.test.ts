import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../../testing/malipo.ts'
import { openLane, spend, takeTurn } from './lane-budget.ts'
import { pauseLane } from './lanes.ts'

/** The database clock moves only when the test advances it. */
async function budgets(t: TestContext) {
  const { ctx, ask } = await testMalipo(t)
  await ask(`create or replace function record_time() returns timestamptz language sql volatile parallel safe
    return to_timestamp(1900000000) + (select ahead from clock_offset)`)
  const pass = (seconds: number) => ask('update clock_offset set ahead = ahead + make_interval(secs => $1)', [seconds])
  return { write: ctx.db.write, pass }
}

test('a lane saves up one second of requests and no more', async (t) => {
  const { write, pass } = await budgets(t)
  const rates = { requestsPerSecond: 30 }
  assert.equal((await openLane(write, 'sandbox/saving', rates))?.total, 30)
  await spend(write, [{ lane: 'sandbox/saving', requests: 30 }], 'lane')
  assert.equal((await openLane(write, 'sandbox/saving', rates))?.total, 0)
  await pass(0.5)
  assert.equal((await openLane(write, 'sandbox/saving', rates))?.total, 15)

  await pass(60)

  assert.equal((await openLane(write, 'sandbox/saving', rates))?.total, 30)
})

test('an operation has its own limit within the total, and the others have only the total', async (t) => {
  const { write } = await budgets(t)
  const rates = { requestsPerSecond: 30, operationsPerSecond: { payout: 5 } }

  const budget = await openLane(write, 'sandbox/limited', rates)

  assert.deepEqual(budget, {
    total: 30,
    of: { charge: Number.POSITIVE_INFINITY, payout: 5, query: Number.POSITIVE_INFINITY },
  })
})

test("requests that send at once may use the rest and one second more, but not the lane's share", async (t) => {
  const { write, pass } = await budgets(t)
  const rates = { requestsPerSecond: 10, operationsPerSecond: { charge: 10 } }
  const takeAll = async () => {
    let taken = 0
    while (await takeTurn(write, 'sandbox/shared', rates)) taken += 1
    return taken
  }
  assert.equal(await takeAll(), 20)

  const budget = await openLane(write, 'sandbox/shared', rates)
  assert.deepEqual([budget?.total, budget?.of.charge], [2, 2])
  await spend(write, [{ lane: 'sandbox/shared', requests: 2 }], 'lane')
  assert.equal((await openLane(write, 'sandbox/shared', rates))?.total, 0)
  await pass(1)
  assert.equal(await takeAll(), 8)
  assert.equal((await openLane(write, 'sandbox/shared', rates))?.total, 2)
})

test('a paused lane has no budget, for itself or for requests that send at once', async (t) => {
  const { write } = await budgets(t)
  const rates = { requestsPerSecond: 10 }
  await write.transaction((tx) => pauseLane(tx, 'sandbox/paused', 'maintenance'))

  assert.equal(await openLane(write, 'sandbox/paused', rates), undefined)
  assert.equal(await takeTurn(write, 'sandbox/paused', rates), false)
})
