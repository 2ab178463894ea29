import type { Context } from '../context.ts'
import { AppError, type Detail, invalid } from '../errors.ts'
import { type Currency, currencies } from '../money/currencies.ts'
import { type Conversion, convertFrom, convertTo } from '../money/exchange.ts'
import { minorFromNumber } from '../money/money.ts'
import { usedRate } from '../payments/accept/exchange.ts'
import type { PayoutOrigin } from '../payments/controls/control-batch.ts'
import { requirePlaces } from '../payments/controls/maker.ts'
import type { Promised } from '../payments/model/store.ts'
import type { Owner } from '../platform/db.ts'
import { currencyOf, exactAmount, refuseHuge } from '../reference/momo.ts'
import type { RateOf } from '../reference/rates.ts'
import { isWalletPlace } from '../reference/wallet-places.ts'

/** What to convert: two wallets, and what leaves the first or what the second gets. */
export interface ConversionInput {
  readonly fromCurrency?: string
  readonly fromCountry?: string
  readonly toCurrency?: string
  readonly toCountry?: string
  readonly amount?: number
  readonly toAmount?: number
}

export interface WalletPlace {
  readonly currency: Currency
  readonly country: string
}

/** A conversion with its figures, in minor units. */
export interface PricedConversion {
  readonly from: WalletPlace
  readonly to: WalletPlace
  readonly fromAmount: bigint
  readonly toAmount: bigint
  readonly rate: NonNullable<Promised['rate']>
}

export interface ConversionTerms {
  readonly origin: PayoutOrigin
  readonly rateOf: RateOf
}

/** Checks and prices a conversion at the current rate. Moves no money. */
export async function priceConversion(
  ctx: Context,
  owner: Owner,
  input: ConversionInput,
  { origin, rateOf }: ConversionTerms,
): Promise<PricedConversion> {
  const { from, to } = placesOf(ctx, input)
  requireOneAmount(input)
  const asked = askedAmount(input, from.currency, to.currency)
  await refuseForbidden(ctx, owner, [from, to], origin)
  const pair = await rateOf(from.currency, to.currency)
  if (!pair) throw notOffered(from.currency, to.currency)
  const convert = input.toAmount === undefined ? convertFrom : convertTo
  const { rate, side, markup, ...sums } = convert(pair, asked, from.currency, to.currency)
  refuseUnusable(sums, from.currency, to.currency)
  return { from, to, ...sums, rate: { ...usedRate(pair, side, rate), spread: String(markup) } }
}

/** What may have changed since a quote: the person's places, and the currencies that the operator enabled. */
export async function refuseForbidden(
  ctx: Context,
  owner: Owner,
  places: readonly WalletPlace[],
  origin: PayoutOrigin,
): Promise<void> {
  requirePlaces(origin, places)
  for (const { currency } of places) await ctx.currencies.refuseDisabled(owner, currency)
}

/** The two wallets. A currency of several countries needs its country. */
function placesOf(ctx: Context, input: ConversionInput): { readonly from: WalletPlace; readonly to: WalletPlace } {
  const [first, ...rest] = (['fromCurrency', 'toCurrency'] as const)
    .filter((field) => input[field] === undefined)
    .map((field): Detail => ({ field, message: `${field} is required` }))
  if (first) throw invalid([first, ...rest])
  const from = placeOf(ctx, input.fromCurrency ?? '', input.fromCountry, 'fromCountry')
  const to = placeOf(ctx, input.toCurrency ?? '', input.toCountry, 'toCountry')
  if (from.currency === to.currency)
    throw invalid([{ field: 'toCurrency', message: 'toCurrency must differ from fromCurrency' }])
  return { from, to }
}

function placeOf({ reference }: Context, code: string, country: string | undefined, field: string): WalletPlace {
  const currency = currencyOf(code)
  const own = currencies[currency]
  if (country !== undefined && !isWalletPlace(reference, currency, country))
    throw invalid([{ field, message: `${field} ${country} has no ${currency} wallets` }])
  const scope = 'country' in own ? own.country : country
  if (scope === undefined)
    throw invalid([{ field, message: `${field} is required: several countries have ${currency} wallets` }])
  return { currency, country: scope }
}

function requireOneAmount({ amount, toAmount }: ConversionInput): void {
  if ((amount === undefined) === (toAmount === undefined))
    throw invalid([{ field: 'amount', message: 'amount or toAmount is required, and not both' }])
}

function askedAmount({ amount, toAmount }: ConversionInput, from: Currency, to: Currency): bigint {
  return toAmount === undefined ? exactAmount(amount ?? 0, from) : exactAmount(toAmount, to, 'toAmount')
}

function notOffered(from: Currency, to: Currency): AppError {
  return new AppError('DEBIT_CURRENCY_NOT_SUPPORTED', {
    message: `${from} cannot be converted to ${to}.`,
    details: [{ field: 'toCurrency', message: `no exchange rate is offered for ${from} and ${to}` }],
    fix: 'Convert between the two currencies of a pair that `GET /utilities/rates/historical` lists.',
  })
}

/** A conversion that brings nothing would only take money. */
function refuseUnusable(
  { fromAmount, toAmount }: Pick<Conversion, 'fromAmount' | 'toAmount'>,
  from: Currency,
  to: Currency,
): void {
  if (toAmount === 0n)
    throw new AppError('AMOUNT_OUT_OF_BOUNDS', {
      message: `The amount is too small: it converts to 0 ${to}.`,
      details: [{ field: 'amount', message: `amount must convert to at least the smallest unit of ${to}` }],
      fix: 'Convert a larger amount.',
    })
  refuseHuge(fromAmount, from, 'toAmount')
  refuseHuge(toAmount, to, 'amount')
}

/** The fields of a request that differ from what was quoted. Fields that are left out do not differ. */
export function differencesFrom(
  { from, to, fromAmount, toAmount }: PricedConversion,
  input: ConversionInput,
): Detail[] {
  const isOther = {
    fromCurrency: input.fromCurrency !== undefined && input.fromCurrency !== from.currency,
    fromCountry: input.fromCountry !== undefined && input.fromCountry !== from.country,
    toCurrency: input.toCurrency !== undefined && input.toCurrency !== to.currency,
    toCountry: input.toCountry !== undefined && input.toCountry !== to.country,
    amount: input.amount !== undefined && minorFromNumber(input.amount, from.currency) !== fromAmount,
    toAmount: input.toAmount !== undefined && minorFromNumber(input.toAmount, to.currency) !== toAmount,
  }
  return Object.entries(isOther)
    .filter(([, differs]) => differs)
    .map(([field]) => ({ field, message: `${field} differs from the quote` }))
}
