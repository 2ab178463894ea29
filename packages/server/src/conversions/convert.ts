import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import { numberFromMinor } from '../money/money.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import { findQuote } from '../payments/accept/quotes.ts'
import { replayOf, submit } from '../payments/accept/replay.ts'
import type { PayoutOrigin } from '../payments/controls/control-batch.ts'
import { sharedAccounts } from '../payments/resolve/payment-postings.ts'
import type { Owner } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { createRateOf } from '../reference/rates.ts'
import { shownRate } from '../transactions/present.ts'
import {
  type ConversionInput,
  differencesFrom,
  type PricedConversion,
  priceConversion,
  refuseForbidden,
} from './price.ts'
import { type KeptConversion, readConversion } from './quoted.ts'

export interface ConversionBody extends ConversionInput {
  readonly externalReference: string
  readonly quoteId?: string
}

type Converted = ReturnType<typeof responseFor>

/** Converts between two wallets of the merchant. The money has moved before the caller gets a response. */
export async function convert(
  ctx: Context,
  owner: Owner,
  body: ConversionBody,
  keyed: KeyedRequest | undefined,
  origin: PayoutOrigin,
): Promise<{ readonly response: Converted; readonly isReplay: boolean }> {
  const before = await replayOf(ctx, owner, keyed)
  if (before) return { response: before.response as Converted, isReplay: true }
  const { priced, quote } = await pricedFor(ctx, owner, body, origin)
  const responseOf = (id: string) => responseFor(id, body.externalReference, priced)
  const payment = await paymentOf(ctx, owner, priced, { body, keyed, origin, quote, responseOf })
  const outcome = await submit(ctx, payment)
  if (outcome.isReplay) return { response: outcome.response as Converted, isReplay: true }
  return { response: responseOf(outcome.transaction.id), isReplay: false }
}

/** At the current rate, or exactly as quoted. */
async function pricedFor(
  ctx: Context,
  owner: Owner,
  body: ConversionBody,
  origin: PayoutOrigin,
): Promise<{ readonly priced: PricedConversion; readonly quote: string | undefined }> {
  if (body.quoteId === undefined) {
    const priced = await priceConversion(ctx, owner, body, { origin, rateOf: createRateOf(ctx, owner) })
    return { priced, quote: undefined }
  }
  const { id, terms } = await findQuote<KeptConversion>(ctx, owner, 'conversion', body.quoteId)
  const priced = readConversion(terms)
  const details = differencesFrom(priced, body)
  if (details.length > 0) throw new AppError('QUOTE_MISMATCH', { details })
  await refuseForbidden(ctx, owner, [priced.from, priced.to], origin)
  return { priced, quote: id }
}

interface Making {
  readonly body: ConversionBody
  readonly keyed: KeyedRequest | undefined
  readonly origin: PayoutOrigin
  readonly quote: string | undefined
  readonly responseOf: (id: string) => Converted
}

/** The transaction: its own wallet is the one that is debited, its amount is what the other wallet gets. */
async function paymentOf(
  ctx: Context,
  owner: Owner,
  { from, to, fromAmount, toAmount, rate }: PricedConversion,
  { body, keyed, origin, quote, responseOf }: Making,
): Promise<PricedPayment> {
  const sides = { currency: to.currency, wallet_currency: from.currency }
  return {
    owner,
    type: 'conversion',
    method: 'conversion',
    destination: '',
    country: to.country,
    external_reference: body.externalReference,
    amount: toAmount,
    ...sides,
    wallet_country: from.country,
    wallet_amount: fromAmount,
    fee: 0n,
    fee_rule: null,
    rate,
    account_name: '',
    code: '',
    counterparty: null,
    provider: '',
    action: null,
    expiresInMs: undefined,
    isSentAtOnce: false,
    sent_via: 'lane',
    holdsGoTo: await sharedAccounts(ctx.accounts, { env: owner.env, ...sides }),
    origin,
    quote,
    keyed,
    responseOf,
  }
}

function responseFor(id: string, externalReference: string, priced: PricedConversion) {
  return {
    success: true as const,
    message: 'Conversion completed.',
    transactionId: showId('transaction', id),
    status: 'SUCCESSFUL',
    externalReference,
    ...presentConversion(priced),
  }
}

/** The figures of a conversion, made or quoted. */
export function presentConversion({ from, to, fromAmount, toAmount, rate }: PricedConversion) {
  return {
    fromAmount: numberFromMinor(fromAmount, from.currency),
    fromCurrency: from.currency,
    fromCountry: from.country,
    toAmount: numberFromMinor(toAmount, to.currency),
    toCurrency: to.currency,
    toCountry: to.country,
    rate: shownRate(rate),
  }
}
