import type { OutboundReply } from '../../platform/outbound-http.ts'
import type { CallbackNews, QueryOutcome, SubmitOutcome } from '../contract.ts'
import { type Direction, failureOf, isTurnedAway, refusalOf } from './failures.ts'
import { acceptedAs, asFields, type Fields, failureCodeOf, readFields, saidOf, words } from './messages.ts'

type Answer = Extract<OutboundReply, { kind: 'answered' }>

/**
 * What is certain after a submission. Only words that pawaPay documents for it are taken as "no money moved"; whatever
 * else comes back, or does not, leaves open that it has.
 */
export function submitOutcome(reply: OutboundReply, key: string, direction: Direction): SubmitOutcome {
  if (reply.kind === 'not_reached') return notSubmitted('not_reached', reply.detail)
  if (reply.kind !== 'answered') return { certainty: 'unknown', cause: reply.kind, detail: reply.detail }
  if (reply.status === 429) return notSubmitted('rate_limited', 'pawaPay answered 429')
  if (reply.status >= 500)
    return { certainty: 'unknown', cause: 'server_error', detail: `pawaPay answered ${reply.status}` }
  return reply.status >= 200 && reply.status < 300 ? received(reply, key, direction) : turnedAway(reply, key, direction)
}

function received(answer: Answer, key: string, direction: Direction): SubmitOutcome {
  const fields = readFields(answer.text)
  if (fields?.[words[direction].id] !== key) return unreadable(`${answer.status} that does not name the payment`)
  if (fields['status'] === 'DUPLICATE_IGNORED')
    return { certainty: 'unknown', cause: 'repeated', detail: 'pawaPay has been given this key before' }
  if (fields['status'] === 'REJECTED') return refused(fields, direction)
  const said = isTaken(fields['status'], direction) ? acceptedAs(fields, direction) : undefined
  return said ? { certainty: 'accepted', said } : unreadable(`${answer.status} with a status that it does not document`)
}

/** A payout to an operator that is slow at the moment is taken too, and waits in a queue. */
function isTaken(status: unknown, direction: Direction): boolean {
  return status === 'ACCEPTED' || (status === 'ENQUEUED' && direction === 'payout')
}

/** A rejection for a reason that is not documented may mean anything, so the engine is to ask. */
function refused(fields: Fields, direction: Direction): SubmitOutcome {
  const code = failureCodeOf(fields)
  const refusal = code === undefined ? undefined : refusalOf(code)
  if (refusal === undefined) return unreadable('a rejection for a reason that it does not document')
  if (refusal === 'definitely_failed') return { certainty: refusal, failure: failureOf(code, direction) }
  return notSubmitted(refusal, `pawaPay rejected it: ${code}`)
}

function turnedAway({ status, text }: Answer, key: string, direction: Direction): SubmitOutcome {
  const fields = readFields(text)
  const code = fields && failureCodeOf(fields)
  const id = fields?.[words[direction].id] ?? key
  if (code === undefined || id !== key || !isTurnedAway(status, code))
    return unreadable(`${status} in words that it does not document`)
  // What pawaPay's validation refuses once it refuses for ever: the payment fails. Anything else is about our account.
  return status === 400
    ? { certainty: 'definitely_failed', failure: failureOf(code, direction) }
    : notSubmitted('rejected', `pawaPay answered ${status} ${code}`)
}

export function notSubmitted(
  cause: Extract<SubmitOutcome, { certainty: 'definitely_not_submitted' }>['cause'],
  detail: string,
): SubmitOutcome {
  return { certainty: 'definitely_not_submitted', cause, detail }
}

function unreadable(what: string): SubmitOutcome {
  return { certainty: 'unknown', cause: 'unreadable', detail: `pawaPay answered ${what}` }
}

/** Not found only when pawaPay says so in its own words: a bare 404 may come from anything on the way. */
export function queryOutcome(
  reply: OutboundReply,
  key: string,
  direction: Direction,
): QueryOutcome & { readonly operatorCode?: unknown } {
  if (reply.kind !== 'answered') return { found: 'unclear', detail: reply.detail }
  const fields = reply.status === 200 ? readFields(reply.text) : undefined
  if (fields?.['status'] === 'NOT_FOUND') return { found: 'no' }
  const payment = fields?.['status'] === 'FOUND' ? asFields(fields['data']) : undefined
  const said = payment?.[words[direction].id] === key ? saidOf(payment, direction) : undefined
  const account = asFields(payment?.[words[direction].party])?.['accountDetails']
  if (said) return { found: 'yes', said, operatorCode: asFields(account)?.['provider'] }
  return { found: 'unclear', detail: `pawaPay answered ${reply.status} with nothing that we can read` }
}

/** What a callback tells, and whether we could read all of it. Nothing when it is not about a charge or a payout. */
export function newsOf(callback: Fields): { readonly news: CallbackNews; readonly isClear: boolean } | undefined {
  const { depositId, payoutId } = callback
  const [key, direction] = payoutId === undefined ? [depositId, 'charge' as const] : [payoutId, 'payout' as const]
  if (typeof key !== 'string' || (depositId !== undefined && payoutId !== undefined)) return undefined
  const said = saidOf(callback, direction)
  return { news: { key, said: said ?? { state: 'submitted' } }, isClear: said !== undefined }
}
