import { type Static, Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { Owner } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { Day, datesOf } from './dates.ts'
import { isToSend } from './explain.ts'
import { presentOne, presentTransaction } from './present.ts'
import { findById, findTransaction, isFrozen, type ListWanted, listTransactions, timelineOf } from './read.ts'
import { refundFields } from './refund-fields.ts'
import {
  AdjustmentFields,
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

const OneTransaction = Type.Object(
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
    timeline: Type.Array(Type.Object({ at: Type.String(), stage: Type.String(), message: Type.String() })),
  },
  { title: 'OneTransaction' },
)

const ListQuery = Type.Object(
  {
    currency: Type.Optional(Type.String({ maxLength: 100 })),
    type: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment',
      }),
    ),
    externalReference: Type.Optional(Type.String({ maxLength: 100 })),
    startDate: Day('YYYY-MM-DD, in UTC'),
    endDate: Day('The last day, inclusive'),
    status: Type.Optional(Type.Union([Type.Literal('pending'), Type.Literal('failed'), Type.Literal('successful')])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: '3 if omitted' })),
    transactionId: Type.Optional(Type.String({ maxLength: 100, description: 'Only transactions older than this one' })),
  },
  { additionalProperties: false },
)

const types: Readonly<Record<string, string | undefined>> = {
  '': '',
  deposit: 'deposit',
  withdrew: 'withdrew',
  withdrawal: 'withdrew',
  payout: 'withdrew',
  adjustment: 'adjustment',
  refund: 'refund',
  conversion: 'conversion',
}

const tags = ['Transactions']
const scope = 'transactions:read'

export function transactionRoutes(app: App, ctx: Context): void {
  app.get(
    '/transactions',
    {
      config: { scope, refusal: 'empty' },
      schema: {
        summary: 'List transactions',
        description:
          'Newest first. A 400 carries an empty object; its reason is in the headers `X-Error-Code` and `X-Error-Message`. If a filter finds too few among the 20,000 it examines, `X-Continue-After` has the id to continue after.',
        tags,
        querystring: ListQuery,
        response: { 200: Type.Object({ success: Type.Literal(true), data: Type.Array(Transaction) }) },
      },
    },
    async (request, reply) => {
      const owner = bearerOf(request)
      const wanted = { ...wantedOf(request.query), before: await cursorOf(ctx, owner, request.query.transactionId) }
      const { transactions, stoppedAt } = await listTransactions(ctx.db.read, owner, wanted)
      if (stoppedAt !== undefined) reply.header('x-continue-after', showId('transaction', stoppedAt))
      return { success: true as const, data: transactions.map((each) => presentTransaction(ctx, each)) }
    },
  )

  app.get(
    '/transactions/:transactionId',
    {
      config: { scope, errors: ['TRANSACTION_MISSING'] },
      schema: {
        summary: 'Read a transaction',
        description: 'By its id or its external reference, with its history.',
        tags,
        params: Type.Object({ transactionId: Type.String({ maxLength: 100 }) }),
        response: { 200: Type.Object({ success: Type.Literal(true), data: OneTransaction }) },
      },
    },
    async (request) => {
      const owner = bearerOf(request)
      const transaction = await findTransaction(ctx.db.read, owner, request.params.transactionId)
      if (!transaction) throw new AppError('TRANSACTION_MISSING')
      const timeline = await timelineOf(ctx.db.read, owner, transaction.id)
      const refunds = await refundFields(ctx.db.read, owner, transaction)
      const isHeld = isToSend(transaction) && (await isFrozen(ctx.db.read, owner))
      return {
        success: true as const,
        data: { ...presentOne(ctx, transaction, { timeline, isFrozen: isHeld }), ...refunds },
      }
    },
  )
}

function wantedOf(query: Static<typeof ListQuery>): Omit<ListWanted, 'before'> {
  const { type = '', currency, limit = 3, externalReference, status } = query
  const stored = Object.hasOwn(types, type) ? types[type] : undefined
  if (stored === undefined) throw invalid([{ field: 'type', message: `type ${type} is unknown` }])
  const filters = { currency: currency || undefined, type: stored || undefined, externalReference, status }
  return { ...filters, ...datesOf(query), limit }
}

async function cursorOf(ctx: Context, owner: Owner, shown: string | undefined): Promise<string | undefined> {
  if (shown === undefined) return undefined
  const id = readId('transaction', shown)
  if (id === undefined || !(await findById(ctx.db.read, owner, id)))
    throw invalid([{ field: 'transactionId', message: 'transactionId is not one of your transactions' }])
  return id
}
