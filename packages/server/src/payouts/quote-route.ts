import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { makerOf } from '../payments/controls/maker.ts'
import { Rate } from '../transactions/schema.ts'
import { makeQuote } from './quote.ts'
import { QuoteBody } from './schema.ts'

const figure = (description: string) => Type.Optional(Type.Number({ description }))
const word = (description: string) => Type.Optional(Type.String({ description }))

const Quote = Type.Object(
  {
    quoteId: Type.String({ description: 'Execute it with this id, once' }),
    expiresAt: Type.String({ description: 'ISO 8601: until then it can be executed' }),
    amount: figure('Of a payout: what the beneficiary gets'),
    currency: word('Of that amount'),
    fee: figure("Of a payout: in the wallet's currency"),
    debitAmount: figure('Of a payout: what leaves the wallet, fee included'),
    debitCurrency: word('Of the wallet that pays'),
    debitCountry: word('Of the wallet that pays'),
    fromAmount: figure('Of a conversion: what leaves the first wallet'),
    fromCurrency: word('Of the first wallet'),
    fromCountry: word('Of the first wallet'),
    toAmount: figure('Of a conversion: what the second wallet gets'),
    toCurrency: word('Of the second wallet'),
    toCountry: word('Of the second wallet'),
    rate: Type.Optional(Rate),
  },
  { title: 'Quote' },
)

const errors = [
  'MOMO_CODE_REQUIRED',
  'DEBIT_COUNTRY_REQUIRED',
  'CURRENCY_NOT_ENABLED',
  'EXTERNAL_ACCOUNT_MISSING',
  'PROVIDER_NOT_FOUND',
  'PAYOUT_PROVIDER_NOT_FOUND',
  'UNSUPPORTED_CURRENCY',
  'DEBIT_CURRENCY_NOT_SUPPORTED',
  'AMOUNT_OUT_OF_BOUNDS',
  'FX_RATE_UNAVAILABLE',
] as const

export function quoteRoute(app: App, ctx: Context): void {
  app.post(
    '/quotes',
    {
      config: { scope: 'payouts:write', errors },
      schema: {
        summary: 'Quote a payout or a conversion',
        description:
          'Takes the body of a payout or of a conversion without `externalReference`. Holds no money. Execute the quote with `quoteId` at exactly these figures, once, before it expires.',
        tags: ['Quotes and conversions'],
        body: QuoteBody,
        response: { 200: Type.Object({ success: Type.Literal(true), data: Quote }) },
      },
    },
    async (request) => {
      const owner = bearerOf(request)
      const origin = { ...makerOf(owner), isBulk: false }
      return { success: true as const, data: await makeQuote(ctx, owner, request.body, origin) }
    },
  )
}
