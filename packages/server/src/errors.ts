/** Everything the API can refuse with. One key, one errorCode, one status; docs/reference/errors.md is made from this. */
export const catalogue = {
  VALIDATION: {
    errorCode: 'VALIDATION_ERROR',
    status: 400,
    message: 'Validation error: the request is not as it should be.',
    cause: 'A field is missing, unknown, or has a value that is not allowed; `details` names each of them.',
    fix: 'Correct the fields named in `details` and send the request again.',
  },
  UNAUTHORIZED: {
    errorCode: 'UNAUTHORIZED',
    status: 401,
    message: 'The access token is missing, invalid or expired.',
    cause:
      'The request carries no `Authorization: Bearer …` header, or its token was not issued here, has expired or was cut off.',
    fix: 'Get a new token at `POST /api/b2b/auth/generate-bearer-token` and retry once.',
  },
  INVALID_API_KEY: {
    errorCode: 'INVALID_API_KEY',
    status: 401,
    message: 'The public key and the API key do not belong together.',
    cause: 'One of the two keys is unknown, mistyped or revoked, or they are of different pairs.',
    fix: 'Send `publicKey` and the `api-key` header of one pair; ask the operator for a new pair if the API key is lost.',
  },
  INSUFFICIENT_SCOPE: {
    errorCode: 'INSUFFICIENT_SCOPE',
    status: 403,
    message: 'The key pair of this token may not do this.',
    cause: 'The pair was created with fewer scopes than the call needs; `details` names the one that is missing.',
    fix: 'Use another pair, or ask the operator for one with that scope.',
  },
  ADDRESS_NOT_ALLOWED: {
    errorCode: 'IP_NOT_ALLOWED',
    status: 403,
    message: 'Requests with this key pair are not allowed from this address.',
    cause: 'The pair has a list of allowed addresses and the request came from another one.',
    fix: 'Send from an allowed address, or ask the operator to create a pair with the right list.',
  },
  SANDBOX_ONLY: {
    errorCode: 'SANDBOX_ONLY',
    status: 403,
    message: 'This is for sandbox tokens only.',
    cause: 'A live token was used below `/api/sandbox/` or for a sandbox setting.',
    fix: 'Use a token of a sandbox key pair (`pk_test_…`).',
  },
  LIVE_ONLY: {
    errorCode: 'LIVE_ONLY',
    status: 403,
    message: 'This is for live tokens only.',
    cause: 'A sandbox token was used for a live setting.',
    fix: 'Use a token of a live key pair (`pk_live_…`).',
  },
  USER_MISSING: {
    errorCode: 'E-B2B-S-118',
    status: 404,
    message: 'User does not exist',
    cause: 'The merchant this token was issued to is no longer here.',
    fix: 'Ask the operator.',
  },
  ROUTE_NOT_FOUND: {
    errorCode: 'ROUTE_NOT_FOUND',
    status: 404,
    message: 'There is nothing at this path.',
    cause: 'The path is mistyped.',
    fix: 'Compare it with the paths at `/docs`.',
  },
  METHOD_NOT_ALLOWED: {
    errorCode: 'METHOD_NOT_ALLOWED',
    status: 405,
    message: 'This path does not take this method.',
    cause: 'The path exists, but not with this method; the `Allow` header lists those it takes.',
    fix: 'Use one of the methods of the `Allow` header.',
  },
  PAYLOAD_TOO_LARGE: {
    errorCode: 'PAYLOAD_TOO_LARGE',
    status: 413,
    message: 'The body is larger than 64 KiB.',
    cause: 'The body is over the limit of this path.',
    fix: 'Send less in one request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    errorCode: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    message: 'The body must be JSON.',
    cause: 'The `Content-Type` header is missing or is not `application/json`.',
    fix: 'Send JSON with `Content-Type: application/json`.',
  },
  UNSUPPORTED_CURRENCY: {
    errorCode: 'UNSUPPORTED_CURRENCY',
    status: 422,
    message: 'This currency is not supported.',
    cause: 'The code is no currency of the service.',
    fix: 'Use one of the currencies in your profile.',
  },
  RATE_LIMIT_EXCEEDED: {
    errorCode: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    message: 'Too many requests.',
    cause: 'More requests came than the limit of this merchant allows, or too many wrong keys came from this address.',
    fix: 'Wait as many seconds as `Retry-After` says.',
    retryable: true,
  },
  INTERNAL: {
    errorCode: 'INTERNAL_SERVER_ERROR',
    status: 500,
    message: 'Something went wrong on our side.',
    cause: 'A fault in the service. It has been logged under the `requestId`.',
    fix: 'Retry later; tell the operator the `requestId` if it stays.',
    retryable: true,
  },
  OVERLOADED: {
    errorCode: 'OVERLOADED',
    status: 503,
    message: 'The service cannot take this request now.',
    cause: 'The service is shutting down, has too much to do, or cannot reach its database.',
    fix: 'Retry after the seconds in `Retry-After`.',
    retryable: true,
  },
} as const satisfies Record<string, CatalogueEntry>

interface CatalogueEntry {
  readonly errorCode: string
  readonly status: number
  readonly message: string
  readonly cause: string
  readonly fix: string
  /** The very same request may succeed later. */
  readonly retryable?: true
}

export type ErrorKey = keyof typeof catalogue

export interface Detail {
  readonly field: string
  readonly message: string
}

interface Specifics {
  /** Replaces the catalogue's message where this one case can be told better. */
  readonly message?: string
  readonly details?: readonly Detail[]
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal the caller is told about. Anything else that is thrown is a fault of ours and answered as INTERNAL. */
export class AppError extends Error {
  readonly key: ErrorKey
  readonly details: readonly Detail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(key: ErrorKey, { message, details, headers }: Specifics = {}) {
    super(message ?? catalogue[key].message)
    this.key = key
    this.details = details
    this.headers = headers ?? {}
  }
}

/** A refusal that names the fields; the message repeats the first of them, since many people read only that. */
export function invalid(details: readonly [Detail, ...Detail[]]): AppError {
  return new AppError('VALIDATION', { message: `Validation error: ${details[0].message}`, details })
}
