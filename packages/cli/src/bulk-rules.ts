import type { Bank, Country, MobileMoneyOperator, Payout } from '@malipo/sdk'
import { currencies } from './generated/known-values.ts'

/** What Malipo publishes about the places that it pays to. */
export interface PayoutPlaces {
  readonly operators: readonly MobileMoneyOperator[]
  readonly countries: readonly Country[]
  readonly banks: readonly Bank[]
}

/** The fields of every kind of account; the type of a payout has those of one kind. */
export type Method = Readonly<
  Partial<Record<'accountName' | 'accountNumber' | 'code' | 'branchCode' | 'businessNumber', string | undefined>>
>

/** A payout to an account that the file describes, not to an external account. */
interface Described {
  readonly country: string
  readonly currency: string
  readonly destination: string
  readonly method: Method
  readonly amount: string
}

/**
 * Why Malipo would certainly reject a payout. A payout without such a reason may still be rejected: only Malipo knows fees, rates,
 * enabled currencies, external accounts and ported numbers.
 */
export function certainRefusal(payout: Payout, places: PayoutPlaces): string | undefined {
  const { country = '', currency = '', destination = '', payoutMethod: method, amount, debitCurrency } = payout
  if (debitCurrency !== undefined && !isCurrency(debitCurrency, places))
    return `debitCurrency ${debitCurrency} is not a currency of Malipo; codes are upper case, such as KES.`
  if (!method) return undefined
  const described = { country, currency, destination, method, amount: String(amount) }
  return wrongPlace(described, places) ?? accountRules[destination]?.(described, places)
}

/** The operator that Malipo will choose, where the file makes that certain. */
export function certainOperator(payout: Payout, { operators, countries }: PayoutPlaces) {
  const { destination, country = '', currency, payoutMethod } = payout
  if (destination !== 'MoMo' || !payoutMethod) return undefined
  const choices = operators.filter((each) => each.country === country && each.currency === currency)
  const { code, accountNumber = '' } = payoutMethod
  if (code) return choices.find(({ id }) => id === code)
  const dialling = diallingCode(country, countries)
  const digits = plainNumber(accountNumber)
  if (dialling === '' || !digits.startsWith(dialling)) return undefined
  const national = digits.slice(dialling.length)
  return choices
    .flatMap((operator) => operator.prefixes.map((prefix) => ({ operator, prefix })))
    .filter(({ prefix }) => national.startsWith(prefix))
    .sort((left, other) => other.prefix.length - left.prefix.length)[0]?.operator
}

/** A number without the marks that people write into it. */
export const plainNumber = (text: string) => text.replaceAll(/[\s().+-]/g, '')

function isCurrency(code: string, { countries, operators, banks }: PayoutPlaces): boolean {
  const published = [...operators, ...banks].some(({ currency }) => currency === code)
  return published || currencies.includes(code) || countries.some(({ currency }) => currency.code === code)
}

function wrongPlace({ country, currency }: Described, places: PayoutPlaces): string | undefined {
  if (!places.countries.some(({ iso2 }) => iso2 === country))
    return `country ${country} is not supported; codes have two upper-case letters, such as KE.`
  if (!isCurrency(currency, places))
    return `currency ${currency} is not a currency of Malipo; codes are upper case, such as KES.`
  return undefined
}

type Rule = (payout: Described, places: PayoutPlaces) => string | undefined

const accountRules: Readonly<Record<string, Rule>> = {
  MoMo: (payout, places) => wrongPhone(payout, places) ?? refusedByOperator(payout, places),
  'Bank Account': wrongBank,
  Paybill: (payout) => outsideKenya(payout) ?? wrongDigits('businessNumber', payout.method.businessNumber),
  Till: (payout) => outsideKenya(payout) ?? wrongDigits('accountNumber', payout.method.accountNumber),
}

function wrongPhone({ method, country }: Described, { countries }: PayoutPlaces): string | undefined {
  const { accountNumber = '' } = method
  if (!/^\+?[1-9]\d{6,14}$/.test(accountNumber.replaceAll(/[\s().-]/g, '')))
    return `accountNumber ${accountNumber} must be a mobile number in international form, such as +254712345678.`
  const dialling = diallingCode(country, countries)
  return plainNumber(accountNumber).startsWith(dialling)
    ? undefined
    : `accountNumber ${accountNumber} is not a number of ${country}, which starts with +${dialling}.`
}

const diallingCode = (country: string, countries: readonly Country[]) =>
  countries.find(({ iso2 }) => iso2 === country)?.dialing_code.replaceAll(/\D/g, '') ?? ''

function refusedByOperator({ country, currency, method, amount }: Described, places: PayoutPlaces): string | undefined {
  if (!places.operators.some((each) => each.country === country && each.currency === currency))
    return `No mobile money operator in ${country} pays in ${currency}.`
  const operator = certainOperator(
    { destination: 'MoMo', country, currency, payoutMethod: method, amount, externalReference: '' } as Payout,
    places,
  )
  return operator && outsideLimits(operator, amount)
}

function outsideLimits({ name, currency, status, decimals, payout }: MobileMoneyOperator, amount: string) {
  const { min = 0, max = Number.POSITIVE_INFINITY } = payout
  const digits = /\.(\d*?)0*$/.exec(amount)?.[1]?.length ?? 0
  if (status !== 'AVAILABLE') return `${name} does not accept payments at the moment.`
  if (digits > decimals)
    return `${name} accepts ${decimals === 0 ? 'whole amounts only' : `at most ${decimals} decimals`}, not ${amount}.`
  if (Number(amount) < min) return `${amount} ${currency} is below the minimum of ${name}, ${min} ${currency}.`
  if (Number(amount) > max) return `${amount} ${currency} is above the maximum of ${name}, ${max} ${currency}.`
  return undefined
}

/** The specification's own words for a missing branch code. */
function wrongBank({ country, currency, method }: Described, { banks }: PayoutPlaces): string | undefined {
  const there = banks.filter((bank) => bank.country === country && bank.currency === currency)
  const { code = '', branchCode, accountNumber = '' } = method
  if (!branchCode && ['UG', 'TZ'].includes(country)) return 'Branch code is required for UG and TZ.'
  if (there.length === 0) return `Banks in ${country} are not paid in ${currency}.`
  if (!there.some((bank) => bank.code === code)) return `code ${code} is not a bank in ${country}.`
  return /^[A-Za-z0-9]{5,34}$/.test(accountNumber.replaceAll(/[\s-]/g, ''))
    ? undefined
    : `accountNumber ${accountNumber} must be 5 to 34 letters and digits.`
}

const outsideKenya = ({ country, currency, destination }: Described) =>
  country === 'KE' && currency === 'KES' ? undefined : `${destination} exists in Kenya only, in KES.`

const wrongDigits = (field: string, text = '') =>
  /^\d{4,10}$/.test(text) ? undefined : `${field} ${text} must be 4 to 10 digits.`
