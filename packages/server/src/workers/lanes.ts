import type { Context } from '../context.ts'
import { type Claimed, claim, type Wanted } from '../payments/dispatch/claim.ts'
import { dispatch } from '../payments/dispatch/dispatch.ts'
import type { Budget, LaneOperation, LaneRates } from '../payments/dispatch/lane-budget.ts'
import { createLaneQueue, type LaneQueue, mapKinds, refillMax } from '../payments/dispatch/lane-queue.ts'
import { createLaneShares, type LaneShares } from '../payments/dispatch/lane-shares.ts'
import { openWork } from '../payments/dispatch/open-work.ts'
import { dueAfter, laneOf, type Place, type WorkKind, workKinds } from '../payments/dispatch/timers.ts'
import { timing } from '../payments/resolve/timing.ts'
import { databaseTimeMs, startWatch } from '../platform/clock.ts'
import type { Environment } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import { logRetry } from '../platform/log-retry.ts'
import { inStep } from '../platform/traces.ts'
import type { Watch } from '../platform/wakeups.ts'
import { idsOfPayment, withWorkIds } from '../platform/work-ids.ts'
import { providerIds } from '../providers/registry.ts'
import { createCalls, type LaneCalls } from './lane-calls.ts'
import { startSweeper } from './sweeper.ts'

const claimMax = 100
/** Payments offered per claimable payment, because other processes may have done some of them. */
const offersPerClaim = 4
const pageMax = 2000
/** The maximum of open-payment pages that one poll reads. */
const refillsMax = 10

const firstId = '00000000-0000-0000-0000-000000000000'
const unconfigured: LaneRates = { requestsPerSecond: 10 }

/**
 * Works the lane of every known provider: claims what is due, calls the provider, resolves the outcome. A provider that is not
 * configured here has a lane too, so that its payments wait with a named reason.
 */
export function startLanes(ctx: Context): Watch[] {
  const lanes = (['live', 'sandbox'] as const).flatMap((env) =>
    providerIds.map((provider) => startLane(ctx, env, provider)),
  )
  const queues = new Map(lanes.map(({ lane, watch }) => [lane.name, { add: lane.queue.add, wake: watch.wake }]))
  return [...lanes.map((each) => each.watch), startSweeper(ctx, (name) => queues.get(name))]
}

interface Lane {
  readonly ctx: Context
  readonly env: Environment
  readonly provider: string
  readonly name: string
  readonly rates: LaneRates
  readonly queue: LaneQueue
  readonly shares: LaneShares
  readonly calls: LaneCalls
  /** Every timer up to here was read: its payment is in the queue, or done. */
  readUntil: Date | undefined
  deepPolledAt: number
}

function startLane(ctx: Context, env: Environment, provider: string) {
  const name = laneOf(env, provider)
  const lane: Lane = {
    ctx,
    env,
    provider,
    name,
    rates: ctx.connectors[env].get(provider) ?? unconfigured,
    queue: createLaneQueue(),
    shares: createLaneShares(),
    calls: createCalls(() => watch.wake()),
    readUntil: undefined,
    deepPolledAt: 0,
  }
  ctx.metrics.beforeScrape(() => {
    for (const kind of workKinds) {
      ctx.metrics.laneQueue.set({ env, provider, kind }, lane.queue.waiting(kind))
      ctx.metrics.laneCalls.set({ env, provider, kind }, lane.calls.underWay(kind))
    }
  })
  const watch = ctx.wakeups.onWake(name, timing.lanePollEveryMs, () => poll(lane))
  const stop = async () => {
    await watch.stop()
    await lane.calls.end()
  }
  return { lane, watch: { ...watch, stop } }
}

/** Reads the expired timers page by page, and works on what is due between the pages, so that nothing waits for the last page. */
async function poll(lane: Lane): Promise<void> {
  // Timers that expired long before this process started belong to the sweeper: reading a day of timers takes longer than waiting
  // for it.
  lane.readUntil ??= new Date((await databaseTimeMs(lane.ctx.db.write)) - timing.laneFirstLookbackMs)
  let after: Place | undefined = { due: startOf(lane, lane.readUntil).toISOString(), transaction_id: firstId }
  let mayWork = true
  while (after) {
    after = await readPage(lane, after)
    if (mayWork) mayWork = await work(lane)
  }
  if (await refill(lane)) await work(lane)
}

