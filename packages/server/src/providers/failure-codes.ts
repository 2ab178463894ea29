/** Each code has a sentence that a merchant may show. */
export const failureCodes = {
  PAYER_NOT_FOUND: 'The phone number has no account with this operator.',
  PAYER_LIMIT_REACHED: 'The customer has reached a limit of their account.',
  PAYMENT_NOT_APPROVED: 'The customer did not approve the payment.',
  INSUFFICIENT_BALANCE: 'The customer does not have enough money.',
  PAYMENT_IN_PROGRESS: 'The customer has another pending payment.',
  RECIPIENT_NOT_FOUND: 'The recipient has no account there.',
  RECIPIENT_LIMIT_REACHED: 'The recipient has reached a limit of their account.',
  WALLET_LIMIT_REACHED: "The recipient's account cannot hold that much.",
  AMOUNT_NOT_ACCEPTED: 'The operator does not take this amount.',
  DETAILS_NOT_ACCEPTED: 'The provider does not accept these payment details.',
  CARD_DECLINED: "The customer's bank declined the card.",
  CARD_EXPIRED: 'The card has expired.',
  SUSPECTED_FRAUD: 'The payment was refused as suspicious.',
  AUTHENTICATION_FAILED: 'The customer could not prove that the card is theirs.',
  AUTHORISATION_LOST: 'The charge could not be continued because of an internal error; nothing was taken.',
  UNDERPAID: 'Less than the amount was received before the account expired.',
  MANUALLY_CANCELLED: 'The payment was cancelled before it was sent.',
  REJECTED_BY_APPROVER: 'A person of the merchant rejected the payout.',
  APPROVAL_EXPIRED: 'The payout was not approved in time.',
  EXPIRED: 'The payment was not completed in time.',
  REVERSED: 'The provider took the payment back.',
  PROVIDER_UNAVAILABLE: 'The provider could not be reached in time; nothing was taken.',
  UNSPECIFIED_FAILURE: 'The operator gave no reason.',
  UNKNOWN_ERROR: 'The provider named a reason that we do not know.',
} as const

export type FailureCode = keyof typeof failureCodes
