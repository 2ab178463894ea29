import assert from 'node:assert/strict'
import type { Currency } from '../../money/currencies.ts'
import { type Outbound, openOutbound } from '../../platform/outbound-http.ts'
import type { Secret } from '../../platform/secret.ts'
import type {
  AttemptKey,
  AttemptRef,
  CallbackReading,
  Capability,
  Connector,
  InboundRequest,
  MomoChargeAttempt,
  OperationRates,
  PayoutAttempt,
  QueryOutcome,
  SubmitOutcome,
} from '../contract.ts'
import type { RefundAttempt } from '../refund-contract.ts'
import type { Direction } from './failures.ts'
import { readFields, words, writeAmount } from './messages.ts'
import { createProviderKeys } from './provider-keys.ts'
import { notSubmitted, observationsOf, queryOutcome, submitOutcome } from './responses.ts'
import { type FindKey, findFlaw, type SignatureForm, type Signer, signatureHeaders } from './signatures.ts'

export interface PawapayOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly token: Secret
  /** By our own id. */
  readonly operators: ReadonlyMap<string, PawapayOperator>
  /** Our key, when the account accepts only signed requests. */
  readonly signing?: Signer
  /** For our signatures and pawaPay's. Default: DER. */
  readonly signatureForm?: SignatureForm
  /** Whether pawaPay is set to sign its callbacks. If so, unsigned callbacks are refused. Otherwise they are hints to query. */
  readonly areCallbacksSigned?: boolean
  readonly notFoundWindowMs?: number
  readonly requestsPerSecond?: number
  readonly operationsPerSecond?: OperationRates
  readonly connectionsMax?: number
  /** Replaced by tests only. */
  readonly now?: () => number
}

export interface PawapayOperator {
  /** pawaPay's code, such as `MTN_MOMO_UGA`. */
  readonly code: string
  /** Two letters. */
  readonly country: string
  readonly currency: Currency
}

interface Line {
  readonly options: PawapayOptions
  readonly outbound: Outbound
  readonly now: () => number
}

/** pawaPay's own rule: a key it still does not know by then never arrived. */
const notFoundWindowMs = 15 * 60_000
/** pawaPay documents no end. Our own choice, the same for every provider. */
const refundableForMs = 180 * 24 * 3600_000
const contentType = 'application/json'
/** On the customer's phone; 4 to 22 letters, digits and spaces. */
const customerMessage = 'Malipo payment'

/** Mobile money through pawaPay's Merchant API v2. Its payment id is our key, and a repeated key moves no money. */
export function createPawapay(options: PawapayOptions): Connector & { close(): Promise<void> } {
  const { baseUrl, signing, connectionsMax = 400, now = Date.now } = options
  if (signing)
    assert.equal(signing.privateKey.asymmetricKeyDetails?.namedCurve, 'prime256v1', 'pawaPay: not a P-256 key')
  const outbound = openOutbound({ baseUrl, connectionsMax })
  const line = { options, outbound, now }
  const findKey = createProviderKeys({ outbound, headers: () => bearer(line), now })
  const windowMs = options.notFoundWindowMs ?? notFoundWindowMs
  return {
    id: 'pawapay',
    capabilities: [...options.operators].flatMap(capabilitiesOf),
    requestsPerSecond: options.requestsPerSecond ?? 50,
    operationsPerSecond: options.operationsPerSecond ?? {},
    momoCharges: {
      notFoundWindowMs: windowMs,
      submit: (attempt, signal) => submit(line, 'charge', attempt.key, depositBody(options, attempt), signal),
      query: (attempt, signal) => query(line, 'charge', attempt, signal),
    },
    payouts: {
      notFoundWindowMs: windowMs,
      submit: (attempt, signal) => submit(line, 'payout', attempt.key, payoutBody(options, attempt), signal),
      query: (attempt, signal) => query(line, 'payout', attempt, signal),
    },
    refunds: {
      notFoundWindowMs: windowMs,
      takesOneAtATime: true,
      refundsOneTransfer: false,
      windowMs: refundableForMs,
      submit: (attempt, signal) => submit(line, 'refund', attempt.key, refundBody(options, attempt), signal),
      query: (attempt, signal) => query(line, 'refund', attempt, signal),
    },
    callbacks: { read: (request) => readCallback(line, findKey, request) },
    findUrlFlaw: async (signal) => {
      const reply = await outbound.call({ method: 'GET', path: '/v2/active-conf', headers: bearer(line), signal })
      if (reply.kind !== 'responded' || reply.status !== 404) return undefined
      return `MALIPO_PAWAPAY_URL: pawaPay not found at ${baseUrl} (HTTP 404). Set it without a path, such as https://api.pawapay.io`
    },
    close: () => outbound.close(),
  }
}

function capabilitiesOf([target, { country, currency }]: [string, PawapayOperator]): Capability[] {
  return (['charge.momo', 'payout.momo', 'refund.momo'] as const).map((operation) => ({
    operation,
    country,
    currency,
    target,
  }))
}

