import { AppError, type ErrorKey, invalid } from '../errors.ts'
import { type Currency, currencies, exponentOf, isCurrency } from '../money/currencies.ts'
import { tenTo } from '../money/decimals.ts'
import { formatMinor, minorFromNumber } from '../money/money.ts'
import type { Operator, ReferenceData } from './data.ts'
import { type Phone, readPhone } from './phones.ts'

export type Direction = 'deposit' | 'payout'

/** A number and its operator, named by the caller or predicted from the number. */
export interface MomoAccount {
  readonly phone: Phone
  readonly operator: Operator
}

/** The request's field names, for error messages. */
export interface MomoFields {
  readonly phone: string
  readonly operator: string
  /** The error when the operator is required and cannot be predicted from the number. */
  readonly required: ErrorKey & ('MOMO_OPERATOR_ID_REQUIRED' | 'MOMO_CODE_REQUIRED')
}

export interface MomoQuery {
  readonly currency: Currency
  readonly phone: string
  /** Our id or an alias; empty when the caller leaves the choice to us. */
  readonly operator: string
}

/** Reads a number and finds its operator. Throws an error that names the field when it cannot. */
export function momoAccount(data: ReferenceData, input: MomoQuery, fields: MomoFields): MomoAccount {
  const phone = phoneOf(input.phone, fields.phone)
  const choices = operatorsIn(data, phone.country, input.currency)
  if (choices.length === 0) throw new AppError('PROVIDER_NOT_FOUND', noOperator(data, phone, input, fields.phone))
  if (input.operator !== '') return { phone, operator: namedOperator(data, input, phone, choices, fields.operator) }
  const operator = predictOperator(choices, phone) ?? onlyOpen(choices)
  if (!operator) throw new AppError(fields.required, operatorNeeded(choices, fields.operator))
  return { phone, operator }
}

function phoneOf(text: string, field: string): Phone {
  const phone = readPhone(text)
  if (phone) return phone
  const message = `${field} must be a mobile number in international form, such as +254712345678`
  throw invalid([{ field, message }])
}

/** The most likely operator of a number: the longest prefix decides. Numbers can be ported, so the caller may know better. */
function predictOperator(choices: readonly Operator[], { national }: Phone): Operator | undefined {
  const matches = choices.flatMap((operator) =>
    operator.prefixes.filter((prefix) => national.startsWith(prefix)).map((prefix) => ({ operator, prefix })),
  )
  return matches.sort((left, right) => right.prefix.length - left.prefix.length)[0]?.operator
}

/** The amount in minor units, if the currency and the operator allow it. */
export function momoAmount(operator: Operator, direction: Direction, amount: number, currency: Currency): bigint {
  if (!operator.limits) throw new AppError('PROVIDER_NOT_FOUND', { message: isClosed(operator) })
  const minor = exactForOperator(operator, amount, currency)
  const { min, max } = operator.limits[direction]
  if (minor < min) throw outOfBounds(`at least ${shown(min, currency)}`, operator)
  if (minor > max) throw outOfBounds(`at most ${shown(max, currency)}`, operator)
  return minor
}

/** The amount in minor units, if the operator takes its decimals. Limits are not checked. */
export function exactForOperator(operator: Operator, amount: number, currency: Currency): bigint {
  const minor = exactAmount(amount, currency)
  refuseDecimals(operator, minor, currency)
  return minor
}

/** Refuses an amount with more decimals than the operator takes. */
export function refuseDecimals({ name, decimals }: Operator, minor: bigint, currency: Currency): void {
  const unit = tenTo(Math.max(exponentOf(currency) - decimals, 0))
  if (minor % unit === 0n) return
  const most = decimals === 0 ? 'whole amounts only' : `at most ${decimals} decimals`
  throw invalid([{ field: 'amount', message: `amount: ${name} takes ${most}` }])
}

/** More than any single payment, and less than the amounts that providers cannot represent. */
export const amountMax = 10n ** 13n

/** The amount in minor units. Refuses zero, negative amounts, and more decimals than the currency has. */
export function exactAmount(amount: number, currency: Currency, field = 'amount'): bigint {
  const minor = minorFromNumber(amount, currency)
  if (minor === undefined) throw invalid([{ field, message: `${field} ${decimalWords(currency)}` }])
  if (minor <= 0n) throw invalid([{ field, message: `${field} must be above 0` }])
  refuseHuge(minor, currency, field)
  return minor
}

