import { AppError } from '../errors.ts'
import { createShares } from './shares.ts'

export interface FairSemaphore {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  waiting(): number
}

interface Waiting {
  readonly begin: () => void
  readonly timer: NodeJS.Timeout
}

/**
 * Runs at most `max` pieces of work at a time. Waiting keys take turns, and one key gets at most three quarters of the slots:
 * slow work of one key hardly delays another. Work that waits too long is refused.
 */
export function createFairSemaphore(max: number, waitMaxMs: number): FairSemaphore {
  const shares = createShares()
  /** In turn order. */
  const queues = new Map<string, Set<Waiting>>()

  const remove = (key: string, queue: Set<Waiting>, waiting: Waiting) => {
    queue.delete(waiting)
    if (queue.size === 0) queues.delete(key)
  }
  const wait = (key: string) =>
    new Promise<void>((resolve, reject) => {
      const queue = queues.get(key) ?? new Set<Waiting>()
      const timer = setTimeout(() => {
        remove(key, queue, waiting)
        reject(new AppError('OVERLOADED'))
      }, waitMaxMs).unref()
      const waiting: Waiting = { begin: resolve, timer }
      queues.set(key, queue.add(waiting))
    })
  const beginNext = () => {
    const found = queues.entries().find(([key]) => shares.hasRoom(key, max))
    if (!found) return
    const [key, queue] = found
    const [next] = queue
    if (!next) return
    queues.delete(key)
    queue.delete(next)
    if (queue.size > 0) queues.set(key, queue)
    clearTimeout(next.timer)
    shares.take(key)
    next.begin()
  }
  return {
    run: async (key, work) => {
      if (!queues.has(key) && shares.hasRoom(key, max)) shares.take(key)
      else await wait(key)
      try {
        return await work()
      } finally {
        shares.giveBack(key)
        beginNext()
      }
    },
    waiting: () => queues.values().reduce((sum, queue) => sum + queue.size, 0),
  }
}
