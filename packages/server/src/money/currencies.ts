/**
 * Every supported currency: its decimals (ISO 4217) and its country. A currency without a country is used in several, so its
 * wallets name their country.
 */
export const currencies = {
  AOA: { exponent: 2, country: 'AO' },
  BIF: { exponent: 0, country: 'BI' },
  BWP: { exponent: 2, country: 'BW' },
  CDF: { exponent: 2, country: 'CD' },
  DJF: { exponent: 0, country: 'DJ' },
  EGP: { exponent: 2, country: 'EG' },
  ETB: { exponent: 2, country: 'ET' },
  EUR: { exponent: 2 },
  GBP: { exponent: 2 },
  GHS: { exponent: 2, country: 'GH' },
  GMD: { exponent: 2, country: 'GM' },
  GNF: { exponent: 0, country: 'GN' },
  KES: { exponent: 2, country: 'KE' },
  LRD: { exponent: 2, country: 'LR' },
  LSL: { exponent: 2, country: 'LS' },
  MAD: { exponent: 2, country: 'MA' },
  MGA: { exponent: 2, country: 'MG' },
  MUR: { exponent: 2, country: 'MU' },
  MWK: { exponent: 2, country: 'MW' },
  MZN: { exponent: 2, country: 'MZ' },
  NAD: { exponent: 2, country: 'NA' },
  NGN: { exponent: 2, country: 'NG' },
  RWF: { exponent: 0, country: 'RW' },
  SCR: { exponent: 2, country: 'SC' },
  SDG: { exponent: 2, country: 'SD' },
  SLE: { exponent: 2, country: 'SL' },
  SOS: { exponent: 2, country: 'SO' },
  SSP: { exponent: 2, country: 'SS' },
  SZL: { exponent: 2, country: 'SZ' },
  TND: { exponent: 3, country: 'TN' },
  TZS: { exponent: 2, country: 'TZ' },
  UGX: { exponent: 0, country: 'UG' },
  USD: { exponent: 2 },
  XAF: { exponent: 0 },
  XOF: { exponent: 0 },
  ZAR: { exponent: 2, country: 'ZA' },
  ZMW: { exponent: 2, country: 'ZM' },
} as const satisfies Record<string, { exponent: number; country?: string }>

export type Currency = keyof typeof currencies

export function isCurrency(text: string): text is Currency {
  return Object.hasOwn(currencies, text)
}

/** The digits after the decimal point: one major unit is 10^exponent minor units. */
export function exponentOf(currency: Currency): number {
  return currencies[currency].exponent
}
