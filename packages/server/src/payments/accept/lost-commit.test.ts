import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startWatch } from '../../platform/clock.ts'
import { CommitUnknown, type WriteDb } from '../../platform/db.ts'
import { readId } from '../../platform/ids.ts'
import { type PayingMalipo, payingMalipo, payOut, walletOf } from '../../testing/paying.ts'
import { claim } from '../dispatch/claim.ts'
import { dispatch } from '../dispatch/dispatch.ts'
import type { News } from '../resolve/decision.ts'
import { createSettler } from '../resolve/resolve.ts'

const notReached: News = { kind: 'not_submitted', cause: 'not_reached', detail: 'ECONNREFUSED' }
const submitted: News = { kind: 'said', said: { state: 'submitted' } }
const unclear: News = { kind: 'unclear', detail: '' }

/** Loses the response to the first COMMIT of a batch, after it was done or before; `meanwhile` runs before anyone notices. */
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

const settlerOn = ({ ctx }: PayingMalipo, db: WriteDb) =>
  createSettler({
    db,
    cell: 0,
    onTold: () => undefined,
    log: ctx.log,
    accounts: ctx.accounts,
    connectors: ctx.connectors,
    routing: ctx.routing,
  })

/** A payout that a worker has claimed to send, in a lane that is worked by hand. */
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
  const about = (news: News) => ({ transaction_id, attempt: 1, cause: 'attempt' as const, news })
  return { malipo, merchant, id, key, claimIt, attemptNow, about }
}

test('a committed batch is not run again, though another worker has claimed its payout since', async (t) => {
  const { malipo, merchant, id, key, claimIt, about } = await claimedPayout(t)
  const elapsedMs = startWatch()
  let other: Awaited<ReturnType<typeof claimIt>> | undefined
  const { db, runs } = losingOnce(malipo.ctx.db.write, { isCommitted: true }, async () => {
    await malipo.later(4)
    other = await claimIt()
  })

  await settlerOn(malipo, db).submit(about(notReached))
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

test('a committed batch that wrote no event and no transfer is not run again, whatever came after it', async (t) => {
  const { malipo, attemptNow, about } = await claimedPayout(t)
  const settler = settlerOn(malipo, malipo.ctx.db.write)
  await settler.submit(about(submitted))
  const before = await attemptNow()
  const { db, runs } = losingOnce(malipo.ctx.db.write, { isCommitted: true }, () =>
    settler.submit({ ...about({ kind: 'hint' }), cause: 'callback' }),
  )

  const standing = await settlerOn(malipo, db).submit(about(unclear))

  assert.deepEqual([runs(), standing?.isChanged], [1, true])
  assert.deepEqual(await attemptNow(), { ...before, polls: (before?.polls ?? 0) + 1 })
})

test('a batch that was rolled back is run again, though another worker has done the same meanwhile', async (t) => {
  const { malipo, attemptNow, about } = await claimedPayout(t)
  const settler = settlerOn(malipo, malipo.ctx.db.write)
  await settler.submit(about(submitted))
  const before = await attemptNow()
  const { db, runs } = losingOnce(malipo.ctx.db.write, { isCommitted: false }, () => settler.submit(about(unclear)))

  await settlerOn(malipo, db).submit(about(unclear))

  assert.equal(runs(), 2)
  assert.deepEqual(await attemptNow(), { ...before, polls: (before?.polls ?? 0) + 2 })
})
