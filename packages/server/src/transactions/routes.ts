import { type Static, Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { DayFields, type Days, readDays } from '../platform/days.ts'
import type { Owner } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { isToSend } from './explain.ts'
import { readType } from './filter.ts'
import { presentOne, presentTransaction } from './present.ts'
import { findById, findTransaction, isFrozen, type ListWanted, listTransactions, timelineOf } from './read.ts'
import { readRefundFields } from './refund-fields.ts'
import { OneTransaction, Transaction } from './transaction-schema.ts'

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
    ...DayFields,
    status: Type.Optional(Type.Union([Type.Literal('pending'), Type.Literal('failed'), Type.Literal('successful')])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: '3 if omitted' })),
    transactionId: Type.Optional(Type.String({ maxLength: 100, description: 'Only transactions older than this one' })),
  },
  { additionalProperties: false },
)

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
      const refundsOf = await readRefundFields(ctx.db.read, owner, [transaction])
      const isHeld = isToSend(transaction) && (await isFrozen(ctx.db.read, owner))
      return {
        success: true as const,
        data: presentOne(ctx, transaction, { timeline, isFrozen: isHeld, refunds: refundsOf(transaction) }),
      }
    },
  )
}

function wantedOf(query: Static<typeof ListQuery> & Days): Omit<ListWanted, 'before'> {
  const { type, currency, limit = 3, externalReference, status } = query
  const filters = { currency: currency || undefined, type: readType(type), externalReference, status }
  return { ...filters, ...readDays(query), limit }
}

async function cursorOf(ctx: Context, owner: Owner, shown: string | undefined): Promise<string | undefined> {
  if (shown === undefined) return undefined
  const id = readId('transaction', shown)
  if (id === undefined || !(await findById(ctx.db.read, owner, id)))
    throw invalid([{ field: 'transactionId', message: 'transactionId is not one of your transactions' }])
  return id
}
