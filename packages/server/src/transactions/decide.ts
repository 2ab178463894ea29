import type { Cause } from '../events/emit.ts'
import type { CustomerAction, Failure, FailureCode, NotSubmittedCause, Said, Settled } from '../providers/contract.ts'
import { failureCodes } from '../providers/contract.ts'
import type { PaymentPosting } from './money.ts'
import { isFinal, type State } from './state.ts'
import type { Attempt, Payment, Progress } from './store.ts'

/** What somebody learned of a payment, or wants of it. */
export type News =
  | { readonly kind: 'said'; readonly said: Said }
  /** This sending moved nothing, for certain. */
  | { readonly kind: 'not_submitted'; readonly cause: NotSubmittedCause; readonly detail: string }
  /** This sending may have moved money. */
  | { readonly kind: 'unknown'; readonly detail: string }
  /** The provider does not know the key. */
  | { readonly kind: 'not_found' }
  /** The question was not answered. */
  | { readonly kind: 'unclear'; readonly detail: string }
  /** The provider hints at news without proof: it will be asked. */
  | { readonly kind: 'hint' }
  /** A charge whose time was up before it could be sent. */
  | { readonly kind: 'too_late' }
  /** The merchant does not want it any more. */
  | { readonly kind: 'cancel' }
  /** The merchant wants to be told once more where it stands. */
  | { readonly kind: 'announce' }
  /** An operator has evidence of what became of it. */
  | { readonly kind: 'judged'; readonly outcome: 'successful' | 'failed' }
  /** An operator wants it sent again under the same key. */
  | { readonly kind: 'retry' }

export interface Observation {
  readonly cause: Cause
  readonly news: News
}

/** What the decision must know of the providers. */
export interface Surroundings {
  readonly nowMs: number
  readonly notFoundWindowMs: number
  /** Providers that come after the current one. */
  readonly alternatives: readonly string[]
  /** Between 0 and 1, so that polls spread out. */
  readonly jitter: number
}

/** What becomes of a payment. Nothing at all when the news changes nothing. */
export interface Decision {
  readonly progress: Partial<Progress>
  readonly attempt?: Partial<Attempt>
  /** A new attempt with another provider. */
  readonly reroute?: string
  readonly postings?: readonly PaymentPosting[]
  readonly settled?: Settled
  /** It tells of another attempt than the current one. */
  readonly isStray?: true
  readonly event?: { readonly message: string; readonly isTold: boolean; readonly detail?: Record<string, unknown> }
  /** For the operator, at once. */
  readonly alert?: string
}

const pollPlanMs = [5000, 15_000, 30_000, 60_000, 120_000, 300_000]
const lastPollMs = 15 * 60_000
const backoffPlanMs = [2000, 5000, 15_000, 30_000]
const lastBackoffMs = 60_000
const countMax = 30_000
const questionMs = 20_000

/** The one place where news changes a payment. Pure: what is true of it is true in every process and after every crash. */
export function decide(payment: Payment, { cause, news }: Observation, around: Surroundings): Decision | undefined {
  if (news.kind === 'announce') return { progress: {}, event: { message: 'Told again on request.', isTold: true } }
  if (isFinal(payment.transaction.state))
    return news.kind === 'said' && cause !== 'callback' ? decideFinal(payment, news.said) : undefined
  switch (news.kind) {
    case 'said':
      return decideSaid(payment, news.said, cause, around)
    case 'not_submitted':
      return notSubmitted(payment, news, around)
    case 'unknown':
      return unknown(payment, news.detail, around)
    case 'not_found':
      return notFound(payment, around)
    case 'unclear':
      return { progress: wakeLater(payment, around), attempt: asked(payment) }
    case 'hint':
      return { progress: { wake_at: new Date(around.nowMs) } }
    case 'too_late':
      return isUnsent(payment) ? failed(failureOf('EXPIRED'), 'It could not be sent in time.') : undefined
    case 'cancel':
      return isUnsent(payment) ? failed(failureOf('MANUALLY_CANCELLED'), 'Cancelled before it was sent.') : undefined
    case 'judged':
      return judged(payment, news.outcome)
    case 'retry':
      return retry(payment, around)
  }
}

