import { Type } from 'typebox'
import {
  AdjustmentFields,
  Customer,
  Explanation,
  FailureReason,
  NextAction,
  Rate,
  RefundFields,
  VirtualAccount,
} from './schema.ts'

const Beneficiary = Type.Object({
  country: Type.String({ description: "The country's name" }),
  bankCode: Type.String({ description: 'The bank or operator' }),
  accountName: Type.String(),
  destination: Type.String(),
  currency: Type.String(),
  accountNumber: Type.String(),
})

/** A transaction as lists show it. */
export const Transaction = Type.Object(
  {
    transactionId: Type.String(),
    type: Type.String({ description: 'deposit, withdrew, refund, conversion or adjustment' }),
    status: Type.String({ description: 'PENDING, then SUCCESSFUL or FAILED, which is final' }),
    chargeStatus: Type.String({ description: 'The same in lower case' }),
    amount: Type.Number(),
    senderAmount: Type.Number(),
    receiverAmount: Type.Number(),
    currency: Type.String(),
    senderCurrency: Type.String(),
    receiverCurrency: Type.String(),
    country: Type.String(),
    destination: Type.String(),
    fullTimestamp: Type.String({ description: 'ISO 8601 with +00:00' }),
    year: Type.String(),
    month: Type.String(),
    day: Type.String(),
    beneficiary: Beneficiary,
  },
  { title: 'Transaction' },
)

/** A transaction without its history, as a search finds it. */
export const FoundTransaction = Type.Object(
  {
    ...Transaction.properties,
    externalReference: Type.String(),
    method: Type.String({ description: 'momo, card, bank-transfer or bank' }),
    fee: Type.Number({ description: "In the wallet's currency" }),
    stage: Type.String({
      description:
        'AWAITING_APPROVAL, AWAITING_CUSTOMER, PROCESSING, UNCONFIRMED (being queried), COMPLETED, FAILED or EXPIRED',
    }),
    nextAction: NextAction,
    providerReceipt: Type.String({ description: "The provider's own reference; empty while there is none" }),
    customer: Type.Optional(Customer),
    explanation: Explanation,
    failureReason: Type.Optional(FailureReason),
    rate: Type.Optional(Rate),
    amountReceived: Type.Optional(Type.Number({ description: 'Received so far, for a bank transfer charge' })),
    virtualAccount: Type.Optional(VirtualAccount),
    ...RefundFields,
    ...AdjustmentFields,
    adjustments: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The adjustments made after its end, oldest first; each is a transaction of its own',
      }),
    ),
  },
  { title: 'FoundTransaction' },
)

/** A transaction with its history. */
export const OneTransaction = Type.Object(
  {
    ...FoundTransaction.properties,
    timeline: Type.Array(Type.Object({ at: Type.String(), stage: Type.String(), message: Type.String() })),
  },
  { title: 'OneTransaction' },
)
