import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startWatch } from '../../platform/clock.ts'
import { CommitUnknown, type WriteDb } from '../../platform/db.ts'
import { readId } from '../../platform/ids.ts'
import { type PayingMalipo, payingMalipo, payOut, walletOf } from '../../testing/paying.ts'
import { claim } from '../dispatch/claim.ts'
import { dispatch } from '../dispatch/dispatch.ts'
import type { Observation } from '../resolve/decision.ts'
import { createResolver } from '../resolve/resolve.ts'

const notReached: Observation = { kind: 'not_submitted', cause: 'not_reached', detail: 'ECONNREFUSED' }
const submitted: Observation = { kind: 'reported', providerStatus: { state: 'submitted' } }
const unclear: Observation = { kind: 'unclear', detail: '' }

/**
 * Loses the response to the first COMMIT of a batch, after or before it takes effect. `meanwhile` runs before the caller notices.
 */
function losingOnce(db: WriteDb, { isCommitted }: { isCommitted: boolean }, meanwhile: () => Promise<unknown>) {
  let runs = 0
  const lossy: WriteDb = {
    ...db,
    batch: async (lockTimeoutMs, work) => {
      runs += 1
      if (runs > 1) return db.batch(lockTimeoutMs, work)
      let lost: CommitUnknown<unknown> | undefined
      const done = db.batch(lockTimeoutMs, async (tx) => {
        const result = await work(tx)
        lost = new CommitUnknown(tx, result, new Error('Connection terminated'))
        if (!isCommitted) throw lost
        return result
      })
      await done.catch(() => undefined)
      await meanwhile()
      throw lost
    },
  }
  return { db: lossy, runs: () => runs }
}

const resolverOn = ({ ctx }: PayingMalipo, db: WriteDb) =>
  createResolver({
    db,
    cell: 0,
    onMerchantEvents: () => undefined,
    log: ctx.log,
    accounts: ctx.accounts,
    connectors: ctx.connectors,
    routing: ctx.routing,
  })

/** A payout that a worker has claimed to send, in a lane that the test drives itself. */
async function claimedPayout(t: TestContext) {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const { id, key } = await payOut(merchant)
  const transaction_id = readId('transaction', id) ?? ''
  const work = [{ id: transaction_id, merchant_id: merchant.id, kind: 'payout' as const }]
  const claimIt = async () => {
    const { taken } = await claim(malipo.ctx.db.write, {
      lane: 'sandbox/pawapay',
      rates: { requestsPerSecond: 100 },
      choose: () => [{ kind: 'payout', work, limit: 10 }],
    })
    return taken.flatMap(({ claimed }) => claimed)
  }
  const attemptNow = async () => {
    const [row] = await malipo.ask<{ sends: number; polls: number; events: number }>(
      'select a.sends, a.polls, t.events from attempts a join transactions t on t.id = a.transaction_id where t.id = $1',
      [transaction_id],
    )
    return row
  }
  assert.equal((await claimIt())[0]?.todo, 'send')
  const about = (observation: Observation) => ({ transaction_id, attempt: 1, cause: 'attempt' as const, observation })
  return { malipo, merchant, id, key, claimIt, attemptNow, about }
}

test('a committed batch is not run again after another worker claimed its payout', async (t) => {
  const { malipo, merchant, id, key, claimIt, about } = await claimedPayout(t)
  const elapsedMs = startWatch()
  let other: Awaited<ReturnType<typeof claimIt>> | undefined
  const { db, runs } = losingOnce(malipo.ctx.db.write, { isCommitted: true }, async () => {
    await malipo.later(4)
    other = await claimIt()
  })

  await resolverOn(malipo, db).submit(about(notReached))
  const claimed = other?.[0]
  assert.equal(claimed?.todo, 'send')
  const cancelled = await merchant.call('POST', `/api/b2b/fiat/payout/${id}/cancel`)
  assert.ok(claimed)
  await dispatch(malipo.ctx, claimed, elapsedMs)

  assert.deepEqual([runs(), cancelled.status], [1, 409])
  malipo.work()
  await malipo.comesTo(id, 'successful')
  assert.equal((await malipo.simulator.movements(key)).length, 1)
  assert.deepEqual(await walletOf(malipo, merchant.id), { available: 99_989_900n, reserved: 0n })
  await malipo.operator.ledger.check({ isFull: true })
})

test('a committed batch without events or transfers is not run again, whatever follows it', async (t) => {
  const { malipo, attemptNow, about } = await claimedPayout(t)
  const resolver = resolverOn(malipo, malipo.ctx.db.write)
  await resolver.submit(about(submitted))
  const before = await attemptNow()
  const { db, runs } = losingOnce(malipo.ctx.db.write, { isCommitted: true }, () =>
    resolver.submit({ ...about({ kind: 'hint' }), cause: 'callback' }),
  )

  const result = await resolverOn(malipo, db).submit(about(unclear))

  assert.deepEqual([runs(), result?.isChanged], [1, true])
  assert.deepEqual(await attemptNow(), { ...before, polls: (before?.polls ?? 0) + 1 })
})

test('a rolled-back batch is run again, even if another worker did the same meanwhile', async (t) => {
  const { malipo, attemptNow, about } = await claimedPayout(t)
  const resolver = resolverOn(malipo, malipo.ctx.db.write)
  await resolver.submit(about(submitted))
  const before = await attemptNow()
  const { db, runs } = losingOnce(malipo.ctx.db.write, { isCommitted: false }, () => resolver.submit(about(unclear)))

  await resolverOn(malipo, db).submit(about(unclear))

  assert.equal(runs(), 2)
  assert.deepEqual(await attemptNow(), { ...before, polls: (before?.polls ?? 0) + 2 })
})
