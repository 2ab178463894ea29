import { type Logger, pino } from 'pino'
import { redact } from './redact.ts'
import { workIds } from './work-ids.ts'

export type Log = Logger

/** In every line of a process. */
export type LogIdentity = { readonly role: string; readonly cell: number; readonly version: string }

interface LogOptions {
  readonly level: string
  readonly identity?: LogIdentity
  readonly write?: (line: string) => void
}

/**
 * JSON lines on standard output: facts in the object, a constant sentence as the message, every line redacted. A line also has the
 * ids of the work that it is about (work-ids.ts). Lines that arrive during a write are written together, so that a busy process
 * does not block on each of them.
 */
export function createLog(options: LogOptions): Log {
  return pino(
    {
      level: options.level,
      base: options.identity ?? null,
      mixin: workIds,
      mixinMergeStrategy: (facts, ids) => ({ ...ids, ...facts }),
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: plainError },
      hooks: { streamWrite: redact },
    },
    options.write ? { write: options.write } : pino.destination({ dest: 1, sync: false }),
  )
}

/** The plain fields of an error. Drivers attach whole connections to their errors; those are left out. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, code, stack, cause } = error as Error & { code?: string }
  return { name, message, code, stack, ...(cause !== undefined && { cause: plainError(cause) }) }
}
