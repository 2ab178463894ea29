import { type Static, Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { keyedRequest } from '../idempotency/keys.ts'
import { PaymentHeaders, scenarioIn } from '../payments/accept/payment-headers.ts'
import { makerOf } from '../payments/controls/maker.ts'
import { DayFields, type Days, readDays } from '../platform/days.ts'
import type { Owner } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { presentRefund } from '../transactions/present.ts'
import { findTransaction } from '../transactions/read.ts'
import { ExternalReference, FailureReason, RefundFields } from '../transactions/schema.ts'
import { Transaction } from '../transactions/transaction-schema.ts'
import { acceptRefund } from './accept.ts'
import { listRefunds, type RefundsWanted } from './list.ts'

const closed = { additionalProperties: false }

const RefundBody = Type.Object(
  {
    externalReference: ExternalReference,
    amount: Type.Optional(
      Type.Number({ description: "In the charge's currency, major units; all that is left if omitted" }),
    ),
    reason: Type.Optional(
      Type.String({ maxLength: 200, description: 'Your words for it; shown when the refund is read' }),
    ),
  },
  closed,
)

const Accepted = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    transactionId: Type.String({ description: 'The id of the refund, a transaction of its own' }),
    refundOf: Type.String({ description: 'The id of the charge' }),
    status: Type.String(),
    externalReference: Type.String(),
    amount: Type.Number(),
    currency: Type.String(),
  },
  { title: 'AcceptedRefund' },
)

const Refund = Type.Object(
  {
    ...Transaction.properties,
    externalReference: Type.String(),
    refundOf: RefundFields.refundOf,
    relatedExternalReference: Type.String({ description: 'Your id of the charge' }),
    method: Type.String(),
    fee: Type.Number({ description: "In the wallet's currency" }),
    stage: Type.String(),
    reason: Type.Optional(Type.String({ description: 'Your words' })),
    failureReason: Type.Optional(FailureReason),
  },
  { title: 'Refund' },
)

const ListQuery = Type.Object(
  {
    refundOf: Type.Optional(Type.String({ maxLength: 100, description: 'Id or external reference of a charge' })),
    status: Type.Optional(Type.Union([Type.Literal('pending'), Type.Literal('failed'), Type.Literal('successful')])),
    ...DayFields,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: '20 if omitted' })),
    cursor: Type.Optional(Type.String({ maxLength: 100, description: '`nextCursor` of the page before' })),
  },
  closed,
)

const tags = ['Refunds']

export function refundRoutes(app: App, ctx: Context): void {
  app.post(
    '/transactions/:transactionId/refunds',
    {
      config: {
        scope: 'refunds:write',
        errors: [
          'SANDBOX_ONLY',
          'TRANSACTION_MISSING',
          'TRANSACTION_NOT_REFUNDABLE',
          'REFUND_NOT_SUPPORTED',
          'REFUND_WINDOW_CLOSED',
          'REFUND_EXCEEDS_CHARGE',
          'REFERENCE_USED',
          'INSUFFICIENT_FUNDS',
          'FX_RATE_UNAVAILABLE',
          'DEBIT_CURRENCY_NOT_SUPPORTED',
          'IDEMPOTENCY_KEY_IN_PROGRESS',
          'IDEMPOTENCY_KEY_REUSED',
        ],
      },
      schema: {
        summary: 'Refund a charge',
        description:
          'By id or external reference of the charge, in whole or in part. The wallet that was credited pays. Together refunds never exceed what was received.',
        tags,
        params: Type.Object({ transactionId: Type.String({ maxLength: 100 }) }),
        headers: PaymentHeaders,
        body: RefundBody,
        response: { 200: Accepted },
      },
    },
    async (request, reply) => {
      const owner = bearerOf(request)
      const { transactionId } = request.params
      const scenario = scenarioIn(owner, request.headers)
      const terms = { maker: makerOf(owner), keyed: keyedRequest(request, owner), scenario }
      const { response, isReplay } = await acceptRefund(ctx, owner, transactionId, request.body, terms)
      if (isReplay) reply.header('idempotency-replayed', 'true')
      return response
    },
  )
  listRoute(app, ctx)
}

function listRoute(app: App, ctx: Context): void {
  app.get(
    '/refunds',
    {
      config: { scope: 'transactions:read', errors: ['TRANSACTION_MISSING'] },
      schema: {
        summary: 'List refunds',
        description: 'Newest first. A page may be short; there are more as long as `nextCursor` is there.',
        tags,
        querystring: ListQuery,
        response: {
          200: Type.Object({
            success: Type.Literal(true),
            data: Type.Array(Refund),
            nextCursor: Type.Optional(Type.String({ description: '`cursor` of the next page; missing on the last' })),
          }),
        },
      },
    },
    async (request) => {
      const owner = bearerOf(request)
      const wanted = await wantedOf(ctx, owner, request.query)
      const { refunds, next } = await listRefunds(ctx.db.read, owner, wanted)
      const data = refunds.map((refund) => presentRefund(ctx, refund, refund.refund_reason))
      return { success: true as const, data, ...(next !== undefined && { nextCursor: showId('transaction', next) }) }
    },
  )
}

async function wantedOf(ctx: Context, owner: Owner, query: Static<typeof ListQuery> & Days): Promise<RefundsWanted> {
  const { refundOf, status, limit = 20, cursor } = query
  const before = cursor === undefined ? undefined : readId('transaction', cursor)
  if (cursor !== undefined && before === undefined)
    throw invalid([{ field: 'cursor', message: 'cursor is not the nextCursor of a page' }])
  const charge = refundOf === undefined ? undefined : await findTransaction(ctx.db.read, owner, refundOf)
  if (refundOf !== undefined && !charge) throw new AppError('TRANSACTION_MISSING')
  return { chargeId: charge?.id, status, ...readDays(query), limit, before }
}
