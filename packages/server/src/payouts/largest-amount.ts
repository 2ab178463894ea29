import { type Currency, exponentOf } from '../money/currencies.ts'
import { tenTo } from '../money/decimals.ts'
import { amountMax } from '../reference/momo.ts'

interface Rail {
  readonly currency: Currency
  /** The decimals that the rail takes, if fewer than the currency has: mobile money often takes whole amounts only. */
  readonly decimals: number | undefined
}

/**
 * The largest amount that costs at most `limit`; 0 if even the smallest costs more. The cost never falls when the amount rises: the
 * wallet's side is the amount times a rate, rounded up, and a fee is a fixed part and a share of that within bounds. So halving the
 * range finds it exactly. It is not above the largest payment by more than one step, which the rules of amounts then refuse.
 */
export function largestPaidBy(limit: bigint, costOf: (amount: bigint) => bigint, { currency, decimals }: Rail): bigint {
  const exponent = exponentOf(currency)
  const step = tenTo(exponent - Math.min(decimals ?? exponent, exponent))
  let [paid, over] = [0n, amountMax / step + 2n]
  while (over - paid > 1n) {
    const middle = (paid + over) / 2n
    if (costOf(middle * step) <= limit) paid = middle
    else over = middle
  }
  return paid * step
}
