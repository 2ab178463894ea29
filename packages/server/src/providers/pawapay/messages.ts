import { type Currency, isCurrency } from '../../money/currencies.ts'
import { formatMinor, parseMinor } from '../../money/money.ts'
import type { Said, Settled } from '../contract.ts'
import { type Direction, failureOf } from './failures.ts'

/** A JSON object of which nothing is known yet. */
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

/** What each direction is called by pawaPay. */
export const words = {
  charge: { path: '/v2/deposits', id: 'depositId', party: 'payer' },
  payout: { path: '/v2/payouts', id: 'payoutId', party: 'recipient' },
} as const satisfies Record<Direction, { path: string; id: string; party: string }>

/** The code of a failure, when there is one and it looks like a code. */
export function failureCodeOf(fields: Fields): string | undefined {
  const code = asFields(fields['failureReason'])?.['failureCode']
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}

/** What pawaPay says of a payment when it is asked or calls back. Nothing when we cannot be sure what it says. */
export function saidOf(payment: Fields, direction: Direction): Said | undefined {
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

function failed(code: string | undefined, direction: Direction): Said {
  const isOurs = direction === 'payout' && code === 'PAWAPAY_WALLET_OUT_OF_FUNDS'
  return { state: 'failed', failure: failureOf(code, direction), ...(isOurs && { isOurShortfall: true }) }
}

/** An accepted charge asks the customer for a PIN, but where the operator has a page of its own for that. */
export function acceptedAs(payment: Fields, direction: Direction): Said | undefined {
  if (direction === 'payout') return { state: 'submitted' }
  const { nextStep, authorizationUrl } = payment
  if (nextStep === 'GET_AUTH_URL' || nextStep === 'REDIRECT_TO_AUTH_URL' || isGiven(authorizationUrl))
    return underWay(payment)
  return { state: 'waiting', action: { kind: 'pin_prompt' } }
}

function underWay({ authorizationUrl }: Fields): Said | undefined {
  if (!isGiven(authorizationUrl)) return { state: 'submitted' }
  if (!isSafeUrl(authorizationUrl)) return undefined
  return { state: 'waiting', action: { kind: 'redirect', url: authorizationUrl } }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** A page that a customer may be sent to: nobody on the way can read or change it. */
function isSafeUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2048) return false
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)
}

/** Success without an amount that we can read is no success. */
function completed(payment: Fields): Said | undefined {
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

/** The amount as pawaPay takes it, without zeros at the end: `128.2`. Nothing when it cannot be written so. */
export function writeAmount(minor: bigint, currency: Currency): string | undefined {
  const text = withoutZeros(formatMinor(minor, currency))
  return minor > 0n && amountPattern.test(text) ? text : undefined
}

function withoutZeros(amount: string): string {
  return amount.replace(/(\.[0-9]*[1-9])0+$|\.0+$/, '$1')
}
