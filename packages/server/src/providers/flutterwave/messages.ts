import { type Currency, isCurrency } from '../../money/currencies.ts'
import { minorFromNumber, numberFromMinor, parseMinor } from '../../money/money.ts'

/** A JSON object that is not validated yet. */
export type Fields = Readonly<Record<string, unknown>>

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function readFields(text: string): Fields | undefined {
  try {
    return asFields(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The envelope of every Flutterwave response. It says whether the call worked. The payment's status is in `data`. */
export interface Envelope {
  readonly isSuccess: boolean
  readonly message: string
  readonly data: unknown
  /** The question to the customer: `meta.authorization`, beside `data` or inside it. */
  readonly authorization: Fields | undefined
  readonly meta: Fields | undefined
}

export function readEnvelope(text: string): Envelope | undefined {
  const { status, message = '', data, meta } = readFields(text) ?? {}
  if ((status !== 'success' && status !== 'error') || typeof message !== 'string') return undefined
  const inside = asFields(asFields(data)?.['meta'])
  const authorization = asFields(asFields(meta)?.['authorization'] ?? inside?.['authorization'])
  return { isSuccess: status === 'success', message, data, authorization, meta: asFields(meta) }
}

/** A number, or a text of one. The digits are read as written, without arithmetic. */
export function readMoney(
  amount: unknown,
  currency: unknown,
): { readonly amount: bigint; readonly currency: Currency } | undefined {
  if (typeof currency !== 'string' || !isCurrency(currency)) return undefined
  const minor = minorOf(amount, currency)
  return minor !== undefined && minor > 0n ? { amount: minor, currency } : undefined
}

/** The fee may be zero. A fee that does not fit the currency is left out. */
export function readFee(fee: unknown, currency: Currency): { readonly fee?: bigint } {
  const minor = minorOf(fee, currency)
  return minor !== undefined && minor >= 0n ? { fee: minor } : {}
}

function minorOf(amount: unknown, currency: Currency): bigint | undefined {
  if (typeof amount === 'number') return minorFromNumber(amount, currency)
  return typeof amount === 'string' ? parseMinor(withoutZeros(amount), currency) : undefined
}

const withoutZeros = (amount: string) => amount.replace(/(\.[0-9]*[1-9])0+$|\.0+$/, '$1')

/** The amount as the JSON number that Flutterwave accepts. Undefined when it is not an amount or does not fit a number. */
export function writeAmount(minor: bigint, currency: Currency): number | undefined {
  if (minor <= 0n || minor >= amountsEnd) return undefined
  return numberFromMinor(minor, currency)
}

/** A JSON number carries any 15 digits exactly. */
const amountsEnd = 10n ** 15n

/** Flutterwave's own id of a transaction. */
export function readId(id: unknown): string | undefined {
  if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0 ? String(id) : undefined
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : undefined
}

/**
 * Flutterwave's text for people, made safe to store: printable, short, and without any number of more than `digitsMax`
 * digits.
 */
export function readWords(
  text: unknown,
  { lengthMax, digitsMax }: { readonly lengthMax: number; readonly digitsMax: number },
): string | undefined {
  if (typeof text !== 'string') return undefined
  const words = text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/\d(?:[ -]?\d)*/g, (number) => (number.replace(/\D/g, '').length > digitsMax ? '…' : number))
    .trim()
  return words === '' ? undefined : words.slice(0, lengthMax)
}

/** A page that is safe to send a customer to: HTTPS or loopback, so it cannot be read or changed in transit. */
export function isSafeUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2048) return false
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)
}
