import type { Cause } from '../../events/emit.ts'
import type { CustomerAction, Failure, NotSubmittedCause, ProviderStatus, Settled } from '../../providers/contract.ts'
import { type FailureCode, failureCodes } from '../../providers/failure-codes.ts'
import type { AdjustmentDraft } from '../late-money/late-money.ts'
import type { CaseKind } from '../late-money/suspense-cases.ts'
import { isOutgoing } from '../model/outgoing.ts'
import { isFinal, type State } from '../model/state.ts'
import type {
  Attempt,
  BookedReceipt,
  Payment,
  PendingAction,
  Progress,
  Question,
  TransactionType,
} from '../model/store.ts'
import type { PaymentPosting } from './payment-postings.ts'
import { spread, timing } from './timing.ts'

/** What was observed about a payment, or is requested for it. */
export type Observation =
  | { readonly kind: 'reported'; readonly providerStatus: ProviderStatus }
  /** This send certainly moved nothing. */
  | { readonly kind: 'not_submitted'; readonly cause: NotSubmittedCause; readonly detail: string }
  /** This send may have moved money. A refusal that leaves this open carries its failure. */
  | { readonly kind: 'unknown'; readonly detail: string; readonly failure?: Failure }
  /** The provider does not know the key. */
  | { readonly kind: 'not_found' }
  /** The query got no usable response. */
  | { readonly kind: 'unclear'; readonly detail: string }
  /** The provider hints at a change without proof, so it is queried. */
  | { readonly kind: 'hint' }
  /** The provider refused the customer's answer to this action, and would take another. */
  | { readonly kind: 'answer_refused'; readonly action: PendingAction }
  /** The customer's answer to this action was certainly not sent. */
  | { readonly kind: 'answer_unsent'; readonly action: PendingAction; readonly detail: string }
  /** The continuation that the provider needs with the customer's answer is gone. */
  | { readonly kind: 'continuation_lost' }
  /** A provider reported something against the end of a payment, and did not confirm it when queried. */
  | { readonly kind: 'contradicted'; readonly reported: ProviderStatus['state'] }
  /** A charge that expired before it could be sent. */
  | { readonly kind: 'too_late' }
  /** A payout that is not sent, because an earlier attempt has moved its money. */
  | { readonly kind: 'paid_before' }
  /** The merchant cancels it. */
  | { readonly kind: 'cancel' }
  /** The merchant requests another notification of the current status. */
  | { readonly kind: 'announce' }
  /** An operator has evidence of the outcome. */
  | { readonly kind: 'operator_resolved'; readonly outcome: 'successful' | 'failed' }
  /** An operator requests another send under the same key. */
  | { readonly kind: 'retry' }
  /** A person of the merchant decides about a payout that needs approval. */
  | { readonly kind: 'approve' }
  | { readonly kind: 'reject' }
  /** The time to approve a payout is over. */
  | { readonly kind: 'approval_expired' }

export interface Observed {
  readonly cause: Cause
  /** For the response to a question. It counts against the books only if the question is still the last one. */
  readonly question?: Question
  /** For the response to a lane's query: when its claim ends. Another time in the payment means that it was woken or claimed since. */
  readonly claimedUntil?: Date | null
  /** For the response to a query: its age. The process that made the query may have slept. */
  readonly queriedMsAgo?: () => number
  readonly observation: Observation
}

/** What the decision needs to know about the providers. */
export interface DecisionInputs {
  readonly nowMs: number
  /** The maximum age of the query that this responds to. */
  readonly queriedMsAgo: number
  readonly notFoundWindowMs: number
  /** How long after its expiry a charge can no longer be paid, if the provider documents that. */
  readonly deadAfterMs: number | undefined
  /** What the payment's other attempts moved, according to the books. */
  readonly movedElsewhere: bigint
  /** What went back of a charge by refunds, or is about to. Its provider cannot take that from the merchant again. */
  readonly refunded?: bigint
  /** What a refund that succeeded returned of its charge's fee. */
  readonly feeReturned?: bigint
  /** The one among them that paid the requested amount of a payout. */
  readonly paidBy?: Attempt | undefined
  /** Usable providers that were not tried, the preferred first. */
  readonly alternatives: readonly string[]
  /** Usable providers that were tried and could not take it then, but may later. */
  readonly returns?: readonly string[]
  /** Between 0 and 1, to spread polls. */
  readonly jitter: number
}