function failureOf(code: FailureCode): Failure {
  return { code, message: failureCodes[code] }
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
      return cause === 'attempt' && payment.attempt.sends > 1
        ? refusedAgain(payment, said.failure, around)
        : failed(said.failure, said.failure.message)
    case 'reversed':
      return failed(said.failure, said.failure.message)
    case 'waiting':
      return endIfExpired(payment, cause, around) ?? goOn(payment, 'waiting', said.action, around)
    case 'submitted':
      return endIfExpired(payment, cause, around) ?? goOn(payment, 'submitted', null, around)
  }
}

function isAsAsked({ transaction: { amount, currency } }: Payment, settled: Settled): boolean {
  return settled.amount === amount && settled.currency === currency
}

function successful({ transaction: { type } }: Payment, settled: Settled): Decision {
  return {
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

function failed(failure: Failure, message: string): Decision {
  return {
    progress: { state: 'failed', failure, doubt: '', action: null, wake_at: null },
    attempt: { outcome: 'failed', is_lost: false },
    postings: ['payout_failed'],
    event: { message, isTold: true },
  }
}

/** Another sum than was asked for: nobody is credited and nothing given back until somebody has looked. */
function mismatch(payment: Payment, { amount, currency }: Settled, around: Surroundings): Decision {
  const detail = { amount: String(amount), currency }
  const isNew = payment.transaction.doubt !== 'amount_mismatch'
  return {
    progress: { state: 'unknown', doubt: 'amount_mismatch', ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...(isNew && {
      event: { message: 'The provider told another amount than was asked for.', isTold: false, detail },
      alert: 'the provider settled another amount than was asked for',
    }),
  }
}

/** The provider has it. It may say so as often as it likes; only a change is worth an event. */
function goOn(payment: Payment, said: State, asksFor: CustomerAction | null, around: Surroundings): Decision {
  const { state, action: before } = payment.transaction
  // That the provider has it does not mean that the customer need do nothing any more.
  const target = said === 'submitted' && state === 'waiting' ? 'waiting' : said
  const action = asksFor ?? (target === 'waiting' ? before : null)
  const isNewAction = !isSameAction(action, before)
  const message = target === 'waiting' ? 'Waiting for the customer.' : 'The provider is working on it.'
  // What the customer was told to do at acceptance is no news when the provider says the same.
  const isTold = (target === 'waiting' && isNewAction) || state === 'unknown'
  return {
    progress: { state: target, doubt: '', failure: null, action, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), refusals: 0, is_lost: false },
    ...((state !== target || isNewAction) && { event: { message, isTold } }),
  }
}

function isSameAction(one: CustomerAction | null, other: CustomerAction | null): boolean {
  if (one?.kind !== other?.kind) return false
  return one?.kind !== 'redirect' || (other?.kind === 'redirect' && one.url === other.url)
}

/** Only a first sending can be believed to have moved nothing; then another provider may be tried, or the same one later. */
function notSubmitted(
  payment: Payment,
  { cause, detail }: { readonly cause: NotSubmittedCause; readonly detail: string },
  around: Surroundings,
): Decision | undefined {
  const { transaction, attempt } = payment
  if (transaction.state !== 'sending') return undefined
  if (attempt.sends > 1) return unknown(payment, `not submitted, but sent before: ${cause}`, around)
  // Whoever sent it had what is kept nowhere, and waits for an answer: nobody else could send it.
  if (transaction.sent_by === 'request')
    return failed(failureOf('PROVIDER_UNAVAILABLE'), failureCodes.PROVIDER_UNAVAILABLE)
  const [next] = around.alternatives
  const told = { isTold: false, detail: { cause, detail, provider: attempt.provider } }
  if (next !== undefined)
    return {
      progress: { state: 'accepted', doubt: '', wake_at: new Date(around.nowMs) },
      attempt: { outcome: 'not_submitted' },
      reroute: next,
      event: { message: 'Another provider is tried.', ...told },
    }
  const isNew = transaction.doubt !== cause
  return {
    progress: { state: 'accepted', doubt: cause, wake_at: new Date(around.nowMs + backoffMs(attempt, around)) },
    attempt: { sends: 0, send_by: null, refusals: Math.min(attempt.refusals + 1, countMax) },
    ...(isNew && { event: { message: 'The provider cannot take it now; it waits.', ...told } }),
    ...(isNew && cause === 'rejected' && { alert: 'a provider refuses what we send it' }),
  }
}

function unknown(payment: Payment, detail: string, around: Surroundings): Decision {
  const isNew = payment.transaction.state !== 'unknown'
  return {
    progress: { state: 'unknown', doubt: 'no_answer', ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...(isNew && {
      event: {
        message: "The provider's answer is not known yet; it is being asked.",
        isTold: true,
        detail: { detail },
      },
    }),
  }
}

/**
 * The provider's own words, but of one sending among several: another may have been taken. It is asked whether it has it; only when it has not, for as long
 * as it could take to know, do the words count. It is not sent a third time.
 */
function refusedAgain(payment: Payment, failure: Failure, around: Surroundings): Decision {
  return {
    progress: { state: 'unknown', doubt: 'refused_on_resend', failure, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    event: { message: 'The provider refused it when it was sent again; it is being asked.', isTold: false },
    alert: 'a provider refused a payment that was sent again',
  }
}

/**
 * Not found counts only once the provider must have heard of it, had it been sent. A payout is then sent again under the
 * same key and is never failed by this alone; a charge, which moves nothing of ours, ends with its time.
 */
function notFound(payment: Payment, around: Surroundings): Decision {
  const { transaction, attempt } = payment
  const askedAt = around.nowMs - questionMs // At the latest: the answer may have been on its way for so long.
  const isCounted = attempt.send_by !== null && askedAt > attempt.send_by.getTime() + around.notFoundWindowMs
  const state = transaction.state === 'sending' ? 'unknown' : transaction.state
  const later = { progress: { state, doubt: 'not_found', ...wakeLater(payment, around) }, attempt: asked(payment) }
  if (!isCounted || transaction.doubt === 'amount_mismatch')
    return { ...later, progress: { ...later.progress, doubt: keepDoubt(transaction.doubt) } }
  if (transaction.type === 'deposit') return endIfExpired(payment, 'query', around) ?? later
  if (transaction.doubt === 'refused_on_resend' && transaction.failure)
    return failed(transaction.failure, transaction.failure.message)
  return {
    progress: { state: 'unknown', doubt: 'not_found', wake_at: new Date(around.nowMs) },
    attempt: { is_lost: true },
    event: { message: 'The provider never got it; it is sent again.', isTold: false },
  }
}

/** What is worse than not being found stays named. */
function keepDoubt(doubt: string): string {
  return doubt === 'amount_mismatch' || doubt === 'refused_on_resend' ? doubt : 'not_found'
}

/** A charge ends with its time, once the provider was asked a last time and had no final word. Its other words end nothing. */
function endIfExpired({ transaction }: Payment, cause: Cause, { nowMs }: Surroundings): Decision | undefined {
  const { expires_at, type, doubt } = transaction
  const isExpired = type === 'deposit' && expires_at !== null && nowMs >= expires_at.getTime()
  if (!isExpired || cause !== 'query' || doubt === 'amount_mismatch') return undefined
  return failed(failureOf('EXPIRED'), 'The customer did not complete the payment in time.')
}

function judged(payment: Payment, outcome: 'successful' | 'failed'): Decision {
  const { amount, currency } = payment.transaction
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

/**
 * News against a final state is booked and flagged, once of each kind, and never changes the state. A callback is not
 * enough for it: it may be an old one that comes late, so the provider is asked what is true now.
 */
function decideFinal(payment: Payment, said: Said): Decision | undefined {
  const { state, type, discrepancy } = payment.transaction
  const known = discrepancy.split(' ')
  const isTaken = state === 'successful' || known.includes('late_success')
  if (said.state === 'successful' && !isTaken && !known.includes('late_mismatch'))
    return lateSuccess(payment, said.settled)
  const isGivenBack = said.state === 'reversed' || said.state === 'failed'
  if (!isGivenBack || !isTaken || known.includes('reversed')) return undefined
  return {
    progress: flagged(payment, 'reversed'),
    postings: [type === 'withdrew' ? 'payout_reversed' : 'charge_reversed'],
    event: { message: 'The provider took it back; the operator looks into it.', isTold: false },
    alert: 'a payment that had succeeded was taken back',
  }
}

/** Money that moved after we had given it up. Another sum than was asked for is not booked: a person must find out. */
function lateSuccess(payment: Payment, settled: Settled): Decision {
  const { type } = payment.transaction
  if (!isAsAsked(payment, settled))
    return {
      progress: flagged(payment, 'late_mismatch'),
      event: {
        message: 'The provider says that it succeeded after all, with another amount; the operator looks into it.',
        isTold: false,
        detail: { amount: String(settled.amount), currency: settled.currency },
      },
      alert: 'a payment that had failed succeeded after all with another amount',
    }
  return {
    progress: flagged(payment, 'late_success'),
    postings: [type === 'withdrew' ? 'payout_successful_late' : 'charge_successful_late'],
    settled,
    event: { message: 'The provider says it succeeded after all; the operator looks into it.', isTold: false },
    alert: 'a payment that had failed succeeded after all',
  }
}

/** Whether word of a payment contradicts where its money is by what is known here. */
export function isContrary({ state, discrepancy }: Pick<Progress, 'state' | 'discrepancy'>, said: Said): boolean {
  if (!isFinal(state) || said.state === 'submitted' || said.state === 'waiting') return false
  const known = discrepancy.split(' ')
  const isMoved = (state === 'successful' || known.includes('late_success')) && !known.includes('reversed')
  return isMoved !== (said.state === 'successful')
}

/**
 * Word of an attempt that was given up because it was certain that nothing had been sent. That certainty was wrong: what
 * it moved is booked against suspense, whatever became of the payment, and somebody must look at once.
 */
export function decideStray({ transaction }: Payment, news: News): Decision | undefined {
  const isMoney = news.kind === 'said' && news.said.state === 'successful'
  if (!isMoney || transaction.discrepancy.split(' ').includes('stray_success')) return undefined
  const alert = 'an attempt that was given up moved money'
  const settled = news.said.state === 'successful' ? news.said.settled : undefined
  return {
    progress: flagged({ transaction }, 'stray_success'),
    postings: [transaction.type === 'withdrew' ? 'payout_successful_late' : 'charge_successful_late'],
    ...(settled && { settled }),
    isStray: true,
    event: { message: 'An attempt that was given up moved money; the operator looks into it.', isTold: false },
    alert,
  }
}

function flagged({ transaction }: Pick<Payment, 'transaction'>, kind: string): Pick<Progress, 'discrepancy'> {
  return { discrepancy: `${transaction.discrepancy} ${kind}`.trim() }
}

const asked = ({ attempt }: Payment): Partial<Attempt> => ({ polls: Math.min(attempt.polls + 1, countMax) })

/** When to ask next: soon at first, then ever more rarely, and at the latest when the payment expires. */
function wakeLater({ transaction, attempt }: Payment, around: Surroundings): Pick<Progress, 'wake_at'> {
  const plain = pollPlanMs[attempt.polls] ?? lastPollMs
  const later = around.nowMs + plain * (0.8 + 0.4 * around.jitter)
  const end = transaction.expires_at?.getTime()
  return { wake_at: new Date(end !== undefined && end > around.nowMs ? Math.min(later, end) : later) }
}

function backoffMs({ refusals }: Attempt, { jitter }: Surroundings): number {
  return (backoffPlanMs[refusals] ?? lastBackoffMs) * (0.8 + 0.4 * jitter)
}
