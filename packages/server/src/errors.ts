import { developmentErrors } from './errors/development.ts'
import { peopleErrors } from './errors/people.ts'
import { quoteErrors } from './errors/quotes.ts'
import { refundErrors } from './errors/refunds.ts'
import { webhookErrors } from './errors/webhooks.ts'

/** Every error of the merchants' API. One key, one errorCode, one status; docs/reference/errors.md is generated from this. */
export const merchantErrors = {
  VALIDATION: {
    errorCode: 'VALIDATION_ERROR',
    status: 400,
    message: 'Validation error: the request is invalid.',
    cause: 'A field is missing, unknown, or has a value that is not allowed; `details` names each of them.',
    fix: 'Correct the fields named in `details` and send the request again.',
  },
  OTP_CODE_REQUIRED: {
    errorCode: 'OTP_CODE_REQUIRED',
    status: 400,
    message: 'The customer must get a one-time code from the operator first.',
    cause: 'This operator requires a one-time code before the payment, and `otpCode` is missing.',
    fix: 'Ask the customer to get the code as `message` says. Then send the same request with `otpCode`; its reference is still free. In the sandbox the code is 123456.',
  },
  DEBIT_COUNTRY_REQUIRED: {
    errorCode: 'DEBIT_COUNTRY_REQUIRED',
    status: 400,
    message: 'debitCountry is required: several wallets have this currency.',
    cause: '`debitCurrency` differs from the currency paid out, and wallets in it exist for several countries.',
    fix: 'Send `debitCountry`: the country of one of your wallets in that currency.',
  },
  MOMO_OPERATOR_ID_REQUIRED: {
    errorCode: 'MOMO_OPERATOR_ID_REQUIRED',
    status: 400,
    message: 'The phone number does not identify its operator.',
    cause: 'The country has several operators, and the number has no prefix of one of them.',
    fix: 'Send `momoOperatorId`: one of the ids in `details`. `GET /utilities/momo-operators` lists them.',
  },
  MOMO_CODE_REQUIRED: {
    errorCode: 'MOMO_CODE_REQUIRED',
    status: 400,
    message: 'The phone number does not identify its operator.',
    cause: 'The country has several operators, and the number has no prefix of one of them.',
    fix: 'Send `payoutMethod.code`: one of the ids in `details`. `GET /utilities/momo-operators` lists them.',
  },
  UNAUTHORIZED: {
    errorCode: 'UNAUTHORIZED',
    status: 401,
    message: 'The access token is missing, invalid or expired.',
    cause:
      'The request has no `Authorization: Bearer …` header, or its token was not issued by this service, has expired or was revoked. An API key (`sk_…`) is not a token.',
    fix: 'Exchange your API key for a token at `POST /api/b2b/auth/generate-bearer-token` and retry once.',
  },
  INVALID_API_KEY: {
    errorCode: 'INVALID_API_KEY',
    status: 401,
    message: 'The public key and the API key are not a valid pair.',
    cause: 'One of the keys is unknown, mistyped or revoked, or they belong to different pairs.',
    fix: 'Send `publicKey` and the `api-key` header of the same pair. If the API key is lost, ask the operator for a new pair.',
  },
  INSUFFICIENT_SCOPE: {
    errorCode: 'INSUFFICIENT_SCOPE',
    status: 403,
    message: 'The token does not have the required scope.',
    cause: 'The key pair was created with fewer scopes than the request needs; `details` names the missing one.',
    fix: 'Use another key pair, or ask the operator for one with that scope.',
  },
  ADDRESS_NOT_ALLOWED: {
    errorCode: 'IP_NOT_ALLOWED',
    status: 403,
    message: 'This key pair may not be used from this IP address.',
    cause: 'The key pair has a list of allowed addresses, and the request came from another one.',
    fix: 'Send the request from an allowed address, or ask the operator for a key pair with another list.',
  },
  SANDBOX_ONLY: {
    errorCode: 'SANDBOX_ONLY',
    status: 403,
    message: 'Only sandbox tokens are accepted here.',
    cause:
      'A live token was used below `/api/sandbox/`, for a sandbox setting, or with the header `X-Sandbox-Scenario`.',
    fix: 'Use a token of a sandbox key pair (`pk_test_…`). For a live payment, leave the header out.',
  },
  LIVE_ONLY: {
    errorCode: 'LIVE_ONLY',
    status: 403,
    message: 'Only live tokens are accepted here.',
    cause: 'A sandbox token was used for a live setting.',
    fix: 'Use a token of a live key pair (`pk_live_…`).',
  },
  USER_MISSING: {
    errorCode: 'E-B2B-S-118',
    status: 404,
    message: 'User does not exist',
    cause: 'The merchant of this token was removed.',
    fix: 'Contact the operator.',
  },
  EXTERNAL_ACCOUNT_MISSING: {
    errorCode: 'E-BEN.S-90',
    status: 404,
    message: 'Missing external account!',
    cause: 'No external account of yours has this id, or it was deleted.',
    fix: 'Use an id from `GET /external-accounts`.',
  },
  ACCOUNT_UNKNOWN: {
    errorCode: 'E-CH-PY.S-37',
    status: 404,
    message: 'Account does not exist.',
    cause: 'The provider reports that this account does not exist.',
    fix: 'Check the number with its owner.',
  },
  NO_BRANCHES: {
    errorCode: 'E-API-UT.S-39',
    status: 404,
    message: 'No branches found for specified bank id',
    cause: 'No bank has this id, or the bank has no branches.',
    fix: 'Use the id of a bank with `hasBranches` from `GET /utilities/banks`.',
  },
  TRANSACTION_MISSING: {
    errorCode: 'TRANSACTION_NOT_FOUND',
    status: 404,
    message: 'Transaction not found.',
    cause: 'No transaction of yours in this environment has this id or external reference.',
    fix: 'Check the id. A refused request makes no transaction.',
  },
  WEBHOOK_MISSING: {
    errorCode: 'WEBHOOK_NOT_FOUND',
    status: 404,
    message: 'Webhook not found.',
    cause: 'No webhook record of yours in this environment has this id.',
    fix: 'Use an id from `GET /webhooks`.',
  },
  ...webhookErrors,
  SCENARIO_MISSING: {
    errorCode: 'SCENARIO_NOT_FOUND',
    status: 404,
    message: 'No scenario is set for this reference.',
    cause: 'None was set, its payment used it, it was removed, or it expired after a week.',
    fix: 'List the scenarios that are set with `GET /utilities/scenarios`.',
  },
  PAYOUT_PROVIDER_NOT_FOUND: {
    errorCode: 'PAYOUT_PROVIDER_NOT_FOUND',
    status: 404,
    message: 'No configured provider supports this payout.',
    cause: 'No provider in this environment supports this destination, country and currency.',
    fix: 'Choose a destination from `GET /utilities/momo-operators` or `GET /utilities/banks`. The coverage table lists all combinations.',
  },
  PROVIDER_NOT_FOUND: {
    errorCode: 'PROVIDER_NOT_FOUND',
    status: 404,
    message: 'No configured provider supports this payment.',
    cause: 'No provider in this environment supports this operator, country and currency.',
    fix: 'For mobile money, use an operator that `GET /utilities/momo-operators` shows as AVAILABLE. For cards and bank transfers, use another currency. The coverage table lists all combinations.',
  },
  ROUTE_NOT_FOUND: {
    errorCode: 'ROUTE_NOT_FOUND',
    status: 404,
    message: 'This path does not exist.',
    cause: 'The path is mistyped, or its id is too long.',
    fix: 'Compare it with the paths at `/docs`.',
  },
  METHOD_NOT_ALLOWED: {
    errorCode: 'METHOD_NOT_ALLOWED',
    status: 405,
    message: 'This path does not support this method.',
    cause: 'The path exists with other methods; the `Allow` header lists them.',
    fix: 'Use a method of the `Allow` header.',
  },
  REFERENCE_USED: {
    errorCode: 'E-API-D.S-28',
    status: 409,
    message: 'External reference already used.',
    cause:
      'A charge or payout of yours already has this external reference; `details` has its id. A reference can be used once.',
    fix: 'Read that transaction before you pay again. For a new payment, use a new reference.',
  },
  CHARGE_NOT_AWAITING: {
    errorCode: 'CHARGE_NOT_AWAITING_AUTHORISATION',
    status: 409,
    message: 'The charge is not waiting for an authorisation.',
    cause: 'The charge requires no answer, an answer is being processed, or the charge has ended.',
    fix: 'Read the transaction: `nextAction` says what the customer must do.',
  },
  PAYOUT_NOT_CANCELLABLE: {
    errorCode: 'PAYOUT_NOT_CANCELLABLE',
    status: 409,
    message: 'The payout can no longer be cancelled.',
    cause: 'The payout was sent to the provider, or has ended.',
    fix: 'Read the transaction for its current status.',
  },
  ACCOUNT_NUMBER_USED: {
    errorCode: 'E-BEN.S-35',
    status: 409,
    message: 'Account number already in use.',
    cause: 'Another external account of yours has the same account number, code, country and currency.',
    fix: 'Use that external account, or delete it first.',
  },
  IDEMPOTENCY_KEY_IN_PROGRESS: {
    errorCode: 'IDEMPOTENCY_KEY_IN_PROGRESS',
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress.',
    cause: 'The same request was sent a moment ago and has no response yet.',
    fix: 'Wait a moment and send it again: it returns the response of the first.',
    retryable: true,
  },
  PAYLOAD_TOO_LARGE: {
    errorCode: 'PAYLOAD_TOO_LARGE',
    status: 413,
    message: 'The request body is too large.',
    cause: 'The body is larger than 64 KiB, or larger than 1 MiB for `/fiat/payouts/bulk`.',
    fix: 'Split it into several requests.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    errorCode: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    message: 'The request body must be JSON.',
    cause: 'The `Content-Type` header is missing or is not `application/json`.',
    fix: 'Send JSON with `Content-Type: application/json`.',
  },
  UNSUPPORTED_CURRENCY: {
    errorCode: 'UNSUPPORTED_CURRENCY',
    status: 422,
    message: 'This currency is not supported.',
    cause:
      'The code is not a currency of this service, or not one of this payment method. Codes are three upper-case letters, such as KES.',
    fix: 'Use a currency from `GET /utilities/countries`. Bank transfers support NGN and KES.',
  },
  SCENARIO_LIMIT_REACHED: {
    errorCode: 'SCENARIO_LIMIT_REACHED',
    status: 422,
    message: 'Too many scenarios are set.',
    cause: 'A merchant can have 1,000 scenarios that wait for their payments.',
    fix: 'Remove some with `DELETE /utilities/scenarios/{externalReference}`, or send the header `X-Sandbox-Scenario` with the payment.',
  },
  INSUFFICIENT_FUNDS: {
    errorCode: 'INSUFFICIENT_FUNDS',
    status: 422,
    message: 'The wallet has insufficient funds.',
    cause: 'Amount and fee together exceed the available balance; `details` has both. Nothing was debited.',
    fix: 'Fund the wallet or pay a smaller amount. The reference is still free, so the same request can be sent again.',
  },
  CURRENCY_NOT_ENABLED: {
    errorCode: 'CURRENCY_NOT_ENABLED',
    status: 403,
    message: 'This currency is not enabled for this merchant.',
    cause: 'The operator has disabled the currency for this merchant and environment.',
    fix: 'Use another currency, or ask the operator to enable it.',
  },
  WALLET_CURRENCY_NOT_SUPPORTED: {
    errorCode: 'WALLET_CURRENCY_NOT_SUPPORTED',
    status: 422,
    message: 'A charge in this currency cannot be credited to a wallet in that currency.',
    cause: 'No exchange rate is offered for the two currencies.',
    fix: 'Leave `walletCurrency` out: the charge is then credited in its own currency.',
  },
  DEBIT_CURRENCY_NOT_SUPPORTED: {
    errorCode: 'DEBIT_CURRENCY_NOT_SUPPORTED',
    status: 422,
    message: 'This payout cannot be paid from a wallet in that currency.',
    cause: 'No exchange rate is offered for the two currencies.',
    fix: 'Leave `debitCurrency` out: the payout is then debited in its own currency.',
  },
  AMOUNT_OUT_OF_BOUNDS: {
    errorCode: 'AMOUNT_OUT_OF_BOUNDS',
    status: 422,
    message: 'The amount is outside the limits.',
    cause: 'The operator or bank does not accept this amount; `details` names the limit.',
    fix: 'Send an amount within the limits, or split it into several payments, each with its own reference.',
  },
  PAYOUT_LIMIT_EXCEEDED: {
    errorCode: 'PAYOUT_LIMIT_EXCEEDED',
    status: 422,
    message: 'The payout exceeds a limit of your account.',
    cause:
      'The operator set limits for your payouts: for each payout, and for each day (UTC) in total, by key pair or by beneficiary. `details` names the limit, how much it allows, what is left and when it resets.',
    fix: 'Send at most what is left, or wait until the limit resets. The reference is still free. Ask the operator for another limit.',
  },
  AUTHORISATION_TYPE_MISMATCH: {
    errorCode: 'AUTHORISATION_TYPE_MISMATCH',
    status: 422,
    message: 'The charge requires another type of authorisation.',
    cause: '`type` differs from what `nextAction` of the transaction requires.',
    fix: 'Send the type that `nextAction` names: `pin`, `otp` or `address`.',
  },
  AUTHORISATION_FAILED: {
    errorCode: 'AUTHORISATION_FAILED',
    status: 422,
    message: 'The value was rejected.',
    cause:
      'The PIN, code or address is wrong. `attemptsLeft` is the number of attempts left; at 0 the charge has failed.',
    fix: 'Ask the customer again and send the new value. When `attemptsLeft` is 0, start a new charge with a new reference.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    errorCode: 'IDEMPOTENCY_KEY_REUSED',
    status: 422,
    message: 'This Idempotency-Key was used for another request.',
    cause: 'The key was used before with another method, path or body.',
    fix: 'Use a new key for every new request. Repeat a request unchanged under its own key.',
  },
  RATE_LIMIT_EXCEEDED: {
    errorCode: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    message: 'Too many requests.',
    cause: "The merchant's request limit was exceeded, or this address sent too many wrong keys.",
    fix: 'Wait the seconds in `Retry-After`, then send the request again.',
    retryable: true,
  },
  INTERNAL: {
    errorCode: 'INTERNAL_SERVER_ERROR',
    status: 500,
    message: 'Internal error.',
    cause: 'A defect in the service. It is logged with the `requestId`.',
    fix: 'Send the same request again later, with the same reference and `Idempotency-Key`: it takes effect once. If the error persists, give the `requestId` to the operator.',
    retryable: true,
  },
  FX_RATE_UNAVAILABLE: {
    errorCode: 'FX_RATE_UNAVAILABLE',
    status: 503,
    message: 'No current exchange rate is available for these currencies.',
    cause: 'The pair is not quoted, its latest rate is too old, or the rate jumped and waits for the operator.',
    fix: 'Retry in a few minutes. `GET /utilities/rates/historical` lists the quoted pairs.',
    retryable: true,
  },
  PROVIDER_UNAVAILABLE: {
    errorCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
    status: 503,
    message: 'The provider is temporarily unavailable.',
    cause: 'The provider is paused, unreachable, or returned an unclear response.',
    fix: 'Send the same request again in a moment. It continues the same bank transfer charge. For any other payment nothing was started.',
    retryable: true,
  },
  OVERLOADED: {
    errorCode: 'OVERLOADED',
    status: 503,
    message: 'The service cannot process this request now.',
    cause: 'The service is shutting down, is overloaded, or cannot reach its database.',
    fix: 'Send the same request again after the seconds in `Retry-After`, with the same reference and `Idempotency-Key`: it takes effect once. If the reference is then in use, read that transaction.',
    retryable: true,
  },
  ...refundErrors,
  ...quoteErrors,
} as const satisfies Record<string, CatalogueEntry>

