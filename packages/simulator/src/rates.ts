/** The value of one US dollar in each currency. Synthetic: close to past values, for tests only. */
const mids = {
  USD: '1',
  KES: '129.25',
  UGX: '3660',
  TZS: '2480',
  RWF: '1445',
  NGN: '1535',
  GHS: '12.1',
  ZAR: '17.8',
  BWP: '13.6',
  ZMW: '23.4',
  MWK: '1734',
  XOF: '565.5',
  XAF: '565.5',
  CDF: '2860',
  ETB: '141',
  MZN: '63.9',
  SLE: '22.9',
  GMD: '71.5',
  GNF: '8650',
  LRD: '199',
  LSL: '17.8',
  BIF: '2960',
  EGP: '49.1',
  MAD: '9.15',
  EUR: '0.8621',
  GBP: '0.7446',
} as const

const dayMs = 86_400_000
/** Each currency drifts by a quarter of a percent at most, so no pair drifts by more than half a percent. */
const driftPartsMax = 2_500
const million = 1_000_000n
/** Half a percent on either side of the middle. */
const spreadParts = 5_000n
const digitsShown = 6

interface Ratio {
  readonly over: bigint
  readonly under: bigint
}

/** How many `quote` one `base` buys and costs, crossed through the dollar. `buy` is rounded down, `sell` up. */
export function ratesOf(base: string, quote: string, now: number): { buy: string; sell: string } | undefined {
  if (!isKnown(base) || !isKnown(quote) || base === quote) return undefined
  const [one, other] = [midOf(base, now), midOf(quote, now)]
  const mid: Ratio = { over: other.over * one.under, under: other.under * one.over }
  const buy = { over: mid.over * (million - spreadParts), under: mid.under * million }
  const sell = { over: mid.over * (million + spreadParts), under: mid.under * million }
  return { buy: decimal(buy, 'down'), sell: decimal(sell, 'up') }
}

const isKnown = (currency: string): currency is keyof typeof mids => Object.hasOwn(mids, currency)

function midOf(currency: keyof typeof mids, now: number): Ratio {
  const [whole = '', fraction = ''] = mids[currency].split('.')
  const phase = [...currency].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0)
  const wave = Math.sin((2 * Math.PI * (now % dayMs)) / dayMs + phase)
  const parts = currency === 'USD' ? 0n : BigInt(Math.round(wave * driftPartsMax))
  return { over: BigInt(whole + fraction) * (million + parts), under: 10n ** BigInt(fraction.length) * million }
}

/** Six significant digits, rounded in the house's favour. */
function decimal({ over, under }: Ratio, rounding: 'down' | 'up'): string {
  let places = 0
  const limit = 10n ** BigInt(digitsShown - 1)
  while ((over * 10n ** BigInt(places)) / under < limit) places++
  const scaled = over * 10n ** BigInt(places)
  const digits = scaled / under + (rounding === 'up' && scaled % under !== 0n ? 1n : 0n)
  const text = digits.toString().padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}
