import type { CliEnvironment } from './cli-environment.ts'

interface ProgressLine {
  say(text: string): void
  end(): void
}

const everyMs = 10_000

/** Shows progress beside the result: on a terminal one line that changes, in a log one line every 10 seconds. */
export function createProgressLine({ writeError, hasErrorTerminal }: CliEnvironment): ProgressLine {
  let reportedAt = performance.now()
  return {
    say: (text) => {
      if (hasErrorTerminal) return writeError(`\r\u001b[K${text}`)
      if (performance.now() - reportedAt < everyMs) return
      reportedAt = performance.now()
      writeError(`${text}\n`)
    },
    end: () => {
      if (hasErrorTerminal) writeError('\r\u001b[K')
    },
  }
}

export interface Progress {
  at(done: number): void
  end(): void
}

/** Same, for work with a known total. */
export function createProgress(cli: CliEnvironment, total: number, what: string): Progress {
  const { say, end } = createProgressLine(cli)
  return { at: (done) => say(`${done} of ${total} ${what}`), end }
}
