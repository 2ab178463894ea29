import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { Beneficiary } from '../external-accounts/beneficiary.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import { type Currency, currencies, isCurrency } from '../money/currencies.ts'
import { type FeeRule, feeOf } from '../money/fees.ts'
import { numberFromMinor } from '../money/money.ts'
import { pricerOf, type WalletSide } from '../payments/accept/exchange.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import type { PayoutOrigin } from '../payments/controls/control-batch.ts'
import { requirePlaces } from '../payments/controls/maker.ts'
import { routeQueryOf } from '../payments/dispatch/operation.ts'
import type { Owner } from '../platform/db.ts'
import { exactAmount, momoAmount } from '../reference/momo.ts'
import type { RateOf } from '../reference/rates.ts'
import { isWalletPlace } from '../reference/wallet-places.ts'
import { type Figures, paymentOf } from './figures.ts'
import { largestPaidBy } from './largest-amount.ts'
import { beneficiaryFor, type PayeeInput } from './payee.ts'
import { refundedBy } from './refund-of.ts'

/** What is paid, to whom, and from which wallet. */
export interface PayoutInput extends PayeeInput {
  /** What the beneficiary gets. */
  readonly amount?: number
  /** Only for a quote: what may leave the wallet, fee included. */
  readonly debitAmount?: number
  readonly debitCurrency?: string
  readonly debitCountry?: string
}

export interface PayoutBody extends PayoutInput {
  readonly externalReference: string
  readonly quoteId?: string
  /** A charge that this payout refunds. */
  readonly refundOf?: string
}

export interface PricingTerms {
  readonly origin: PayoutOrigin
  readonly rateOf: RateOf
}

/**
 * Runs one check of a request. One way of checking throws the first error; another collects the errors of all checks, and then a
 * check that failed has no value.
 */
export type Check = <Value>(check: () => Value | Promise<Value>) => Promise<Value | undefined>

const throwing: Check = async (check) => check()

/** Checks and prices a payout: beneficiary, amount, provider, wallet and fee. Moves no money yet. */
export async function pricePayout(
  ctx: Context,
  owner: Owner,
  body: PayoutBody,
  keyed: KeyedRequest | undefined,
  terms: PricingTerms,
): Promise<Omit<PricedPayment, 'responseOf'>> {
  refuseDebitAmount(body)
  const figures = await priced(ctx, owner, body, terms)
  const refundOf = await refundedBy(ctx, owner, body.refundOf, terms.origin, figures)
  return paymentOf(ctx, owner, figures, { ...terms, external_reference: body.externalReference, keyed, refundOf })
}

/** A payout is made by its amount. What leaves the wallet must be known before, by a quote. */
export function refuseDebitAmount({ debitAmount }: PayoutInput): void {
  if (debitAmount === undefined) return
  throw invalid([{ field: 'debitAmount', message: 'debitAmount needs a quote: send it to POST /quotes first' }])
}

/** The same for a quote, which has no reference yet and may give `debitAmount` instead of `amount`. */
export async function priceQuote(ctx: Context, owner: Owner, body: PayoutInput, terms: PricingTerms): Promise<Figures> {
  if ((body.amount === undefined) === (body.debitAmount === undefined))
    throw invalid([{ field: 'amount', message: 'amount or debitAmount is required, and not both' }])
  return priced(ctx, owner, body, terms)
}

async function priced(...request: [Context, Owner, PayoutInput, PricingTerms]): Promise<Figures> {
  const { figures } = await examinePayout(throwing, ...request)
  if (!figures) throw new Error('a payout passed its checks without a price')
  return figures
}

/** What is known of a payout after its checks. It has figures unless a check failed. */
export interface ExaminedPayout {
  readonly beneficiary: Beneficiary | undefined
  readonly figures: Figures | undefined
}

/** The rules of a payout, each as one check. */
export async function examinePayout(
  check: Check,
  ctx: Context,
  owner: Owner,
  body: PayoutInput,
  { origin, rateOf }: PricingTerms,
): Promise<ExaminedPayout> {
  const beneficiary = await check(() => beneficiaryFor(ctx, owner, body))
  const place = beneficiary ?? placeIn(body)
  if (beneficiary) await check(() => refuseForbidden(ctx, owner, origin, beneficiary))
  const amount = place && (await check(() => givenAmount(ctx, beneficiary, place.currency, body)))
  const provider = beneficiary && (await check(() => providerFor(ctx, owner, beneficiary)))
  const wallet = place && (await check(() => walletFor(ctx, place, body)))
  if (wallet) await check(() => refuseForbidden(ctx, owner, origin, wallet))
  if (!beneficiary || !wallet) return { beneficiary, figures: undefined }
  const pricing = await check(() => pricingOf(ctx, owner, { beneficiary, wallet, rateOf }))
  const paid = amount ?? (pricing && (await check(() => searchedAmount(ctx, beneficiary, wallet, body, pricing))))
  if (paid === undefined || !pricing || provider === undefined) return { beneficiary, figures: undefined }
  const { externalAccountId } = body
  const figures = { beneficiary, wallet, provider, amount: paid, ...pricing(paid), externalAccountId }
  return { beneficiary, figures }
}

/** Where the money goes, as far as the request says: enough to check its amount and its wallet. */
function placeIn({ currency, country }: PayeeInput): { country: string; currency: Currency } | undefined {
  return currency !== undefined && isCurrency(currency) && country !== undefined ? { currency, country } : undefined
}

