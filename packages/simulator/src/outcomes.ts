import type { Failure, OrderOperation, PlannedOutcome } from './entries.ts'

/** The sandbox values of the API contract: the last three digits choose the outcome, in every country and on every rail. */
export const endings = {
  charge: {
    '019': 'PAYER_LIMIT_REACHED',
    '029': 'PAYER_NOT_FOUND',
    '039': 'PAYMENT_NOT_APPROVED',
    '049': 'INSUFFICIENT_BALANCE',
    '059': 'PAYMENT_IN_PROGRESS',
    '069': 'UNSPECIFIED_FAILURE',
  },
  payout: {
    '089': 'RECIPIENT_NOT_FOUND',
    '099': 'WALLET_LIMIT_REACHED',
    '109': 'RECIPIENT_LIMIT_REACHED',
    '119': 'UNSPECIFIED_FAILURE',
  },
} as const satisfies Record<OrderOperation, Record<string, keyof typeof messages>>

/** The payment stays open until the payer acts. */
export const stayingEnding = '129'

/** The last two digits of a refund's whole amount choose its outcome: no number of a person decides it. */
export const refundEndings = { fails: '89', stays: '29' } as const
export const refundFailure = 'UNSPECIFIED_FAILURE'

/** An account with this ending does not exist. */
export const unknownEnding = '089'

/** The code that some operators give their customers before a payment. */
export const preAuthorisationCode = '123456'

const messages = {
  PAYER_LIMIT_REACHED: 'The payer has reached a limit of their wallet.',
  PAYER_NOT_FOUND: 'The phone number does not belong to a wallet of this operator.',
  PAYMENT_NOT_APPROVED: 'The payer did not approve the payment.',
  INSUFFICIENT_BALANCE: 'The payer does not have enough funds.',
  PAYMENT_IN_PROGRESS: 'The payer has another payment waiting for approval.',
  UNSPECIFIED_FAILURE: 'The operator gave no reason.',
  RECIPIENT_NOT_FOUND: 'The account of the recipient does not exist.',
  WALLET_LIMIT_REACHED: 'The wallet of the recipient is full.',
  RECIPIENT_LIMIT_REACHED: 'The recipient has reached a limit of their wallet.',
  FLOAT_EMPTY: "The merchant's wallet does not have enough funds.",
  MANUALLY_CANCELLED: 'The payout was cancelled while it waited.',
}

export function plannedOutcomeOf(operation: OrderOperation, account: string): PlannedOutcome {
  const ending = account.slice(-3)
  if (ending === stayingEnding) return { kind: 'stays' }
  const code = (endings[operation] as Record<string, string>)[ending]
  return code === undefined ? { kind: 'completes' } : { kind: 'fails', failure: failureOf(code) }
}

/** By the digits before the decimal point. Any other refund succeeds. */
export function refundOutcomeOf(amount: string): PlannedOutcome {
  const [whole = ''] = amount.split('.')
  if (whole.endsWith(refundEndings.stays)) return { kind: 'stays' }
  return whole.endsWith(refundEndings.fails)
    ? { kind: 'fails', failure: failureOf(refundFailure) }
    : { kind: 'completes' }
}

export function failureOf(code: string): Failure {
  return { code, message: (messages as Record<string, string>)[code] ?? 'The provider refused the payment.' }
}
