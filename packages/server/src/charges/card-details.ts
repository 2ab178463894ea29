import { invalid } from '../errors.ts'
import type { Card } from '../providers/contract.ts'

/** A card as a merchant sends it. */
export interface CardDetails {
  readonly number: string
  readonly cvv: string
  readonly expMonth: string
  readonly expYear: string
}

interface Brand {
  readonly name: string
  readonly begins: RegExp
  readonly lengths: readonly number[]
  readonly cvvLength: number
}

/** Matched by the first digits of the number. */
const brands: readonly Brand[] = [
  { name: 'Visa', begins: /^4/, lengths: [13, 16, 19], cvvLength: 3 },
  { name: 'Afrigo', begins: /^564/, lengths: [16], cvvLength: 3 },
  { name: 'Verve', begins: /^(506|507|650)/, lengths: [16, 18, 19], cvvLength: 3 },
  { name: 'Mastercard', begins: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16], cvvLength: 3 },
  { name: 'American Express', begins: /^3[47]/, lengths: [15], cvvLength: 4 },
]

/** Checks a card as far as possible without its bank. Error messages never repeat card data. */
export function readCard(details: CardDetails, now: Date): { readonly card: Card; readonly brand: string } {
  const number = details.number.replaceAll(/[ -]/g, '')
  const brand = brands.find(({ begins }) => begins.test(number))
  if (!/^\d+$/.test(number) || !isLuhn(number)) throw wrong('number', 'is not a card number')
  if (!brand) throw wrong('number', `must be of an accepted brand: ${brands.map(({ name }) => name).join(', ')}`)
  if (!brand.lengths.includes(number.length)) throw wrong('number', `has the wrong length for ${brand.name}`)
  if (!/^\d+$/.test(details.cvv) || details.cvv.length !== brand.cvvLength)
    throw wrong('cvv', `must be ${brand.cvvLength} digits for ${brand.name}`)
  return { card: { number, cvv: details.cvv, ...expiryOf(details, now) }, brand: brand.name }
}

function expiryOf({ expMonth, expYear }: CardDetails, now: Date): Pick<Card, 'expMonth' | 'expYear'> {
  if (!/^(0?[1-9]|1[0-2])$/.test(expMonth)) throw wrong('expMonth', 'must be a month from 01 to 12')
  if (!/^(\d\d|20\d\d)$/.test(expYear)) throw wrong('expYear', 'must be a year such as 2030')
  const year = Number(expYear.slice(-2)) + 2000
  // A card is valid to the end of its month in the last time zone.
  const endsMs = Date.UTC(year, Number(expMonth), 1) + 12 * 3_600_000
  if (now.getTime() >= endsMs) throw wrong('expYear', 'and expMonth have passed: the card has expired')
  return { expMonth: expMonth.padStart(2, '0'), expYear: String(year) }
}

/** Every brand's numbers end in this check digit. */
function isLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

function wrong(name: keyof CardDetails, what: string) {
  const field = `cardDetails.${name}`
  return invalid([{ field, message: `${field} ${what}` }])
}
