/** The errors of quotes and conversions: a part of the merchants' errors in errors.ts. */
export const quoteErrors = {
  QUOTE_MISSING: {
    errorCode: 'QUOTE_NOT_FOUND',
    status: 404,
    message: 'Quote not found.',
    cause: 'No quote of yours in this environment has this id, it is one of another kind, or it is older than an hour.',
    fix: 'Make a new quote with `POST /quotes`, and execute it where it belongs: a payout with `POST /fiat/payout`, a conversion with `POST /conversions`.',
  },
  QUOTE_EXPIRED: {
    errorCode: 'QUOTE_EXPIRED',
    status: 409,
    message: 'The quote has expired.',
    cause: 'A quote can be executed until its `expiresAt`. Nothing was debited, and the reference is still free.',
    fix: 'Make a new quote with `POST /quotes` and execute that.',
  },
  QUOTE_USED: {
    errorCode: 'QUOTE_USED',
    status: 409,
    message: 'The quote was executed already.',
    cause: 'Another request executed this quote. A quote can be executed once.',
    fix: 'Look for that transaction before you pay again. For another payment, make a new quote.',
  },
  QUOTE_MISMATCH: {
    errorCode: 'QUOTE_MISMATCH',
    status: 422,
    message: 'The request differs from its quote.',
    cause: 'Beside `quoteId` the request has fields with other values than the quote; `details` names them.',
    fix: 'Send only `quoteId` and `externalReference`, or make a new quote for the new values.',
  },
  MERCHANT_FROZEN: {
    errorCode: 'MERCHANT_FROZEN',
    status: 403,
    message: 'Your account is frozen.',
    cause:
      'The operator has frozen your account. Payouts wait until it is unfrozen; a conversion is final at once, so it is refused.',
    fix: 'Contact the operator.',
  },
} as const
