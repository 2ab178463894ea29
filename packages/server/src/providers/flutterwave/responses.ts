import type { OutboundReply } from '../../platform/outbound-http.ts'
import type { Failure, NotSubmittedCause, SubmitOutcome, UnknownCause } from '../contract.ts'
import { detailFailure, isShortfall, knownRefundFailure, knownTransferFailure, unknownRefusal } from './failures.ts'
import { type Envelope, readEnvelope } from './messages.ts'

/** Flutterwave's response to a request that may move money. */
export interface FlutterwaveResponse extends Envelope {
  readonly httpStatus: number
}

type Uncertain = Extract<SubmitOutcome, { certainty: 'definitely_not_submitted' | 'unknown' }>

/** These statuses come with a sentence that says why nothing was done. Any other status may come from a proxy. */
const refusalStatuses = [400, 401, 403]

/**
 * Flutterwave's response, or what is certain without one. Flutterwave waits 28 seconds for its partners and then
 * responds 503 while they may still move the money: no server error rules that out.
 */
export function responseOf(reply: OutboundReply): FlutterwaveResponse | Uncertain {
  if (reply.kind === 'not_reached') return notSubmitted('not_reached', reply.detail)
  if (reply.kind !== 'responded') return unknown(reply.kind, reply.detail)
  const { status, text } = reply
  if (status === 429) return notSubmitted('rate_limited', 'Flutterwave responded 429')
  if (status >= 500) return unknown('server_error', `Flutterwave responded ${status}`)
  const envelope = readEnvelope(text)
  const isExpected = envelope && (isTaken(status) || (refusalStatuses.includes(status) && !envelope.isSuccess))
  return isExpected ? { ...envelope, httpStatus: status } : unreadable(`${status} with an unreadable body`)
}

export function isRefusal({ httpStatus }: FlutterwaveResponse): boolean {
  return !isTaken(httpStatus)
}

const isTaken = (status: number) => status >= 200 && status < 300

/** The sentence means that Flutterwave has this reference, however it is worded. The engine then queries the payment. */
const repeatedWords =
  /already|duplicate|been used|reference|tx_?ref|(?<!not )\bexists?\b|\bsame\b|identical|similar|repeat|previous|\bunique\b|\btwice\b|second time/i
/** Flutterwave reports an error of its own, so it may have started the payment. */
const doubtfulWords = /error occurred|contact support|time[d ]*out|in progress|processing|pending/i
const closedWords = /not available at the moment|temporarily unavailable/i
/** Problems with our whole account: unlisted IP addresses, keys, permissions, KYC. No payment works until they are fixed. */
const accountWords =
  /whitelist|administrator|without approval|\bkyc\b|complian|\benabled?\b|disabled|suspended|deactivated|permission|authori[sz]|(api|secret|public) key|merchant|your (account|business)/i

/**
 * The outcome of a refused charge. Flutterwave has no codes, only sentences. One that says it has the payment, or that
 * something broke, leaves the outcome open. Any other means that the request was not accepted. `failureIn` finds a
 * reason that ends the payment.
 */
export function refusalOf(
  response: FlutterwaveResponse,
  failureIn: (message: string) => Failure | undefined,
): SubmitOutcome {
  const outcome = commonRefusal(response)
  if (outcome) return outcome
  const failure = failureIn(response.message)
  return failure ? { certainty: 'definitely_failed', failure } : rejected(response)
}

/**
 * The outcome of a refused payout. A problem with our account waits. A problem with the payment itself ends it, since
 * Flutterwave would refuse it every time. Any other sentence may still mean that Flutterwave has the payment: the
 * engine queries it, and the refusal takes effect once Flutterwave proves not to have it.
 */
export function payoutRefusalOf(response: FlutterwaveResponse): SubmitOutcome {
  const { httpStatus, message } = response
  const outcome = commonRefusal(response)
  if (outcome) return outcome
  if (isShortfall(message)) return notSubmitted('float_exhausted', 'the float at Flutterwave is too low')
  if (httpStatus !== 400) return rejected(response)
  const known = knownTransferFailure(message)
  if (known) return { certainty: 'definitely_failed', failure: known }
  if (accountWords.test(message)) return rejected(response)
  const failure = detailFailure(message, fieldsIn(message))
  if (failure) return { certainty: 'definitely_failed', failure }
  const detail = 'Flutterwave refused it for an unknown reason'
  return { certainty: 'unknown', cause: 'refused', detail, failure: unknownRefusal }
}

/**
 * The outcome of a refused refund, as for a payout. A sentence that says that nothing is left to refund ends it: unlike a
 * payout's reference, it does not prove that Flutterwave has this refund.
 */
export function refundRefusalOf(response: FlutterwaveResponse): SubmitOutcome {
  const { httpStatus, message } = response
  const isPlain = httpStatus === 400 && !isShortfall(message) && !doubtfulWords.test(message)
  const failure = isPlain ? knownRefundFailure(message) : undefined
  return failure ? { certainty: 'definitely_failed', failure } : payoutRefusalOf(response)
}

/** The part that charges and payouts share. */
function commonRefusal({ httpStatus, message }: FlutterwaveResponse): SubmitOutcome | undefined {
  if (repeatedWords.test(message)) return unknown('repeated', 'Flutterwave already has this reference')
  if (message === '' || doubtfulWords.test(message)) return unreadable(`${httpStatus} with an ambiguous message`)
  if (closedWords.test(message)) return notSubmitted('closed', 'Flutterwave says that the bank is closed')
  return undefined
}

function rejected({ httpStatus, message }: FlutterwaveResponse): SubmitOutcome {
  const fields = fieldsIn(message)
  const named = fields.length === 0 ? '' : `, naming ${fields.join(', ')}`
  return notSubmitted('rejected', `Flutterwave responded ${httpStatus}${named}`)
}

const knownNames =
  /account_bank|account_number|amount|authorization|beneficiary_name|branch|client|currency|email|expiry|meta|narration|reference|tx_ref/gi

/** The fields that the sentence names. The sentence may contain their values, so it is never stored. */
function fieldsIn(message: string): readonly string[] {
  return [...new Set(message.toLowerCase().match(knownNames))]
}

export function notSubmitted(cause: NotSubmittedCause, detail: string): Uncertain {
  return { certainty: 'definitely_not_submitted', cause, detail }
}

export function unreadable(what: string): Uncertain {
  return unknown('unreadable', `Flutterwave responded ${what}`)
}

export function unknown(cause: UnknownCause, detail: string): Extract<Uncertain, { certainty: 'unknown' }> {
  return { certainty: 'unknown', cause, detail }
}
