import { mapKinds } from '../payments/dispatch/lane-queue.ts'
import type { WorkKind } from '../payments/dispatch/timers.ts'

/**
 * The maximum of calls to one provider that one process has under way, by kind: calls that hang fill only the room of their own
 * kind. One merchant gets half of it, so that its hanging calls do not fill the room of the others.
 */
const underWayMax = { prompt: 100, hint: 50, payout: 200, poll: 50 } as const satisfies Record<WorkKind, number>

export interface LaneCalls {
  roomFor(kind: WorkKind): number
  roomOf(kind: WorkKind, merchant_id: string): number
  underWay(kind: WorkKind): number
  begin(kind: WorkKind, merchant_id: string, call: Promise<void>): void
  /** Waits until no call is under way. */
  end(): Promise<void>
}

/** `onRoom` is called when a call ends after there was no room. */
export function createCalls(onRoom: () => void): LaneCalls {
  const underWay = new Set<Promise<void>>()
  const counts = mapKinds(() => new Map<string, number>())
  const totals = mapKinds(() => 0)
  let isWanted = false
  const count = (kind: WorkKind, merchant_id: string, change: 1 | -1) => {
    totals[kind] += change
    const calls = (counts[kind].get(merchant_id) ?? 0) + change
    if (calls === 0) counts[kind].delete(merchant_id)
    else counts[kind].set(merchant_id, calls)
  }
  const noted = (room: number) => {
    if (room <= 0) isWanted = true
    return Math.max(0, room)
  }
  return {
    roomFor: (kind) => noted(underWayMax[kind] - totals[kind]),
    roomOf: (kind, merchant_id) => noted(underWayMax[kind] / 2 - (counts[kind].get(merchant_id) ?? 0)),
    underWay: (kind) => totals[kind],
    begin: (kind, merchant_id, call) => {
      count(kind, merchant_id, 1)
      const ending = call.finally(() => {
        underWay.delete(ending)
        count(kind, merchant_id, -1)
        if (!isWanted) return
        isWanted = false
        onRoom()
      })
      underWay.add(ending)
    },
    end: async () => {
      await Promise.allSettled(underWay)
    },
  }
}
