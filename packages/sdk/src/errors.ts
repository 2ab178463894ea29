import type { ErrorCode } from './generated/api.ts'

/** Everything the SDK throws, but for a signal of yours that was aborted: its own reason is thrown then. */
export class MalipoError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}

/** One field that is wrong, and why. */
export interface ErrorDetail {
  readonly field: string
  readonly message: string
}

/** What an answer that is no success tells. */
interface Refusal {
  readonly status: number
  readonly errorCode: string
  readonly message: string
  readonly requestId: string
  readonly retryable: boolean
  readonly details: readonly ErrorDetail[]
  readonly attemptsLeft: number | undefined
  readonly retryAfterMs: number | undefined
  readonly isAfterRetry: boolean
}

/** Malipo answered, and refused. Decide by `errorCode`, or by the class: each family of codes has one. */
export class ApiError extends MalipoError {
  readonly status: number
  readonly errorCode: ErrorCode | (string & {})
  /** Tell it to the operator: they find what happened by it. */
  readonly requestId: string
  /** The very same request may succeed later. */
  readonly retryable: boolean
  readonly details: readonly ErrorDetail[]
  /** How often another PIN, code or address may be tried; of a refused authorisation. */
  readonly attemptsLeft: number | undefined
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined
  /** An earlier try of this same call may have had its effect: its answer never came. */
  readonly isAfterRetry: boolean

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.status = refusal.status
    this.errorCode = refusal.errorCode
    this.requestId = refusal.requestId
    this.retryable = refusal.retryable
    this.details = refusal.details
    this.attemptsLeft = refusal.attemptsLeft
    this.retryAfterMs = refusal.retryAfterMs
    this.isAfterRetry = refusal.isAfterRetry
  }
}

/** The request is not as it should be; `details` names the fields. */
export class ValidationError extends ApiError {}
/** The key pair or its token is not accepted. */
export class AuthenticationError extends ApiError {}
/** The key pair may not do this, or not from here, or not in this environment. */
export class PermissionError extends ApiError {}
export class NotFoundError extends ApiError {}
/** It cannot be done as things stand. */
export class ConflictError extends ApiError {}
/** Another charge or payout of yours has this external reference. Read it with `transactions.get(reference)`. */
export class DuplicateReferenceError extends ConflictError {}
/** The request is well formed, and cannot be accepted. Nothing was taken. */
export class RefusedError extends ApiError {}
export class InsufficientFundsError extends RefusedError {}
/** A PIN, code or address was not accepted, or is not what is asked for. */
export class AuthorisationError extends RefusedError {}
/** Too many requests; see `retryAfterMs`. */
export class RateLimitError extends ApiError {}

/** Malipo, a provider or something in between cannot do it now. What was asked for may have happened all the same. */
export class ServiceError extends ApiError {
  readonly outcome = 'unknown'
}

interface Unanswered {
  readonly requestId: string
  readonly cause?: unknown
}

/** There was no answer, because there was no connection or it broke off. */
export class NetworkError extends MalipoError {
  readonly requestId: string
  /** `not_sent`: nothing happened. `unknown`: it may have; read it by its externalReference before doing it anew. */
  readonly outcome: 'not_sent' | 'unknown'

  constructor(message: string, { requestId, outcome, cause }: Unanswered & { outcome: 'not_sent' | 'unknown' }) {
    super(message, { cause })
    this.requestId = requestId
    this.outcome = outcome
  }
}

/** There was no answer in time. It may have happened: read it by its externalReference before doing it anew. */
export class TimeoutError extends MalipoError {
  readonly requestId: string
  readonly outcome = 'unknown'

  constructor(message: string, { requestId, cause }: Unanswered) {
    super(message, { cause })
    this.requestId = requestId
  }
}

export type WebhookProblem =
  | 'missing_header'
  | 'bad_header'
  | 'bad_secret'
  | 'bad_signature'
  | 'too_old'
  | 'from_the_future'
  | 'bad_body'

/** Not a webhook of ours, or not as it was sent. Do not act on it. */
export class WebhookVerificationError extends MalipoError {
  readonly reason: WebhookProblem

  constructor(reason: WebhookProblem, message: string) {
    super(message)
    this.reason = reason
  }
}

type Family = new (refusal: Refusal) => ApiError

/** Codes that have a family of their own; the others go by their status, which one code never changes. */
const familiesByCode: Partial<Record<ErrorCode, Family>> = {
  'E-API-D.S-28': DuplicateReferenceError,
  INSUFFICIENT_FUNDS: InsufficientFundsError,
  AUTHORISATION_FAILED: AuthorisationError,
  AUTHORISATION_TYPE_MISMATCH: AuthorisationError,
}

const familiesByStatus: Readonly<Record<number, Family>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: NotFoundError,
  409: ConflictError,
  413: ValidationError,
  415: ValidationError,
  422: RefusedError,
  429: RateLimitError,
}

/** What a refusal without a code is called: the specification has two kinds of them. */
const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  404: 'ROUTE_NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'OVERLOADED',
}

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  /** Undefined where it was no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/**
 * Makes an error of whatever was answered: the usual envelope, `{success, error}`, an empty object with its reason in
 * headers, or a page of some proxy.
 */
export function refusalOf(answer: RawAnswer, asked: { readonly requestId: string; readonly isAfterRetry: boolean }) {
  const { status, headers, body } = answer
  const errorCode = codeOf(answer)
  const refusal: Refusal = {
    status,
    errorCode,
    message: text(body?.['message']) ?? text(body?.['error']) ?? headers.get('x-error-message') ?? unexpected(status),
    requestId: text(body?.['requestId']) ?? headers.get('x-request-id') ?? asked.requestId,
    retryable: body?.['retryable'] === true || [429, 500, 502, 503, 504].includes(status),
    details: detailsOf(body?.['details']),
    attemptsLeft: typeof body?.['attemptsLeft'] === 'number' ? body['attemptsLeft'] : undefined,
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    isAfterRetry: asked.isAfterRetry,
  }
  const byCode = Object.hasOwn(familiesByCode, errorCode) ? familiesByCode[errorCode as ErrorCode] : undefined
  return new (byCode ?? familiesByStatus[status] ?? (status < 500 && status >= 400 ? ApiError : ServiceError))(refusal)
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const unexpected = (status: number) => `The answer was not one of Malipo's: HTTP status ${status}.`

function codeOf({ status, headers, body }: RawAnswer): string {
  const told = text(body?.['errorCode']) ?? headers.get('x-error-code')
  if (told) return told
  return (body && codesByStatus[status]) ?? 'UNEXPECTED_ANSWER'
}

function detailsOf(value: unknown): ErrorDetail[] {
  return Array.isArray(value) ? (value as ErrorDetail[]) : []
}

/** A number of seconds, or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