/** A receipt and its place in the books. */
export interface NewReceipt extends BookedReceipt {
  readonly fee: bigint
}

/** Money that moved differently from the payment's end. */
export interface Late {
  /** The total that the provider reports to have moved through an attempt. */
  readonly attempt?: number
  readonly moved?: bigint
  /** The part of the returns to the payer through this attempt that the provider has not reported yet. */
  readonly returned?: bigint
  /**
   * What goes into suspense, or out of it if negative, and the kind of case to open. With `isThere` the money is already in
   * suspense and only gets a case.
   */
  readonly suspend?: { readonly amount: bigint; readonly kind: CaseKind; readonly isThere?: true }
  /** What the bank took back of receipts that are in suspense until the rest arrives. */
  readonly receiptsBack?: bigint
  readonly adjustments?: readonly AdjustmentDraft[]
  /** The provider's own fee. */
  readonly fee?: bigint
}

/** The effect on a payment. Undefined when the observation changes nothing. */
export interface Decision {
  readonly progress: Partial<Progress>
  readonly attempt?: Partial<Attempt>
  /** The provider of a new attempt. */
  readonly reroute?: string
  readonly postings?: readonly PaymentPosting[]
  readonly settled?: Settled
  /** Money that came into the charge's account and was not booked yet. */
  readonly receipts?: readonly NewReceipt[]
  /** Receipts that the bank took back or restored. */
  readonly changedReceipts?: readonly BookedReceipt[]
  readonly late?: Late
  readonly event?: {
    readonly message: string
    readonly notifiesMerchant: boolean
    readonly detail?: Record<string, unknown>
  }
  /** An immediate alert for the operator. */
  readonly alert?: string
}

export const countMax = 30_000

/** The question whose response counts: put after the end, once the payment has ended. */
export const lastQuestion = ({ transaction, attempt }: Payment): Question => ({
  number: attempt.polls,
  isAfterEnd: isFinal(transaction.state),
})

export function isLast(payment: Payment, question: Question | undefined): boolean {
  const { number, isAfterEnd } = lastQuestion(payment)
  return question?.number === number && question.isAfterEnd === isAfterEnd
}

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
    event: { message, notifiesMerchant: true },
  }
}

const endings: Readonly<Record<TransactionType, string>> = {
  deposit: 'Paid.',
  withdrew: 'Paid out.',
  refund: 'Refunded.',
  conversion: 'Converted.',
  adjustment: 'Adjusted.',
}

export function successful(payment: Payment, settled: Settled): Decision {
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
    postings: [isOutgoing({ type }) ? 'payout_successful' : 'charge_successful', 'provider_fee_reported'],
    settled,
    event: { message: endings[type], notifiesMerchant: true },
  }
}

/**
 * The provider reports another amount than was requested. A charge's money is booked to suspense with a case, and the charge
 * waits. A payout books nothing until an operator has checked.
 */
