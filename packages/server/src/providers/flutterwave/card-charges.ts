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
  QueryOutcome,
  Said,
  SubmitOutcome,
} from '../contract.ts'
import { type Answer, answerOf, isRefusal, notSubmitted, refusalOf, unreadable } from './answers.ts'
import { otpAsked, saidOfCharge } from './charges.ts'
import { isReference, readContinuation, writeContinuation } from './continuations.ts'
import { encrypt } from './encryption.ts'
import { cardFailure, knownCardFailure } from './failures.ts'
import type { Line } from './line.ts'
import { asFields, type Fields, isSafeUrl, readEnvelope, writeAmount } from './messages.ts'

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
  desk: CardLine,
  attempt: CardChargeAttempt,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const charge = chargeOf(attempt)
  if (charge === undefined)
    return notSubmitted('unwritable', 'Flutterwave has no way to take this card, amount or currency')
  const outcome = await outcomeOf(desk, attempt, charge, await send(desk, charge, signal), signal)
  return attempt.address ? withAddress(desk, attempt, attempt.address, outcome, signal) : outcome
}

/** The merchant knew beforehand what would be asked for. A wrong address is asked for as if none had been there. */
async function withAddress(
  desk: CardLine,
  attempt: CardChargeAttempt,
  address: BillingAddress,
  asked: SubmitOutcome,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const isAsked =
    asked.certainty === 'accepted' && asked.said.state === 'waiting' && asked.said.action.kind === 'address'
  if (!isAsked || asked.continuation === undefined) return asked
  const outcome = await authoriseCard(desk, attempt, { kind: 'address', address }, asked.continuation, signal)
  return outcome.certainty === 'wrong_value' || outcome.certainty === 'definitely_not_submitted' ? asked : outcome
}

export async function authoriseCard(
  desk: CardLine,
  attempt: AttemptRef,
  answer: CustomerAnswer,
  continuation: string,
  signal: AbortSignal,
): Promise<AuthoriseOutcome> {
  const kept = readContinuation(continuation, attempt.key, answer.kind)
  if (kept === undefined) return notSubmitted('rejected', 'what is needed to go on with the charge is not there')
  if (answer.kind !== 'address' && !valueForms[answer.kind].test(answer.value))
    return { certainty: 'wrong_value', detail: `no ${answer.kind} looks like this` }
  const reply =
    kept.step === 'otp'
      ? await validate(desk, kept.flwRef, answer, signal)
      : await send(desk, { ...kept.charge, authorization: authorizationOf(answer) }, signal)
  const charge = kept.step === 'otp' ? { flw_ref: kept.flwRef } : kept.charge
  return wrongValue(reply, answer.kind) ?? outcomeOf(desk, attempt, charge, reply, signal)
}

/** Flutterwave refuses anything else as a fault of ours, when it is only mistyped. */
const valueForms = { pin: /^\d{4,6}$/, otp: /^\d{4,7}$/ } as const

export async function queryCard({ line }: CardLine, { key }: AttemptKey, signal: AbortSignal): Promise<QueryOutcome> {
  const reply = await line.get(`/transactions/verify_by_reference?tx_ref=${key}`, signal)
  if (reply.kind !== 'answered') return { found: 'unclear', detail: reply.detail }
  const envelope = readEnvelope(reply.text)
  if (reply.status === 400 && envelope?.isSuccess === false && /^no transaction was found/i.test(envelope.message))
    return { found: 'no' }
  const data = reply.status === 200 && envelope?.isSuccess ? asFields(envelope.data) : undefined
  const said = data?.['tx_ref'] === key ? saidOfCharge(data) : undefined
  if (said) return { found: 'yes', said, ...continuationOf(said, data, key) }
  return { found: 'unclear', detail: `Flutterwave answered ${reply.status} with nothing that we can read` }
}

/** The charge before it is encrypted, as it is sent again with the customer's answer. Nothing when it cannot be written. */
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

/** The customer may try again. Only Flutterwave's own sentence for it counts: a charge that ended is over. */
function wrongValue(reply: OutboundReply, kind: CustomerAnswer['kind']): AuthoriseOutcome | undefined {
  const { isSuccess, message = '' } =
    (reply.kind === 'answered' && reply.status === 400 && readEnvelope(reply.text)) || {}
  if (isSuccess !== false || !message.toLowerCase().startsWith(`invalid ${kind}`)) return undefined
  return { certainty: 'wrong_value', detail: `Flutterwave says that the ${kind} is wrong` }
}

