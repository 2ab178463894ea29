import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { IdempotencyHeaders, keyedRequest } from '../idempotency/keys.ts'
import { PaymentHeaders, scenarioIn } from '../payments/accept/payment-headers.ts'
import { makerOf } from '../payments/controls/maker.ts'
import { acceptPayout } from './accept.ts'
import { acceptBulk } from './bulk.ts'
import { cancelPayout } from './cancel.ts'
import { quoteRoute } from './quote-route.ts'
import { payoutReader } from './read-payout.ts'
import { BulkBody, bulkUnits, PayoutBody } from './schema.ts'
import { validateRoutes } from './validate-routes.ts'

const Accepted = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    transactionId: Type.String(),
    status: Type.String(),
    externalReference: Type.String(),
  },
  { title: 'AcceptedPayout' },
)

const BulkResponse = Type.Object(
  {
    success: Type.Literal(true),
    data: Type.Array(
      Type.Object({
        success: Type.Boolean(),
        message: Type.String(),
        externalReference: Type.String(),
        transactionId: Type.Optional(Type.String()),
        errorCode: Type.Optional(Type.String()),
      }),
    ),
  },
  { title: 'BulkResults' },
)

const tags = ['Payouts']
const scope = 'payouts:write'
const errors = [
  'SANDBOX_ONLY',
  'MOMO_CODE_REQUIRED',
  'DEBIT_COUNTRY_REQUIRED',
  'EXTERNAL_ACCOUNT_MISSING',
  'QUOTE_MISSING',
  'PROVIDER_NOT_FOUND',
  'PAYOUT_PROVIDER_NOT_FOUND',
  'TRANSACTION_MISSING',
  'TRANSACTION_NOT_REFUNDABLE',
  'REFUND_EXCEEDS_CHARGE',
  'REFERENCE_USED',
  'QUOTE_EXPIRED',
  'QUOTE_USED',
  'QUOTE_MISMATCH',
  'INSUFFICIENT_FUNDS',
  'PAYOUT_LIMIT_EXCEEDED',
  'UNSUPPORTED_CURRENCY',
  'CURRENCY_NOT_ENABLED',
  'DEBIT_CURRENCY_NOT_SUPPORTED',
  'AMOUNT_OUT_OF_BOUNDS',
  'FX_RATE_UNAVAILABLE',
  'IDEMPOTENCY_KEY_IN_PROGRESS',
  'IDEMPOTENCY_KEY_REUSED',
] as const

export function payoutRoutes(app: App, ctx: Context): void {
  app.post(
    '/fiat/payout',
    {
      config: { scope, errors },
      schema: { summary: 'Pay out', tags, headers: PaymentHeaders, body: PayoutBody, response: { 200: Accepted } },
    },
    async (request, reply) => {
      const owner = bearerOf(request)
      const origin = { ...makerOf(owner), isBulk: false }
      const terms = { origin, scenario: scenarioIn(owner, request.headers) }
      const { response, isReplay } = await acceptPayout(ctx, owner, request.body, keyedRequest(request, owner), terms)
      mark(reply, isReplay)
      return response
    },
  )

  bulkRoute(app, ctx)
  quoteRoute(app, ctx)
  validateRoutes(app, ctx)
  cancelRoute(app, ctx)
}

function bulkRoute(app: App, ctx: Context): void {
  app.post(
    '/fiat/payouts/bulk',
    {
      config: {
        scope,
        errors,
        unitsOf: bulkUnits,
      },
      bodyLimit: 1024 * 1024,
      schema: {
        summary: 'Pay out in bulk',
        description: 'At most 1,000. Each is accepted or refused on its own, and the results have the same order.',
        tags,
        headers: PaymentHeaders,
        body: BulkBody,
        response: { 200: BulkResponse },
      },
    },
    async (request, reply) => {
      const { payouts } = request.body
      const readItem = payoutReader(request)
      const owner = bearerOf(request)
      const keyed = keyedRequest(request, owner)
      const terms = { maker: makerOf(owner), scenario: scenarioIn(owner, request.headers) }
      const { results, isReplay } = await acceptBulk(ctx, owner, payouts, readItem, keyed, terms)
      mark(reply, isReplay)
      return { success: true as const, data: results }
    },
  )
}

function cancelRoute(app: App, ctx: Context): void {
  app.post(
    '/fiat/payout/:transactionId/cancel',
    {
      config: {
        scope,
        errors: [
          'TRANSACTION_MISSING',
          'PAYOUT_NOT_CANCELLABLE',
          'IDEMPOTENCY_KEY_IN_PROGRESS',
          'IDEMPOTENCY_KEY_REUSED',
        ],
      },
      schema: {
        summary: 'Cancel a payout',
        description: 'Possible until it is sent. Its money is back in the wallet with the response.',
        tags,
        params: Type.Object({ transactionId: Type.String({ maxLength: 100 }) }),
        headers: IdempotencyHeaders,
        response: { 200: Type.Object({ success: Type.Literal(true), message: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { transactionId } = request.params
      const owner = bearerOf(request)
      const keyed = keyedRequest(request, owner)
      const { response, isReplay } = await cancelPayout(ctx, owner, transactionId, keyed, makerOf(owner))
      mark(reply, isReplay)
      return response
    },
  )
}

function mark(reply: FastifyReply, isReplay: boolean): void {
  if (isReplay) reply.header('idempotency-replayed', 'true')
}
