import assert from 'node:assert/strict'
import { type Currency, exponentOf } from './currencies.ts'
import { type Decimal, formatDecimal, parseDecimal, tenTo } from './decimals.ts'
import { type Rounding, roundedQuotient } from './rounding.ts'

/** How much of one currency is paid for one of another, in major units. Above zero. */
export type Rate = Decimal

/** A quoted pair: `buy` is the QUOTE we give for one BASE, `sell` the QUOTE we take for one BASE, and buy ≤ sell. */
export interface Pair {
  readonly base: Currency
  readonly quote: Currency
  readonly buy: Rate
  readonly sell: Rate
}

/** A payment of `amount` minor units of `currency` out of, or into, a wallet in the other currency of the pair. */
export interface CrossPayment {
  readonly amount: bigint
  readonly currency: Currency
  readonly wallet: Currency
}

/** Minor units that leave the wallet so that the payment's amount can be paid out. Part of a unit is a whole one. */
export function debitFor(pair: Pair, payment: CrossPayment): bigint {
  assertFits(pair, payment)
  const { amount, currency, wallet } = payment
  return wallet === pair.base
    ? divide(amount, currency, pair.buy, wallet, 'up')
    : multiply(amount, currency, pair.sell, wallet, 'up')
}

/**
 * Minor units the wallet receives for the payment's amount. Part of a unit is none. This is also the most that a wallet
 * in the payment's currency can pay out in this one, so that no way there and back gains.
 */
export function creditFor(pair: Pair, payment: CrossPayment): bigint {
  assertFits(pair, payment)
  const { amount, currency, wallet } = payment
  return wallet === pair.base
    ? divide(amount, currency, pair.sell, wallet, 'down')
    : multiply(amount, currency, pair.buy, wallet, 'down')
}

/** Minor units of `to` for those of `from`, where one `from` is `rate` of `to`. Exact but for the one rounding. */
export function multiply(minor: bigint, from: Currency, rate: Rate, to: Currency, rounding: Rounding): bigint {
  return roundedQuotient(
    minor * rate.digits * tenTo(exponentOf(to)),
    tenTo(exponentOf(from)) * tenTo(rate.scale),
    rounding,
  )
}

/** Minor units of `to` for those of `from`, where one `to` is `rate` of `from`. Exact but for the one rounding. */
export function divide(minor: bigint, from: Currency, rate: Rate, to: Currency, rounding: Rounding): bigint {
  return roundedQuotient(
    minor * tenTo(rate.scale) * tenTo(exponentOf(to)),
    tenTo(exponentOf(from)) * rate.digits,
    rounding,
  )
}

const decimalsMax = 18

/** Reads a rate such as `129.35`; nothing unless it is a decimal text above zero with at most 18 decimals. */
export function parseRate(text: string): Rate | undefined {
  const rate = parseDecimal(text)
  return rate !== undefined && rate.digits > 0n && rate.scale <= decimalsMax ? rate : undefined
}

/** The text that {@link parseRate} read. */
export function formatRate(rate: Rate): string {
  return formatDecimal(rate)
}

function assertFits({ base, quote, buy, sell }: Pair, { amount, currency, wallet }: CrossPayment): void {
  assert(amount >= 0n, 'a payment is not negative')
  assert(buy.digits * tenTo(sell.scale) <= sell.digits * tenTo(buy.scale), `${base}/${quote} buys dearer than it sells`)
  const isAcross = (wallet === base && currency === quote) || (wallet === quote && currency === base)
  assert(isAcross && base !== quote, `${base}/${quote} does not turn ${currency} into ${wallet}`)
}
