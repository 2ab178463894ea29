import { AppError } from '../errors.ts'
import { isPassing } from './batch.ts'
import type { Log } from './log.ts'

/** Logs work that failed and will be retried. It is an error only when the database's absence does not explain it. */
export function logRetry(log: Log, error: Error, facts: object, words: string): void {
  const isOurs = !(error instanceof AppError && error.key === 'OVERLOADED') && !isPassing(error)
  log[isOurs ? 'error' : 'warn']({ err: error, ...facts }, words)
}
