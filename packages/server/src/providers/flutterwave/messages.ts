import { type Currency, isCurrency } from '../../money/currencies.ts'
import { minorFromNumber, numberFromMinor, parseMinor } from '../../money/money.ts'

/** A JSON object of which nothing is known yet. */
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

/** What every answer of Flutterwave is wrapped in. Whether the call worked is here; what became of the money is in `data`. */
export interface Envelope {
  readonly isSuccess: boolean
  readonly message: string
  readonly data: unknown
  /** What it wants of the customer: `meta.authorization`, which stands beside `data` or inside it. */
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

/** A number or a text of one; the digits are read as they are written and nothing is ever calculated with them. */
export function readMoney(
  amount: unknown,
  currency: unknown,
): { readonly amount: bigint; readonly currency: Currency } | undefined {
  if (typeof currency !== 'string' || !isCurrency(currency)) return undefined
  const minor = minorOf(amount, currency)
  return minor !== undefined && minor > 0n ? { amount: minor, currency } : undefined
}

/** A fee may be nothing. One that does not fit the currency is not told at all. */
export function readFee(fee: unknown, currency: Currency): { readonly fee?: bigint } {
  const minor = minorOf(fee, currency)
  return minor !== undefined && minor >= 0n ? { fee: minor } : {}
}

function minorOf(amount: unknown, currency: Currency): bigint | undefined {
  if (typeof amount === 'number') return minorFromNumber(amount, currency)
  return typeof amount === 'string' ? parseMinor(withoutZeros(amount), currency) : undefined
}

const withoutZeros = (amount: string) => amount.replace(/(\.[0-9]*[1-9])0+$|\.0+$/, '$1')

/** The amount as the number that Flutterwave takes. Nothing when it is no amount or no number can carry it. */
export function writeAmount(minor: bigint, currency: Currency): number | undefined {
  if (minor <= 0n || minor >= amountsEnd) return undefined
  return numberFromMinor(minor, currency)
}

/** A JSON number carries any 15 digits exactly. */
const amountsEnd = 10n ** 15n

/** Flutterwave's own number of a transaction. */
export function readId(id: unknown): string | undefined {
  if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0 ? String(id) : undefined
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : undefined
}

/**
 * What Flutterwave wrote for people to read, fit to be kept: printable, not long, and without numbers of more digits than
 * are harmless where it stands.
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

/** A page that a customer may be sent to: nobody on the way can read or change it. */
export function isSafeUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2048) return false
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)
}
