import assert from 'node:assert/strict'
import type { Currency } from '../../money/currencies.ts'
import type { OutboundReply } from '../../platform/outbound-http.ts'
import type { Secret } from '../../platform/secret.ts'
import type {
  AttemptKey,
  AttemptRef,
  AuthoriseOutcome,
  BillingAddress,
  CardChargeAttempt,
  CustomerAnswer,
  ProviderStatus,
  QueryOutcome,
  SubmitOutcome,
} from '../contract.ts'
import { otpAsked, statusOfCharge } from './charges.ts'
import { isReference, readContinuation, writeContinuation } from './continuations.ts'
import { encrypt } from './encryption.ts'
import { cardFailure, knownCardFailure } from './failures.ts'
import type { Line } from './line.ts'
import { asFields, type Fields, isSafeUrl, readEnvelope, writeAmount } from './messages.ts'
import { type FlutterwaveResponse, isRefusal, notSubmitted, refusalOf, responseOf, unreadable } from './responses.ts'

export interface CardLine {
  readonly line: Line
  readonly encryptionKey: Secret
}

export const cardCurrencies = [
  'NGN',
  'KES',
  'GHS',
  'UGX',
  'TZS',
  'ZAR',
  'RWF',
  'ZMW',
  'XOF',
  'XAF',
  'USD',
  'EUR',
  'GBP',
] as const satisfies readonly Currency[]

export async function submitCard(
  cardLine: CardLine,
  attempt: CardChargeAttempt,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const charge = chargeOf(attempt)
  if (charge === undefined)
    return notSubmitted('unwritable', 'Flutterwave does not support this card, amount or currency')
  const outcome = await outcomeOf(cardLine, attempt, charge, await send(cardLine, charge, signal), signal)
  return attempt.address ? withAddress(cardLine, attempt, attempt.address, outcome, signal) : outcome
}

/** The merchant sent the address with the charge. If it is wrong, the customer is asked as if none had been sent. */
async function withAddress(
  cardLine: CardLine,
  attempt: CardChargeAttempt,
  address: BillingAddress,
  asked: SubmitOutcome,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const isAsked =
    asked.certainty === 'accepted' &&
    asked.providerStatus.state === 'waiting' &&
    asked.providerStatus.action.kind === 'address'
  if (!isAsked || asked.continuation === undefined) return asked
  const outcome = await authoriseCard(cardLine, attempt, { kind: 'address', address }, asked.continuation, signal)
  return outcome.certainty === 'wrong_value' || outcome.certainty === 'definitely_not_submitted' ? asked : outcome
}

export async function authoriseCard(
  cardLine: CardLine,
  attempt: AttemptRef,
  answer: CustomerAnswer,
  continuation: string,
  signal: AbortSignal,
): Promise<AuthoriseOutcome> {
  const kept = readContinuation(continuation, attempt.key, answer.kind)
  if (kept === undefined) return notSubmitted('rejected', 'the continuation of the charge is missing')
  if (answer.kind !== 'address' && !valueForms[answer.kind].test(answer.value))
    return { certainty: 'wrong_value', detail: `the ${answer.kind} is malformed` }
  const reply =
    kept.step === 'otp'
      ? await validate(cardLine, kept.flwRef, answer, signal)
      : await send(cardLine, { ...kept.charge, authorization: authorizationOf(answer) }, signal)
  const charge = kept.step === 'otp' ? { flw_ref: kept.flwRef } : kept.charge
  return wrongValue(reply, answer.kind) ?? outcomeOf(cardLine, attempt, charge, reply, signal)
}

/** Flutterwave refuses any other form as an error in our request, although the customer only mistyped. */
const valueForms = { pin: /^\d{4,6}$/, otp: /^\d{4,7}$/ } as const

export async function queryCard({ line }: CardLine, { key }: AttemptKey, signal: AbortSignal): Promise<QueryOutcome> {
  const reply = await line.get(`/transactions/verify_by_reference?tx_ref=${key}`, signal)
  if (reply.kind !== 'responded') return { found: 'unclear', detail: reply.detail }
  const envelope = readEnvelope(reply.text)
  if (reply.status === 400 && envelope?.isSuccess === false && /^no transaction was found/i.test(envelope.message))
    return { found: 'no' }
  const data = reply.status === 200 && envelope?.isSuccess ? asFields(envelope.data) : undefined
  const providerStatus = data?.['tx_ref'] === key ? statusOfCharge(data) : undefined
  if (providerStatus) return { found: 'yes', providerStatus, ...continuationOf(providerStatus, data, key) }
  return { found: 'unclear', detail: `Flutterwave responded ${reply.status} with an unreadable body` }
}

/** The charge before encryption. It is sent again with the customer's answer. Undefined when it cannot be written. */
function chargeOf(attempt: CardChargeAttempt): Fields | undefined {
  const { key, card, customer, device, returnUrl, currency } = attempt
  const amount = writeAmount(attempt.amount, currency)
  const isCard = /^\d{12,19}$/.test(card.number) && /^\d{3,4}$/.test(card.cvv)
  const hasEnd = /^\d{2}$/.test(card.expMonth) && /^\d{4}$/.test(card.expYear)
  if (amount === undefined || !isCard || !hasEnd || !isServed(currency)) return undefined
  return {
    card_number: card.number,
    cvv: card.cvv,
    expiry_month: card.expMonth,
    expiry_year: card.expYear.slice(2),
    currency,
    amount,
    email: customer.email,
    fullname: `${customer.firstName} ${customer.lastName}`,
    client_ip: customer.ipAddress,
    tx_ref: key,
    ...(device && { device_fingerprint: device.deviceId }),
    ...(returnUrl !== undefined && { redirect_url: returnUrl }),
  }
}

