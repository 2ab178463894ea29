import type { OrderOperation, PlannedOutcome } from '../entries.ts'
import { decimalsOf, toUnits } from '../money.ts'
import { preAuthorisationCode as codeOfOperators, failureOf, plannedOutcomeOf, stayingEnding } from '../outcomes.ts'
import { countryOf, fitsCountry } from './countries.ts'
import { findProvider, type Provider } from './providers.ts'
import type { Order } from './read.ts'
import type { Rejection } from './words.ts'

export const amountForm = /^([0]|([1-9][0-9]{0,17}))([.][0-9]{0,3}[1-9])?$/

export interface Passed {
  readonly provider: Provider
  readonly plannedOutcome: PlannedOutcome
}

export type Validation = Passed | { readonly rejected: Rejection } | { readonly refused: Rejection }

/** `refused` is HTTP 400: the caller used a field wrongly. `rejected` is HTTP 200: the payment cannot be made. */
export function validate(operation: OrderOperation, order: Order): Validation {
  const provider = findProvider(order.provider)
  if (provider === undefined) return reject('INVALID_PROVIDER', `The provider ${order.provider} is not supported.`)
  const refused = operation === 'charge' ? findMisuse(provider, order) : undefined
  if (refused) return { refused }
  const money = provider.money.find(({ currency }) => currency === order.currency)
  if (money === undefined)
    return reject('INVALID_CURRENCY', `The currency ${order.currency} is not supported by ${provider.id}.`)
  if (!fitsCountry(order.phone, countryOf(provider.country)))
    return reject('INVALID_PHONE_NUMBER', `The phone number is not one of ${provider.country}.`)
  const limits = operation === 'charge' ? money.deposit : money.payout
  if (!amountForm.test(order.amount) || decimalsOf(order.amount) > limits.decimals)
    return reject('INVALID_AMOUNT', `The amount is not valid: ${provider.id} takes ${limits.decimals} decimals.`)
  const units = toUnits(order.amount)
  if (units < toUnits(limits.min) || units > toUnits(limits.max))
    return reject('AMOUNT_OUT_OF_BOUNDS', `The amount must be from ${limits.min} to ${limits.max}.`)
  return { provider, plannedOutcome: plannedOutcomeFor(operation, provider, order) }
}

const reject = (code: string, message: string): Validation => ({ rejected: { code, message } })

function findMisuse({ auth }: Provider, order: Order): Rejection | undefined {
  const hasCode = order.preAuthorisationCode !== undefined
  const hasUrl = order.successfulUrl !== undefined || order.failedUrl !== undefined
  if (auth === 'PREAUTH' && !hasCode)
    return { code: 'MISSING_PARAMETER', message: 'The parameter preAuthorisationCode is missing.' }
  if (auth !== 'PREAUTH' && hasCode) return unsupported('preAuthorisationCode')
  if (auth !== 'REDIRECT_AUTH' && hasUrl) return unsupported('successfulUrl or failedUrl')
  return undefined
}

const unsupported = (name: string) => ({
  code: 'UNSUPPORTED_PARAMETER',
  message: `The parameter ${name} is not supported for this provider.`,
})

function plannedOutcomeFor(operation: OrderOperation, provider: Provider, order: Order): PlannedOutcome {
  const { preAuthorisationCode } = order
  if (preAuthorisationCode !== undefined && preAuthorisationCode !== codeOfOperators)
    return { kind: 'fails', failure: failureOf('PAYMENT_NOT_APPROVED') }
  return plannedOutcomeOf(operation, contractEnding(provider.country, order.phone))
}

/**
 * The published sandbox numbers of Burkina Faso and Gabon end in 8 where all others end in 9, and Burkina Faso's number
 * that stays open is 138. They mean the same as the endings of the contract.
 */
function contractEnding(country: string, phone: string): string {
  if (country !== 'BFA' && country !== 'GAB') return phone
  if (country === 'BFA' && phone.endsWith('138')) return stayingEnding
  return /(0[1-689]|1[012])8$/.test(phone) ? `${phone.slice(0, -1)}9` : phone
}
