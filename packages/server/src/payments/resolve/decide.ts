import type { Cause } from '../../events/emit.ts'
import type { CustomerAction, Failure, NotSubmittedCause, ProviderStatus } from '../../providers/contract.ts'
import { failureCodes } from '../../providers/failure-codes.ts'
import { chargeReversed, payoutReturned } from '../late-money/late-money.ts'
import type { Doubt, DoubtOrNone } from '../model/doubts.ts'
import { isOutgoing } from '../model/outgoing.ts'
import { isFinal } from '../model/state.ts'
import type { Attempt, KnownPayment, Payment, Transaction } from '../model/store.ts'
import { answerRefused, answerUnsent } from './decide-answer.ts'
import { decideLate } from './decide-late.ts'
import { unlessPaidBefore } from './decide-paid-before.ts'
import { decideReceived, withCase } from './decide-received.ts'
import { retry } from './decide-retry.ts'
import { unfunded } from './decide-shortfall.ts'
import { decideUnapproved } from './decide-unapproved.ts'
import {
  asked,
  countMax,
  type Decision,
  type DecisionInputs,
  endIfExpired,
  failed,
  failureOf,
  isAnswerable,
  isAsAsked,
  mismatch,
  type Observed,
  overdue,
  proceed,
  released,
  successful,
  wakeLater,
} from './decision.ts'
import { spread, timing } from './timing.ts'

/**
 * The one place where an observation changes a payment. Pure, so the result is the same in every process and after every crash.
 */
export function decide(payment: KnownPayment, observed: Observed, around: DecisionInputs): Decision | undefined {
  const { observation } = observed
  const decided = withCase(payment, decideObservation(payment, observed, around))
  const decision = unlessPaidBefore(payment, observation, decided, around)
  if (!decision || isFinal(payment.transaction.state)) return decision
  const wake = { wake_at: new Date(around.nowMs) }
  const isHintedSince = isFromBefore(observed) && payment.attempt.is_hinted
  if (isEnding(decision)) return isHintedSince || isOvertaken(payment, observed) ? { progress: wake } : decision
  return isHintedSince ? { ...decision, progress: { ...decision.progress, ...wake } } : decision
}

/** The provider may have hinted at a change after this query or send. A response that may be older than the hint ends nothing. */
const isFromBefore = ({ cause }: Observed): boolean => cause === 'attempt' || cause === 'query'

/** The claim of a later query takes back the hint that it answers, and may never get its response. */
const isOvertaken = ({ transaction }: Payment, { claimedUntil }: Observed): boolean =>
  claimedUntil !== undefined && claimedUntil?.getTime() !== transaction.wake_at?.getTime()

const isEnding = ({ reroute, progress: { state } }: Decision): boolean =>
  reroute !== undefined || (state !== undefined && isFinal(state))

/** What happened to the payment besides its current attempt. */
export const pastOf = ({ movedElsewhere, refunded = 0n, feeReturned = 0n }: DecisionInputs) => ({
  movedElsewhere,
  refunded,
  feeReturned,
})

function decideObservation(payment: KnownPayment, observed: Observed, around: DecisionInputs): Decision | undefined {
  const { cause, observation } = observed
  if (observation.kind === 'announce')
    return { progress: {}, event: { message: 'Notification repeated on request.', notifiesMerchant: true } }
  if (observation.kind === 'reported' && observation.providerStatus.state === 'received')
    return decideReceived(payment, observation.providerStatus.receipts, observed, around)
  if (isFinal(payment.transaction.state)) return decideLate({ ...payment, ...pastOf(around) }, observed)
  if (payment.transaction.state === 'unapproved') return decideUnapproved(payment, observation, around)
  switch (observation.kind) {
    case 'reported':
      return decideReported(payment, observation.providerStatus, cause, around)
    case 'not_submitted':
      return notSubmitted(payment, observation, around)
    case 'unknown':
      return unknown(payment, observation, around)
    case 'not_found':
      return notFound(payment, around)
    case 'unclear':
      return { progress: wakeLater(payment, around), attempt: asked(payment) }
    case 'hint':
      return { progress: { wake_at: new Date(around.nowMs) }, attempt: { is_hinted: true } }
    case 'answer_refused':
      return answerRefused(payment, observation.action, around)
    case 'answer_unsent':
      return answerUnsent(payment, observation, around)
    case 'continuation_lost':
      return failed(failureOf('AUTHORISATION_LOST'), failureCodes.AUTHORISATION_LOST)
    case 'contradicted': // It has not ended, so polls continue.
      return undefined
    case 'too_late':
      return isUnsent(payment) ? failed(failureOf('EXPIRED'), 'It could not be sent in time.') : undefined
    case 'paid_before': // unlessPaidBefore replaces this while the earlier money is booked.
      return isUnsent(payment) ? { progress: { state: 'accepted', wake_at: new Date(around.nowMs) } } : undefined
    case 'cancel':
      return isUnsent(payment) ? failed(failureOf('MANUALLY_CANCELLED'), 'Cancelled before it was sent.') : undefined
    case 'operator_resolved':
      return resolved(payment, observation.outcome)
    case 'retry':
      return retry(payment, around)
    case 'approve': // Only a payout that waits for approval can be approved or rejected.
    case 'reject':
    case 'approval_expired':
      return undefined
  }
}

