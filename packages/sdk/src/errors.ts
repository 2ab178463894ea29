import type { ErrorCode } from './generated/api.ts'

/** Base class of every error that the SDK throws. One exception: an aborted signal throws its own reason. */
export class MalipoError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}

/** One invalid field, and why it is invalid. */
export interface ErrorDetail {
  readonly field: string
  readonly message: string
}

/** The content of an error response. */
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

/** Malipo refused the request. Decide by `errorCode`, or by the class: each family of codes has one. */
export class ApiError extends MalipoError {
  readonly status: number
  readonly errorCode: ErrorCode | (string & {})
  /** Give it to the operator, who can find the request by it. */
  readonly requestId: string
  /** The same request may succeed later. */
  readonly retryable: boolean
  readonly details: readonly ErrorDetail[]
  /** After a refused authorisation: how many more attempts the customer has. */
  readonly attemptsLeft: number | undefined
  /** How long the server asks the caller to wait. */
  readonly retryAfterMs: number | undefined
  /** An earlier attempt of this call may have taken effect: its response never arrived. */
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

/** The request is invalid; `details` names the fields. */
export class ValidationError extends ApiError {}
/** The server does not accept the key pair or its token. */
export class AuthenticationError extends ApiError {}
/** The key pair may not do this, or not from this address, or not in this environment. */
export class PermissionError extends ApiError {}
export class NotFoundError extends ApiError {}
/** The request conflicts with the current state. */
export class ConflictError extends ApiError {}
/** Another of your charges or payouts uses this external reference. Read it with `transactions.get(reference)`. */
export class DuplicateReferenceError extends ConflictError {}
/** The request is valid, but Malipo cannot accept it. No money was taken. */
export class RefusedError extends ApiError {}
export class InsufficientFundsError extends RefusedError {}
/** The PIN, code or address is wrong, or the payment needs a different kind of authorisation. */
export class AuthorisationError extends RefusedError {}
/** Too many requests; see `retryAfterMs`. */
export class RateLimitError extends ApiError {}

/** Malipo, a provider or a proxy cannot process the request now. It may still have taken effect. */
export class ServiceError extends ApiError {
  readonly outcome = 'unknown'
}

interface WithoutResponse {
  readonly requestId: string
  readonly cause?: unknown
}

/** There was no response: the connection failed or broke. */
export class NetworkError extends MalipoError {
  readonly requestId: string
  /** `not_sent`: nothing happened. `unknown`: it may have; read it by its externalReference before you retry. */
  readonly outcome: 'not_sent' | 'unknown'

  constructor(message: string, { requestId, outcome, cause }: WithoutResponse & { outcome: 'not_sent' | 'unknown' }) {
    super(message, { cause })
    this.requestId = requestId
    this.outcome = outcome
  }
}

/** No response in time. The request may have taken effect: read it by its externalReference before you retry. */
export class TimeoutError extends MalipoError {
  readonly requestId: string
  readonly outcome = 'unknown'

  constructor(message: string, { requestId, cause }: WithoutResponse) {
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

/** Malipo did not send this webhook, or its content was changed. Do not act on it. */
export class WebhookVerificationError extends MalipoError {
  readonly reason: WebhookProblem

  constructor(reason: WebhookProblem, message: string) {
    super(message)
    this.reason = reason
  }
}

type Family = new (refusal: Refusal) => ApiError

/** Codes with their own family. The others go by their HTTP status, which is fixed for each code. */
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

/** Codes for refusals without one: the specification has two kinds of them. */
const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  404: 'ROUTE_NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'OVERLOADED',
}

/** An HTTP response as received. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  /** Undefined if it was not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/**
 * Makes an error from any response: the usual envelope, `{success, error}`, an empty object with the reason in its
 * headers, or a proxy's page.
 */
export function refusalOf(
  response: RawResponse,
  context: { readonly requestId: string; readonly isAfterRetry: boolean },
) {
  const { status, headers, body } = response
  const errorCode = codeOf(response)
  const refusal: Refusal = {
    status,
    errorCode,
    message: text(body?.['message']) ?? text(body?.['error']) ?? headers.get('x-error-message') ?? unexpected(status),
    requestId: text(body?.['requestId']) ?? headers.get('x-request-id') ?? context.requestId,
    retryable: body?.['retryable'] === true || [429, 500, 502, 503, 504].includes(status),
    details: detailsOf(body?.['details']),
    attemptsLeft: typeof body?.['attemptsLeft'] === 'number' ? body['attemptsLeft'] : undefined,
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    isAfterRetry: context.isAfterRetry,
  }
  const byCode = Object.hasOwn(familiesByCode, errorCode) ? familiesByCode[errorCode as ErrorCode] : undefined
  return new (byCode ?? familiesByStatus[status] ?? (status < 500 && status >= 400 ? ApiError : ServiceError))(refusal)
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const unexpected = (status: number) =>
  `The response is not from Malipo (HTTP status ${status}). Check baseUrl and any proxy.`

function codeOf({ status, headers, body }: RawResponse): string {
  const reported = text(body?.['errorCode']) ?? headers.get('x-error-code')
  if (reported) return reported
  return (body && codesByStatus[status]) ?? 'UNEXPECTED_RESPONSE'
}

function detailsOf(value: unknown): ErrorDetail[] {
  return Array.isArray(value) ? (value as ErrorDetail[]) : []
}

/** The header holds a number of seconds, or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
