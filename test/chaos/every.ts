import { setTimeout as pause } from 'node:timers/promises'

/** Repeats the work, with this pause after each run; ignores what it throws. */
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