/** Nothing of it was ever sent. A payment that waits for its provider is also unsent. */
function isUnsent({ transaction, attempt }: Payment): boolean {
  return transaction.state === 'accepted' && attempt.sends === 0
}

function decideReported(
  payment: Payment,
  providerStatus: ProviderStatus,
  cause: Cause,
  around: DecisionInputs,
): Decision {
  const decision = decideStatus(payment, providerStatus, cause, around)
  const wasCertain = payment.transaction.state === 'accepted'
  if (!wasCertain) return decision
  return { ...decision, alert: 'provider has a payment recorded as not submitted' }
}

function decideStatus(
  payment: Payment,
  providerStatus: ProviderStatus,
  cause: Cause,
  around: DecisionInputs,
): Decision {
  switch (providerStatus.state) {
    case 'successful':
      return isAsAsked(payment, providerStatus.settled)
        ? successful(payment, providerStatus.settled)
        : mismatch(payment, providerStatus.settled, around)
    case 'failed':
      if (cause === 'attempt' && payment.attempt.sends > 1) return refusedAgain(payment, providerStatus.failure, around)
      return providerStatus.isOurShortfall && isOutgoing(payment.transaction)
        ? unfunded(payment, around)
        : failedStatus(payment, providerStatus, around)
    case 'reversed':
      return partlyReversed(payment, providerStatus, around) ?? failedStatus(payment, providerStatus, around)
    case 'waiting':
      return (
        overdue(payment, providerStatus.action, cause, around) ??
        askedAgain(payment, providerStatus.action, cause, around) ??
        answeredAlready(payment, providerStatus.action, cause, around) ??
        proceed(payment, 'waiting', providerStatus.action, around)
      )
    case 'received': // Decided before, because it also counts after the end.
    case 'submitted':
      return overdue(payment, null, cause, around) ?? proceed(payment, 'submitted', null, around)
  }
}

/** A prompt that was not approved in time has expired, whatever failure the provider reports. */
function failedStatus(
  payment: Payment,
  { failure, receipt }: { readonly failure: Failure; readonly receipt?: string },
  { nowMs }: DecisionInputs,
): Decision {
  const { type, expires_at } = payment.transaction
  const isOver = type === 'deposit' && expires_at !== null && nowMs >= expires_at.getTime()
  const isExpired = isOver && failure.code === 'PAYMENT_NOT_APPROVED'
  const { providerCode } = failure
  const expired = { ...failureOf('EXPIRED'), ...(providerCode !== undefined && { providerCode }) }
  const ended = isExpired ? expired : failure
  const decision = failed(ended, ended.message)
  const progress = { ...decision.progress, ...(receipt !== undefined && { receipt }) }
  return { ...decision, progress, ...released(payment, 0n) }
}

/** A provider that responds to an answer with the same question has not taken the answer. */
function askedAgain(
  payment: Payment,
  asks: CustomerAction,
  cause: Cause,
  around: DecisionInputs,
): Decision | undefined {
  const { state, action } = payment.transaction
  const isAgain = cause === 'attempt' && state === 'sending' && action?.kind === asks.kind && isAnswerable(asks)
  return isAgain ? answerRefused(payment, action, around) : undefined
}

/**
 * While an answer is being sent, or after it was taken, a query may still return the question. The customer is not asked again: a
 * second answer could fail a paid charge.
 */
