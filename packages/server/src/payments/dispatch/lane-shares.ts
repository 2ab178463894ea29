import { mapKinds } from './lane-queue.ts'
import { type WorkKind, workKinds } from './timers.ts'

/**
 * The share of each kind of work while all kinds wait. Prompts come first because a customer is waiting. They never stop the
 * other kinds: a payout that is never sent is as wrong as a prompt that comes too late, and so is a payment that is never polled.
 */
const weights = { prompt: 12, hint: 4, payout: 3, poll: 1 } as const satisfies Record<WorkKind, number>

/** Weighted fair queueing over the kinds of a lane's work. */
export interface LaneShares {
  /** Divides requests among the kinds, at most as many per kind as can be made. The others get what one kind does not need. */
  divide(requests: number, possible: Readonly<Record<WorkKind, number>>): Record<WorkKind, number>
  /** Counts the requests that were served. */
  serve(kind: WorkKind, requests: number): void
}

/**
 * Each kind has a virtual time that advances by 1/weight with every served request; the kind furthest behind is next. An idle
 * kind saves nothing up: it continues at the time of the others.
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
