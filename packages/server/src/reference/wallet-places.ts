import { type Currency, currencies } from '../money/currencies.ts'
import type { ReferenceData } from './data.ts'

/**
 * Whether a wallet in this currency can exist for this country: the currency's own country, or any known one where several use
 * the currency. No payout can be paid from any other wallet.
 */
export function isWalletPlace({ countries }: Pick<ReferenceData, 'countries'>, currency: Currency, country: string) {
  const own = currencies[currency]
  return 'country' in own ? country === own.country : countries.has(country)
}
