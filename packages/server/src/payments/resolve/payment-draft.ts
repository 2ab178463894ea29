import type { NewEvent } from '../../events/emit.ts'
import { laneOf, type Timer } from '../dispatch/timers.ts'
import { type Adjustment, adjustmentEvent } from '../late-money/adjustments.ts'
import { withLate } from '../late-money/late-money.ts'
import type { CaseChange } from '../late-money/suspense-cases.ts'
import { isFinal, stageOf } from '../model/state.ts'
import { type Attempt, type BookedReceipt, type FullPayment, freshAttempt, type Transaction } from '../model/store.ts'
import { merchantEventOf } from '../notify/webhook-body.ts'
import type { Decision, Observed } from './decision.ts'
import { latePostings } from './payment-postings.ts'

/** The working copy of a payment while a batch applies its observations. */
export interface PaymentDraft {
  readonly before: FullPayment
  transaction: Transaction
  attempt: Attempt
  abandoned: readonly Attempt[]
  receipts: readonly BookedReceipt[]
  /** Why its money is in suspense and where it moved, if that changed. */
  suspense: Pick<CaseChange, 'kind' | 'provider'> | undefined
  readonly adjustments: Adjustment[]
  ended: readonly Attempt[]
  readonly begun: Attempt[]
  readonly events: NewEvent[]
  readonly timers: Timer[]
}

export function begin(payment: FullPayment): PaymentDraft {
  return {
    before: payment,
    ...payment,
    suspense: undefined,
    adjustments: [],
    ended: [],
    begun: [],
    events: [],
    timers: [],
  }
}

/** Why a payment changes. */
interface Reason extends Pick<Observed, 'cause'> {
  /** For the event: who resolved the payment, and on what evidence. */
  readonly note?: Readonly<Record<string, unknown>>
}

interface Moment {
  readonly at: Date
  readonly cell: number
}

/** Applies a decision to the working copy. */
export function apply(draft: PaymentDraft, reason: Reason, decision: Decision, moment: Moment): void {
  const { progress, attempt: change, reroute, event } = decision
  const before = draft.transaction
  const number = before.events + (event ? 1 : 0)
  const moved = {
    ...before,
    ...progress,
    events: number,
    notified: before.notified + (event?.notifiesMerchant ? 1 : 0),
  }
  // Hints before an end are answered by it; later ones are of queries about the end.
  const hasEnded = isFinal(moved.state) && !isFinal(before.state)
  draft.attempt = { ...draft.attempt, ...change, ...((hasEnded || reroute !== undefined) && { is_hinted: false }) }
  draft.receipts = [...draft.receipts, ...(decision.receipts ?? [])]
  if (reroute !== undefined) {
    draft.ended = [...draft.ended, draft.attempt]
    draft.attempt = {
      ...freshAttempt,
      transaction_id: before.id,
      number: draft.attempt.number + 1,
      provider: reroute,
    }
    draft.begun.push(draft.attempt)
  } else if (draft.begun.length > 0) draft.begun.splice(-1, 1, draft.attempt)
  draft.transaction = { ...moved, attempt: draft.attempt.number, provider: draft.attempt.provider }
  const { wake_at, env, provider, id } = draft.transaction
  if (wake_at && wake_at !== before.wake_at)
    draft.timers.push({ due: wake_at, lane: laneOf(env, provider), transaction_id: id })
  if (event) draft.events.push(eventOf(draft.transaction, reason, event, moment))
}

/** Applies what moved outside the normal flow of the payment, and the adjustments made for it. */
export function applyLate(
  draft: PaymentDraft,
  { cause }: Reason,
  { late = {}, changedReceipts = [] }: Decision,
  made: readonly Adjustment[],
  { at, cell, provider }: Moment & { readonly provider: string },
): void {
  const before = draft.transaction
  const { attempt: number, suspend } = late
  const report = (attempt: Attempt): Attempt => {
    const { moved = attempt.moved, returned = attempt.returned } = late
    return attempt.number === number ? { ...attempt, moved, returned } : attempt
  }
  draft.attempt = report(draft.attempt)
  draft.abandoned = draft.abandoned.map(report)
  draft.ended = draft.ended.map(report)
  draft.receipts = draft.receipts.map(
    (receipt) => changedReceipts.find(({ receipt_id }) => receipt_id === receipt.receipt_id) ?? receipt,
  )
  if (suspend) draft.suspense = { kind: suspend.kind, provider }
  draft.adjustments.push(...made)
  draft.events.push(...made.map(({ transaction }) => adjustmentEvent(transaction, cause, at, cell)))
  draft.transaction = {
    ...withLate(before, late),
    adjustments: [...before.adjustments, ...made.map(({ transaction }) => transaction.id)],
    late_postings: before.late_postings + latePostings(late).length,
  }
}

function eventOf(
  transaction: Transaction,
  { cause, note }: Reason,
  { message, notifiesMerchant, detail = {} }: NonNullable<Decision['event']>,
  { at, cell }: Moment,
): NewEvent {
  const { id, merchant_id, env, state, failure, events: number, notified } = transaction
  return {
    transaction_id: id,
    number,
    merchant_id,
    env,
    cause,
    notification: notifiesMerchant ? merchantEventOf(transaction, nameOf(transaction), notified, at, cell) : null,
    state,
    stage: stageOf(state, failure?.code),
    message,
    detail: { ...detail, ...note },
  }
}

const nameOf = ({ type }: Transaction) => (type === 'adjustment' ? 'adjustment_created' : 'transaction_updated')
