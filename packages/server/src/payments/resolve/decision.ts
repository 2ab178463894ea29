import type { Cause } from '../../events/emit.ts'
import type {
  CustomerAction,
  Failure,
  FailureCode,
  NotSubmittedCause,
  Said,
  Settled,
} from '../../providers/contract.ts'
import { failureCodes } from '../../providers/contract.ts'
import type { AdjustmentDraft } from '../late-money/late-money.ts'
import type { CaseKind } from '../late-money/suspense-cases.ts'
import type { State } from '../model/state.ts'
import type { Attempt, BookedReceipt, Payment, PendingAction, Progress } from '../model/store.ts'
import type { PaymentPosting } from './payment-postings.ts'

/** What somebody learned of a payment, or wants of it. */
export type News =
  | { readonly kind: 'said'; readonly said: Said }
  /** This sending moved nothing, for certain. */
  | { readonly kind: 'not_submitted'; readonly cause: NotSubmittedCause; readonly detail: string }
  /** This sending may have moved money. A refusal that leaves this open carries the failure it would be. */
  | { readonly kind: 'unknown'; readonly detail: string; readonly failure?: Failure }
  /** The provider does not know the key. */
  | { readonly kind: 'not_found' }
  /** The question was not answered. */
  | { readonly kind: 'unclear'; readonly detail: string }
  /** The provider hints at news without proof: it will be asked. */
  | { readonly kind: 'hint' }
  /** The provider refused what the customer answered to this, and would take another answer. */
  | { readonly kind: 'answer_refused'; readonly action: PendingAction }
  /** What the customer answered to this was not sent, for certain. */
  | { readonly kind: 'answer_unsent'; readonly action: PendingAction; readonly detail: string }
  /** What the provider must be given with the customer's answer is not there any more. */
  | { readonly kind: 'continuation_lost' }
  /** A provider reported something against the end of a payment, and does not answer when it is asked. */
  | { readonly kind: 'contradicted'; readonly reported: Said['state'] }
  /** A charge whose time was up before it could be sent. */
  | { readonly kind: 'too_late' }
  /** A payout that is not sent, since an earlier attempt has moved its money. */
  | { readonly kind: 'paid_before' }
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
  /** Of a question put after the end of the payment: its number. Its answer counts while no later one was put. */
  readonly question?: number
  /** Of an answer to a question: since when it may be true. Whoever asked may have slept over it. */
  readonly askedMsAgo?: () => number
  readonly news: News
}

/** What the decision must know of the providers. */
export interface Surroundings {
  readonly nowMs: number
  /** How long ago the question was asked that this is the answer to, at most. */
  readonly askedMsAgo: number
  readonly notFoundWindowMs: number
  /** How long after its expiry a charge can no longer be paid, where the provider documents that. */
  readonly deadAfterMs: number | undefined
  /** What the payment's other attempts moved, as the books have it. */
  readonly movedElsewhere: bigint
  /** The one among them that paid a payout as it was asked for. */
  readonly paidBy?: Attempt | undefined
  /** Usable providers that have not been tried, the preferred first. */
  readonly alternatives: readonly string[]
  /** Usable providers that were tried and could not take it then, but may later. */
  readonly returns?: readonly string[]
  /** Between 0 and 1, so that polls spread out. */
  readonly jitter: number
}

/** A receipt and its place in the books. */
export interface NewReceipt extends BookedReceipt {
  readonly fee: bigint
}

/** Money that did not move as the payment's end says. */
export interface Late {
  /** What the provider reports to have moved in all through an attempt. */
  readonly attempt?: number
  readonly moved?: bigint
  /** What of the returns to the payer through this attempt the provider has not reported yet. */
  readonly returned?: bigint
  /** What goes into suspense, or out of it below 0, and why a case is opened. What is there already is only given a case. */
  readonly suspend?: { readonly amount: bigint; readonly kind: CaseKind; readonly isThere?: true }
  /** What the bank took back of receipts that wait in suspense for the rest. */
  readonly receiptsBack?: bigint
  readonly adjustments?: readonly AdjustmentDraft[]
  /** The provider's own fee. */
  readonly fee?: bigint
}

