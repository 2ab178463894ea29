import type { OutboundReply } from '../../platform/outbound-http.ts'
import type { CallbackObservation, QueryOutcome, SubmitOutcome } from '../contract.ts'
import { type Direction, failureOf, isRejection, refusalOf } from './failures.ts'
import {
  acceptedAs,
  asFields,
  type Fields,
  failureCodeOf,
  idOf,
  providerStatusOf,
  readFields,
  words,
} from './messages.ts'

type PawapayResponse = Extract<OutboundReply, { kind: 'responded' }>

/**
 * The outcome of a submission. Only codes that pawaPay documents for it mean "no money moved". Any other response, or
 * none, leaves open that money moved.
 */
export function submitOutcome(reply: OutboundReply, key: string, direction: Direction): SubmitOutcome {
  if (reply.kind === 'not_reached') return notSubmitted('not_reached', reply.detail)
  if (reply.kind !== 'responded') return { certainty: 'unknown', cause: reply.kind, detail: reply.detail }
  if (reply.status === 429) return notSubmitted('rate_limited', 'pawaPay responded 429')
  if (reply.status >= 500)
    return { certainty: 'unknown', cause: 'server_error', detail: `pawaPay responded ${reply.status}` }
  return reply.status >= 200 && reply.status < 300 ? received(reply, key, direction) : refused(reply, key, direction)
}

function received(response: PawapayResponse, key: string, direction: Direction): SubmitOutcome {
  const fields = readFields(response.text)
  if (fields === undefined || idOf(fields, direction) !== key)
    return unreadable(`${response.status} that does not name the payment`)
  if (fields['status'] === 'DUPLICATE_IGNORED')
    return { certainty: 'unknown', cause: 'repeated', detail: 'pawaPay already has this key' }
  if (fields['status'] === 'REJECTED') return rejected(fields, direction)
  const providerStatus = isTaken(fields['status'], direction) ? acceptedAs(fields, direction) : undefined
  return providerStatus
    ? { certainty: 'accepted', providerStatus }
    : unreadable(`${response.status} with an undocumented status`)
}

/** pawaPay also accepts what goes to a slow operator and queues it. */
function isTaken(status: unknown, direction: Direction): boolean {
  return status === 'ACCEPTED' || (status === 'ENQUEUED' && direction !== 'charge')
}

/** A rejection with an undocumented reason may mean anything, so the engine queries the payment. */
function rejected(fields: Fields, direction: Direction): SubmitOutcome {
  const code = failureCodeOf(fields)
  const refusal = code === undefined ? undefined : refusalOf(code, direction)
  if (refusal === undefined) return unreadable('a rejection for an undocumented reason')
  if (refusal === 'definitely_failed') return { certainty: refusal, failure: failureOf(code, direction) }
  return notSubmitted(refusal, `pawaPay rejected it: ${code}`)
}

function refused({ status, text }: PawapayResponse, key: string, direction: Direction): SubmitOutcome {
  const fields = readFields(text)
  const code = fields && failureCodeOf(fields)
  const id = (fields && idOf(fields, direction)) ?? key
  if (code === undefined || id !== key || !isRejection(status, code))
    return unreadable(`${status} with an undocumented message`)
  // pawaPay's validation refuses the same request every time, so the payment fails. Any other refusal is about our account.
  return status === 400
    ? { certainty: 'definitely_failed', failure: failureOf(code, direction) }
    : notSubmitted('rejected', `pawaPay responded ${status} ${code}`)
}

export function notSubmitted(
  cause: Extract<SubmitOutcome, { certainty: 'definitely_not_submitted' }>['cause'],
  detail: string,
): SubmitOutcome {
  return { certainty: 'definitely_not_submitted', cause, detail }
}

function unreadable(what: string): SubmitOutcome {
  return { certainty: 'unknown', cause: 'unreadable', detail: `pawaPay responded ${what}` }
}

/** Not found only when pawaPay says so with its own status: a bare 404 may come from a proxy. */
export function queryOutcome(
  reply: OutboundReply,
  key: string,
  direction: Direction,
): QueryOutcome & { readonly operatorCode?: unknown } {
  if (reply.kind !== 'responded') return { found: 'unclear', detail: reply.detail }
  const fields = reply.status === 200 ? readFields(reply.text) : undefined
  if (fields?.['status'] === 'NOT_FOUND') return { found: 'no' }
  const payment = fields?.['status'] === 'FOUND' ? asFields(fields['data']) : undefined
  const providerStatus = payment && idOf(payment, direction) === key ? providerStatusOf(payment, direction) : undefined
  const account = asFields(payment?.[words[direction].counterparty])?.['accountDetails']
  if (providerStatus) return { found: 'yes', providerStatus, operatorCode: asFields(account)?.['provider'] }
  return { found: 'unclear', detail: `pawaPay responded ${reply.status} with an unreadable body` }
}

/** The observations in a callback, and whether all of it was readable. Undefined when it is not clear what it is about. */
export function observationsOf(
  callback: Fields,
): { readonly observations: CallbackObservation; readonly isClear: boolean } | undefined {
  const { depositId, payoutId, refundId } = callback
  const direction = refundId !== undefined ? 'refund' : payoutId !== undefined ? 'payout' : 'charge'
  const key = idOf(callback, direction)
  // A refund may name its deposit too. Any other message about two payments is about neither.
  const isOther = payoutId !== undefined && (depositId !== undefined || refundId !== undefined)
  if (typeof key !== 'string' || isOther) return undefined
  const providerStatus = providerStatusOf(callback, direction)
  return {
    observations: { key, providerStatus: providerStatus ?? { state: 'submitted' } },
    isClear: providerStatus !== undefined,
  }
}
