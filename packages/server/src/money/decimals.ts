/** An exact decimal number: digits / 10^scale. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/**
 * Reads a decimal number as JSON writes it, but for the exponent form. One way to write a number is enough, so leading
 * zeros, plus signs, spaces, separators and a point with nothing on one side of it are refused.
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