/** The request body, or why it cannot be written. */
type Body = { readonly fields: object } | { readonly flaw: string }

function depositBody(options: PawapayOptions, attempt: MomoChargeAttempt): Body {
  const { key, operator, phone, otpCode, successUrl, failureUrl } = attempt
  return bodyOf(options, attempt, { operator, phone }, (account) => ({
    depositId: key,
    payer: account,
    ...(otpCode !== undefined && { preAuthorisationCode: otpCode }),
    ...(successUrl !== undefined && { successfulUrl: successUrl }),
    ...(failureUrl !== undefined && { failedUrl: failureUrl }),
  }))
}

function payoutBody(options: PawapayOptions, attempt: PayoutAttempt): Body {
  if (attempt.to.kind !== 'momo') return { flaw: `pawaPay pays phones, not a ${attempt.to.kind}` }
  return bodyOf(options, attempt, attempt.to, (account) => ({ payoutId: attempt.key, recipient: account }))
}

/** pawaPay knows the payer from the deposit, which has our key of the charge. */
function refundBody({ operators }: PawapayOptions, attempt: RefundAttempt): Body {
  const { key, country, currency, amount, charge } = attempt
  const isServed = [...operators.values()].some((each) => each.country === country && each.currency === currency)
  if (!isServed || charge.method !== 'momo') return { flaw: 'pawaPay refunds mobile money that it collected' }
  const text = writeAmount(amount, currency)
  if (text === undefined) return { flaw: 'pawaPay cannot represent the amount' }
  return { fields: { refundId: key, depositId: charge.key, amount: text, currency } }
}

function bodyOf(
  { operators }: PawapayOptions,
  { country, currency, amount }: AttemptRef,
  { operator, phone }: { readonly operator: string; readonly phone: string },
  own: (account: object) => object,
): Body {
  const found = operators.get(operator)
  if (found === undefined || found.country !== country || found.currency !== currency)
    return { flaw: 'pawaPay does not serve this operator there' }
  const text = writeAmount(amount, currency)
  if (text === undefined) return { flaw: 'pawaPay cannot represent the amount' }
  if (!/^\+[1-9][0-9]{5,14}$/.test(phone)) return { flaw: 'the phone number is not in international form' }
  const account = { type: 'MMO', accountDetails: { phoneNumber: phone.slice(1), provider: found.code } }
  return { fields: { ...own(account), amount: text, currency, customerMessage } }
}

async function submit(
  line: Line,
  direction: Direction,
  key: string,
  content: Body,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  if ('flaw' in content) return notSubmitted('unwritable', content.flaw)
  const { baseUrl, signing, signatureForm = 'der' } = line.options
  const { path } = words[direction]
  const body = JSON.stringify(content.fields)
  const message = { method: 'POST', url: `${baseUrl}${path}`, body, contentType }
  const headers = signing
    ? signatureHeaders(message, signing, signatureForm, line.now())
    : { 'Content-Type': contentType }
  const reply = await line.outbound.call({
    method: 'POST',
    path,
    headers: { ...headers, ...bearer(line) },
    body,
    signal,
  })
  return submitOutcome(reply, key, direction)
}

async function query(
  line: Line,
  direction: Direction,
  { key }: AttemptKey,
  signal: AbortSignal,
): Promise<QueryOutcome> {
  const path = `${words[direction].path}/${key}`
  const reply = await line.outbound.call({ method: 'GET', path, headers: bearer(line), signal })
  const outcome = queryOutcome(reply, key, direction)
  if (outcome.found !== 'yes') return outcome
  const { operatorCode, ...found } = outcome
  const operator = [...line.options.operators.values()].find(({ code }) => code === operatorCode)
  return { ...found, ...(operator && { country: operator.country }) }
}

function bearer({ options }: Line): Record<string, string> {
  return { Authorization: `Bearer ${options.token.reveal()}` }
}

/** Anyone can send a callback: an unsigned or only half-readable one is just a hint to query. */
async function readCallback(
  { options, now }: Line,
  findKey: FindKey,
  request: InboundRequest,
): Promise<CallbackReading> {
  const { areCallbacksSigned = true, signatureForm: form = 'der' } = options
  if (areCallbacksSigned) {
    const flaw = await findFlaw(request, { findKey, form }, now())
    if (flaw !== undefined) return { isGenuine: false, why: flaw }
  }
  const callback = readFields(request.body.toString('utf8'))
  if (callback === undefined) return { isGenuine: false, why: 'it is not a JSON object' }
  const found = observationsOf(callback)
  const isUnsigned = !areCallbacksSigned && ({ isUnsigned: true } as const)
  return found === undefined
    ? { isGenuine: true, isProof: false, ...isUnsigned, observations: [] }
    : {
        isGenuine: true,
        isProof: areCallbacksSigned && found.isClear,
        ...isUnsigned,
        observations: [found.observations],
      }
}
