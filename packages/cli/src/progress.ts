import type { CliEnvironment } from './cli-environment.ts'
import { controlCode } from './terminal-text.ts'

interface ProgressLine {
  say(text: string): void
  end(): void
}

const everyMs = 10_000
const clearLine = controlCode('\r\u001b[K')

/** Shows progress beside the result: on a terminal one line that changes, in a log one line every 10 seconds. */
export function createProgressLine({ writeError, hasErrorTerminal }: CliEnvironment): ProgressLine {
  let reportedAt = performance.now()
  return {
    say: (text) => {
      if (hasErrorTerminal) return writeError(`${clearLine}${text}`)
      if (performance.now() - reportedAt < everyMs) return
      reportedAt = performance.now()
      writeError(`${text}\n`)
    },
    end: () => {
      if (hasErrorTerminal) writeError(clearLine)
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
