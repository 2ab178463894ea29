import { mapKinds } from './lane-queue.ts'
import { type WorkKind, workKinds } from './timers.ts'

/**
 * What each kind of work gets of a lane while all of them wait. Customers at the till come first; nothing else stops for them,
 * because a payout that is never sent and a payment that is never asked about are as wrong as a prompt that comes too late.
 */
const weights = { prompt: 12, hint: 4, payout: 3, poll: 1 } as const satisfies Record<WorkKind, number>

/** Weighted fair queueing over the kinds of a lane's work. */
export interface LaneShares {
  /** Divides requests among the kinds, of each at most as many as can be made. What one does not need the others get. */
  divide(requests: number, possible: Readonly<Record<WorkKind, number>>): Record<WorkKind, number>
  /** Counts what was really served. */
  serve(kind: WorkKind, requests: number): void
}

/**
 * Each kind has a virtual time that advances by 1/weight with every request served; the kind that is furthest behind is next. A kind
 * that had nothing to do has saved nothing up: it starts at the time of the others.
 */
export function createLaneShares(): LaneShares {
  const times = mapKinds(() => 0)
  let active: readonly WorkKind[] = []
  const start = (waiting: readonly WorkKind[]) => {
    const others = waiting.filter((kind) => active.includes(kind)).map((kind) => times[kind])
    const now = others.length > 0 ? Math.min(...others) : Math.max(...Object.values(times))
    for (const kind of waiting) if (!active.includes(kind)) times[kind] = Math.max(times[kind], now)
    active = waiting
  }
  return {
    divide: (requests, possible) => {
      const shares = mapKinds(() => 0)
      const timeOf = (kind: WorkKind) => times[kind] + shares[kind] / weights[kind]
      start(workKinds.filter((kind) => possible[kind] > 0))
      for (let given = 0; given < requests; given += 1) {
        const waiting = active.filter((kind) => shares[kind] < possible[kind])
        const [next] = waiting.sort((one, other) => timeOf(one) - timeOf(other))
        if (next === undefined) break
        shares[next] += 1
      }
      return shares
    },
    serve: (kind, requests) => {
      times[kind] += requests / weights[kind]
    },
  }
}
