import type { Cause } from '../../events/emit.ts'
import {
  type CustomerAction,
  type Failure,
  failureCodes,
  type NotSubmittedCause,
  type Said,
  type Settled,
} from '../../providers/contract.ts'
import { chargeReversed, payoutReturned } from '../late-money/late-money.ts'
import { isFinal } from '../model/state.ts'
import type { Attempt, KnownPayment, Payment, Transaction } from '../model/store.ts'
import { answerRefused, answerUnsent } from './decide-answer.ts'
import { unlessPaidBefore } from './decide-earlier.ts'
import { decideLate } from './decide-late.ts'
import { decideReceived, withCase } from './decide-received.ts'
import { unfunded } from './decide-shortfall.ts'
import {
  asked,
  countMax,
  type Decision,
  endIfExpired,
  failed,
  failureOf,
  goOn,
  isAnswerable,
  isAsAsked,
  mismatch,
  type Observation,
  overdue,
  released,
  type Surroundings,
  wakeLater,
} from './decision.ts'

const backoffPlanMs = [2000, 5000, 15_000, 30_000]
const lastBackoffMs = 60_000
/** How long after its last moment of sending an answer may be under way. */
const answerMs = 40_000

/** The one place where news changes a payment. Pure: what is true of it is true in every process and after every crash. */
export function decide(payment: KnownPayment, observation: Observation, around: Surroundings): Decision | undefined {
  const { news } = observation
  const decided = withCase(payment, decideNews(payment, observation, around))
  const decision = unlessPaidBefore(payment, news, decided, around)
  const isFromBefore = observation.cause === 'attempt' || observation.cause === 'query'
  const mayBeOld = isFromBefore && payment.attempt.is_hinted && !isFinal(payment.transaction.state)
  return decision && mayBeOld ? askOnceMore(decision, around) : decision
}

/** The provider hinted at news after this was asked or sent: the answer may be older than they are, and ends nothing. */
function askOnceMore(decision: Decision, { nowMs }: Surroundings): Decision {
  const { progress } = decision
  const wake_at = new Date(nowMs)
  const isEnding = decision.reroute !== undefined || (progress.state !== undefined && isFinal(progress.state))
  return isEnding ? { progress: { wake_at } } : { ...decision, progress: { ...progress, wake_at } }
}

function decideNews(payment: KnownPayment, observation: Observation, around: Surroundings): Decision | undefined {
  const { cause, news } = observation
  if (news.kind === 'announce') return { progress: {}, event: { message: 'Told again on request.', isTold: true } }
  if (news.kind === 'said' && news.said.state === 'received')
    return decideReceived(payment, news.said.receipts, observation, around)
  if (isFinal(payment.transaction.state))
    return decideLate({ ...payment, movedElsewhere: around.movedElsewhere }, observation)
  switch (news.kind) {
    case 'said':
      return decideSaid(payment, news.said, cause, around)
    case 'not_submitted':
      return notSubmitted(payment, news, around)
    case 'unknown':
      return unknown(payment, news, around)
    case 'not_found':
      return notFound(payment, around)
    case 'unclear':
      return { progress: wakeLater(payment, around), attempt: asked(payment) }
    case 'hint':
      return { progress: { wake_at: new Date(around.nowMs) }, attempt: { is_hinted: true } }
    case 'answer_refused':
      return answerRefused(payment, news.action, around)
    case 'answer_unsent':
      return answerUnsent(payment, news, around)
    case 'continuation_lost':
      return failed(failureOf('AUTHORISATION_LOST'), failureCodes.AUTHORISATION_LOST)
    case 'contradicted': // It has not ended, so it is asked about anyway.
      return undefined
    case 'too_late':
      return isUnsent(payment) ? failed(failureOf('EXPIRED'), 'It could not be sent in time.') : undefined
    case 'paid_before': // Unless that is no longer so.
      return isUnsent(payment) ? { progress: { state: 'accepted', wake_at: new Date(around.nowMs) } } : undefined
    case 'cancel':
      return isUnsent(payment) ? failed(failureOf('MANUALLY_CANCELLED'), 'Cancelled before it was sent.') : undefined
    case 'judged':
      return judged(payment, news.outcome)
    case 'retry':
      return retry(payment, around)
  }
}

/** Nothing of it ever left: what waits for its provider was not sent either. */
function isUnsent({ transaction, attempt }: Payment): boolean {
  return transaction.state === 'accepted' && attempt.sends === 0
}