/** Refuses more than any single payment may have. */
export function refuseHuge(minor: bigint, currency: Currency, field: string): void {
  if (minor <= amountMax) return
  throw new AppError('AMOUNT_OUT_OF_BOUNDS', {
    message: `The amount must be at most ${shown(amountMax, currency)}.`,
    details: [{ field, message: `${field} must be at most ${shown(amountMax, currency)}` }],
  })
}

function decimalWords(currency: Currency): string {
  const decimals = exponentOf(currency)
  if (decimals === 0) return `must be a whole number: ${currency} has no decimals`
  return `must have at most ${decimals} decimals, as ${currency} has`
}

export function currencyOf(code: string): Currency {
  if (isCurrency(code)) return code
  const meant = /^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : '' // Other text may be anything and is not repeated.
  const message = isCurrency(meant)
    ? `Currency codes are upper case: use ${meant}.`
    : `${meant || 'This'} is not a currency of this service.`
  const details = [{ field: 'currency', message: `must be one of ${Object.keys(currencies).join(', ')}` }]
  throw new AppError('UNSUPPORTED_CURRENCY', { message, details })
}

function operatorsIn(data: ReferenceData, country: string, currency: Currency): Operator[] {
  return [...data.operators.values()].filter((each) => each.country === country && each.currency === currency)
}

function namedOperator(
  data: ReferenceData,
  { operator: name, currency }: MomoQuery,
  phone: Phone,
  choices: readonly Operator[],
  field: string,
): Operator {
  const named = findOperator(data, name)
  if (!named) throw invalid([{ field, message: `${field} must be one of ${idsOf(choices)}` }])
  if (named.country === phone.country && named.currency === currency) return named
  const problem = named.currency === currency ? `the number is of ${phone.country}` : `it pays in ${named.currency}`
  throw invalid([{ field, message: `${field} ${named.id} does not fit: ${problem}; use one of ${idsOf(choices)}` }])
}

/** Finds an operator by our id, or by another provider's name for it. */
function findOperator(data: ReferenceData, name: string): Operator | undefined {
  return data.operators.get(name) ?? [...data.operators.values()].find(({ aliases }) => aliases.includes(name))
}

/** With only one open operator the caller has no choice to make. */
function onlyOpen(choices: readonly Operator[]): Operator | undefined {
  const open = choices.filter(({ limits, auth_type }) => limits && auth_type !== 'VOUCHER')
  return open.length === 1 || choices.length === 1 ? (open[0] ?? choices[0]) : undefined
}

/** Most often the number and the currency are of different countries. */
function noOperator(data: ReferenceData, { country }: Phone, { currency }: MomoQuery, field: string) {
  const name = data.countries.get(country)?.name ?? country
  const usual = [
    ...new Set([...data.operators.values()].filter((each) => each.country === country).map((each) => each.currency)),
  ]
  const instead = usual.length === 0 ? '' : `; mobile money in ${name} uses ${usual.join(' or ')}`
  return {
    message: `No mobile money operator supports ${currency} for numbers of ${name}.`,
    details: [{ field, message: `${field} is a number of ${name}${instead}` }],
  }
}

function operatorNeeded(choices: readonly Operator[], field: string) {
  const message = `The phone number does not identify its operator: send ${field}, one of ${idsOf(choices)}.`
  return { message, details: [{ field, message: `${field} is required: one of ${idsOf(choices)}` }] }
}

const idsOf = (operators: readonly Operator[]) => operators.map(({ id }) => id).join(', ')
const isClosed = ({ name, id }: Operator) => `${name} (${id}) does not accept payments at the moment.`
const shown = (minor: bigint, currency: Currency) => `${formatMinor(minor, currency).replace(/\.0+$/, '')} ${currency}`

function outOfBounds(bound: string, { name, id }: Operator): AppError {
  return new AppError('AMOUNT_OUT_OF_BOUNDS', {
    message: `The amount must be ${bound} with ${name}.`,
    details: [{ field: 'amount', message: `amount must be ${bound} with ${name} (${id})` }],
  })
}

/** An operator with this provider's way of approving charges. */
export function operatorBy({ providerCodes }: ReferenceData, operator: Operator, provider: string): Operator {
  const own = providerCodes.find((each) => each.provider === provider && each.id === operator.id)?.auth_type
  return own ? { ...operator, auth_type: own, ussd_code: '' } : operator
}