/** What may change between a quote and its use: the person's places, and the currencies that the operator enabled. */
export async function refuseForbidden(
  ctx: Context,
  owner: Owner,
  origin: PayoutOrigin,
  place: { readonly country: string; readonly currency: Currency },
): Promise<void> {
  requirePlaces(origin, [place])
  await ctx.currencies.refuseDisabled(owner, place.currency)
}

/** The provider that is to pay, if one is available now. */
export function providerFor(ctx: Context, { env }: Owner, beneficiary: Beneficiary): string {
  const { destination, code } = beneficiary
  const operator = destination === 'MoMo' ? ctx.reference.operators.get(code) : undefined
  if (operator && !operator.limits)
    throw new AppError('PAYOUT_PROVIDER_NOT_FOUND', { message: `${operator.name} (${code}) does not support payouts.` })
  const [connector] = ctx.routing.providersOf(env, routeQueryOf({ ...beneficiary, type: 'withdrew' }))
  if (!connector) throw new AppError('PAYOUT_PROVIDER_NOT_FOUND')
  return connector.id
}

/** The amount that the request names. Undefined where it names what leaves the wallet instead. */
function givenAmount(
  ctx: Context,
  beneficiary: Beneficiary | undefined,
  currency: Currency,
  { amount, debitAmount }: PayoutInput,
): bigint | undefined {
  if (amount === undefined && debitAmount !== undefined) return undefined
  if (amount === undefined) throw invalid([{ field: 'amount', message: 'amount is required' }])
  return beneficiary ? amountOf(ctx, beneficiary, amount) : exactAmount(amount, currency)
}

function amountOf(ctx: Context, beneficiary: Beneficiary, amount: number): bigint {
  const { currency } = beneficiary
  const operator = operatorOf(ctx, beneficiary)
  return operator?.limits ? momoAmount(operator, 'payout', amount, currency) : exactAmount(amount, currency)
}

export const operatorOf = ({ reference }: Context, { destination, code }: Beneficiary) =>
  destination === 'MoMo' ? reference.operators.get(code) : undefined

/** Prices any amount at one rate and one fee rule. */
type Pricing = (amount: bigint) => WalletSide & { readonly fee: bigint; readonly rule: FeeRule }

interface Sides {
  readonly beneficiary: Beneficiary
  readonly wallet: { readonly currency: Currency; readonly country: string }
}

async function pricingOf(
  ctx: Context,
  owner: Owner,
  { beneficiary, wallet, rateOf }: Sides & { readonly rateOf: RateOf },
): Promise<Pricing> {
  const sides = { currency: beneficiary.currency, wallet_currency: wallet.currency }
  const price = await pricerOf('payout', sides, rateOf)
  const method = methodOf(beneficiary)
  const rule = await ctx.fees.ruleFor({ ...owner, operation: 'payout', method, currency: wallet.currency })
  return (amount) => {
    const side = price(amount)
    return { ...side, fee: feeOf(rule, side.wallet_amount), rule }
  }
}

const methodOf = ({ destination }: Beneficiary) => (destination === 'Bank Account' ? 'bank' : 'momo')

/**
 * The largest amount that `debitAmount` can pay with its fee, in the decimals that the rail takes, within its limits. Undefined
 * where the request does not name one.
 */
function searchedAmount(
  ctx: Context,
  beneficiary: Beneficiary,
  wallet: Sides['wallet'],
  { debitAmount }: PayoutInput,
  pricing: Pricing,
): bigint | undefined {
  if (debitAmount === undefined) return undefined
  const { currency } = beneficiary
  const limit = exactAmount(debitAmount, wallet.currency, 'debitAmount')
  const costOf = (amount: bigint) => {
    const { wallet_amount, fee } = pricing(amount)
    return wallet_amount + fee
  }
  const amount = largestPaidBy(limit, costOf, { currency, decimals: operatorOf(ctx, beneficiary)?.decimals })
  if (amount === 0n)
    throw new AppError('AMOUNT_OUT_OF_BOUNDS', {
      message: 'The debitAmount does not cover the fee and the smallest amount that can be paid.',
      details: [{ field: 'debitAmount', message: 'debitAmount must cover the fee and some amount beside it' }],
    })
  return amountOf(ctx, beneficiary, numberFromMinor(amount, currency))
}

/** The wallet that pays. In a currency other than the beneficiary's, the request must name the country if there are several. */
export function walletFor(
  { reference }: Context,
  { country, currency }: { readonly country: string; readonly currency: Currency },
  { debitCurrency = currency, debitCountry }: PayoutInput,
): { country: string; currency: Currency } {
  if (!isCurrency(debitCurrency)) throw new AppError('DEBIT_CURRENCY_NOT_SUPPORTED')
  const own = currencies[debitCurrency]
  const only = 'country' in own ? own.country : undefined
  if (debitCountry !== undefined && !isWalletPlace(reference, debitCurrency, debitCountry))
    throw invalid([{ field: 'debitCountry', message: `debitCountry ${debitCountry} has no ${debitCurrency} wallets` }])
  const scope = only ?? debitCountry ?? (debitCurrency === currency ? country : undefined)
  if (scope === undefined) throw new AppError('DEBIT_COUNTRY_REQUIRED')
  return { currency: debitCurrency, country: scope }
}
