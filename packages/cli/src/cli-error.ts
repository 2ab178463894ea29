import { ApiError, MalipoError, NetworkError, TimeoutError } from '@malipo/sdk'
import { CommanderError } from 'commander'
import type { Exit } from './exit-codes.ts'

/** An error that is shown as a sentence, never with a stack trace. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exit: Exit
  /** For programs, beside the message. */
  readonly facts: Readonly<Record<string, unknown>> | undefined

  constructor(exit: Exit, message: string, facts?: Readonly<Record<string, unknown>>) {
    super(message)
    this.exit = exit
    this.facts = facts
  }
}

/** An error as shown to a person, or as JSON to a program. */
export interface Reported {
  readonly exit: Exit
  /** Empty if it is already printed. */
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

type Coded = Error & { readonly code?: string }

/** Finds the message for an error. The order matters: the most specific errors come first, a bug in malipo last. */
export function reportError(error: Error, isDebugging: boolean): Reported {
  return (
    ownError(error) ??
    apiError(error) ??
    databaseError(error) ?? {
      exit: 'refused',
      message: `Internal error in malipo: ${error.message}\n${isDebugging ? (error.stack ?? '') : 'Set MALIPO_DEBUG=1 for the stack trace and report it to the operator.'}`,
    }
  )
}

/** Errors of the server's functions, matched by name because the server may not be installed. */
const serverErrors: Readonly<Record<string, Exit>> = {
  OperatorError: 'refused',
  CheckNotResumable: 'refused',
  CheckOvertaken: 'refused',
  MonthArchived: 'refused',
  MonthNotReady: 'refused',
  ArchiveBusy: 'refused',
  ArchiveInvalid: 'refused',
  OtherDatabase: 'refused',
  ArchiveChanged: 'checkFailed',
  ArchiveMissing: 'checkFailed',
  DatabaseMoved: 'refused',
  LedgerDisagreement: 'checkFailed',
  AuditDisagreement: 'checkFailed',
}

function ownError(error: Error): Reported | undefined {
  if (error instanceof CommanderError) return { exit: error.exitCode === 0 ? 'done' : 'usage', message: '' }
  if (error instanceof CliError)
    return { exit: error.exit, message: error.message, ...(error.facts && { facts: error.facts }) }
  if (error.name === 'AbortError') return { exit: 'interrupted', message: 'Interrupted.' }
  if (error.name === 'ConfigError') {
    const where = 'Run malipo config check; docs/reference/config.md describes each setting.'
    return { exit: 'usage', message: `${error.message}\n${where}` }
  }
  const exit = serverErrors[error.name]
  return exit && { exit, message: error.message }
}

function apiError(error: Error): Reported | undefined {
  if (!(error instanceof MalipoError)) return undefined
  if (error instanceof ApiError) return refusalError(error)
  const doubt = 'outcome' in error && error.outcome === 'unknown' ? `\n${checkFirst}` : ''
  if (error instanceof TimeoutError) return { exit: 'unreachable', message: `Malipo did not respond in time.${doubt}` }
  if (error instanceof NetworkError)
    return { exit: 'unreachable', message: `Cannot reach Malipo: ${codeOf(error)}.${doubt}` }
  return { exit: 'refused', message: error.message }
}

const checkFirst = 'The request may have been processed. Check before you repeat it: malipo transactions.'

/** The system's error code for a failed connection: that of the innermost cause. */
export function codeOf(error: Error): string {
  const { cause, code, message } = error as Coded
  return cause instanceof Error ? codeOf(cause) : (code ?? message)
}

function refusalError(error: ApiError): Reported {
  const { status, errorCode, message, requestId, retryable, details } = error
  const facts = { status, errorCode, requestId, retryable, details }
  if (errorCode === 'UNEXPECTED_RESPONSE')
    return {
      exit: 'unreachable',
      message: `The server at this URL is not Malipo (HTTP ${status}). Check the URL.`,
      facts,
    }
  const isKeys = status === 401
  const isForbidden = ['INSUFFICIENT_SCOPE', 'IP_NOT_ALLOWED'].includes(errorCode)
  const lead = isKeys ? 'Malipo rejected the key pair' : 'Malipo rejected the request'
  const unreported = details.filter(({ message: why }) => !message.includes(why))
  const fields = unreported.map(({ field, message: why }) => `\n  ${field}: ${why}`).join('')
  const again = retryable ? '\nThis is temporary: try again later.' : ''
  return {
    exit: isKeys || isForbidden ? 'unauthorised' : status >= 500 ? 'unreachable' : 'refused',
    message: `${lead}: ${message} (${errorCode}, request ${requestId})${fields}${again}`,
    facts,
  }
}

function databaseError({ code = '', message }: Coded): Reported | undefined {
  if (/^E(CONN|HOST|NET|NOTFOUND|TIMEDOUT)|^(08|28|3D|57P)/.test(code))
    return { exit: 'unreachable', message: `The database at DATABASE_URL cannot be used: ${message || code}` }
  if (/^(40|55P03|57014)/.test(code))
    return { exit: 'refused', message: `The database is busy: ${message}. Nothing was changed; try again.` }
  return undefined
}
