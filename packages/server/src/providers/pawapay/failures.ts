import type { Failure, NotSubmittedCause } from '../contract.ts'
import { type FailureCode, failureCodes } from '../failure-codes.ts'

/** Whether money comes in, goes out, or goes back. */
export type Direction = 'charge' | 'payout' | 'refund'

/** pawaPay's failure reasons as our codes, by direction where it matters. */
const reasons: Readonly<Record<string, FailureCode | Readonly<Record<Direction, FailureCode>>>> = {
  PAYER_NOT_FOUND: 'PAYER_NOT_FOUND',
  PAYER_LIMIT_REACHED: 'PAYER_LIMIT_REACHED',
  PAYMENT_NOT_APPROVED: 'PAYMENT_NOT_APPROVED',
  INSUFFICIENT_BALANCE: 'INSUFFICIENT_BALANCE',
  PAYMENT_IN_PROGRESS: 'PAYMENT_IN_PROGRESS',
  TRANSACTION_ALREADY_IN_PROCESS: 'PAYMENT_IN_PROGRESS',
  RECIPIENT_NOT_FOUND: 'RECIPIENT_NOT_FOUND',
  RECIPIENT_LIMIT_REACHED: 'RECIPIENT_LIMIT_REACHED',
  WALLET_LIMIT_REACHED: {
    charge: 'PAYER_LIMIT_REACHED',
    payout: 'WALLET_LIMIT_REACHED',
    refund: 'WALLET_LIMIT_REACHED',
  },
  INVALID_PHONE_NUMBER: {
    charge: 'PAYER_NOT_FOUND',
    payout: 'RECIPIENT_NOT_FOUND',
    refund: 'RECIPIENT_NOT_FOUND',
  },
  NOT_FOUND: 'CHARGE_NOT_REFUNDABLE',
  INVALID_STATE: 'CHARGE_NOT_REFUNDABLE',
  AMOUNT_TOO_LARGE: 'CHARGE_NOT_REFUNDABLE',
  DEPOSIT_ALREADY_REFUNDED: 'CHARGE_NOT_REFUNDABLE',
  REFUND_IN_PROGRESS: 'CHARGE_NOT_REFUNDABLE',
  MANUALLY_CANCELLED: 'MANUALLY_CANCELLED',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'PROVIDER_UNAVAILABLE',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'PROVIDER_UNAVAILABLE',
  UNSPECIFIED_FAILURE: 'UNSPECIFIED_FAILURE',
  OTHER_ERROR: 'UNSPECIFIED_FAILURE',
  AMOUNT_OUT_OF_BOUNDS: 'AMOUNT_NOT_ACCEPTED',
  INVALID_AMOUNT: 'AMOUNT_NOT_ACCEPTED',
  INVALID_INPUT: 'DETAILS_NOT_ACCEPTED',
  MISSING_PARAMETER: 'DETAILS_NOT_ACCEPTED',
  UNSUPPORTED_PARAMETER: 'DETAILS_NOT_ACCEPTED',
  INVALID_PARAMETER: 'DETAILS_NOT_ACCEPTED',
  DUPLICATE_METADATA_FIELD: 'DETAILS_NOT_ACCEPTED',
}

/** A final failure. An unknown reason is still a failure. */
export function failureOf(providerCode: string | undefined, direction: Direction): Failure {
  if (providerCode === undefined) return { code: 'UNSPECIFIED_FAILURE', message: failureCodes.UNSPECIFIED_FAILURE }
  const reason = Object.hasOwn(reasons, providerCode) ? reasons[providerCode] : undefined
  const code = typeof reason === 'object' ? reason[direction] : (reason ?? 'UNKNOWN_ERROR')
  return { code, message: failureCodes[code], providerCode }
}

/** The meaning of REJECTED: this payment failed, or it was not submitted. */
export type Refusal = 'definitely_failed' | Exclude<NotSubmittedCause, 'not_reached' | 'rate_limited' | 'unwritable'>

const refusals: Readonly<Record<string, Refusal>> = {
  AMOUNT_OUT_OF_BOUNDS: 'definitely_failed',
  INVALID_AMOUNT: 'definitely_failed',
  INVALID_PHONE_NUMBER: 'definitely_failed',
  PAYER_NOT_FOUND: 'definitely_failed',
  PAYER_LIMIT_REACHED: 'definitely_failed',
  INSUFFICIENT_BALANCE: 'definitely_failed',
  PAYMENT_IN_PROGRESS: 'definitely_failed',
  TRANSACTION_ALREADY_IN_PROCESS: 'definitely_failed',
  RECIPIENT_NOT_FOUND: 'definitely_failed',
  RECIPIENT_LIMIT_REACHED: 'definitely_failed',
  WALLET_LIMIT_REACHED: 'definitely_failed',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'closed',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'float_exhausted',
  INVALID_CURRENCY: 'rejected',
  INVALID_PROVIDER: 'rejected',
}

/** Codes of refunds alone. Malipo sends one at a time, so one in progress was made elsewhere and is waited for. */
const refundRefusals: Readonly<Record<string, Refusal>> = {
  NOT_FOUND: 'definitely_failed',
  INVALID_STATE: 'definitely_failed',
  AMOUNT_TOO_LARGE: 'definitely_failed',
  DEPOSIT_ALREADY_REFUNDED: 'definitely_failed',
  REFUND_IN_PROGRESS: 'closed',
}

/** Undefined when the code is not documented for a refusal: then it does not prove that no money moved. */
export function refusalOf(providerCode: string, direction: Direction): Refusal | undefined {
  const known = direction === 'refund' ? { ...refusals, ...refundRefusals } : refusals
  return Object.hasOwn(known, providerCode) ? known[providerCode] : undefined
}

/** pawaPay's documentation disagrees on whether these come with 401 or 403. */
const notAllowed = [
  'NO_AUTHENTICATION',
  'AUTHENTICATION_ERROR',
  'AUTHORISATION_ERROR',
  'HTTP_SIGNATURE_ERROR',
  'DEPOSITS_NOT_ALLOWED',
  'PAYOUTS_NOT_ALLOWED',
  'REFUNDS_NOT_ALLOWED',
]

/** The codes that pawaPay documents for requests it rejects before it reads the payment, by HTTP status. */
const rejections: Readonly<Record<number, readonly string[]>> = {
  400: ['INVALID_INPUT', 'MISSING_PARAMETER', 'UNSUPPORTED_PARAMETER', 'INVALID_PARAMETER', 'DUPLICATE_METADATA_FIELD'],
  401: notAllowed,
  403: notAllowed,
}

export function isRejection(httpStatus: number, providerCode: string): boolean {
  return rejections[httpStatus]?.includes(providerCode) ?? false
}
