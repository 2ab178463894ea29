import type { OutboundReply } from '../../platform/outbound-http.ts'
import type { Failure, NotSubmittedCause, SubmitOutcome, UnknownCause } from '../contract.ts'
import { detailFailure, isShortfall, knownTransferFailure, unknownRefusal } from './failures.ts'
import { type Envelope, readEnvelope } from './messages.ts'

/** What Flutterwave said to something that may move money, in its own words. */
export interface Answer extends Envelope {
  readonly httpStatus: number
}

type Uncertain = Extract<SubmitOutcome, { certainty: 'definitely_not_submitted' | 'unknown' }>

/** These come with words that say why nothing was done; any other status may come from anything on the way. */
const refusalStatuses = [400, 401, 403]

/**
 * Flutterwave's answer, or what is certain without one. It waits 28 seconds for those behind it and then answers 503,
 * while they may still move the money: no server error says that they do not.
 */
export function answerOf(reply: OutboundReply): Answer | Uncertain {
  if (reply.kind === 'not_reached') return notSubmitted('not_reached', reply.detail)
  if (reply.kind !== 'answered') return unknown(reply.kind, reply.detail)
  const { status, text } = reply
  if (status === 429) return notSubmitted('rate_limited', 'Flutterwave answered 429')
  if (status >= 500) return unknown('server_error', `Flutterwave answered ${status}`)
  const envelope = readEnvelope(text)
  const isExpected = envelope && (isTaken(status) || (refusalStatuses.includes(status) && !envelope.isSuccess))
  return isExpected ? { ...envelope, httpStatus: status } : unreadable(`${status} that we cannot read`)
}

export function isRefusal({ httpStatus }: Answer): boolean {
  return !isTaken(httpStatus)
}

const isTaken = (status: number) => status >= 200 && status < 300

/** It has this reference, in whatever words: whatever it says of the reference makes us ask what became of it. */
const repeatedWords =
  /already|duplicate|been used|reference|tx_?ref|(?<!not )\bexists?\b|\bsame\b|identical|similar|repeat|previous|\bunique\b|\btwice\b|second time/i
/** It speaks of trouble of its own, so that it may have begun. */
const doubtfulWords = /error occurred|contact support|time[d ]*out|in progress|processing|pending/i
const closedWords = /not available at the moment|temporarily unavailable/i
/** Our account there as a whole: addresses that are not listed, keys, rights, KYC. No payment goes through until it is put right. */
const accountWords =
  /whitelist|administrator|without approval|\bkyc\b|complian|\benabled?\b|disabled|suspended|deactivated|permission|authori[sz]|(api|secret|public) key|merchant|your (account|business)/i

/**
 * What a refused charge means. Flutterwave has no codes, only sentences: those that say that it has the payment, or that
 * something broke, leave open what happened; any other says that what we sent was not taken. `failureIn` finds a reason
 * that ends the payment.
 */
export function refusalOf(answer: Answer, failureIn: (message: string) => Failure | undefined): SubmitOutcome {
  const outcome = commonRefusal(answer)
  if (outcome) return outcome
  const failure = failureIn(answer.message)
  return failure ? { certainty: 'definitely_failed', failure } : rejected(answer)
}

/**
 * What a refused payout means. What is wrong with our account waits; what is wrong with the payment itself ends it, since
 * the same would be refused for ever. A sentence that is neither may still mean that Flutterwave has the payment: it is
 * asked, and the refusal counts once it turns out not to.
 */
export function payoutRefusalOf(answer: Answer): SubmitOutcome {
  const { httpStatus, message } = answer
  const outcome = commonRefusal(answer)
  if (outcome) return outcome
  if (isShortfall(message)) return notSubmitted('float_exhausted', 'Flutterwave has too little of our money')
  if (httpStatus !== 400) return rejected(answer)
  const known = knownTransferFailure(message)
  if (known) return { certainty: 'definitely_failed', failure: known }
  if (accountWords.test(message)) return rejected(answer)
  const failure = detailFailure(message, fieldsIn(message))
  if (failure) return { certainty: 'definitely_failed', failure }
  const detail = 'Flutterwave refused it in words that we do not know'
  return { certainty: 'unknown', cause: 'refused', detail, failure: unknownRefusal }
}

/** What charges and payouts have in common. */
function commonRefusal({ httpStatus, message }: Answer): SubmitOutcome | undefined {
  if (repeatedWords.test(message)) return unknown('repeated', 'Flutterwave has been given this reference before')
  if (message === '' || doubtfulWords.test(message)) return unreadable(`${httpStatus} in words of doubt`)
  if (closedWords.test(message)) return notSubmitted('closed', 'Flutterwave says that the bank is closed')
  return undefined
}

function rejected({ httpStatus, message }: Answer): SubmitOutcome {
  const fields = fieldsIn(message)
  const named = fields.length === 0 ? '' : `, naming ${fields.join(', ')}`
  return notSubmitted('rejected', `Flutterwave answered ${httpStatus}${named}`)
}

const knownNames =
  /account_bank|account_number|amount|authorization|beneficiary_name|branch|client|currency|email|expiry|meta|narration|reference|tx_ref/gi

/** Which fields the sentence names. The sentence itself may hold what was in them, so it is kept nowhere. */
function fieldsIn(message: string): readonly string[] {
  return [...new Set(message.toLowerCase().match(knownNames))]
}

export function notSubmitted(cause: NotSubmittedCause, detail: string): Uncertain {
  return { certainty: 'definitely_not_submitted', cause, detail }
}

export function unreadable(what: string): Uncertain {
  return unknown('unreadable', `Flutterwave answered ${what}`)
}

function unknown(cause: UnknownCause, detail: string): Uncertain {
  return { certainty: 'unknown', cause, detail }
}