function startOf(lane: Lane, readUntil: Date): Date {
  const isDeep = performance.now() - lane.deepPolledAt > timing.laneLookbackEveryMs
  if (isDeep) lane.deepPolledAt = performance.now()
  return new Date(readUntil.getTime() - (isDeep ? timing.laneLookbackMs : timing.laneOverlapMs))
}

/** Reads one page of timers and returns where the next starts. Each timer is read a few times, however long its payment waits. */
async function readPage(lane: Lane, after: Place): Promise<Place | undefined> {
  const { due, count, last, at } = await dueAfter(lane.ctx.db.write, lane.name, { after, limit: pageMax })
  lane.queue.add(due)
  // The clock was set back: timers may be before what was read, and the next poll starts there.
  if (lane.readUntil && at < lane.readUntil) lane.readUntil = new Date(at.getTime() - timing.laneFirstLookbackMs)
  if (!last) return undefined
  const isLastPage = count < pageMax
  const settledMs = isLastPage ? at.getTime() - timing.laneSettleMs : 0
  lane.readUntil = new Date(Math.max(lane.readUntil?.getTime() ?? 0, new Date(last.due).getTime(), settledMs))
  return isLastPage ? undefined : last
}

/** Reads open payments of merchants with more due than the queue keeps. True when there were any. */
async function refill({ ctx, env, provider, queue }: Lane): Promise<boolean> {
  for (let pages = 0; pages < refillsMax; pages += 1) {
    const [next] = queue.overflows()
    if (!next) return pages > 0
    const page = await openWork(ctx.db.write, { env, provider, ...next, limit: refillMax })
    queue.refill(next.merchant_id, page.due, page.last)
  }
  return true
}

const operationOf = { prompt: 'charge', hint: 'query', payout: 'payout', poll: 'query' } as const satisfies Record<
  WorkKind,
  LaneOperation
>

/**
 * Claims what is due and starts it, until the queue is empty or the room is used up. False when the provider's rate limit is used
 * up.
 */
async function work(lane: Lane): Promise<boolean> {
  const { ctx, name, rates, queue, shares } = lane
  while (workKinds.some((kind) => queue.waiting(kind) > 0)) {
    const elapsedMs = startWatch()
    const order = { lane: name, rates, choose: (budget: Budget) => choose(lane, budget) }
    const { taken, isSpent } = await claim(ctx.db.write, order)
    const claimed = taken.flatMap((each) => each.claimed)
    if (claimed.length > 0) reach('claim.committed')
    for (const each of taken) {
      shares.serve(each.kind, each.claimed.length)
      queue.remove(
        each.examined,
        each.claimed.map(({ transaction }) => ({ ...transaction, kind: each.kind })),
      )
      for (const one of each.claimed) begin(lane, each.kind, one, elapsedMs)
    }
    if (isSpent) return false
    if (taken.length === 0) break // No room for more calls: the next one that ends wakes the lane.
  }
  return true
}

/** What to claim with a budget: each kind gets its share, and within each kind merchants take turns. */
function choose({ queue, shares, calls }: Lane, { total, of }: Budget): Wanted[] {
  const possible = mapKinds((kind) => Math.min(queue.waiting(kind), of[operationOf[kind]], calls.roomFor(kind)))
  const shared = shares.divide(Math.min(claimMax, total), possible)
  return workKinds.map((kind) => {
    const limit = shared[kind]
    const work = limit > 0 ? queue.next(kind, limit * offersPerClaim, (id) => calls.roomOf(kind, id)) : []
    return { kind, work, limit: Math.min(limit, work.length) }
  })
}

function begin({ ctx, name, calls }: Lane, kind: WorkKind, claimed: Claimed, elapsedMs: () => number): void {
  const { id, merchant_id } = claimed.transaction
  const ids = { merchantId: showId('merchant', merchant_id), ...idsOfPayment(id) }
  const call = withWorkIds(ids, () =>
    inStep(stepOf(kind, claimed), () => dispatch(ctx, claimed, elapsedMs)).catch((error) =>
      logRetry(ctx.log, error, { lane: name }, 'payment not processed, will be retried'),
    ),
  )
  calls.begin(kind, claimed.transaction.merchant_id, call)
}

const stepOf = (kind: WorkKind, { transaction, todo }: Claimed) => ({
  ...{ name: `lane ${kind}`, kind: 'consumer' as const, payment: transaction.id },
  facts: { 'malipo.env': transaction.env, 'malipo.provider': transaction.provider, 'malipo.todo': todo },
})
