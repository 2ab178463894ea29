/** An exact decimal number: digits / 10^scale. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/**
 * Parses a decimal number in JSON format, without an exponent. Each number has one spelling, so leading zeros, plus signs,
 * spaces, separators and a point without digits on both sides are refused.
 */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^-?(?:0|[1-9]\d*)(?:\.(\d+))?$/.exec(text)
  if (match === null) return undefined
  return { digits: BigInt(text.replace('.', '')), scale: match[1]?.length ?? 0 }
}

/** Always with exactly `scale` digits after the point. */
export function formatDecimal({ digits, scale }: Decimal): string {
  if (scale === 0) return digits.toString()
  const [sign, size] = digits < 0n ? ['-', -digits] : ['', digits]
  const text = size.toString().padStart(scale + 1, '0')
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

export function tenTo(exponent: number): bigint {
  return 10n ** BigInt(exponent)
}
