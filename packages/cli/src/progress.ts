import type { Surroundings } from './surroundings.ts'

interface ProgressLine {
  say(text: string): void
  end(): void
}

const everyMs = 10_000

/** How far long work is, beside the result: a line that changes for a person, and now and then one for a log. */
export function createProgressLine({ complain, isWatched }: Surroundings): ProgressLine {
  let toldAt = performance.now()
  return {
    say: (text) => {
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

export interface Progress {
  at(done: number): void
  end(): void
}

/** The same for work of which it is known how much there is. */
export function createProgress(around: Surroundings, total: number, what: string): Progress {
  const { say, end } = createProgressLine(around)
  return { at: (done) => say(`${done} of ${total} ${what}`), end }
}
