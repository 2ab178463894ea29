import { type Currency, isCurrency } from '../../money/currencies.ts'
import { formatMinor, parseMinor } from '../../money/money.ts'
import { type Failure, type FailureCode, failureCodes, type Said } from '../contract.ts'

/** A JSON object of which nothing is known yet. */
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
 * What is said of a payment when house is asked or calls back. Nothing when we cannot be sure what it says. It does not
 * tell whether a customer still has to act, so what is merely accepted is with house and waits for nobody.
 */
export function saidOf(payment: Fields): Said | undefined {
  switch (payment['state']) {
    case 'accepted':
      return { state: 'submitted' }
    case 'completed':
      return completed(payment)
    case 'failed': {
      const failure = failureOf(codeOf(payment, 'failure'))
      return { state: failure.code === 'REVERSED' ? 'reversed' : 'failed', failure }
    }
    default:
      return undefined
  }
}

/** Success without an amount that we can read is no success. */
export function completed({ amount, currency, receipt }: Fields): Said | undefined {
  if (typeof amount !== 'string' || typeof currency !== 'string' || !isCurrency(currency)) return undefined
  const minor = parseMinor(amount, currency)
  if (minor === undefined || minor <= 0n) return undefined
  const hasReceipt = typeof receipt === 'string' && /^[\x21-\x7e]{1,128}$/.test(receipt)
  return { state: 'successful', settled: { amount: minor, currency, ...(hasReceipt && { receipt }) } }
}

/** House speaks our own words; one that we do not have is a failure all the same. The sentence is always ours. */
export function failureOf(providerCode: string | undefined): Failure {
  if (providerCode === undefined) return { code: 'UNSPECIFIED_FAILURE', message: failureCodes.UNSPECIFIED_FAILURE }
  const code = isFailureCode(providerCode) ? providerCode : 'UNKNOWN_ERROR'
  return { code, message: failureCodes[code], providerCode }
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(failureCodes, code)
}

/** The exact decimal, such as `128.20`. Nothing when it is no amount or longer than house reads. */
export function writeAmount(minor: bigint, currency: Currency): string | undefined {
  const text = formatMinor(minor, currency)
  return minor > 0n && /^\d{1,18}(\.\d{1,4})?$/.test(text) ? text : undefined
}