function answeredAlready(
  payment: Payment,
  asks: CustomerAction,
  cause: Cause,
  around: DecisionInputs,
): Decision | undefined {
  const { state, action } = payment.transaction
  if (cause === 'attempt' || !isAnswerable(asks) || !action || !isAnswerable(action) || state === 'waiting')
    return undefined
  const onItsWayUntil = (payment.attempt.send_deadline?.getTime() ?? 0) + timing.answerUnderWayMs
  if (state === 'sending' && around.nowMs < onItsWayUntil) return { progress: { wake_at: new Date(onItsWayUntil) } }
  return action.kind === asks.kind ? proceed(payment, 'submitted', null, around) : undefined
}

/** It was paid, and a part went back before its end was known. It ends as paid, and the part becomes an adjustment. */
function partlyReversed(
  payment: Payment,
  { returned, collected }: Extract<ProviderStatus, { readonly state: 'reversed' }>,
  around: DecisionInputs,
): Decision | undefined {
  const { transaction, attempt } = payment
  const { amount, currency, method } = transaction
  const all = collected ?? amount
  if (returned === undefined || returned >= all || method === 'bank-transfer') return undefined
  if (all !== amount) return mismatch(payment, { amount: all - returned, currency }, around)
  const ended = successful(payment, { amount, currency })
  const draft = isOutgoing(transaction) ? payoutReturned : chargeReversed
  const adjustments = [draft({ ...transaction, state: 'successful' }, returned)]
  return { ...ended, late: { ...ended.late, attempt: attempt.number, moved: amount - returned, adjustments } }
}

/** Only a first send can count as not submitted. Then another provider is tried, or the same one later. */
function notSubmitted(
  payment: Payment,
  { cause, detail }: { readonly cause: NotSubmittedCause; readonly detail: string },
  around: DecisionInputs,
): Decision | undefined {
  const { transaction, attempt } = payment
  if (transaction.state !== 'sending') return undefined
  if (attempt.sends > 1) return unknown(payment, { detail: `not submitted, but sent before: ${cause}` }, around)
  if (attempt.is_hinted)
    return unknown(payment, { detail: `not submitted, but the provider reported it: ${cause}` }, around)
  const reason = cause === 'unwritable' ? 'DETAILS_NOT_ACCEPTED' : 'PROVIDER_UNAVAILABLE'
  // The request that sent it had data that is not stored, and waits for the outcome: no other process could send it.
  if (transaction.sent_via === 'request') return failed(failureOf(reason), failureCodes[reason])
  const next = nextProvider(attempt, cause, around)
  const silently = { notifiesMerchant: false, detail: { cause, detail, provider: attempt.provider } }
  if (next !== undefined)
    return {
      progress: { state: 'accepted', doubt: '', wake_at: new Date(around.nowMs) },
      attempt: { outcome: cause === 'unwritable' ? 'unwritable' : 'not_submitted' },
      reroute: next,
      event: { message: 'Another provider is tried.', ...silently },
    }
  if (cause === 'unwritable') return unwritable(detail, attempt)
  const isNew = transaction.doubt !== cause
  return {
    progress: { state: 'accepted', doubt: cause, wake_at: new Date(around.nowMs + backoffMs(attempt, around)) },
    attempt: { sends: 0, send_deadline: null, refusals: Math.min(attempt.refusals + 1, countMax) },
    ...(isNew && { event: { message: 'The provider cannot accept it now; it waits.', ...silently } }),
    ...(isNew && cause === 'rejected' && { alert: 'provider refuses our requests' }),
  }
}

/** No provider can express this payment, and waiting does not change that: it fails, and nothing was sent. */
function unwritable(detail: string, { provider }: Attempt): Decision {
  const ended = failed(failureOf('DETAILS_NOT_ACCEPTED'), failureCodes.DETAILS_NOT_ACCEPTED)
  return {
    ...ended,
    event: { message: failureCodes.DETAILS_NOT_ACCEPTED, notifiesMerchant: true, detail: { detail, provider } },
    alert: 'no provider accepts the payment',
  }
}

/** The maximum number of attempts: the number is one byte of the provider's key. */
const attemptsMax = 200

/**
 * A provider that was not tried is tried at once. One that was tried is used again when the current one has refused the payment
 * as often as there were attempts, so a payment alternates ever more slowly between providers that are all down. A provider that
 * can never take the payment is left at once, and never used again.
 */
function nextProvider(
  { number, refusals }: Attempt,
  cause: NotSubmittedCause,
  { alternatives, returns = [] }: DecisionInputs,
): string | undefined {
  if (number >= attemptsMax) return undefined
  return alternatives[0] ?? (refusals >= number || cause === 'unwritable' ? returns[0] : undefined)
}

