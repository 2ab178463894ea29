import assert from 'node:assert/strict'
import type { Secret } from '../../platform/secret.ts'
import type { Capability, Connector, OperationRates } from '../contract.ts'
import { readCallback } from './callbacks.ts'
import { authoriseCard, cardCurrencies, queryCard, submitCard } from './card-charges.ts'
import { openLine } from './line.ts'
import { quoteRate, resolveName } from './lookups.ts'
import { placeOf, queryPayout, submitPayout, type ZarContact } from './payouts.ts'
import { queryRefund, submitRefund } from './refunds.ts'
import { queryTransfer, submitTransfer } from './transfer-charges.ts'

export interface FlutterwaveOptions {
  /** With the version and without a trailing slash, such as https://api.flutterwave.com/v3. */
  readonly baseUrl: string
  readonly secretKey: Secret
  /** 24 characters. Encrypts cards. */
  readonly encryptionKey: Secret
  /** The hash that Flutterwave sends with its callbacks. */
  readonly webhookHash: Secret
  /** Flutterwave's code of each bank it serves, by `<country>:<our code>`. */
  readonly bankCodes: ReadonlyMap<string, string>
  /** Without it no bank in South Africa is paid. */
  readonly zarContact?: ZarContact
  readonly requestsPerSecond?: number
  readonly operationsPerSecond?: OperationRates
  readonly connectionsMax?: number
}

/** A card charge that waits for a PIN has no transaction, and a transfer charge has none until the customer pays. */
const chargeWindowMs = 30 * 60_000
const payoutWindowMs = 5 * 60_000
/**
 * Flutterwave waits at most 28 seconds for its partners, so a refund that it received exists within a minute. How far its list
 * lags is not documented; we assume minutes. A refund sent again too early is paid twice, and one sent late is only late: so an
 * hour, more than ten times the assumption.
 */
const refundWindowMs = 60 * 60_000
/** Flutterwave documents no end. Our own choice, the same for every provider. */
const refundableForMs = 180 * 24 * 3600_000

const anyone = { country: '*', target: '*' } as const
const capabilities: readonly Capability[] = [
  ...cardCurrencies.map((currency) => ({ operation: 'charge.card', currency, ...anyone }) as const),
  ...cardCurrencies.map((currency) => ({ operation: 'refund.card', currency, ...anyone }) as const),
  { operation: 'charge.bank-transfer', country: 'NG', currency: 'NGN', target: '*' },
  { operation: 'refund.bank-transfer', country: 'NG', currency: 'NGN', target: '*' },
  { operation: 'rates', currency: '*', ...anyone },
]

/** Only banks for which we know Flutterwave's code: our own code may name another institution there. */
function bankCapabilities({ bankCodes, zarContact }: FlutterwaveOptions): Capability[] {
  return [...bankCodes.keys()].flatMap((id) => {
    const [country = '', target = ''] = id.split(':')
    const place = placeOf(country)
    if (!place || (place.needsContact && !zarContact)) return []
    const bank = { country, currency: place.currency, target }
    return [
      { operation: 'payout.bank', ...bank } as const,
      ...(country === 'NG' ? [{ operation: 'resolve.bank', ...bank } as const] : []),
    ]
  })
}

/** Cards, virtual accounts and bank payouts through Flutterwave v3. It knows a payment only by our key. */
export function createFlutterwave(options: FlutterwaveOptions): Connector {
  const { encryptionKey, webhookHash, bankCodes, zarContact } = options
  assert.match(encryptionKey.reveal(), /^[\x21-\x7e]{24}$/, 'Flutterwave: an encryption key has 24 characters')
  assert.notEqual(webhookHash.reveal(), '', 'Flutterwave: the webhook hash must not be empty')
  const line = openLine(options.baseUrl, options.secretKey, options.connectionsMax ?? 400)
  const cardLine = { line, encryptionKey }
  const codes = (country: string, code: string) => bankCodes.get(`${country}:${code}`)
  const bankLine = { line, codes, zarContact }
  return {
    id: 'flutterwave',
    capabilities: [...capabilities, ...bankCapabilities(options)],
    requestsPerSecond: options.requestsPerSecond ?? 25,
    operationsPerSecond: options.operationsPerSecond ?? {},
    cardCharges: {
      notFoundWindowMs: chargeWindowMs,
      submit: (attempt, signal) => submitCard(cardLine, attempt, signal),
      authorise: (attempt, answer, continuation, signal) =>
        authoriseCard(cardLine, attempt, answer, continuation, signal),
      query: (attempt, signal) => queryCard(cardLine, attempt, signal),
    },
    transferCharges: {
      notFoundWindowMs: chargeWindowMs,
      // The account accepts nothing after its `account_expiration`, a day before the charge expires.
      deadAfterMs: 0,
      submit: (attempt, signal) => submitTransfer(line, attempt, signal),
      query: (attempt, signal) => queryTransfer(line, attempt, signal),
    },
    payouts: {
      notFoundWindowMs: payoutWindowMs,
      submit: (attempt, signal) => submitPayout(bankLine, attempt, signal),
      query: (attempt, signal) => queryPayout(line, attempt, signal),
    },
    refunds: {
      notFoundWindowMs: refundWindowMs,
      // A list without comments could not distinguish two refunds in progress.
      takesOneAtATime: true,
      refundsOneTransfer: true,
      windowMs: refundableForMs,
      submit: (attempt, signal) => submitRefund(line, attempt, signal),
      query: (attempt, signal) => queryRefund(line, attempt, signal),
    },
    callbacks: { read: async (request) => readCallback(request, webhookHash) },
    names: { resolve: (query, signal) => resolveName(line, codes, query, signal) },
    rates: { quote: (base, quote, signal) => quoteRate(line, base, quote, signal) },
    findUrlFlaw: async (signal) => {
      const reply = await line.get('/banks/NG', signal)
      if (reply.kind !== 'responded' || reply.status !== 404) return undefined
      return `MALIPO_FLUTTERWAVE_URL: Flutterwave not found at ${options.baseUrl} (HTTP 404). Set it without the version, such as https://api.flutterwave.com`
    },
    close: () => line.close(),
  }
}
