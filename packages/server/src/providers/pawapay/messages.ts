import { type Currency, isCurrency } from '../../money/currencies.ts'
import { formatMinor, parseMinor } from '../../money/money.ts'
import type { ProviderStatus, Settled } from '../contract.ts'
import { type Direction, failureOf } from './failures.ts'

/** A JSON object that is not validated yet. */
export type Fields = Readonly<Record<string, unknown>>

export function readFields(text: string): Fields | undefined {
  try {
    return asFields(JSON.parse(text))
  } catch {
    return undefined
  }
}

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** pawaPay's names for each direction. */
export const words = {
  charge: { path: '/v2/deposits', id: 'depositId', counterparty: 'payer' },
  payout: { path: '/v2/payouts', id: 'payoutId', counterparty: 'recipient' },
  refund: { path: '/v2/refunds', id: 'refundId', counterparty: 'recipient' },
} as const satisfies Record<Direction, { path: string; id: string; counterparty: string }>

/** The payment that a message names. pawaPay's guide shows a refund named `payoutId`, its reference `refundId`. */
export function idOf(fields: Fields, direction: Direction): unknown {
  return fields[words[direction].id] ?? (direction === 'refund' ? fields[words.payout.id] : undefined)
}

/** The failure code, if present and in the form of a code. */
export function failureCodeOf(fields: Fields): string | undefined {
  const code = asFields(fields['failureReason'])?.['failureCode']
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}

/** The status in a query response or callback. Undefined when it is ambiguous. */
export function providerStatusOf(payment: Fields, direction: Direction): ProviderStatus | undefined {
  switch (payment['status']) {
    case 'ACCEPTED':
      return acceptedAs(payment, direction)
    case 'PROCESSING':
    case 'SUBMITTED':
      return direction === 'charge' ? underWay(payment) : { state: 'submitted' }
    case 'ENQUEUED':
    case 'IN_RECONCILIATION':
      return { state: 'submitted' }
    case 'COMPLETED':
      return completed(payment)
    case 'FAILED':
      return failed(failureCodeOf(payment), direction)
    default:
      return undefined
  }
}

function failed(code: string | undefined, direction: Direction): ProviderStatus {
  const isOurs = direction !== 'charge' && code === 'PAWAPAY_WALLET_OUT_OF_FUNDS'
  return { state: 'failed', failure: failureOf(code, direction), ...(isOurs && { isOurShortfall: true }) }
}

/** An accepted charge asks the customer for a PIN, unless the operator has its own page for that. */
export function acceptedAs(payment: Fields, direction: Direction): ProviderStatus | undefined {
  if (direction !== 'charge') return { state: 'submitted' }
  const { nextStep, authorizationUrl } = payment
  if (nextStep === 'GET_AUTH_URL' || nextStep === 'REDIRECT_TO_AUTH_URL' || isGiven(authorizationUrl))
    return underWay(payment)
  return { state: 'waiting', action: { kind: 'pin_prompt' } }
}

function underWay({ authorizationUrl }: Fields): ProviderStatus | undefined {
  if (!isGiven(authorizationUrl)) return { state: 'submitted' }
  if (!isSafeUrl(authorizationUrl)) return undefined
  return { state: 'waiting', action: { kind: 'redirect', url: authorizationUrl } }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** A page that is safe to send a customer to: HTTPS or loopback, so it cannot be read or changed in transit. */
function isSafeUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2048) return false
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)
}

/** A success without a readable amount is not a success. */
function completed(payment: Fields): ProviderStatus | undefined {
  const { amount, currency, providerTransactionId } = payment
  const money = readMoney(amount, currency)
  if (money === undefined) return undefined
  const hasReceipt = typeof providerTransactionId === 'string' && /^[\x21-\x7e]{1,128}$/.test(providerTransactionId)
  return { state: 'successful', settled: { ...money, ...(hasReceipt && { receipt: providerTransactionId }) } }
}

function readMoney(amount: unknown, currency: unknown): Pick<Settled, 'amount' | 'currency'> | undefined {
  if (typeof amount !== 'string' || typeof currency !== 'string' || !isCurrency(currency)) return undefined
  const minor = parseMinor(withoutZeros(amount), currency)
  return minor !== undefined && minor > 0n ? { amount: minor, currency } : undefined
}

const amountPattern = /^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,3}[1-9])?$/

/** The amount in pawaPay's form, without trailing zeros: `128.2`. Undefined when it cannot be written so. */
export function writeAmount(minor: bigint, currency: Currency): string | undefined {
  const text = withoutZeros(formatMinor(minor, currency))
  return minor > 0n && amountPattern.test(text) ? text : undefined
}

function withoutZeros(amount: string): string {
  return amount.replace(/(\.[0-9]*[1-9])0+$|\.0+$/, '$1')
}
