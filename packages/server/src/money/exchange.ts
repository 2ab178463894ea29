import assert from 'node:assert/strict'
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

/** The provider's amount is rounded the same way as the wallet's, so rounding alone never makes a markup negative. */
function priced(pair: Pair, side: Exchange['side'], walletAmount: bigint, markup: bigint): Exchange {
  assert(markup >= 0n, 'a markup is not negative')
  return { walletAmount, markup, side, rate: pair[side] }
}

const asProvided = ({ base, quote, provider }: QuotedPair): Pair => ({ base, quote, ...provider })