function decideSaid(payment: Payment, said: Said, cause: Cause, around: Surroundings): Decision {
  const decision = decideWord(payment, said, cause, around)
  const wasCertain = payment.transaction.state === 'accepted'
  if (!wasCertain) return decision
  return { ...decision, alert: 'a provider knows a payment that we were certain it had not got' }
}

function decideWord(payment: Payment, said: Said, cause: Cause, around: Surroundings): Decision {
  switch (said.state) {
    case 'successful':
      return isAsAsked(payment, said.settled)
        ? successful(payment, said.settled)
        : mismatch(payment, said.settled, around)
    case 'failed':
      if (cause === 'attempt' && payment.attempt.sends > 1) return refusedAgain(payment, said.failure, around)
      return said.isOurShortfall && payment.transaction.type === 'withdrew'
        ? unfunded(payment, around)
        : failedWord(payment, said.failure, around)
    case 'reversed':
      return partlyReversed(payment, said, around) ?? failedWord(payment, said.failure, around)
    case 'waiting':
      return (
        overdue(payment, said.action, cause, around) ??
        askedAgain(payment, said.action, cause, around) ??
        answeredAlready(payment, said.action, cause, around) ??
        goOn(payment, 'waiting', said.action, around)
      )
    case 'received': // Decided before, since it also counts after the end.
    case 'submitted':
      return overdue(payment, null, cause, around) ?? goOn(payment, 'submitted', null, around)
  }
}

/** A prompt that was not approved by the end of its time has expired, whatever the provider calls that. */
function failedWord(payment: Payment, failure: Failure, { nowMs }: Surroundings): Decision {
  const { type, expires_at } = payment.transaction
  const isOver = type === 'deposit' && expires_at !== null && nowMs >= expires_at.getTime()
  const isExpired = isOver && failure.code === 'PAYMENT_NOT_APPROVED'
  const { providerCode } = failure
  const expired = { ...failureOf('EXPIRED'), ...(providerCode !== undefined && { providerCode }) }
  const ended = isExpired ? expired : failure
  return { ...failed(ended, ended.message), ...released(payment, 0n) }
}

/** A provider that answers an answer with the same question has not taken it. */
function askedAgain(payment: Payment, asks: CustomerAction, cause: Cause, around: Surroundings): Decision | undefined {
  const { state, action } = payment.transaction
  const isAgain = cause === 'attempt' && state === 'sending' && action?.kind === asks.kind && isAnswerable(asks)
  return isAgain ? answerRefused(payment, action, around) : undefined
}

/**
 * Asked while an answer is on its way, or after one was taken, a provider may still speak of the question. It is not asked
 * again: who answered it twice could fail what is paid.
 */
function answeredAlready(
  payment: Payment,
  asks: CustomerAction,
  cause: Cause,
  around: Surroundings,
): Decision | undefined {
  const { state, action } = payment.transaction
  if (cause === 'attempt' || !isAnswerable(asks) || !action || !isAnswerable(action) || state === 'waiting')
    return undefined
  const onItsWayUntil = (payment.attempt.send_by?.getTime() ?? 0) + answerMs
  if (state === 'sending' && around.nowMs < onItsWayUntil) return { progress: { wake_at: new Date(onItsWayUntil) } }
  return action.kind === asks.kind ? goOn(payment, 'submitted', null, around) : undefined
}

function successful(payment: Payment, settled: Settled): Decision {
  const { type } = payment.transaction
  return {
    ...released(payment, settled.amount),
    progress: {
      state: 'successful',
      failure: null,
      doubt: '',
      action: null,
      wake_at: null,
      receipt: settled.receipt ?? '',
    },
    attempt: { outcome: 'successful', is_lost: false },
    postings: [type === 'withdrew' ? 'payout_successful' : 'charge_successful', 'provider_fee_told'],
    settled,
    event: { message: type === 'withdrew' ? 'Paid out.' : 'Paid.', isTold: true },
  }
}

/** It was paid, and a part went back before its end was known: it ends as paid, and the part is an adjustment. */
function partlyReversed(
  payment: Payment,
  { returned, collected }: Extract<Said, { readonly state: 'reversed' }>,
  around: Surroundings,
): Decision | undefined {
  const { transaction, attempt } = payment
  const { amount, currency, type, method } = transaction
  const all = collected ?? amount
  if (returned === undefined || returned >= all || method === 'bank-transfer') return undefined
  if (all !== amount) return mismatch(payment, { amount: all - returned, currency }, around)
  const ended = successful(payment, { amount, currency })
  const draft = type === 'withdrew' ? payoutReturned : chargeReversed
  const adjustments = [draft({ ...transaction, state: 'successful' }, returned)]
  return { ...ended, late: { ...ended.late, attempt: attempt.number, moved: amount - returned, adjustments } }
}

