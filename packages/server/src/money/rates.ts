import assert from 'node:assert/strict'
import { type Currency, exponentOf } from './currencies.ts'
import { type Decimal, formatDecimal, parseDecimal, tenTo } from './decimals.ts'
import { type Rounding, roundedQuotient } from './rounding.ts'

/** The price of one major unit of a currency in another. Above zero. */
export type Rate = Decimal

/** A quoted pair: `buy` is the QUOTE Malipo gives for one BASE, `sell` the QUOTE it takes for one BASE, and buy ≤ sell. */
export interface Pair {
  readonly base: Currency
  readonly quote: Currency
  readonly buy: Rate
  readonly sell: Rate
}

/** A pair as merchants get it, and as the provider quotes it. The difference is Malipo's markup. */
export interface QuotedPair extends Pair {
  readonly provider: Pick<Pair, 'buy' | 'sell'>
}

/** A payment of `amount` minor units of `currency` out of, or into, a wallet in the other currency of the pair. */
export interface CrossPayment {
  readonly amount: bigint
  readonly currency: Currency
  readonly wallet: Currency
}

/** Minor units that leave the wallet for a payout of this amount. A fraction of a unit rounds up. */
export function debitFor(pair: Pair, payment: CrossPayment): bigint {
  assertFits(pair, payment)
  const { amount, currency, wallet } = payment
  return wallet === pair.base
    ? divide(amount, currency, pair.buy, wallet, 'up')
    : multiply(amount, currency, pair.sell, wallet, 'up')
}

/**
 * Minor units that the wallet receives for the payment's amount. A fraction of a unit is dropped. This is also the most that a
 * wallet in the payment's currency can pay out in this one, so no round trip gains.
 */
export function creditFor(pair: Pair, payment: CrossPayment): bigint {
  assertFits(pair, payment)
  const { amount, currency, wallet } = payment
  return wallet === pair.base
    ? divide(amount, currency, pair.sell, wallet, 'down')
    : multiply(amount, currency, pair.buy, wallet, 'down')
}

/** Minor units of `to` for those of `from`, where one `from` is `rate` of `to`. Exact except for one rounding. */
export function multiply(minor: bigint, from: Currency, rate: Rate, to: Currency, rounding: Rounding): bigint {
  return roundedQuotient(
    minor * rate.digits * tenTo(exponentOf(to)),
    tenTo(exponentOf(from)) * tenTo(rate.scale),
    rounding,
  )
}

/** Minor units of `to` for those of `from`, where one `to` is `rate` of `from`. Exact except for one rounding. */
export function divide(minor: bigint, from: Currency, rate: Rate, to: Currency, rounding: Rounding): bigint {
  return roundedQuotient(
    minor * tenTo(rate.scale) * tenTo(exponentOf(to)),
    tenTo(exponentOf(from)) * rate.digits,
    rounding,
  )
}

const decimalsMax = 18
const markupScale = 4

/** A provider's pair with Malipo's markup, in basis points, on both sides: Malipo gives less and takes more. */
export function withMarkup(pair: Pair, basisPoints: number): QuotedPair {
  assert(Number.isInteger(basisPoints) && basisPoints >= 0 && basisPoints < 10_000, 'a markup is a share below 100 %')
  const { buy, sell } = pair
  const share = (sign: 1 | -1) => BigInt(10_000 + sign * basisPoints)
  return {
    ...pair,
    buy: marked(buy, share(-1), 'down'),
    sell: marked(sell, share(1), 'up'),
    provider: { buy, sell },
  }
}

/** A rate times a share in ten-thousandths, without new trailing zeros, and never zero. */
function marked({ digits, scale }: Rate, share: bigint, rounding: Rounding): Rate {
  const [wide, excess] = [scale + markupScale, Math.max(0, scale + markupScale - decimalsMax)]
  let result = { digits: roundedQuotient(digits * share, tenTo(excess), rounding), scale: wide - excess }
  while (result.scale > scale && result.digits % 10n === 0n)
    result = { digits: result.digits / 10n, scale: result.scale - 1 }
  return result.digits > 0n ? result : { digits: 1n, scale: decimalsMax }
}

/** Whether either rate of a pair differs from the other pair's by more than this percentage. */
export function isFarFrom(
  pair: Pick<Pair, 'buy' | 'sell'>,
  other: Pick<Pair, 'buy' | 'sell'>,
  percent: number,
): boolean {
  return (['buy', 'sell'] as const).some((side) => {
    const [one, two] = [pair[side].digits * tenTo(other[side].scale), other[side].digits * tenTo(pair[side].scale)]
    const distance = one > two ? one - two : two - one
    return distance * 100n > two * BigInt(percent)
  })
}

/** Parses a rate such as `129.35`; undefined unless it is a decimal text above zero with at most 18 decimals. */
export function parseRate(text: string): Rate | undefined {
  const rate = parseDecimal(text)
  return rate !== undefined && rate.digits > 0n && rate.scale <= decimalsMax ? rate : undefined
}

/** The inverse of {@link parseRate}. */
export function formatRate(rate: Rate): string {
  return formatDecimal(rate)
}

function assertFits({ base, quote, buy, sell }: Pair, { amount, currency, wallet }: CrossPayment): void {
  assert(amount >= 0n, 'a payment is not negative')
  assert(
    buy.digits * tenTo(sell.scale) <= sell.digits * tenTo(buy.scale),
    `${base}/${quote} has a buying rate above its selling rate`,
  )
  const isAcross = (wallet === base && currency === quote) || (wallet === quote && currency === base)
  assert(isAcross && base !== quote, `${base}/${quote} does not convert ${currency} to ${wallet}`)
}
