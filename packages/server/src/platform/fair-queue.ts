import { createDelayQueue, type DelayLimits, type DelayQueue, type Entry } from './delay-queue.ts'

/** A delay queue for each key, and the keys in turn: one that floods delays and rejects its own entries only. */
export interface FairQueue {
  /** Whether it takes no more entries of a key now. */
  isClosed(key: string): boolean
  isEmpty(key: string): boolean
  /** Whether the entry was taken. */
  join(entry: Entry): boolean
  /** The next entry of the keys that have room. Rejects those that waited for too long on the way to it. */
  next(hasRoom: (key: string) => boolean): Entry | undefined
  /** Rejects entries that waited for too long, where nothing asks for the next. Returns whether there is more to sweep later. */
  sweep(): boolean
  length(): number
}

export function createFairQueue(limits: DelayLimits, lengthMax: number, now: () => number): FairQueue {
  /** Of keys that have entries waiting, or had lately, in the order in which their turn comes. */
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
