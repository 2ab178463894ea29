import { createDelayQueue, type DelayLimits, type DelayQueue, type Entry } from './delay-queue.ts'

/** A delay queue per key, with the keys in turn: a key that floods delays and rejects only its own entries. */
export interface FairQueue {
  /** Whether it accepts no entry of this key now. */
  isClosed(key: string): boolean
  isEmpty(key: string): boolean
  /** Returns whether the entry was accepted. */
  join(entry: Entry): boolean
  /** The next entry of the keys that have room. Rejects overdue entries before it. */
  next(hasRoom: (key: string) => boolean): Entry | undefined
  /** Rejects overdue entries when no caller takes the next one. Returns whether there is more to sweep later. */
  sweep(): boolean
  length(): number
}

export function createFairQueue(limits: DelayLimits, lengthMax: number, now: () => number): FairQueue {
  /** Keys with waiting entries, or a recent backlog, in turn order. */
  const queues = new Map<string, DelayQueue>()
  const queueOf = (key: string) => queues.get(key) ?? createDelayQueue(limits, lengthMax, now)
  return {
    isClosed: (key) => queues.get(key)?.isClosed() ?? false,
    isEmpty: (key) => (queues.get(key)?.length() ?? 0) === 0,
    length: () => queues.values().reduce((sum, queue) => sum + queue.length(), 0),
    join: (entry) => {
      const queue = queueOf(entry.key)
      const isTaken = queue.join(entry)
      if (isTaken) queues.set(entry.key, queue)
      return isTaken
    },
    next: (hasRoom) => {
      for (const [key, queue] of [...queues]) {
        const entry = hasRoom(key) ? queue.next() : undefined
        if (!entry) continue
        queues.delete(key)
        queues.set(key, queue)
        return entry
      }
      return undefined
    },
    sweep: () => {
      for (const [key, queue] of [...queues]) {
        queue.rejectOverdue()
        if (queue.isIdle()) queues.delete(key)
      }
      return queues.size > 0
    },
  }
}