const allErrors = { ...merchantErrors, ...peopleErrors, ...developmentErrors } as const
export const catalogue = allErrors satisfies Record<string, CatalogueEntry>

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
  /** Replaces the catalogue's fix where this case allows a better one. */
  readonly fix?: string
}

/** The page of an error, at the address of the API. */
export const docsOf = (key: ErrorKey) => `/docs/errors#${catalogue[key].errorCode}`

/** An error that the caller sees. Any other thrown error is our own fault, and the response is INTERNAL. */
export class AppError extends Error {
  readonly key: ErrorKey
  readonly details: readonly Detail[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly attemptsLeft: number | undefined
  readonly fix: string

  constructor(key: ErrorKey, { message, details, headers, attemptsLeft, fix }: Specifics = {}) {
    super(message ?? catalogue[key].message)
    this.key = key
    this.details = details
    this.headers = headers ?? {}
    this.attemptsLeft = attemptsLeft
    this.fix = fix ?? catalogue[key].fix
  }
}

/** An error of the body as a whole, before it has fields. */
export const invalidBody = (message: string) => invalid([{ field: 'body', message }])

/** An error that names the fields. The message repeats the first one, since many people read only the message. */
export function invalid(details: readonly [Detail, ...Detail[]]): AppError {
  return new AppError('VALIDATION', { message: `Validation error: ${details[0].message}`, details })
}
