import { ApiError, MalipoError, NetworkError, TimeoutError } from '@malipo/sdk'
import { CommanderError } from 'commander'
import type { Exit } from './exit-codes.ts'

/** Something that went wrong and is told in a sentence, never with a stack trace. */
export class Trouble extends Error {
  override readonly name = 'Trouble'
  readonly exit: Exit

  constructor(exit: Exit, message: string) {
    super(message)
    this.exit = exit
  }
}

/** What a person, and a program that asked for JSON, is told of an error. */
export interface Told {
  readonly exit: Exit
  /** Empty when it was told already. */
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

type Coded = Error & { readonly code?: string }

/** Finds the words for an error. The order matters: what we know best comes first, and a fault of ours last. */
export function tellTrouble(error: Error, isDebugging: boolean): Told {
  return (
    ownTrouble(error) ??
    apiTrouble(error) ??
    databaseTrouble(error) ?? {
      exit: 'refused',
      message: `malipo itself failed: ${error.message}\n${isDebugging ? (error.stack ?? '') : 'MALIPO_DEBUG=1 shows where; please tell the operator, or those who make Malipo.'}`,
    }
  )
}

/** Errors of the server's own functions, known by name since the server may not be installed. */
const serverErrors: Readonly<Record<string, Exit>> = {
  OperatorError: 'refused',
  CheckOvertaken: 'refused',
  MonthArchived: 'refused',
  DatabaseMoved: 'refused',
  LedgerDisagreement: 'checkFailed',
}

function ownTrouble(error: Error): Told | undefined {
  if (error instanceof CommanderError) return { exit: error.exitCode === 0 ? 'done' : 'usage', message: '' }
  if (error instanceof Trouble) return { exit: error.exit, message: error.message }
  if (error.name === 'AbortError') return { exit: 'interrupted', message: 'Interrupted.' }
  if (error.name === 'ConfigError') {
    const where = 'Set them in the environment; docs/reference/config.md tells what each is.'
    return { exit: 'usage', message: `${error.message}\n${where}` }
  }
  const exit = serverErrors[error.name]
  return exit && { exit, message: error.message }
}

function apiTrouble(error: Error): Told | undefined {
  if (!(error instanceof MalipoError)) return undefined
  if (error instanceof ApiError) return refusalTrouble(error)
  const doubt = 'outcome' in error && error.outcome === 'unknown' ? `\n${look}` : ''
  if (error instanceof TimeoutError) return { exit: 'unreachable', message: `Malipo did not answer in time.${doubt}` }
  if (error instanceof NetworkError)
    return { exit: 'unreachable', message: `Malipo is not reached: ${codeOf(error)}.${doubt}` }
  return { exit: 'refused', message: error.message }
}

const look =
  'If this was to change something, it is not known whether it did. Look before you do it again: malipo transactions.'

/** Why there was no connection, as the system calls it: what lies deepest. */
export function codeOf(error: Error): string {
  const { cause, code, message } = error as Coded
  return cause instanceof Error ? codeOf(cause) : (code ?? message)
}

function refusalTrouble(error: ApiError): Told {
  const { status, errorCode, message, requestId, retryable, details } = error
  const facts = { status, errorCode, requestId, retryable, details }
  if (errorCode === 'UNEXPECTED_ANSWER')
    return { exit: 'unreachable', message: `What answers there is no Malipo: HTTP status ${status}.`, facts }
  const isKeys = status === 401
  const isForbidden = ['INSUFFICIENT_SCOPE', 'IP_NOT_ALLOWED'].includes(errorCode)
  const lead = isKeys ? 'Malipo refused the key pair' : 'Malipo refused'
  const untold = details.filter(({ message: why }) => !message.includes(why))
  const fields = untold.map(({ field, message: why }) => `\n  ${field}: ${why}`).join('')
  const again = retryable ? '\nThe same may succeed later.' : ''
  return {
    exit: isKeys || isForbidden ? 'unauthorised' : status >= 500 ? 'unreachable' : 'refused',
    message: `${lead}: ${message} (${errorCode}, request ${requestId})${fields}${again}`,
    facts,
  }
}

function databaseTrouble({ code = '', message }: Coded): Told | undefined {
  if (/^E(CONN|HOST|NET|NOTFOUND|TIMEDOUT)|^(08|28|3D|57P)/.test(code))
    return { exit: 'unreachable', message: `The database at DATABASE_URL cannot be used: ${message || code}` }
  if (/^(40|55P03|57014)/.test(code))
    return { exit: 'refused', message: `The database is busy: ${message}. Nothing was done; try again.` }
  return undefined
}
