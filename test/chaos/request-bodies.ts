import { randomUUID } from 'node:crypto'
import { cardBody, cards } from '../../packages/server/src/testing/charging.ts'
import type { Random } from '../support/cluster/random.ts'

/** Request bodies of merchants. The last digits of a number choose the provider's outcome. */

const failingPayouts = ['089', '099', '109', '119']
const failingCharges = ['019', '029', '039', '049', '059', '069']

/** One in ten fails; none stays pending forever. */
function numberOf(random: Random, prefix: string, digits: number, failing: readonly string[]): string {
  const isFailing = random.below(10) === 0
  const ending = isFailing ? random.pick(failing) : `${random.below(10)}${random.below(9)}${random.below(9)}`
  const middle = String(random.below(10 ** (digits - 3))).padStart(digits - 3, '0')
  return `${prefix}${middle}${ending}`
}

const phoneOf = (random: Random, failing: readonly string[]) => numberOf(random, '+25471', 7, failing)

export function momoPayout(random: Random, over: object = {}) {
  return {
    amount: 10 + random.below(190),
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    payoutMethod: { accountName: 'Juma', accountNumber: phoneOf(random, failingPayouts), code: 'MPESA_KE' },
    externalReference: randomUUID(),
    ...over,
  }
}

const banks = [
  { country: 'KE', currency: 'KES', code: '01', digits: 10 },
  { country: 'NG', currency: 'NGN', code: '011', digits: 10 },
  { country: 'GH', currency: 'GHS', code: '040100', digits: 13 },
] as const

/** Ghana has two providers: what the first cannot take fails over to the second. */
export function bankPayout(random: Random) {
  const { country, currency, code, digits } = random.pick(banks)
  const accountNumber = numberOf(random, '', digits, failingPayouts)
  const payoutMethod = { accountName: 'Juma', accountNumber, code }
  return momoPayout(random, { country, currency, destination: 'Bank Account', payoutMethod })
}

export function exchangedPayout(random: Random) {
  if (random.below(2) === 0)
    return momoPayout(random, { amount: 100 + random.below(400), debitCurrency: 'USD', debitCountry: 'KE' })
  const payoutMethod = {
    accountName: 'Juma',
    accountNumber: numberOf(random, '+25677', 7, failingPayouts),
    code: 'MTN_UG',
  }
  return momoPayout(random, {
    amount: 500 + random.below(5000),
    currency: 'UGX',
    country: 'UG',
    payoutMethod,
    debitCurrency: 'KES',
  })
}

/** More than any wallet here ever holds. */
export function overspentPayout(random: Random) {
  const { code, digits } = banks[0]
  const payoutMethod = { accountName: 'Juma', accountNumber: numberOf(random, '', digits, failingPayouts), code }
  return momoPayout(random, { amount: 5_000_000, destination: 'Bank Account', payoutMethod })
}

export function momoCharge(random: Random) {
  return {
    amount: 10 + random.below(390),
    currency: 'KES',
    phoneNumber: phoneOf(random, failingCharges),
    momoOperatorId: 'MPESA_KE',
    externalReference: randomUUID(),
  }
}

const customersCards = [
  cards.succeeds,
  cards.asksPin,
  cards.asksPin,
  cards.asksAddress,
  cards.redirects,
  cards.redirects,
  cards.declined,
]

export function cardCharge(random: Random) {
  const currency = random.pick(['NGN', 'KES'])
  const number = random.pick(customersCards)
  return cardBody(number, { amount: 100 + random.below(900), currency, externalReference: randomUUID() })
}

export function transferCharge(random: Random) {
  const currency = random.pick(['NGN', 'KES'])
  return { amount: 100 + random.below(900), currency, email: 'amina@example.com', externalReference: randomUUID() }
}

/** A part of a charge, or all that is left of it. An amount that ends in 29 would stay pending. */
export function refund(random: Random, charged: number) {
  const part = 10 * (1 + random.below(Math.max(1, Math.floor(charged / 20))))
  const isWhole = charged % 10 !== 9 && random.below(3) === 0
  return { externalReference: randomUUID(), ...(!isWhole && { amount: part }) }
}

export function conversion(random: Random) {
  const [from, to] = random.below(2) === 0 ? ['KES', 'USD'] : ['USD', 'KES']
  const amount = from === 'KES' ? 200 + random.below(2000) : 1 + random.below(20)
  const sides = { fromCurrency: from, fromCountry: 'KE', toCurrency: to, toCountry: 'KE' }
  return { externalReference: randomUUID(), ...sides, amount }
}

export function beneficiary(random: Random) {
  const payload = { firstName: 'Juma', lastName: 'Mwangi', phoneNumber: phoneOf(random, failingPayouts) }
  return { country: 'KE', currency: 'KES', payload }
}
