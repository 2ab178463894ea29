import { setTimeout as pause } from 'node:timers/promises'

/** Does something again and again, so long after it was done the last time; what it throws is nothing. */
export function every(ms: number, work: () => Promise<unknown>): { stop(): Promise<void> } {
  const over = new AbortController()
  const go = async () => {
    while (!over.signal.aborted) {
      await work().catch(() => undefined)
      await pause(ms, undefined, { signal: over.signal }).catch(() => undefined)
    }
  }
  const gone = go()
  return {
    stop: async () => {
      over.abort()
      await gone
    },
  }
}