/** What is certain after a call for this charge, whichever of its steps it was. */
async function outcomeOf(
  desk: CardLine,
  attempt: AttemptRef,
  charge: Fields,
  reply: OutboundReply,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const answer = answerOf(reply)
  if ('certainty' in answer) return answer
  const data = asFields(answer.data)
  const isOurs = data !== undefined && isAbout(data, attempt.key, charge)
  if (isOurs && data['status'] === 'failed')
    return { certainty: 'definitely_failed', failure: cardFailure(data['processor_response']) }
  if (isRefusal(answer)) return refusalOf(answer, knownCardFailure)
  if (!answer.isSuccess || (data && !isOurs)) return unreadable(`${answer.httpStatus} that is not about this charge`)
  if (data?.['status'] === 'successful') return verified(desk, attempt, signal)
  return asked(answer, data, attempt.key, charge) ?? unreadable(`${answer.httpStatus} with a step that we do not know`)
}

/** It names our reference, or in the last step its own; nothing else that it names may contradict. */
function isAbout({ tx_ref: reference, flw_ref: own }: Fields, key: string, charge: Fields): boolean {
  return reference === undefined ? own !== undefined && own === charge['flw_ref'] : reference === key
}

/** Success is told only as Flutterwave tells it when it is asked, by exactly what was asked for. Until then it has it. */
async function verified(desk: CardLine, attempt: AttemptRef, signal: AbortSignal): Promise<SubmitOutcome> {
  const outcome = await queryCard(desk, attempt, signal)
  const said = outcome.found === 'yes' ? outcome.said : undefined
  const isAsAsked =
    said?.state === 'successful' && said.settled.amount === attempt.amount && said.settled.currency === attempt.currency
  return { certainty: 'accepted', said: isAsAsked ? said : { state: 'submitted' } }
}

/** What Flutterwave wants of the customer now, with what their answer must be sent with. */
function asked(answer: Answer, data: Fields | undefined, key: string, charge: Fields): SubmitOutcome | undefined {
  const { mode, redirect: url } = answer.authorization ?? {}
  switch (mode) {
    case 'pin':
      return askedAgain('pin', key, charge)
    case 'avs_noauth':
      return askedAgain('address', key, charge)
    case 'otp':
      return askedForCode(data, key)
    case 'redirect':
      return data && isSafeUrl(url)
        ? { certainty: 'accepted', said: { state: 'waiting', action: { kind: 'redirect', url } } }
        : undefined
    case undefined:
      return underWay(data, key)
    default:
      return undefined
  }
}

/** A code is asked for by Flutterwave's own name of the charge, which it tells whoever asks. */
function continuationOf(said: Said, data: Fields | undefined, key: string): { readonly continuation?: string } {
  const flwRef = data?.['flw_ref']
  const isForCode = said.state === 'waiting' && said.action.kind === 'otp' && isReference(flwRef)
  return isForCode ? { continuation: writeContinuation(key, { step: 'otp', flwRef }) } : {}
}

function underWay(data: Fields | undefined, key: string): SubmitOutcome | undefined {
  const said = data && saidOfCharge(data)
  const isForCode = said?.state === 'waiting' && said.action.kind === 'otp'
  return isForCode ? askedForCode(data, key) : said && { certainty: 'accepted', said }
}

/** There need be no transaction yet, so nothing need name it. Without the charge itself nothing could follow. */
function askedAgain(step: 'pin' | 'address', key: string, charge: Fields): SubmitOutcome | undefined {
  if (charge['tx_ref'] !== key) return undefined
  const continuation = writeContinuation(key, { step, charge })
  return { certainty: 'accepted', said: { state: 'waiting', action: { kind: step } }, continuation }
}

function askedForCode(data: Fields | undefined, key: string): SubmitOutcome | undefined {
  const flwRef = data?.['flw_ref']
  if (!isReference(flwRef)) return undefined
  const continuation = writeContinuation(key, { step: 'otp', flwRef })
  return { certainty: 'accepted', said: otpAsked(data?.['processor_response']), continuation }
}
