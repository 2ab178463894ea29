import { numberFromMinor } from '../money/money.ts'
import { shownRate } from '../transactions/present.ts'
import type { Figures } from './figures.ts'

/** The price of a payout, quoted or validated. The debit is what leaves the wallet, fee included. */
export function presentFigures({ beneficiary, wallet, amount, wallet_amount, fee, rate }: Omit<Figures, 'provider'>) {
  return {
    amount: numberFromMinor(amount, beneficiary.currency),
    currency: beneficiary.currency,
    fee: numberFromMinor(fee, wallet.currency),
    debitAmount: numberFromMinor(wallet_amount + fee, wallet.currency),
    debitCurrency: wallet.currency,
    debitCountry: wallet.country,
    ...(rate && { rate: shownRate(rate) }),
  }
}
