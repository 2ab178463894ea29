import assert from 'node:assert/strict'
import { type Outbound, type OutboundReply, openOutbound } from '../../platform/outbound-http.ts'
import type { Secret } from '../../platform/secret.ts'
import {
  type AttemptKey,
  type AttemptRef,
  type Capability,
  type Connector,
  type MomoChargeAttempt,
  type OperationRates,
  operations,
  type PayoutAttempt,
  type ProviderStatus,
  type QueryOutcome,
  type SubmitOutcome,
  type TransferChargeAttempt,
} from '../contract.ts'
import type { RefundAttempt } from '../refund-contract.ts'
import { readCallback } from './callbacks.ts'
import { nameFrom, rateFrom } from './lookups.ts'
import { accountIn, writeAmount } from './messages.ts'
import { notSubmitted, queryOutcome, submitOutcome, type Taken } from './responses.ts'

export interface HouseOptions {
  /** The simulator's house URL, such as http://127.0.0.1:4010/house. */
  readonly baseUrl: string
  readonly token: Secret
  /** Signs its callbacks. */
  readonly secret: Secret
  readonly notFoundWindowMs?: number
  readonly requestsPerSecond?: number
  readonly operationsPerSecond?: OperationRates
  /** Replaced by tests only. */
  readonly now?: () => number
}

/** Our own choice, the same for every provider. */
const refundableForMs = 180 * 24 * 3600_000

/** Cards have a public protocol, so house does not support them. */
const capabilities = operations
  .filter((operation) => operation !== 'charge.card' && operation !== 'refund.card')
  .map((operation): Capability => ({ operation, country: '*', currency: '*', target: '*' }))

/** The sandbox's own provider, for rails without a public protocol. It accepts whatever the routes send it. */
export function createHouse(options: HouseOptions): Connector {
  const { baseUrl, token, secret, notFoundWindowMs = 60_000, requestsPerSecond = 500, now = Date.now } = options
  assert.notEqual(secret.reveal(), '', 'house: the callback secret must not be empty')
  const outbound = openOutbound({ baseUrl, connectionsMax: 400 })
  const call = createCall(outbound, token)
  return {
    id: 'house',
    capabilities,
    requestsPerSecond,
    operationsPerSecond: options.operationsPerSecond ?? {},
    momoCharges: {
      notFoundWindowMs,
      submit: (attempt, signal) => submitCharge(call, attempt, signal),
      query: (attempt, signal) => query(call, chargesPath, attempt, signal),
    },
    transferCharges: {
      notFoundWindowMs,
      deadAfterMs: 0, // An account expires a day before its charge.
      submit: (attempt, signal) => submitTransfer(call, attempt, signal),
      query: (attempt, signal) => query(call, chargesPath, attempt, signal),
    },
    payouts: {
      notFoundWindowMs,
      submit: (attempt, signal) => submitPayout(call, attempt, signal),
      query: (attempt, signal) => query(call, payoutsPath, attempt, signal),
    },
    refunds: {
      notFoundWindowMs,
      takesOneAtATime: false,
      refundsOneTransfer: false,
      windowMs: refundableForMs,
      submit: (attempt, signal) => submitRefund(call, attempt, signal),
      query: (attempt, signal) => query(call, refundsPath, attempt, signal),
    },
    callbacks: { read: async (request) => readCallback(request, secret, now()) },
    names: { resolve: async (name, signal) => nameFrom(await call('POST', '/v1/resolve', signal, withoutEmpty(name))) },
    rates: {
      quote: async (base, quote, signal) =>
        rateFrom(await call('GET', `/v1/rates?base=${base}&quote=${quote}`, signal), `${base}/${quote}`),
    },
    close: () => outbound.close(),
  }
}

type Call = (method: 'GET' | 'POST', path: string, signal: AbortSignal, body?: object) => Promise<OutboundReply>

function createCall(outbound: Outbound, token: Secret): Call {
  return (method, path, signal, body) =>
    outbound.call({
      method,
      path,
      signal,
      headers: { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
}

const chargesPath = '/v1/charges'
const payoutsPath = '/v1/payouts'
const refundsPath = '/v1/refunds'

/** The phone asks for a PIN, unless the customer already gave a code or a voucher. */
function submitCharge(call: Call, attempt: MomoChargeAttempt, signal: AbortSignal): Promise<SubmitOutcome> {
  const { operator, phone, otpCode: code, voucherPin: voucher, successUrl, failureUrl } = attempt
  const own = withoutEmpty({ operator, phone, code, voucher, successUrl, failureUrl })
  const hasAuthorised = 'code' in own || 'voucher' in own
  const taken: ProviderStatus = hasAuthorised
    ? { state: 'submitted' }
    : { state: 'waiting', action: { kind: 'pin_prompt' } }
  return submit(
    (body) => call('POST', chargesPath, signal, body),
    attempt,
    own,
    () => taken,
  )
}

/** A resend returns the same account, so the customer can still receive it. */
function submitTransfer(call: Call, attempt: TransferChargeAttempt, signal: AbortSignal): Promise<SubmitOutcome> {
  const { email, lifeSeconds } = attempt
  const own = { kind: 'bank-transfer', email, lifeSeconds }
  return submit((body) => call('POST', chargesPath, signal, body), attempt, own, accountIn)
}

function submitPayout(call: Call, attempt: PayoutAttempt, signal: AbortSignal): Promise<SubmitOutcome> {
  const own = { to: withoutEmpty(attempt.to) }
  return submit(
    (body) => call('POST', payoutsPath, signal, body),
    attempt,
    own,
    () => ({ state: 'submitted' }),
  )
}

function submitRefund(call: Call, attempt: RefundAttempt, signal: AbortSignal): Promise<SubmitOutcome> {
  return submit(
    (body) => call('POST', refundsPath, signal, body),
    attempt,
    { charge: attempt.charge.key },
    () => ({ state: 'submitted' }),
  )
}

async function submit(
  send: (body: object) => Promise<OutboundReply>,
  { key, country, currency, amount: minor }: AttemptRef,
  own: object,
  taken: Taken,
): Promise<SubmitOutcome> {
  const amount = writeAmount(minor, currency)
  if (amount === undefined) return notSubmitted('unwritable', 'house cannot represent the amount')
  return submitOutcome(await send({ key, country, currency, amount, ...own }), key, taken)
}

async function query(call: Call, path: string, { key }: AttemptKey, signal: AbortSignal): Promise<QueryOutcome> {
  return queryOutcome(await call('GET', `${path}/${key}`, signal), key)
}

/** House refuses empty texts, so empty fields are left out. */
function withoutEmpty(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
}