export function mismatch(payment: Payment, settled: Settled, around: DecisionInputs): Decision {
  const { doubt } = payment.transaction
  const detail = { amount: String(settled.amount), currency: settled.currency }
  return {
    progress: { state: 'unknown', doubt: 'amount_mismatch', ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...suspended(payment, settled),
    ...(doubt !== 'amount_mismatch' && {
      event: { message: 'The provider reported another amount than requested.', notifiesMerchant: false, detail },
      alert: 'provider moved another amount than requested',
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

/** Whether the amount that this attempt moved is in suspense because it differs from the requested amount. */
const isOtherAmountBooked = ({ transaction, attempt }: Payment): boolean =>
  transaction.suspended !== 0n && (attempt.moved ?? 0n) !== 0n

/** A charge with another amount in suspense ends as the provider reports it now. The earlier booking is undone first. */
export function released({ transaction, attempt }: Payment, moved: bigint): Pick<Decision, 'late'> {
  if (!isOtherAmountBooked({ transaction, attempt })) return {}
  // What other attempts moved stays in suspense.
  const suspend = { amount: -(attempt.moved ?? 0n), kind: 'amount_mismatch' } as const
  return { late: { attempt: attempt.number, moved, suspend } }
}

/** The provider has it and may report so any number of times. Only a change makes an event. */
export function proceed(
  payment: Payment,
  providerStatus: State,
  asksFor: CustomerAction | null,
  around: DecisionInputs,
): Decision {
  const { state, action: before } = payment.transaction
  // The customer may still have to act although the provider has the payment.
  const target = providerStatus === 'submitted' && state === 'waiting' ? 'waiting' : providerStatus
  // An answered question is remembered, so that the customer is not asked again.
  const kept = target === 'waiting' || (before && isAnswerable(before)) ? before : null
  const action = asksFor && !isSameAction(asksFor, before) ? begun(asksFor) : kept
  const isNewAction = !isSameAction(action, before)
  const message = target === 'waiting' ? 'Waiting for the customer.' : 'The provider is processing it.'
  // An action that acceptance already returned needs no notification when the provider reports the same.
  const notifiesMerchant = (target === 'waiting' && isNewAction) || state === 'unknown'
  return {
    progress: { state: target, doubt: '', failure: null, action, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), refusals: 0, is_lost: false },
    ...((state !== target || isNewAction) && { event: { message, notifiesMerchant } }),
  }
}

function isSameAction(one: CustomerAction | null, other: CustomerAction | null): boolean {
  return one?.kind === other?.kind && placeOf(one) === placeOf(other)
}

/** Where the customer has to go. Distinguishes actions of one kind. */
function placeOf(action: CustomerAction | null): string {
  if (action?.kind === 'redirect') return action.url
  return action?.kind === 'pay_to_account' ? action.account.accountNumber : ''
}

const answersMax = 3

/** Whether the merchant submits the customer's answer. Wrong answers are limited. */
export const isAnswerable = ({ kind }: CustomerAction): boolean => ['pin', 'otp', 'address'].includes(kind)

const begun = (action: CustomerAction): PendingAction =>
  isAnswerable(action) ? { ...action, attemptsLeft: answersMax } : action

/** Whether a charge has expired, so that a query made now may end it. */
function isExpired({ transaction }: Payment, cause: Cause, { nowMs }: DecisionInputs): boolean {
  const { expires_at, type, doubt } = transaction
  const isOver = type === 'deposit' && expires_at !== null && nowMs >= expires_at.getTime()
  return isOver && cause === 'query' && doubt !== 'amount_mismatch'
}

/** Ends an expired charge that its provider does not know, or that nothing more can come in for. */
export function endIfExpired(payment: Payment, cause: Cause, around: DecisionInputs): Decision | undefined {
  if (!isExpired(payment, cause, around)) return undefined
  const { received } = payment.transaction
  if (received === 0n) return failed(failureOf('EXPIRED'), 'The customer did not complete the payment in time.')
  return {
    ...failed(failureOf('UNDERPAID'), failureCodes.UNDERPAID),
    late: { suspend: { amount: received, kind: 'underpaid', isThere: true } },
  }
}

/**
 * An expired charge that its provider still reports as under way: the customer may still pay. It stays open until the provider
 * reports the end, or until it can no longer be paid: because the provider documents that, or because only an answer that we send
 * could continue it.
 */
export function overdue(
  payment: Payment,
  asks: CustomerAction | null,
  cause: Cause,
  around: DecisionInputs,
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
      event: {
        message: 'It has expired, but the provider still reports it as pending.',
        notifiesMerchant: true,
      },
    }),
  }
}

export const asked = ({ attempt }: Payment): Partial<Attempt> => ({ polls: Math.min(attempt.polls + 1, countMax) })

/** When to poll next: soon at first, then ever less often, and at the latest when the payment expires. */
export function wakeLater({ transaction, attempt }: Payment, around: DecisionInputs): Pick<Progress, 'wake_at'> {
  const plain = timing.pollStepsMs[attempt.polls] ?? timing.lastPollMs
  const later = around.nowMs + spread(plain, around.jitter)
  const end = transaction.expires_at?.getTime()
  return { wake_at: new Date(end !== undefined && end > around.nowMs ? Math.min(later, end) : later) }
}
