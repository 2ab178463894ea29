import assert from 'node:assert/strict'
import { type CrossPayment, creditFor, debitFor, type Pair, type Rate } from './rates.ts'

/** What a payment across currencies means to the wallet on its other end, in minor units of the wallet's currency. */
export interface Exchange {
  /** What the wallet pays or gets. */
  readonly walletAmount: bigint
  /** How far that is from what it would be at the middle of the two rates: ours, and never negative. */
  readonly spread: bigint
  readonly side: 'buy' | 'sell'
  readonly rate: Rate
}

/** Prices a payment out of a wallet in the other currency of the pair. */
export function exchangeOut(pair: Pair, payment: CrossPayment): Exchange {
  const walletAmount = debitFor(pair, payment)
  const spread = walletAmount - debitFor(middleOf(pair), payment)
  return priced(pair, payment.wallet === pair.base ? 'buy' : 'sell', walletAmount, spread)
}

/** Prices a payment into a wallet in the other currency of the pair. */
export function exchangeIn(pair: Pair, payment: CrossPayment): Exchange {
  const walletAmount = creditFor(pair, payment)
  const spread = creditFor(middleOf(pair), payment) - walletAmount
  return priced(pair, payment.wallet === pair.base ? 'sell' : 'buy', walletAmount, spread)
}

/** The middle is rounded as the wallet's own amount is, so rounding alone never makes a spread negative. */
function priced(pair: Pair, side: Exchange['side'], walletAmount: bigint, spread: bigint): Exchange {
  assert(spread >= 0n, 'a spread is not negative')
  return { walletAmount, spread, side, rate: pair[side] }
}

/** The same pair without a spread: both of its rates half-way between buy and sell, exactly. */
function middleOf({ base, quote, buy, sell }: Pair): Pair {
  const scale = Math.max(buy.scale, sell.scale)
  const at = (rate: Rate) => rate.digits * 10n ** BigInt(scale - rate.scale)
  const middle = { digits: (at(buy) + at(sell)) * 5n, scale: scale + 1 }
  return { base, quote, buy: middle, sell: middle }
}