/** What becomes of a payment. Nothing at all when the news changes nothing. */
export interface Decision {
  readonly progress: Partial<Progress>
  readonly attempt?: Partial<Attempt>
  /** A new attempt with another provider. */
  readonly reroute?: string
  readonly postings?: readonly PaymentPosting[]
  readonly settled?: Settled
  /** Money that came into the charge's account and was not booked yet. */
  readonly receipts?: readonly NewReceipt[]
  /** Receipts that the bank took back, or gave again. */
  readonly changedReceipts?: readonly BookedReceipt[]
  readonly late?: Late
  readonly event?: { readonly message: string; readonly isTold: boolean; readonly detail?: Record<string, unknown> }
  /** For the operator, at once. */
  readonly alert?: string
}

const pollPlanMs = [5000, 15_000, 30_000, 60_000, 120_000, 300_000]
const lastPollMs = 15 * 60_000
export const countMax = 30_000

export function failureOf(code: FailureCode): Failure {
  return { code, message: failureCodes[code] }
}

export function isAsAsked(
  { transaction: { amount, currency } }: Pick<Payment, 'transaction'>,
  settled: Settled,
): boolean {
  return settled.amount === amount && settled.currency === currency
}

export function failed(failure: Failure, message: string): Decision {
  return {
    progress: { state: 'failed', failure, doubt: '', action: null, wake_at: null },
    attempt: { outcome: 'failed', is_lost: false },
    postings: ['payout_failed'],
    event: { message, isTold: true },
  }
}

/**
 * Another amount than was asked for. What a charge collected is booked to suspense with a case, and the charge waits; of a
 * payout nothing is booked until an operator has found out.
 */
