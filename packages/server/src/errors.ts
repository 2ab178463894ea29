/** Every error of the API. One key, one errorCode, one status; docs/reference/errors.md is generated from this. */
export const catalogue = {
  VALIDATION: {
    errorCode: 'VALIDATION_ERROR',
    status: 400,
    message: 'Validation error: the request is not as it should be.',
    cause: 'A field is missing, unknown, or has a value that is not allowed; `details` names each of them.',
    fix: 'Correct the fields named in `details` and send the request again.',
  },
  OTP_CODE_REQUIRED: {
    errorCode: 'OTP_CODE_REQUIRED',
    status: 400,
    message: 'The customer must get a code from the operator first.',
    cause: 'This operator gives its customers a one-time code before a payment, and `otpCode` is missing.',
    fix: 'Have the customer get the code as `message` says, and send the same request with it as `otpCode`: the reference is still free. In the sandbox the code is 123456.',
  },
  DEBIT_COUNTRY_REQUIRED: {
    errorCode: 'DEBIT_COUNTRY_REQUIRED',
    status: 400,
    message: 'Which wallet pays? Name its country in debitCountry.',
    cause: 'The debit currency differs from the currency paid out and is held for several countries.',
    fix: 'Send `debitCountry`, the country of one of your wallets in that currency.',
  },
  MOMO_OPERATOR_ID_REQUIRED: {
    errorCode: 'MOMO_OPERATOR_ID_REQUIRED',
    status: 400,
    message: 'The operator cannot be told from the number: name it.',
    cause: 'The country has several operators and the number does not begin as those of one of them do.',
    fix: 'Send `momoOperatorId`, one of the ids in `details`; `GET /utilities/momo-operators` lists them.',
  },
  MOMO_CODE_REQUIRED: {
    errorCode: 'MOMO_CODE_REQUIRED',
    status: 400,
    message: 'The operator cannot be told from the number: name it.',
    cause: 'The country has several operators and the number does not begin as those of one of them do.',
    fix: 'Send `payoutMethod.code`, one of the ids in `details`; `GET /utilities/momo-operators` lists them.',
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
    cause:
      'A live token was used below `/api/sandbox/`, for a sandbox setting, or with the header `X-Sandbox-Scenario`.',
    fix: 'Use a token of a sandbox key pair (`pk_test_…`); for a live payment leave the header out.',
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
  EXTERNAL_ACCOUNT_MISSING: {
    errorCode: 'E-BEN.S-90',
    status: 404,
    message: 'Missing external account!',
    cause: 'There is no external account with this id, or it was deleted.',
    fix: 'Use an id from `GET /external-accounts`.',
  },
  ACCOUNT_UNKNOWN: {
    errorCode: 'E-CH-PY.S-37',
    status: 404,
    message: 'Account does not exist.',
    cause: 'The provider knows no such account.',
    fix: 'Check the number with its owner.',
  },
  NO_BRANCHES: {
    errorCode: 'E-API-UT.S-39',
    status: 404,
    message: 'No branches found for specified bank id',
    cause: 'The id is of no bank, or of a bank without branches.',
    fix: 'Use the id of a bank with `hasBranches` from `GET /utilities/banks`.',
  },
  TRANSACTION_MISSING: {
    errorCode: 'TRANSACTION_NOT_FOUND',
    status: 404,
    message: 'There is no such transaction.',
    cause: 'No transaction of yours in this environment has this id or external reference.',
    fix: 'Check the id; a request that was refused left no transaction behind.',
  },
  WEBHOOK_MISSING: {
    errorCode: 'WEBHOOK_NOT_FOUND',
    status: 404,
    message: 'There is no such webhook.',
    cause: 'No webhook record of yours in this environment has this id.',
    fix: 'Use an id from `GET /webhooks`.',
  },
  SCENARIO_MISSING: {
    errorCode: 'SCENARIO_NOT_FOUND',
    status: 404,
    message: 'No scenario waits for this reference.',
    cause: 'None was set, or it was used up by its payment, removed, or forgotten after a week.',
    fix: 'See `GET /utilities/scenarios` for those that wait.',
  },
  PAYOUT_PROVIDER_NOT_FOUND: {
    errorCode: 'PAYOUT_PROVIDER_NOT_FOUND',
    status: 404,
    message: 'Nobody here can pay this out.',
    cause: 'No provider serves this destination, country and currency in this environment.',
    fix: 'Choose a destination that `GET /utilities/momo-operators` or `GET /utilities/banks` lists; the coverage table says what can be paid where.',
  },
  PROVIDER_NOT_FOUND: {
    errorCode: 'PROVIDER_NOT_FOUND',
    status: 404,
    message: 'Nobody here can do this.',
    cause: 'No provider serves this operator, country and currency in this environment.',
    fix: 'For mobile money use an operator that `GET /utilities/momo-operators` shows as AVAILABLE; for cards and bank transfers another currency. The coverage table says what can be charged where.',
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
  REFERENCE_USED: {
    errorCode: 'E-API-D.S-28',
    status: 409,
    message: 'External reference already used.',
    cause: 'A charge or payout of yours has this external reference; each may be used once, for ever.',
    fix: 'Read that transaction by its reference before you pay again; use a new reference for a new payment.',
  },
  CHARGE_NOT_AWAITING: {
    errorCode: 'CHARGE_NOT_AWAITING_AUTHORISATION',
    status: 409,
    message: 'The charge is not waiting for an authorisation.',
    cause: 'It asks for nothing, an answer to it is already under way, or it has ended.',
    fix: 'Read the transaction: `nextAction` says what is asked for, if anything is.',
  },
  PAYOUT_NOT_CANCELLABLE: {
    errorCode: 'PAYOUT_NOT_CANCELLABLE',
    status: 409,
    message: 'The payout can no longer be cancelled.',
    cause: 'It has been sent, or has ended.',
    fix: 'Read the transaction to see where it stands.',
  },
  ACCOUNT_NUMBER_USED: {
    errorCode: 'E-BEN.S-35',
    status: 409,
    message: 'Account number already in use.',
    cause: 'Another external account of yours has the same account number, code, country and currency.',
    fix: 'Use that one, or delete it first.',
  },
  IDEMPOTENCY_KEY_IN_PROGRESS: {
    errorCode: 'IDEMPOTENCY_KEY_IN_PROGRESS',
    status: 409,
    message: 'A request with this Idempotency-Key is still being worked on.',
    cause: 'The same request was sent a moment ago and has not been answered yet.',
    fix: 'Wait a moment and send it again; it will be answered as the first one was.',
    retryable: true,
  },
  PAYLOAD_TOO_LARGE: {
    errorCode: 'PAYLOAD_TOO_LARGE',
    status: 413,
    message: 'The body is larger than this path takes.',
    cause: 'The body is over 64 KiB, or over 1 MiB for `/fiat/payouts/bulk`.',
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
    cause: 'The code is no currency of the service, or of this way to pay.',
    fix: 'Use a currency that `GET /utilities/countries` lists; bank transfers are in NGN and KES.',
  },
  SCENARIO_LIMIT_REACHED: {
    errorCode: 'SCENARIO_LIMIT_REACHED',
    status: 422,
    message: 'Too many scenarios wait for their payments.',
    cause: 'A merchant may have 1,000 of them; each is used up by the payment with its reference.',
    fix: 'Remove some by `DELETE /utilities/scenarios/{externalReference}`, or send the header `X-Sandbox-Scenario` with the payment itself.',
  },
  INSUFFICIENT_FUNDS: {
    errorCode: 'INSUFFICIENT_FUNDS',
    status: 422,
    message: 'The wallet does not hold enough.',
    cause: 'Amount and fee together are more than what the wallet has available. Nothing was taken.',
    fix: 'Collect first, have the operator fund the wallet, or pay less; the reference is still free, so the same request may be sent again.',
  },
  CURRENCY_NOT_ENABLED: {
    errorCode: 'CURRENCY_NOT_ENABLED',
    status: 403,
    message: 'This currency is not enabled for this merchant.',
    cause: 'The operator has turned the currency off for this merchant and environment.',
    fix: 'Use another currency, or ask the operator to enable it.',
  },
  WALLET_CURRENCY_NOT_SUPPORTED: {
    errorCode: 'WALLET_CURRENCY_NOT_SUPPORTED',
    status: 422,
    message: 'A charge in this currency cannot be settled in that wallet.',
    cause: 'The currencies cannot be exchanged here.',
    fix: 'Leave `walletCurrency` out to be credited in the currency of the charge.',
  },
  DEBIT_CURRENCY_NOT_SUPPORTED: {
    errorCode: 'DEBIT_CURRENCY_NOT_SUPPORTED',
    status: 422,
    message: 'This payout cannot be paid from a wallet in that currency.',
    cause: 'The currencies cannot be exchanged here.',
    fix: 'Leave `debitCurrency` out to pay from the wallet in the currency paid out.',
  },
  AMOUNT_OUT_OF_BOUNDS: {
    errorCode: 'AMOUNT_OUT_OF_BOUNDS',
    status: 422,
    message: 'The amount is outside the limits.',
    cause: 'The operator or bank takes no payment of this size; `details` names the limit.',
    fix: 'Send an amount within the limits, or split it into payments with references of their own.',
  },
  AUTHORISATION_TYPE_MISMATCH: {
    errorCode: 'AUTHORISATION_TYPE_MISMATCH',
    status: 422,
    message: 'The charge asks for something else.',
    cause: 'The `type` is not what `nextAction` of the transaction asks for.',
    fix: 'Send the type that `nextAction` names: `pin`, `otp` or `address`.',
  },
  AUTHORISATION_FAILED: {
    errorCode: 'AUTHORISATION_FAILED',
    status: 422,
    message: 'The value was not accepted.',
    cause:
      'The PIN, code or address is wrong; `attemptsLeft` says how often another may be tried. At 0 the charge has failed.',
    fix: 'Ask the customer again and send the new value; when `attemptsLeft` is 0, start another charge with a new reference.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    errorCode: 'IDEMPOTENCY_KEY_REUSED',
    status: 422,
    message: 'This Idempotency-Key was used for another request.',
    cause: 'The key came before with another method, path or body.',
    fix: 'Make a new key for every new request, and repeat a request exactly under its own.',
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
    fix: 'Send the very same request again later, under the same reference and `Idempotency-Key`: it has its effect once. Tell the operator the `requestId` if it stays.',
    retryable: true,
  },
  FX_RATE_UNAVAILABLE: {
    errorCode: 'FX_RATE_UNAVAILABLE',
    status: 503,
    message: 'There is no current exchange rate for these currencies.',
    cause: 'The pair is not quoted, or its newest rate is older than 5 minutes, or jumped and waits for the operator.',
    fix: 'Retry in some minutes; `GET /utilities/rates/historical` shows the pairs that are quoted.',
    retryable: true,
  },
  PROVIDER_UNAVAILABLE: {
    errorCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
    status: 503,
    message: 'The provider cannot answer now.',
    cause: 'The provider is paused, not reached, or answered in a way that tells nothing.',
    fix: 'Send the very same request again in a moment: a bank transfer charge goes on where it was, and of anything else nothing was done.',
    retryable: true,
  },
  OVERLOADED: {
    errorCode: 'OVERLOADED',
    status: 503,
    message: 'The service cannot take this request now.',
    cause: 'The service is shutting down, has too much to do, or cannot reach its database.',
    fix: 'Send the very same request again after the seconds in `Retry-After`: under the same reference and `Idempotency-Key` it has its effect once. If the reference is used by then, read that transaction.',
    retryable: true,
  },
} as const satisfies Record<string, CatalogueEntry>

interface CatalogueEntry {
  readonly errorCode: string
  readonly status: number
  readonly message: string
  readonly cause: string
  readonly fix: string
  /** The same request may succeed later. */
  readonly retryable?: true
}

export type ErrorKey = keyof typeof catalogue

export interface Detail {
  readonly field: string
  readonly message: string
}

interface Specifics {
  /** Replaces the catalogue's message where this case allows a better one. */
  readonly message?: string
  readonly details?: readonly Detail[]
  readonly headers?: Readonly<Record<string, string>>
  /** Only for a refused authorisation. */
  readonly attemptsLeft?: number
}

/** An error that the caller sees. Any other thrown error is our own fault, and the response is INTERNAL. */
export class AppError extends Error {
  readonly key: ErrorKey
  readonly details: readonly Detail[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly attemptsLeft: number | undefined

  constructor(key: ErrorKey, { message, details, headers, attemptsLeft }: Specifics = {}) {
    super(message ?? catalogue[key].message)
    this.key = key
    this.details = details
    this.headers = headers ?? {}
    this.attemptsLeft = attemptsLeft
  }
}

/** An error that names the fields. The message repeats the first one, since many people read only the message. */
export function invalid(details: readonly [Detail, ...Detail[]]): AppError {
  return new AppError('VALIDATION', { message: `Validation error: ${details[0].message}`, details })
}
