import type { Currency } from '../money/currencies.ts'

/** The initial balances of a new merchant's sandbox, in major units; shared currencies for the listed countries. */
export const sandboxFunds: readonly {
  readonly currency: Currency
  readonly country: string
  readonly units: bigint
}[] = [
  { currency: 'KES', country: 'KE', units: 1_000_000n },
  { currency: 'UGX', country: 'UG', units: 30_000_000n },
  { currency: 'TZS', country: 'TZ', units: 20_000_000n },
  { currency: 'NGN', country: 'NG', units: 10_000_000n },
  { currency: 'GHS', country: 'GH', units: 100_000n },
  { currency: 'RWF', country: 'RW', units: 10_000_000n },
  { currency: 'ZMW', country: 'ZM', units: 200_000n },
  { currency: 'ZAR', country: 'ZA', units: 150_000n },
  { currency: 'MWK', country: 'MW', units: 15_000_000n },
  { currency: 'BWP', country: 'BW', units: 100_000n },
  { currency: 'XOF', country: 'CI', units: 5_000_000n },
  { currency: 'XOF', country: 'SN', units: 5_000_000n },
  { currency: 'XAF', country: 'CM', units: 5_000_000n },
  { currency: 'USD', country: 'KE', units: 10_000n },
]
