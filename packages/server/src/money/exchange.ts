import assert from 'node:assert/strict'
import { type CrossPayment, creditFor, debitFor, type Pair, type QuotedPair, type Rate } from './rates.ts'

/** What a payment across currencies means to the wallet on its other end, in minor units of the wallet's currency. */
export interface Exchange {
  /** What the wallet pays or gets. */
  readonly walletAmount: bigint
  /** How much of that is our markup: the rest is what the provider's own rate makes of the payment. Never negative. */
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

/** The provider's side is rounded as the wallet's own amount is, so rounding alone never makes a markup negative. */
function priced(pair: Pair, side: Exchange['side'], walletAmount: bigint, markup: bigint): Exchange {
  assert(markup >= 0n, 'a markup is not negative')
  return { walletAmount, markup, side, rate: pair[side] }
}

const asProvided = ({ base, quote, provider }: QuotedPair): Pair => ({ base, quote, ...provider })
