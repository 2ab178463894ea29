import { type Currency, exponentOf } from './currencies.ts'
import { formatDecimal, parseDecimal, tenTo } from './decimals.ts'

/**
 * Minor units of an amount such as `12`, `12.5` or `-0.01`. Undefined when the text is not such an amount, or has more decimals
 * than the currency, even if they are zeros.
 */
export function parseMinor(text: string, currency: Currency): bigint | undefined {
  const decimal = parseDecimal(text)
  const exponent = exponentOf(currency)
  if (decimal === undefined || decimal.scale > exponent) return undefined
  return decimal.digits * tenTo(exponent - decimal.scale)
}

/**
 * Minor units of a JSON number, read from its shortest decimal text and never by arithmetic. Undefined when that text is not an
 * amount of the currency, or when another amount has the same number: the intended one is unknown.
 */
export function minorFromNumber(value: number, currency: Currency): bigint | undefined {
  const minor = parseMinor(String(value), currency)
  return minor !== undefined && isOnlyOne(minor, currency) ? minor : undefined
}

/** Always with exactly the decimals of the currency: `1500.00`, `-0.05`, and `1500` where there are none. */
export function formatMinor(minor: bigint, currency: Currency): string {
  return formatDecimal({ digits: minor, scale: exponentOf(currency) })
}

/** A number carries any 15 digits exactly, so smaller amounts need no check. */
const alwaysExact = 10n ** 15n

/** The JSON number that {@link minorFromNumber} reads as this amount. Throws when no number carries it exactly. */
export function numberFromMinor(minor: bigint, currency: Currency): number {
  const value = Number(formatMinor(minor, currency))
  if (minor < alwaysExact && minor > -alwaysExact) return value
  if (minorFromNumber(value, currency) !== minor)
    throw new RangeError(`${formatMinor(minor, currency)} ${currency} is too large for a JSON number`)
  return value
}

/**
 * Whether no other amount of the currency has the same number. Up to 15 significant digits none has; above, numbers are further
 * apart than amounts. Rounding keeps the order, so checking the two neighbours is enough.
 */
function isOnlyOne(minor: bigint, currency: Currency): boolean {
  const asNumber = (each: bigint) => Number(formatMinor(each, currency))
  return asNumber(minor - 1n) < asNumber(minor) && asNumber(minor) < asNumber(minor + 1n)
}
