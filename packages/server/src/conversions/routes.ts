import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { IdempotencyHeaders, keyedRequest } from '../idempotency/keys.ts'
import { makerOf } from '../payments/controls/maker.ts'
import { ExternalReference, Rate } from '../transactions/schema.ts'
import { convert } from './convert.ts'
import { ConversionSides, conversionForms } from './forms.ts'

const ConversionBody = Type.Object(
  {
    externalReference: ExternalReference,
    quoteId: Type.Optional(Type.String({ maxLength: 100, description: 'Executes this quote; nothing else is needed' })),
    ...ConversionSides,
  },
  {
    additionalProperties: false,
    'x-documented': conversionForms({ externalReference: ExternalReference }, 'Conversion'),
  },
)

const Converted = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    transactionId: Type.String(),
    status: Type.String(),
    externalReference: Type.String(),
    fromAmount: Type.Number({ description: 'What left the first wallet' }),
    fromCurrency: Type.String({ description: 'Of the first wallet' }),
    fromCountry: Type.String({ description: 'Of the first wallet' }),
    toAmount: Type.Number({ description: 'What the second wallet got' }),
    toCurrency: Type.String({ description: 'Of the second wallet' }),
    toCountry: Type.String({ description: 'Of the second wallet' }),
    rate: Rate,
  },
  { title: 'Converted' },
)

const errors = [
  'CURRENCY_NOT_ENABLED',
  'MERCHANT_FROZEN',
  'QUOTE_MISSING',
  'REFERENCE_USED',
  'QUOTE_EXPIRED',
  'QUOTE_USED',
  'QUOTE_MISMATCH',
  'INSUFFICIENT_FUNDS',
  'UNSUPPORTED_CURRENCY',
  'DEBIT_CURRENCY_NOT_SUPPORTED',
  'AMOUNT_OUT_OF_BOUNDS',
  'FX_RATE_UNAVAILABLE',
  'IDEMPOTENCY_KEY_IN_PROGRESS',
  'IDEMPOTENCY_KEY_REUSED',
] as const

export function conversionRoutes(app: App, ctx: Context): void {
  app.post(
    '/conversions',
    {
      config: { scope: 'payouts:write', errors },
      schema: {
        summary: 'Convert between wallets',
        description: 'Between two wallets of yours, final at once. Send `amount`, `toAmount` or `quoteId`.',
        tags: ['Quotes and conversions'],
        headers: IdempotencyHeaders,
        body: ConversionBody,
        response: { 200: Converted },
      },
    },
    async (request, reply) => {
      const owner = bearerOf(request)
      const origin = { ...makerOf(owner), isBulk: false }
      const { response, isReplay } = await convert(ctx, owner, request.body, keyedRequest(request, owner), origin)
      if (isReplay) reply.header('idempotency-replayed', 'true')
      return response
    },
  )
}
