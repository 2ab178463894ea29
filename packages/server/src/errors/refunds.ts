/** The errors of refunds: a part of the catalogue in errors.ts. */
export const refundErrors = {
  TRANSACTION_NOT_REFUNDABLE: {
    errorCode: 'TRANSACTION_NOT_REFUNDABLE',
    status: 409,
    message: 'Only a successful charge can be refunded.',
    cause:
      'The transaction is not a charge, or it is pending or failed, so the customer paid nothing that could go back.',
    fix: 'Check the id. A pending charge can be refunded once it is SUCCESSFUL.',
  },
  REFUND_EXCEEDS_CHARGE: {
    errorCode: 'REFUND_EXCEEDS_CHARGE',
    status: 422,
    message: 'The amount is more than is left of the charge.',
    cause:
      'Refunds, payouts with `refundOf` and what the provider took back never exceed what was received; `details` names what is left as `refundable`. Pending refunds count.',
    fix: 'Refund at most `refundable`, or leave `amount` out to refund all that is left.',
  },
  REFUND_NOT_SUPPORTED: {
    errorCode: 'REFUND_NOT_SUPPORTED',
    status: 422,
    message: 'The provider of this charge makes no refunds for its method.',
    cause:
      'Not every provider can send money back the way it came. Some refund only one of several transfers that paid a charge.',
    fix: 'Pay the customer with `POST /fiat/payout` and `refundOf` set to the id of the charge; it counts as a refund.',
  },
  REFUND_WINDOW_CLOSED: {
    errorCode: 'REFUND_WINDOW_CLOSED',
    status: 409,
    message: 'The charge is too old to be refunded.',
    cause: 'Its provider refunds charges only for a limited time; `details` names it.',
    fix: 'Pay the customer with `POST /fiat/payout` and `refundOf` set to the id of the charge; it counts as a refund.',
  },
} as const
