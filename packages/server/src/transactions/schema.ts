import { Type } from 'typebox'
import { eventNames } from '../events/catalogue.ts'

/** The merchant's own reference for a payment. */
export const ExternalReference = Type.String({
  maxLength: 100,
  pattern: '^[\\x21-\\x7e]{1,100}$',
  description: 'Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before',
  'x-form': 'must be 1 to 100 printable ASCII characters without spaces',
})

export const NextAction = Type.Object(
  {
    type: Type.String({ description: 'NONE, PIN_PROMPT, OTP, PIN, ADDRESS, REDIRECT or BANK_TRANSFER' }),
    instructions: Type.Optional(Type.Array(Type.String())),
    redirectUrl: Type.Optional(Type.String({ description: 'Where to send the customer' })),
    ussdCode: Type.Optional(Type.String()),
  },
  { title: 'NextAction' },
)

/** The rate of a payment between two currencies. */
export const Rate = Type.Object({
  pair: Type.String(),
  side: Type.String(),
  value: Type.String({ description: 'Quote currency for one of the base currency, exact' }),
  at: Type.String(),
})

export const FailureReason = Type.Object({
  failureCode: Type.String(),
  failureMessage: Type.String(),
  providerCode: Type.Optional(Type.String()),
})

/** The fields of refunds and of refunded charges. */
export const RefundFields = {
  refundOf: Type.Optional(Type.String({ description: 'Of a refund, or a payout in its place: the charge' })),
  refunded: Type.Optional(Type.Number({ description: 'Of a charge: what went back by successful refunds' })),
  refundable: Type.Optional(
    Type.Number({ description: 'Of a charge: what can still be refunded; pending refunds are deducted' }),
  ),
}

/** The payer of a charge. */
export const Customer = Type.Object(
  {
    phoneNumber: Type.Optional(Type.String({ description: 'Of a mobile money charge' })),
    name: Type.Optional(Type.String({ description: 'Of a card charge' })),
    card: Type.Optional(
      Type.Object(
        {
          brand: Type.String({ description: 'Such as visa' }),
          first6: Type.String({ description: 'The first six digits' }),
          last4: Type.String({ description: 'The last four digits' }),
        },
        { description: 'Of a card charge' },
      ),
    ),
    accountNumber: Type.Optional(Type.String({ description: 'Of a bank transfer, if the provider reports it' })),
    bankName: Type.Optional(Type.String()),
  },
  { title: 'Customer', description: 'Of a charge: who paid, as far as the method reveals it' },
)

/** The fields that only an adjustment has. */
export const AdjustmentFields = {
  relatedTransactionId: Type.Optional(
    Type.String({ description: 'Of an adjustment: the payment whose money moved after its end' }),
  ),
  relatedExternalReference: Type.Optional(Type.String({ description: 'Your id of that payment' })),
  direction: Type.Optional(Type.String({ description: 'Of an adjustment: credit or debit' })),
  reason: Type.Optional(
    Type.String({
      description:
        'Of an adjustment: late_success, late_receipt, payout_returned, charge_reversed, chargeback_won, suspense_cleared or operator. Of a refund: your words',
    }),
  ),
}

/** The payment at the time of the notification. A newer version may have more fields. */
export const WebhookData = Type.Object(
  {
    transactionId: Type.String({ description: 'Our id of the payment, `txn_…`' }),
    externalReference: Type.String({ description: 'Your id of the payment' }),
    type: Type.String({ description: 'deposit, withdrew, refund, conversion or adjustment' }),
    status: Type.String({ description: 'pending, successful or failed' }),
    chargeStatus: Type.String({ description: 'The same as status' }),
    amount: Type.Number({ description: 'The requested amount, in major units' }),
    senderAmount: Type.Number({
      description: "What leaves: the customer's side of a charge, your wallet's of a payout",
    }),
    receiverAmount: Type.Number({ description: 'What arrives: in your wallet after the fee, or with the beneficiary' }),
    senderCurrency: Type.String(),
    receiverCurrency: Type.String(),
    currency: Type.String(),
    country: Type.String(),
    method: Type.String({ description: 'momo, card, bank-transfer or bank' }),
    fee: Type.Number({ description: "In the wallet's currency" }),
    amountReceived: Type.Optional(
      Type.Number({ description: 'Of a bank transfer charge that has ended: the amount received' }),
    ),
    customer: Type.Optional(Customer),
    failureReason: Type.Optional(FailureReason),
    walletReversed: Type.Optional(
      Type.Literal(true, { description: 'Of a failed payout or refund: its money is back in your wallet already' }),
    ),
    refundOf: RefundFields.refundOf,
    ...AdjustmentFields,
  },
  { title: 'WebhookData', additionalProperties: true },
)

const eventFields = {
  id: Type.String({ description: '`wh_…`, the same for every attempt: ignore one that you have already processed' }),
  event: Type.String({ description: Object.keys(eventNames).join(' or ') }),
  data: WebhookData,
  timestamp: Type.String({ description: 'When it happened, ISO 8601' }),
  sequence: Type.Integer({
    description: 'Counts the events of one payment from 1: ignore one that is lower than the last you processed',
  }),
}

/** The body of a webhook. */
export const WebhookEvent = Type.Object(eventFields, { title: 'WebhookEvent', additionalProperties: true })

/** The same as a line of the feed. */
export const FeedLine = Type.Object(
  { number: Type.Integer({ description: 'Without a gap, for each merchant and environment' }), ...eventFields },
  { title: 'FeedLine' },
)

export const Explanation = Type.Object(
  {
    sentence: Type.String({ description: 'One sentence: what happened, what happens next, and by when' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The next step; null if there is none',
    }),
    by: Type.Union([Type.String(), Type.Null()], {
      description: 'ISO 8601: the time of the next step or its deadline; null if there is none',
    }),
  },
  { title: 'Explanation', description: 'The current state of the payment, in plain text' },
)

export const VirtualAccount = Type.Object(
  {
    permanent: Type.Boolean(),
    accountNumber: Type.String(),
    bankName: Type.String(),
    createdAt: Type.String(),
    expiresAt: Type.String({ description: 'The account accepts money until then' }),
    note: Type.String(),
    amount: Type.String({ description: 'The amount to transfer' }),
    bankLogo: Type.String({ description: 'An image with the name of the bank' }),
  },
  { title: 'VirtualAccount' },
)
