import { exponents } from '../generated/values.ts'

/** Amounts as whole numbers of their smallest unit, so that no sum is rounded. */

const digitsOf = (currency: string) => exponents[currency] ?? 2

/** What the API sends in major units, in minor units. */
export function toMinor(amount: number | string, currency: string): bigint {
  const digits = digitsOf(currency)
  const text = typeof amount === 'number' ? amount.toFixed(digits) : amount
  const isNegative = text.startsWith('-')
  const [whole = '0', decimals = ''] = text.replace('-', '').split('.')
  const minor = BigInt(whole + decimals.padEnd(digits, '0').slice(0, digits))
  return isNegative ? -minor : minor
}

/** Minor units as text in major units, without separators. */
export function fromMinor(minor: bigint, currency: string): string {
  const digits = digitsOf(currency)
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0')
  const whole = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
  return minor < 0n ? `-${whole}` : whole
}

export type ReadAmount =
  | { readonly amount: string; readonly problem?: undefined }
  | { readonly problem: string; readonly amount?: undefined }

const grouped = /^\d{1,3}([ ,]\d{3})+(\.\d+)?$/

/** An amount as a person types it. Separators of thousands are fine; a comma before decimals is not, because it could be either. */
export function readAmount(text: string, currency: string): ReadAmount {
  const trimmed = text.trim()
  const plain = grouped.test(trimmed) ? trimmed.replaceAll(/[ ,]/g, '') : trimmed
  if (!/^\d+(\.\d+)?$/.test(plain)) {
    const isComma = /^\d+,\d+$/.test(plain)
    return {
      problem: isComma ? `Write decimals with a point: ${plain.replace(',', '.')}.` : 'Write digits, such as 1500.50.',
    }
  }
  const digits = digitsOf(currency)
  const [whole = '0', decimals = ''] = plain.split('.')
  if (decimals.length > digits)
    return { problem: digits === 0 ? `${currency} has no decimals.` : `${currency} has ${digits} decimals.` }
  const amount = fromMinor(toMinor(`${whole.replace(/^0+(?=\d)/, '')}.${decimals}`, currency), currency)
  return /[1-9]/.test(amount) ? { amount } : { problem: 'The amount must be above zero.' }
}