/** Only a first sending can be believed to have moved nothing; then another provider may be tried, or the same one later. */
function notSubmitted(
  payment: Payment,
  { cause, detail }: { readonly cause: NotSubmittedCause; readonly detail: string },
  around: Surroundings,
): Decision | undefined {
  const { transaction, attempt } = payment
  if (transaction.state !== 'sending') return undefined
  if (attempt.sends > 1) return unknown(payment, { detail: `not submitted, but sent before: ${cause}` }, around)
  if (attempt.is_hinted)
    return unknown(payment, { detail: `not submitted, but the provider spoke of it: ${cause}` }, around)
  const reason = cause === 'unwritable' ? 'DETAILS_NOT_ACCEPTED' : 'PROVIDER_UNAVAILABLE'
  // Whoever sent it had what is kept nowhere, and waits for an answer: nobody else could send it.
  if (transaction.sent_by === 'request') return failed(failureOf(reason), failureCodes[reason])
  const next = nextProvider(attempt, cause, around)
  const told = { isTold: false, detail: { cause, detail, provider: attempt.provider } }
  if (next !== undefined)
    return {
      progress: { state: 'accepted', doubt: '', wake_at: new Date(around.nowMs) },
      attempt: { outcome: cause === 'unwritable' ? 'unwritable' : 'not_submitted' },
      reroute: next,
      event: { message: 'Another provider is tried.', ...told },
    }
  if (cause === 'unwritable') return unwritable(detail, attempt)
  const isNew = transaction.doubt !== cause
  return {
    progress: { state: 'accepted', doubt: cause, wake_at: new Date(around.nowMs + backoffMs(attempt, around)) },
    attempt: { sends: 0, send_by: null, refusals: Math.min(attempt.refusals + 1, countMax) },
    ...(isNew && { event: { message: 'The provider cannot take it now; it waits.', ...told } }),
    ...(isNew && cause === 'rejected' && { alert: 'a provider refuses what we send it' }),
  }
}

/** No provider takes it as it is, and waiting does not change what it says: it fails, and nothing was sent. */
function unwritable(detail: string, { provider }: Attempt): Decision {
  const ended = failed(failureOf('DETAILS_NOT_ACCEPTED'), failureCodes.DETAILS_NOT_ACCEPTED)
  return {
    ...ended,
    event: { message: failureCodes.DETAILS_NOT_ACCEPTED, isTold: true, detail: { detail, provider } },
    alert: 'a payment has no form that any provider takes',
  }
}

/** No more attempts than this: their number is a byte of the key that providers know. */
const attemptsMax = 200

/**
 * Another provider that was not tried is tried at once. One that was is tried again when the current one has refused the payment as
 * often as there were attempts, so that it goes back and forth ever more slowly between providers that are all down. A provider
 * that can never take it is left at once, and is not among those it may go back to.
 */
function nextProvider(
  { number, refusals }: Attempt,
  cause: NotSubmittedCause,
  { alternatives, returns = [] }: Surroundings,
): string | undefined {
  if (number >= attemptsMax) return undefined
  return alternatives[0] ?? (refusals >= number || cause === 'unwritable' ? returns[0] : undefined)
}

