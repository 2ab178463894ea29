import type { Surroundings } from './surroundings.ts'

export interface Progress {
  at(done: number): void
  end(): void
}

const everyMs = 10_000

/** How far long work is, beside the result: a line that changes for a person, and now and then one for a log. */
export function createProgress({ complain, isWatched }: Surroundings, total: number, what: string): Progress {
  let toldAt = performance.now()
  return {
    at: (done) => {
      const text = `${done} of ${total} ${what}`
      if (isWatched) return complain(`\r\u001b[K${text}`)
      if (performance.now() - toldAt < everyMs) return
      toldAt = performance.now()
      complain(`${text}\n`)
    },
    end: () => {
      if (isWatched) complain('\r\u001b[K')
    },
  }
}
