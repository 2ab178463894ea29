import { exponents } from '../../generated/values.ts'
import { moneyText } from '../../ui/money.tsx'
import { toMinor } from './minor-units.ts'

/** An amount as a person types it, up to a limit; or what is wrong with it. */
export function readAmount(
  text: string,
  currency: string,
  most: number,
): { readonly minor: bigint } | { readonly problem: string } {
  const digits = exponents[currency] ?? 2
  const plain = text.trim().replaceAll(/(?<=\d),(?=\d{3}(\D|$))/g, '')
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(plain)
  if (!match) return { problem: 'Type an amount such as 1500 or 1500.50' }
  const [, whole = '0', decimals = ''] = match
  if (decimals.length > digits)
    return { problem: digits === 0 ? `${currency} has no decimals` : `${currency} has ${digits} decimals` }
  const minor = BigInt(whole + decimals.padEnd(digits, '0'))
  if (minor === 0n) return { problem: 'The amount is zero' }
  if (minor > toMinor(most, currency)) return { problem: `At most ${moneyText(most, currency)} can be refunded` }
  return { minor }
}