const isServed = (currency: Currency) => cardCurrencies.some((each) => each === currency)

function authorizationOf(answer: CustomerAnswer): Fields {
  if (answer.kind !== 'address') return { mode: 'pin', pin: answer.value }
  const { street1, city, state, zip, country }: BillingAddress = answer.address
  return { mode: 'avs_noauth', address: street1, city, state, country, zipcode: zip }
}

function send({ line, encryptionKey }: CardLine, charge: Fields, signal: AbortSignal): Promise<OutboundReply> {
  return line.post('/charges?type=card', { client: encrypt(JSON.stringify(charge), encryptionKey) }, signal)
}

function validate({ line }: CardLine, flwRef: string, answer: CustomerAnswer, signal: AbortSignal) {
  assert(answer.kind === 'otp', 'a code is what continues this step')
  return line.post('/validate-charge', { otp: answer.value, flw_ref: flwRef, type: 'card' }, signal)
}

/** The customer may retry. Only Flutterwave's own sentence counts: a charge that ended stays ended. */
function wrongValue(reply: OutboundReply, kind: CustomerAnswer['kind']): AuthoriseOutcome | undefined {
  const { isSuccess, message = '' } =
    (reply.kind === 'responded' && reply.status === 400 && readEnvelope(reply.text)) || {}
  if (isSuccess !== false || !message.toLowerCase().startsWith(`invalid ${kind}`)) return undefined
  return { certainty: 'wrong_value', detail: `Flutterwave says that the ${kind} is wrong` }
}

/** The outcome of a call for this charge, in any of its steps. */
async function outcomeOf(
  cardLine: CardLine,
  attempt: AttemptRef,
  charge: Fields,
  reply: OutboundReply,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const response = responseOf(reply)
  if ('certainty' in response) return response
  const data = asFields(response.data)
  const isOurs = data !== undefined && isAbout(data, attempt.key, charge)
  if (isOurs && data['status'] === 'failed')
    return { certainty: 'definitely_failed', failure: cardFailure(data['processor_response']) }
  if (isRefusal(response)) return refusalOf(response, knownCardFailure)
  if (!response.isSuccess || (data && !isOurs))
    return unreadable(`${response.httpStatus} that is not about this charge`)
  if (data?.['status'] === 'successful') return verified(cardLine, attempt, signal)
  return asked(response, data, attempt.key, charge) ?? unreadable(`${response.httpStatus} with an unknown step`)
}

/** The response names our reference or, without it, the Flutterwave reference known in the last step. */
function isAbout({ tx_ref: reference, flw_ref: own }: Fields, key: string, charge: Fields): boolean {
  return reference === undefined ? own !== undefined && own === charge['flw_ref'] : reference === key
}

/** Success is reported only when a query confirms exactly the requested amount. Until then the charge is submitted. */
async function verified(cardLine: CardLine, attempt: AttemptRef, signal: AbortSignal): Promise<SubmitOutcome> {
  const outcome = await queryCard(cardLine, attempt, signal)
  const providerStatus = outcome.found === 'yes' ? outcome.providerStatus : undefined
  const isAsAsked =
    providerStatus?.state === 'successful' &&
    providerStatus.settled.amount === attempt.amount &&
    providerStatus.settled.currency === attempt.currency
  return { certainty: 'accepted', providerStatus: isAsAsked ? providerStatus : { state: 'submitted' } }
}

/** The question that Flutterwave now has for the customer, with the continuation for the answer. */
function asked(
  response: FlutterwaveResponse,
  data: Fields | undefined,
  key: string,
  charge: Fields,
): SubmitOutcome | undefined {
  const { mode, redirect: url } = response.authorization ?? {}
  switch (mode) {
    case 'pin':
      return askedAgain('pin', key, charge)
    case 'avs_noauth':
      return askedAgain('address', key, charge)
    case 'otp':
      return askedForCode(data, key)
    case 'redirect':
      return data && isSafeUrl(url)
        ? { certainty: 'accepted', providerStatus: { state: 'waiting', action: { kind: 'redirect', url } } }
        : undefined
    case undefined:
      return underWay(data, key)
    default:
      return undefined
  }
}

/** A code needs Flutterwave's own reference of the charge, which a query also returns. */
function continuationOf(
  providerStatus: ProviderStatus,
  data: Fields | undefined,
  key: string,
): { readonly continuation?: string } {
  const flwRef = data?.['flw_ref']
  const isForCode = providerStatus.state === 'waiting' && providerStatus.action.kind === 'otp' && isReference(flwRef)
  return isForCode ? { continuation: writeContinuation(key, { step: 'otp', flwRef }) } : {}
}

function underWay(data: Fields | undefined, key: string): SubmitOutcome | undefined {
  const providerStatus = data && statusOfCharge(data)
  const isForCode = providerStatus?.state === 'waiting' && providerStatus.action.kind === 'otp'
  return isForCode ? askedForCode(data, key) : providerStatus && { certainty: 'accepted', providerStatus }
}

/** No transaction need exist yet, so the response need not name one. The next step needs the charge itself. */
function askedAgain(step: 'pin' | 'address', key: string, charge: Fields): SubmitOutcome | undefined {
  if (charge['tx_ref'] !== key) return undefined
  const continuation = writeContinuation(key, { step, charge })
  return { certainty: 'accepted', providerStatus: { state: 'waiting', action: { kind: step } }, continuation }
}

function askedForCode(data: Fields | undefined, key: string): SubmitOutcome | undefined {
  const flwRef = data?.['flw_ref']
  if (!isReference(flwRef)) return undefined
  const continuation = writeContinuation(key, { step: 'otp', flwRef })
  return { certainty: 'accepted', providerStatus: otpAsked(data?.['processor_response']), continuation }
}