function unknown(
  payment: Payment,
  { detail, failure }: { readonly detail: string; readonly failure?: Failure },
  around: DecisionInputs,
): Decision | undefined {
  // Another report has arrived meanwhile, and one lost response does not contradict it.
  if (payment.transaction.state === 'waiting' || payment.transaction.state === 'submitted') return undefined
  // A charge moves none of our money and ends at its expiry.
  if (failure && isOutgoing(payment.transaction)) return refusedUnclear(payment, failure, around)
  const isNew = payment.transaction.state !== 'unknown'
  const notifiesMerchant = payment.transaction.doubt === '' // One notification of doubt is enough.
  return {
    progress: { state: 'unknown', doubt: 'no_response', ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...(isNew && {
      event: {
        message: 'The outcome is not known yet; the provider is being queried.',
        notifiesMerchant,
        detail: { detail },
      },
    }),
  }
}

/** Doubts in which the provider refused the payment but may have it. */
const refusals = {
  refused_on_resend: {
    message: 'The provider refused the resend; it is being queried.',
    alert: 'provider refused a resent payment',
  },
  refused_unclear: {
    message: 'The provider refused it for an unknown reason; it is being queried.',
    alert: 'provider refused a payment for an unknown reason',
  },
} as const satisfies Partial<Record<Doubt, { readonly message: string; readonly alert: string }>>

const isRefusalDoubt = (doubt: DoubtOrNone): doubt is keyof typeof refusals => Object.hasOwn(refusals, doubt)

/**
 * The provider refused one of several sends, and may have taken another. It is queried: the refusal counts only when the payment
 * is still not found after the provider's window. A third send never happens.
 */
function refusedAgain(payment: Payment, failure: Failure, around: DecisionInputs): Decision {
  return refusedInDoubt('refused_on_resend', payment, failure, around)
}

/** An unknown refusal may mean that the provider already has the payment. It counts like the refusal of a second send. */
function refusedUnclear(payment: Payment, failure: Failure, around: DecisionInputs): Decision {
  const doubt = payment.attempt.sends > 1 ? 'refused_on_resend' : 'refused_unclear'
  return refusedInDoubt(doubt, payment, failure, around)
}

function refusedInDoubt(
  doubt: keyof typeof refusals,
  payment: Payment,
  failure: Failure,
  around: DecisionInputs,
): Decision {
  const { message, alert } = refusals[doubt]
  return {
    progress: { state: 'unknown', doubt, failure, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    event: { message, notifiesMerchant: false },
    alert,
  }
}

/**
 * Not found counts only once the provider would know the payment if it had been sent. A payout is then sent again under the same
 * key, and never fails by this alone. A charge moves none of our money and ends at its expiry.
 */
function notFound(payment: Payment, around: DecisionInputs): Decision {
  const { transaction, attempt } = payment
  const askedAt = around.nowMs - around.queriedMsAgo
  const isCounted =
    attempt.send_deadline !== null && askedAt > attempt.send_deadline.getTime() + around.notFoundWindowMs
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
    event: { message: 'The provider never received it; it is sent again.', notifiesMerchant: false },
  }
}

/** A more serious doubt keeps its name. A provider may not yet know a charge that waits for its customer. */
function keepDoubt({ doubt, state }: Transaction): DoubtOrNone {
  if (doubt === 'amount_mismatch' || isRefusalDoubt(doubt)) return doubt
  return state === 'waiting' ? '' : 'not_found'
}

/**
 * Only receipts show what came in for a bank transfer charge: resolved as paid, it would be booked again when they are reported.
 * Money in suspense for a charge is cleared through its case.
 */
function resolved(payment: Payment, outcome: 'successful' | 'failed'): Decision | undefined {
  const { amount, currency, method, suspended } = payment.transaction
  const isOtherAmount = suspended !== 0n && payment.attempt.moved !== null
  if (outcome === 'successful' && (method === 'bank-transfer' || isOtherAmount)) return undefined
  return outcome === 'successful'
    ? successful(payment, { amount, currency })
    : failed(failureOf('UNSPECIFIED_FAILURE'), 'The operator resolved it as failed.')
}

function backoffMs({ refusals }: Attempt, { jitter }: DecisionInputs): number {
  return spread(timing.refusalStepsMs[refusals] ?? timing.lastRefusalMs, jitter)
}
