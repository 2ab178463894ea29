import { type Currency, isCurrency } from '../../money/currencies.ts'
import { formatMinor, parseMinor } from '../../money/money.ts'
import type { Failure, ProviderStatus, Receipt } from '../contract.ts'
import { type FailureCode, failureCodes } from '../failure-codes.ts'

/** A JSON object that is not validated yet. */
export type Fields = Readonly<Record<string, unknown>>

export function readFields(text: string): Fields | undefined {
  try {
    return asFields(JSON.parse(text))
  } catch {
    return undefined
  }
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** The code of a refusal, `{"error":{"code":…}}`, or of a payment's failure, `{"failure":{"code":…}}`. */
export function codeOf(fields: Fields | undefined, name: 'error' | 'failure'): string | undefined {
  const code = asFields(fields?.[name])?.['code']
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined
}

/**
 * The status in a query response or callback. Undefined when it is ambiguous. House does not report whether the
 * customer still has to act, so an accepted payment is `submitted`.
 */
export function providerStatusOf(payment: Fields): ProviderStatus | undefined {
  const { receipts } = payment
  if (Array.isArray(receipts) && receipts.length > 0) return received(receipts, payment['currency'])
  switch (payment['state']) {
    case 'accepted':
      return accountIn(payment) ?? { state: 'submitted' }
    case 'completed':
      return completed(payment)
    case 'failed':
      return { state: 'failed', failure: failureOf(codeOf(payment, 'failure')) }
    case 'reversed':
      return reversed(payment)
    default:
      return undefined
  }
}

/** The account that the customer pays into, where there is one. */
export function accountIn(payment: Fields): ProviderStatus | undefined {
  const { number: accountNumber, bankName, expiresAt } = asFields(payment['account']) ?? {}
  const isAccount = typeof accountNumber === 'string' && /^\d{6,20}$/.test(accountNumber)
  const isTime = typeof expiresAt === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(expiresAt)
  if (!isAccount || typeof bankName !== 'string' || bankName === '' || !isTime) return undefined
  const account = { accountNumber, bankName, expiresAt }
  return { state: 'waiting', action: { kind: 'pay_to_account', account } }
}

/** Every receipt, or undefined when one of them is unreadable. */
function received(list: readonly unknown[], currency: unknown): ProviderStatus | undefined {
  const receipts = list.map((each) => receiptOf(asFields(each) ?? {}, currency)).filter((each) => each !== undefined)
  return receipts.length === list.length ? { state: 'received', receipts } : undefined
}

function receiptOf({ id, amount, isReversed }: Fields, currency: unknown): Receipt | undefined {
  const money = readMoney(amount, currency)
  const isReadable = isReversed === undefined || isReversed === true
  if (!money || !isReadable || typeof id !== 'string' || !receiptPattern.test(id)) return undefined
  return { id, ...money, ...(isReversed && { isReversed }) }
}

const receiptPattern = /^[\x21-\x7e]{1,128}$/

/** A success without a readable amount is not a success. */
export function completed({ amount, currency, receipt }: Fields): ProviderStatus | undefined {
  const money = readMoney(amount, currency)
  if (money === undefined) return undefined
  const hasReceipt = typeof receipt === 'string' && receiptPattern.test(receipt)
  return { state: 'successful', settled: { ...money, ...(hasReceipt && { receipt }) } }
}

/** House reports the sum reversed so far. Without a readable sum the report is unclear. */
function reversed(payment: Fields): ProviderStatus | undefined {
  const returned = readMoney(payment['returned'], payment['currency'])
  const collected = readMoney(payment['amount'], payment['currency'])
  return (
    returned && {
      state: 'reversed',
      failure: failureOf('REVERSED'),
      returned: returned.amount,
      ...(collected && { collected: collected.amount }),
    }
  )
}

function readMoney(amount: unknown, currency: unknown): Pick<Receipt, 'amount' | 'currency'> | undefined {
  if (typeof amount !== 'string' || typeof currency !== 'string' || !isCurrency(currency)) return undefined
  const minor = parseMinor(amount, currency)
  return minor !== undefined && minor > 0n ? { amount: minor, currency } : undefined
}

const chargeReasons = ['CHARGE_NOT_FOUND', 'CHARGE_NOT_PAID', 'AMOUNT_TOO_LARGE']

/** House uses our codes, except for why a charge cannot be refunded. An unknown code is still a failure. The sentence is always ours. */
export function failureOf(providerCode: string | undefined): Failure {
  if (providerCode === undefined) return { code: 'UNSPECIFIED_FAILURE', message: failureCodes.UNSPECIFIED_FAILURE }
  const known = chargeReasons.includes(providerCode) ? 'CHARGE_NOT_REFUNDABLE' : providerCode
  const code = isFailureCode(known) ? known : 'UNKNOWN_ERROR'
  return { code, message: failureCodes[code], providerCode }
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(failureCodes, code)
}

/** The exact decimal, such as `128.20`. Undefined when it is not an amount or is longer than house reads. */
export function writeAmount(minor: bigint, currency: Currency): string | undefined {
  const text = formatMinor(minor, currency)
  return minor > 0n && /^\d{1,18}(\.\d{1,4})?$/.test(text) ? text : undefined
}
