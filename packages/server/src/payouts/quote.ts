import type { Context } from '../context.ts'
import { presentConversion } from '../conversions/convert.ts'
import { type ConversionInput, priceConversion } from '../conversions/price.ts'
import { keepConversion } from '../conversions/quoted.ts'
import { type Detail, invalid } from '../errors.ts'
import { keepQuote, type QuoteKind } from '../payments/accept/quotes.ts'
import type { PayoutOrigin } from '../payments/controls/control-batch.ts'
import type { Owner } from '../platform/db.ts'
import { createRateOf, rateAgeMaxMs } from '../reference/rates.ts'
import { keepFigures } from './figures.ts'
import { presentFigures } from './present.ts'
import { type PayoutInput, priceQuote } from './price.ts'

/** A payout or a conversion, without its reference. */
export interface QuoteBody extends PayoutInput, ConversionInput {}

/** Prices a payout or a conversion and keeps the figures for a short time, to be executed once. Holds nothing. */
export async function makeQuote(ctx: Context, owner: Owner, body: QuoteBody, origin: PayoutOrigin) {
  const terms = { origin, rateOf: createRateOf(ctx, owner) }
  if (isForConversion(body)) {
    refuseFieldsOf('payout', body)
    const priced = await priceConversion(ctx, owner, body, terms)
    return { ...(await keep(ctx, owner, 'conversion', keepConversion(priced))), ...presentConversion(priced) }
  }
  const figures = await priceQuote(ctx, owner, body, terms)
  return { ...(await keep(ctx, owner, 'payout', keepFigures(figures, body.debitAmount))), ...presentFigures(figures) }
}

const fieldsOf = {
  conversion: ['fromCurrency', 'fromCountry', 'toCurrency', 'toCountry', 'toAmount'],
  payout: [
    ...(['externalAccountId', 'currency', 'country', 'destination', 'payoutMethod'] as const),
    ...(['debitAmount', 'debitCurrency', 'debitCountry'] as const),
  ],
} as const satisfies Record<QuoteKind, readonly (keyof QuoteBody)[]>

const isForConversion = (body: QuoteBody) => fieldsOf.conversion.some((field) => body[field] !== undefined)

/** A body that describes both could be meant either way. */
function refuseFieldsOf(kind: QuoteKind, body: QuoteBody): void {
  const [first, ...rest] = fieldsOf[kind]
    .filter((field) => body[field] !== undefined)
    .map((field): Detail => ({ field, message: `${field} is not a parameter of a conversion` }))
  if (first) throw invalid([first, ...rest])
}

/** The quote ends before its rate is too old to be used, so that whatever has not expired can be executed. */
async function keep(
  ctx: Context,
  owner: Owner,
  kind: QuoteKind,
  terms: { readonly rate: { readonly at: string } | null },
): Promise<{ readonly quoteId: string; readonly expiresAt: string }> {
  const endsBy = terms.rate ? new Date(Date.parse(terms.rate.at) + rateAgeMaxMs) : undefined
  const lifeMs = ctx.config.quoteSeconds * 1000
  const { quoteId, expiresAt } = await keepQuote(ctx, owner, { kind, terms, lifeMs, endsBy })
  return { quoteId, expiresAt: expiresAt.toISOString() }
}
