import { laneOf, type Place, rungAfter } from '../alarms/alarms.ts'
import type { Context } from '../context.ts'
import type { Watch } from '../platform/bell.ts'
import { databaseTimeMs, startWatch } from '../platform/clock.ts'
import { reach } from '../platform/failpoints.ts'
import type { Connector } from '../providers/contract.ts'
import { providerIds } from '../providers/registry.ts'
import { type Claimed, claim } from '../transactions/claim.ts'
import { dispatch } from '../transactions/dispatch.ts'
import { noteSetback } from './setback.ts'

/** Without a bell, work is found this late. */
const lookEveryMs = 250
const claimMax = 100
/** Calls to one provider that one process has under way at most. */
const underWayMax = 100
const pageMax = 2000
/** An alarm is set by a transaction that takes a while to commit, so a look begins a little before where the last ended. */
const overlapMs = 250
/** Once in a while a look goes back further, for transactions that took longer than that; none can stand still for longer. */
const deepEveryMs = 5000
const deepMs = 15_000
/** The first look of a process goes back to where the sweeper's begin, so that what fell due while nobody worked is not late. */
const firstMs = 90_000

const firstId = '00000000-0000-0000-0000-000000000000'
const unconfiguredPerSecond = 10

/**
 * Works the lane of every provider there can be: claims what is due, calls the provider, has the outcome settled. A
 * provider that is not configured here has a lane too, so that what waits for it has a reason with a name.
 */
export function startLanes(ctx: Context): Watch[] {
  return (['live', 'sandbox'] as const).flatMap((env) =>
    providerIds.map((id) => startLane(ctx, laneOf(env, id), ctx.connectors[env].get(id))),
  )
}

interface Lane {
  readonly ctx: Context
  readonly name: string
  readonly requestsPerSecond: number
  readonly underWay: Set<Promise<void>>
  /** Every alarm up to here was looked at, and what it was for was done or is done by somebody else. */
  doneUntil: Date | undefined
  lookedDeepAt: number
}

function startLane(ctx: Context, name: string, connector: Connector | undefined): Watch {
  const { requestsPerSecond = unconfiguredPerSecond } = connector ?? {}
  const lane: Lane = { ctx, name, requestsPerSecond, underWay: new Set(), doneUntil: undefined, lookedDeepAt: 0 }
  const watch = ctx.bell.onRing(name, lookEveryMs, () => look(lane))
  return {
    stop: async () => {
      await watch.stop()
      await Promise.allSettled(lane.underWay)
    },
  }
}

/** Goes through the alarms that rang, page by page, until the end or until no more may be taken. */
async function look(lane: Lane): Promise<void> {
  // What rang long before this process began is the sweeper's: a day of alarms would take longer to read than to wait for.
  lane.doneUntil ??= new Date((await databaseTimeMs(lane.ctx.db.write)) - firstMs)
  let after: Place | undefined = { due: startOf(lane, lane.doneUntil).toISOString(), transaction_id: firstId }
  while (after) after = await workPage(lane, after)
}

function startOf(lane: Lane, doneUntil: Date): Date {
  const isDeep = performance.now() - lane.lookedDeepAt > deepEveryMs
  if (isDeep) lane.lookedDeepAt = performance.now()
  return new Date(doneUntil.getTime() - (isDeep ? deepMs : overlapMs))
}

/** One page of alarms, and where the next begins. What may not be taken now is looked at again from here. */
async function workPage(lane: Lane, after: Place): Promise<Place | undefined> {
  const { needed, count, last } = await rungAfter(lane.ctx.db.write, lane.name, { after, limit: pageMax })
  if (!(await takeAll(lane, new Set(needed)))) return undefined
  const dueOfLast = last && new Date(last.due)
  if (dueOfLast && lane.doneUntil && dueOfLast > lane.doneUntil) lane.doneUntil = dueOfLast
  return count === pageMax ? last : undefined
}

/** Claims all of these that are due and begins them. False when some must wait: for a call to end, or for the provider. */
async function takeAll(lane: Lane, needed: Set<string>): Promise<boolean> {
  const { ctx, name, requestsPerSecond, underWay } = lane
  while (needed.size > 0) {
    const limit = Math.min(claimMax, underWayMax - underWay.size)
    if (limit === 0) return false // Rung again when a call has ended.
    const elapsedMs = startWatch()
    const order = { lane: name, ids: [...needed], limit, requestsPerSecond }
    const { claimed, isLimited } = await claim(ctx.db.write, order)
    if (claimed.length > 0) reach('claim.committed')
    for (const each of claimed) {
      begin(lane, each, elapsedMs)
      needed.delete(each.transaction.id)
    }
    if (!isLimited) return true
    if (claimed.length < limit) return false
  }
  return true
}

function begin({ ctx, name, underWay }: Lane, claimed: Claimed, elapsedMs: () => number): void {
  const call = dispatch(ctx, claimed, elapsedMs)
    .catch((error) =>
      noteSetback(ctx.log, error, { lane: name }, 'a payment could not be worked on; its alarm rings again'),
    )
    .finally(() => {
      underWay.delete(call)
      if (underWay.size === underWayMax - 1) ctx.bell.ring(name)
    })
  underWay.add(call)
}
