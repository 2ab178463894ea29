import { AppError } from '../errors.ts'
import { isPassing } from './batch.ts'
import type { Log } from './log.ts'

/** Notes work that broke off and will be done again. Only what the database's absence does not explain is a fault. */
export function noteSetback(log: Log, error: Error, facts: object, words: string): void {
  const isOurs = !(error instanceof AppError && error.key === 'OVERLOADED') && !isPassing(error)
  log[isOurs ? 'error' : 'warn']({ err: error, ...facts }, words)
}
