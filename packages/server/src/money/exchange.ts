import assert from 'node:assert/strict'
import type { Currency } from './currencies.ts'
import { type CrossPayment, creditFor, debitFor, type Pair, type QuotedPair, type Rate } from './rates.ts'

/** The price of a cross-currency payment for its wallet, in minor units of the wallet's currency. */
export interface Exchange {
  /** What the wallet pays or receives. */
  readonly walletAmount: bigint
  /** Malipo's markup in that amount: the rest is the payment at the provider's own rate. Never negative. */
  readonly markup: bigint
  readonly side: 'buy' | 'sell'
  readonly rate: Rate
}

/** Prices a payment out of a wallet in the other currency of the pair. */
export function exchangeOut(pair: QuotedPair, payment: CrossPayment): Exchange {
  const walletAmount = debitFor(pair, payment)
  const markup = walletAmount - debitFor(asProvided(pair), payment)
  return priced(pair, payment.wallet === pair.base ? 'buy' : 'sell', walletAmount, markup)
}

/** Prices a payment into a wallet in the other currency of the pair. */
export function exchangeIn(pair: QuotedPair, payment: CrossPayment): Exchange {
  const walletAmount = creditFor(pair, payment)
  const markup = creditFor(asProvided(pair), payment) - walletAmount
  return priced(pair, payment.wallet === pair.base ? 'sell' : 'buy', walletAmount, markup)
}

/** A conversion between two wallets, in minor units of each currency. */
export interface Conversion {
  readonly fromAmount: bigint
  readonly toAmount: bigint
  /** Malipo's markup in the amount that leaves. Never negative. */
  readonly markup: bigint
  readonly side: 'buy' | 'sell'
  readonly rate: Rate
}

/** What a conversion of exactly this amount brings, rounded down as for a charge. It may be 0. */
export function convertFrom(pair: QuotedPair, fromAmount: bigint, from: Currency, to: Currency): Conversion {
  const toAmount = creditFor(pair, { amount: fromAmount, currency: from, wallet: to })
  return converted(pair, fromAmount, toAmount, from, to)
}

/** What a conversion to exactly this amount costs, rounded up as for a payout. */
export function convertTo(pair: QuotedPair, toAmount: bigint, from: Currency, to: Currency): Conversion {
  const fromAmount = debitFor(pair, { amount: toAmount, currency: to, wallet: from })
  return converted(pair, fromAmount, toAmount, from, to)
}

/**
 * The markup is what leaves beyond the price at the provider's own rate. Whatever side was asked for, the first wallet gives at
 * least the price of what the second gets, so it is not negative.
 */
function converted(pair: QuotedPair, fromAmount: bigint, toAmount: bigint, from: Currency, to: Currency): Conversion {
  const markup = fromAmount - debitFor(asProvided(pair), { amount: toAmount, currency: to, wallet: from })
  const { side, rate } = priced(pair, from === pair.base ? 'buy' : 'sell', fromAmount, markup)
  return { fromAmount, toAmount, markup, side, rate }
}

/** The provider's amount is rounded the same way as the wallet's, so rounding alone never makes a markup negative. */
function priced(pair: Pair, side: Exchange['side'], walletAmount: bigint, markup: bigint): Exchange {
  assert(markup >= 0n, 'a markup is not negative')
  return { walletAmount, markup, side, rate: pair[side] }
}

const asProvided = ({ base, quote, provider }: QuotedPair): Pair => ({ base, quote, ...provider })
