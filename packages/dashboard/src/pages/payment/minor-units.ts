import { exponents } from '../../generated/values.ts'

/** Sums are made of whole minor units: sums of fractions drift. */
export const toMinor = (amount: number, currency: string): bigint =>
  BigInt(Math.round(amount * 10 ** (exponents[currency] ?? 2)))

/** Decimal text in major units. */
export function fromMinor(minor: bigint, currency: string): string {
  const digits = exponents[currency] ?? 2
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  return `${minor < 0n ? '-' : ''}${whole}${digits === 0 ? '' : `.${text.slice(-digits)}`}`
}

export const sumOf = (amounts: readonly number[], currency: string): bigint =>
  amounts.reduce((sum, amount) => sum + toMinor(amount, currency), 0n)