export function mismatch(payment: Payment, settled: Settled, around: Surroundings): Decision {
  const { doubt } = payment.transaction
  const detail = { amount: String(settled.amount), currency: settled.currency }
  return {
    progress: { state: 'unknown', doubt: 'amount_mismatch', ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...suspended(payment, settled),
    ...(doubt !== 'amount_mismatch' && {
      event: { message: 'The provider reported another amount than was requested.', isTold: false, detail },
      alert: 'a provider settled another amount than was requested',
    }),
  }
}

function suspended({ transaction, attempt }: Payment, { amount, currency }: Settled): Pick<Decision, 'late'> {
  const { type, method } = transaction
  const difference = amount - (attempt.moved ?? 0n)
  const isBooked = type === 'deposit' && method !== 'bank-transfer' && currency === transaction.currency
  if (!isBooked || difference === 0n) return {}
  const suspend = { amount: difference, kind: 'amount_mismatch' } as const
  return { late: { attempt: attempt.number, moved: amount, suspend } }
}

/** Whether the amount that this attempt moved is in suspense, because it is not the one that was requested. */
const isOtherAmountBooked = ({ transaction, attempt }: Payment): boolean =>
  transaction.suspended !== 0n && (attempt.moved ?? 0n) !== 0n

/** A charge whose other amount is in suspense ends as the provider reports it now: what was booked is undone first. */
export function released({ transaction, attempt }: Payment, moved: bigint): Pick<Decision, 'late'> {
  if (!isOtherAmountBooked({ transaction, attempt })) return {}
  // What other attempts moved stays in suspense.
  const suspend = { amount: -(attempt.moved ?? 0n), kind: 'amount_mismatch' } as const
  return { late: { attempt: attempt.number, moved, suspend } }
}

/** The provider has it. It may say so as often as it likes; only a change is worth an event. */
export function goOn(payment: Payment, said: State, asksFor: CustomerAction | null, around: Surroundings): Decision {
  const { state, action: before } = payment.transaction
  // That the provider has it does not mean that the customer need do nothing any more.
  const target = said === 'submitted' && state === 'waiting' ? 'waiting' : said
  // What was asked and answered is remembered, so that it is not asked again.
  const kept = target === 'waiting' || (before && isAnswerable(before)) ? before : null
  const action = asksFor && !isSameAction(asksFor, before) ? begun(asksFor) : kept
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
  return one?.kind === other?.kind && placeOf(one) === placeOf(other)
}

/** Where the customer has to go, for actions of one kind that differ by it. */
function placeOf(action: CustomerAction | null): string {
  if (action?.kind === 'redirect') return action.url
  return action?.kind === 'pay_to_account' ? action.account.accountNumber : ''
}

const answersMax = 3

/** What the merchant answers for the customer may be wrong so many times. */
export const isAnswerable = ({ kind }: CustomerAction): boolean => ['pin', 'otp', 'address'].includes(kind)

const begun = (action: CustomerAction): PendingAction =>
  isAnswerable(action) ? { ...action, attemptsLeft: answersMax } : action

/** Whether a charge's time is over, so that its end may be concluded from what its provider is asked now. */
function isExpired({ transaction }: Payment, cause: Cause, { nowMs }: Surroundings): boolean {
  const { expires_at, type, doubt } = transaction
  const isOver = type === 'deposit' && expires_at !== null && nowMs >= expires_at.getTime()
  return isOver && cause === 'query' && doubt !== 'amount_mismatch'
}

/** Ends a charge whose time is over and of which its provider knows nothing, or nothing more can come in. */
export function endIfExpired(payment: Payment, cause: Cause, around: Surroundings): Decision | undefined {
  if (!isExpired(payment, cause, around)) return undefined
  const { received } = payment.transaction
  if (received === 0n) return failed(failureOf('EXPIRED'), 'The customer did not complete the payment in time.')
  return {
    ...failed(failureOf('UNDERPAID'), failureCodes.UNDERPAID),
    late: { suspend: { amount: received, kind: 'underpaid', isThere: true } },
  }
}

/**
 * A charge whose time is over while its provider still reports it as under way: the customer may still pay. It stays open
 * until the provider reports the end, or until it can no longer be paid: as the provider documents, or because only an
 * answer that we send could go on with it.
 */
export function overdue(
  payment: Payment,
  asks: CustomerAction | null,
  cause: Cause,
  around: Surroundings,
): Decision | undefined {
  if (!isExpired(payment, cause, around)) return undefined
  const { expires_at, action, state, doubt } = payment.transaction
  const open = asks ?? (state === 'waiting' ? action : null)
  const deadAt = (expires_at?.getTime() ?? 0) + (around.deadAfterMs ?? Number.POSITIVE_INFINITY)
  const waitsForUs = open !== null && isAnswerable(open)
  if (waitsForUs || around.nowMs >= deadAt) return endIfExpired(payment, cause, around)
  return {
    progress: { state: 'unknown', doubt: 'overdue', action: null, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...(doubt !== 'overdue' && {
      event: { message: 'The time to pay is over, but the provider still reports it as under way.', isTold: true },
    }),
  }
}

export const asked = ({ attempt }: Payment): Partial<Attempt> => ({ polls: Math.min(attempt.polls + 1, countMax) })

/** When to ask next: soon at first, then ever more rarely, and at the latest when the payment expires. */
export function wakeLater({ transaction, attempt }: Payment, around: Surroundings): Pick<Progress, 'wake_at'> {
  const plain = pollPlanMs[attempt.polls] ?? lastPollMs
  const later = around.nowMs + plain * (0.8 + 0.4 * around.jitter)
  const end = transaction.expires_at?.getTime()
  return { wake_at: new Date(end !== undefined && end > around.nowMs ? Math.min(later, end) : later) }
}
