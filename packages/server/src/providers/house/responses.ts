import type { OutboundReply } from '../../platform/outbound-http.ts'
import type {
  Failure,
  NotSubmittedCause,
  ProviderStatus,
  QueryOutcome,
  SubmitOutcome,
  UnknownCause,
} from '../contract.ts'
import { failureCodes } from '../failure-codes.ts'
import { codeOf, completed, type Fields, failureOf, providerStatusOf, readFields } from './messages.ts'

/** The codes that house documents for requests it rejects before it reads the payment, by HTTP status. */
const rejections: Readonly<Record<number, readonly string[]>> = {
  400: ['INVALID_BODY', 'UNKNOWN_FIELD', 'MISSING_FIELD', 'INVALID_FIELD'],
  401: ['UNAUTHORIZED', 'TOKEN_EXPIRED'],
  409: ['OPERATOR_CLOSED', 'OPERATOR_DELAYED'],
}

/** The status of a payment that house accepted, read from its response. Undefined when unreadable. */
export type Taken = (fields: Fields) => ProviderStatus | undefined

/**
 * The outcome of a submission. Only codes that house documents for it mean "no money moved". Any other response, or
 * none, leaves open that money moved.
 */
export function submitOutcome(reply: OutboundReply, key: string, taken: Taken): SubmitOutcome {
  if (reply.kind === 'not_reached') return notSubmitted('not_reached', reply.detail)
  if (reply.kind !== 'responded') return unknown(reply.kind, reply.detail)
  const { status, text } = reply
  if (status === 429) return notSubmitted('rate_limited', 'house responded 429')
  if (status >= 500) return unknown('server_error', `house responded ${status}`)
  const fields = readFields(text)
  return status >= 200 && status < 300 ? received(status, fields, key, taken) : refused(status, fields)
}

function received(status: number, fields: Fields | undefined, key: string, taken: Taken): SubmitOutcome {
  if (fields?.['key'] !== key) return unreadable(`${status} that does not name the payment`)
  const { state, repeated } = fields
  if (repeated === true) return takenBefore(fields, taken)
  if (repeated !== false) return unreadable(`${status} that does not say whether it is a repeat`)
  if (state === 'failed') return failedAtOnce(fields)
  const providerStatus = state === 'accepted' ? taken(fields) : state === 'completed' ? completed(fields) : undefined
  return providerStatus ? { certainty: 'accepted', providerStatus } : unreadable(`${status} with an unreadable payment`)
}

/** The engine queries the payment, unless the response is an account to pay into, which has not changed. */
function takenBefore(fields: Fields, taken: Taken): SubmitOutcome {
  const providerStatus = fields['state'] === 'accepted' ? taken(fields) : undefined
  const isAccount = providerStatus?.state === 'waiting' && providerStatus.action.kind === 'pay_to_account'
  return isAccount ? { certainty: 'accepted', providerStatus } : unknown('repeated', 'house already has this key')
}

function failedAtOnce(fields: Fields): SubmitOutcome {
  const code = codeOf(fields, 'failure')
  if (code === 'FLOAT_EMPTY') return notSubmitted('float_exhausted', 'the float at house is too low')
  return { certainty: 'definitely_failed', failure: failureOf(code) }
}

/** A key used for another request is one that house has: the engine queries that payment. */
function refused(status: number, fields: Fields | undefined): SubmitOutcome {
  const code = codeOf(fields, 'error')
  if (status === 409 && code === 'KEY_REUSED') return unknown('repeated', 'house knows this key from another request')
  if (code === undefined || !rejections[status]?.includes(code))
    return unreadable(`${status} with an undocumented message`)
  if (status === 400) return { certainty: 'definitely_failed', failure: detailFailure(code) }
  return notSubmitted(status === 409 ? 'closed' : 'rejected', `house responded ${status} ${code}`)
}

/** House's validation refuses the same request every time, so the payment fails. */
function detailFailure(providerCode: string): Failure {
  return { code: 'DETAILS_NOT_ACCEPTED', message: failureCodes.DETAILS_NOT_ACCEPTED, providerCode }
}

export function notSubmitted(cause: NotSubmittedCause, detail: string): SubmitOutcome {
  return { certainty: 'definitely_not_submitted', cause, detail }
}

function unknown(cause: UnknownCause, detail: string): SubmitOutcome {
  return { certainty: 'unknown', cause, detail }
}

function unreadable(what: string): SubmitOutcome {
  return unknown('unreadable', `house responded ${what}`)
}

/** Not found only when house says so with its own code: a bare 404 may come from a proxy. */
export function queryOutcome(reply: OutboundReply, key: string): QueryOutcome {
  if (reply.kind !== 'responded') return { found: 'unclear', detail: reply.detail }
  const fields = readFields(reply.text)
  if (reply.status === 404 && codeOf(fields, 'error') === 'NOT_FOUND') return { found: 'no' }
  const providerStatus = reply.status === 200 && fields?.['key'] === key ? providerStatusOf(fields) : undefined
  if (providerStatus) return { found: 'yes', providerStatus }
  return { found: 'unclear', detail: `house responded ${reply.status} with an unreadable body` }
}