function unknown(
  payment: Payment,
  { detail, failure }: { readonly detail: string; readonly failure?: Failure },
  around: Surroundings,
): Decision | undefined {
  // Somebody has heard of it meanwhile: that one answer got lost says nothing against that.
  if (payment.transaction.state === 'waiting' || payment.transaction.state === 'submitted') return undefined
  // A charge moves nothing of ours and ends with its time.
  if (failure && payment.transaction.type === 'withdrew') return refusedUnclear(payment, failure, around)
  const isNew = payment.transaction.state !== 'unknown'
  const isTold = payment.transaction.doubt === '' // Who was told of one doubt need not hear of the next.
  return {
    progress: { state: 'unknown', doubt: 'no_answer', ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...(isNew && {
      event: {
        message: "The provider's answer is not known yet; it is being asked.",
        isTold,
        detail: { detail },
      },
    }),
  }
}

/** Doubts in which the provider refused the payment, and may have it all the same. */
const refusals = {
  refused_on_resend: {
    message: 'The provider refused it when it was sent again; it is being asked.',
    alert: 'a provider refused a payment that was sent again',
  },
  refused_unclear: {
    message: 'The provider refused it in words that we do not know; it is being asked.',
    alert: 'a provider refused a payment in unknown words',
  },
} as const

const isRefusalDoubt = (doubt: string): doubt is keyof typeof refusals => Object.hasOwn(refusals, doubt)

/**
 * The provider's own words, but of one sending among several: another may have been taken. It is asked whether it has it; only when it has not, for as long
 * as it could take to know, do the words count. It is not sent a third time.
 */
function refusedAgain(payment: Payment, failure: Failure, around: Surroundings): Decision {
  return refusedInDoubt('refused_on_resend', payment, failure, around)
}

/** Words that we do not know may mean that the provider has it already. They count as those of a second sending do. */
function refusedUnclear(payment: Payment, failure: Failure, around: Surroundings): Decision {
  const doubt = payment.attempt.sends > 1 ? 'refused_on_resend' : 'refused_unclear'
  return refusedInDoubt(doubt, payment, failure, around)
}

function refusedInDoubt(
  doubt: keyof typeof refusals,
  payment: Payment,
  failure: Failure,
  around: Surroundings,
): Decision {
  const { message, alert } = refusals[doubt]
  return {
    progress: { state: 'unknown', doubt, failure, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    event: { message, isTold: false },
    alert,
  }
}

/**
 * Not found counts only once the provider must have heard of it, had it been sent. A payout is then sent again under the
 * same key and is never failed by this alone; a charge, which moves nothing of ours, ends with its time.
 */
function notFound(payment: Payment, around: Surroundings): Decision {
  const { transaction, attempt } = payment
  const askedAt = around.nowMs - around.askedMsAgo
  const isCounted = attempt.send_by !== null && askedAt > attempt.send_by.getTime() + around.notFoundWindowMs
  const state = transaction.state === 'sending' ? 'unknown' : transaction.state
  const doubt = keepDoubt(transaction)
  const later = { progress: { state, doubt, ...wakeLater(payment, around) }, attempt: asked(payment) }
  if (!isCounted || transaction.doubt === 'amount_mismatch') return later
  if (transaction.type === 'deposit') return endIfExpired(payment, 'query', around) ?? later
  if (isRefusalDoubt(transaction.doubt) && transaction.failure)
    return failed(transaction.failure, transaction.failure.message)
  return {
    progress: { state: 'unknown', doubt: 'not_found', wake_at: new Date(around.nowMs) },
    attempt: { is_lost: true },
    event: { message: 'The provider never got it; it is sent again.', isTold: false },
  }
}

/** What is worse than not being found stays named. Of a charge that waits for its customer a provider may know nothing yet. */
function keepDoubt({ doubt, state }: Transaction): string {
  if (doubt === 'amount_mismatch' || isRefusalDoubt(doubt)) return doubt
  return state === 'waiting' ? '' : 'not_found'
}

/**
 * Of a bank transfer charge only receipts say what came in: judged paid, it would be booked again when they are reported. What
 * is in suspense for a charge is cleared by its case.
 */
function judged(payment: Payment, outcome: 'successful' | 'failed'): Decision | undefined {
  const { amount, currency, method, suspended } = payment.transaction
  const isOtherAmount = suspended !== 0n && payment.attempt.moved !== null
  if (outcome === 'successful' && (method === 'bank-transfer' || isOtherAmount)) return undefined
  return outcome === 'successful'
    ? successful(payment, { amount, currency })
    : failed(failureOf('UNSPECIFIED_FAILURE'), 'The operator found out that it failed.')
}

/** Under the same key, and only where the provider would have to be told anyway. */
function retry({ transaction }: Payment, { nowMs }: Surroundings): Decision | undefined {
  const again = { progress: { wake_at: new Date(nowMs) }, event: retried }
  if (transaction.state === 'accepted') return again
  if (transaction.type !== 'withdrew' || transaction.state !== 'unknown') return undefined
  return { ...again, attempt: { is_lost: true } }
}

const retried = { message: 'The operator had it sent again under the same key.', isTold: false }

function backoffMs({ refusals }: Attempt, { jitter }: Surroundings): number {
  return (backoffPlanMs[refusals] ?? lastBackoffMs) * (0.8 + 0.4 * jitter)
}
