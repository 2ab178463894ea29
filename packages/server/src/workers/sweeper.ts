import type { Context } from '../context.ts'
import { lateWork, type OpenPlace } from '../payments/dispatch/open-work.ts'
import type { Work } from '../payments/dispatch/timers.ts'
import { timing } from '../payments/resolve/timing.ts'
import { reach } from '../platform/failpoints.ts'
import type { Watch } from '../platform/wakeups.ts'

const pageMax = 20_000

const nowhere = '00000000-0000-0000-0000-000000000000'
const start: OpenPlace = { merchant_id: nowhere, env: 'live', id: nowhere }

/** Where a lane of this process takes work. */
interface LaneEntry {
  /** Returns how many were not in the queue. */
  add(work: readonly Work[]): number
  wake(): void
}

type FindLane = (name: string) => LaneEntry | undefined

/**
 * Reads all open payments, one page at a time along their index, and queues those that no worker handled when they fell due:
 * after all workers were down, after a merchant was frozen, or if a timer was lost. The first run reads all pages at once,
 * because a new process does not know what was due before.
 */
export function startSweeper(ctx: Context, findLane: FindLane): Watch {
  let place: OpenPlace | undefined
  let isFirst = true
  return ctx.wakeups.onWake('sweep', timing.sweepEveryMs, async () => {
    do place = await sweepPage(ctx, findLane, place)
    while (isFirst && place)
    isFirst = false
  })
}

/** Sweeps one page and returns where the next starts; undefined after the last page. */
export async function sweepPage(
  { db, log }: Pick<Context, 'db' | 'log'>,
  findLane: FindLane,
  after: OpenPlace = start,
): Promise<OpenPlace | undefined> {
  const { lanes, last } = await lateWork(db.write, { after, lateMs: timing.sweepLateMs, limit: pageMax })
  if (lanes.length > 0) reach('sweep.found')
  for (const { lane: name, late } of lanes) {
    const lane = findLane(name)
    const payments = lane?.add(late) ?? 0
    if (payments === 0) continue
    lane?.wake()
    log.info({ lane: name, payments }, 'overdue payments queued')
  }
  if (lanes.length > 0) reach('sweep.queued')
  return last
}
