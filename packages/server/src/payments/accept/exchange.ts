import { AppError } from '../../errors.ts'
import type { Currency } from '../../money/currencies.ts'
import { exchangeIn, exchangeOut } from '../../money/exchange.ts'
import { formatRate, type Pair, type Rate } from '../../money/rates.ts'
import { type RateOf, rateAgeMaxMs } from '../../reference/rates.ts'
import type { Promised } from '../model/store.ts'

/** A payment's amount and the currencies at its two ends. */
export interface Sides {
  readonly amount: bigint
  readonly currency: Currency
  readonly wallet_currency: Currency
}

/** The wallet's side of a payment, and the rate used when the currencies differ. */
export type WalletSide = Pick<Promised, 'wallet_amount' | 'rate'>

const ways = {
  payout: { price: exchangeOut, unreachable: 'DEBIT_CURRENCY_NOT_SUPPORTED' },
  charge: { price: exchangeIn, unreachable: 'WALLET_CURRENCY_NOT_SUPPORTED' },
} as const

/** What the wallet pays for a payout or receives from a charge, before the fee, at the current rate. */
export async function walletSideOf(way: keyof typeof ways, sides: Sides, rateOf: RateOf): Promise<WalletSide> {
  const price = await pricerOf(way, sides, rateOf)
  return price(sides.amount)
}

/** Prices any amount between two currencies, all at the same rate. */
export async function pricerOf(
  way: keyof typeof ways,
  { currency, wallet_currency: wallet }: Omit<Sides, 'amount'>,
  rateOf: RateOf,
): Promise<(amount: bigint) => WalletSide> {
  if (currency === wallet) return (amount) => ({ wallet_amount: amount, rate: null })
  const { price, unreachable } = ways[way]
  const pair = await rateOf(currency, wallet)
  if (!pair) throw new AppError(unreachable)
  return (amount) => {
    const { walletAmount, markup, side, rate } = price(pair, { amount, currency, wallet })
    return { wallet_amount: walletAmount, rate: { ...usedRate(pair, side, rate), spread: String(markup) } }
  }
}

/** A rate as a transaction keeps it, without the markup. */
export function usedRate(pair: Pair & { readonly at: Date }, side: 'buy' | 'sell', rate: Rate) {
  return { pair: `${pair.base}/${pair.quote}`, side, value: formatRate(rate), at: pair.at.toISOString() }
}

/** Whether the rate expired while the payment waited for acceptance. */
export function isRateTooOld({ rate }: Pick<WalletSide, 'rate'>, at: Date): boolean {
  return rate !== null && at.getTime() - Date.parse(rate.at) > rateAgeMaxMs
}
