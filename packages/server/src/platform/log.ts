import { type Logger, pino } from 'pino'
import { redact } from './redact.ts'

export type Log = Logger

/**
 * JSON lines on standard output: facts in the object, a constant sentence as the message, every line redacted. Lines that
 * come while one is being written leave together, so that a busy process does not stop for each of them.
 */
export function createLog(options: { level: string; write?: (line: string) => void }): Log {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: plainError },
      hooks: { streamWrite: redact },
    },
    options.write ? { write: options.write } : pino.destination({ dest: 1, sync: false }),
  )
}

/** What an error says of itself. Drivers hang whole connections on their errors; those stay out. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, code, stack, cause } = error as Error & { code?: string }
  return { name, message, code, stack, ...(cause !== undefined && { cause: plainError(cause) }) }
}
