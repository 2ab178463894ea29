import type { Cause } from '../../events/emit.ts'
import { feeOn, readRule } from '../../money/fees.ts'
import type { Receipt } from '../../providers/contract.ts'
import {
  type AdjustmentDraft,
  asideThere,
  chargebackWon,
  lateReceipt,
  smaller,
  withLate,
} from '../late-money/late-money.ts'
import { isFinal } from '../model/state.ts'
import type { BookedReceipt, KnownPayment, Question, Transaction } from '../model/store.ts'
import { chargeTakenBack, messageOf } from './decide-late.ts'
import {
  asked,
  type Decision,
  type DecisionInputs,
  endIfExpired,
  isLast,
  type Late,
  lastQuestion,
  mismatch,
  type NewReceipt,
  type Observed,
  proceed,
  wakeLater,
} from './decision.ts'

/**
 * Money that came into the account of a charge. Each receipt is booked once, however often and by whichever source it is
 * reported, and a receipt that the bank took back no longer counts. A report may be old, so a contradiction of the books counts
 * only in the response to the last query. Any report can add a receipt, and before the end also remove one, since that never
 * credits too much. When the receipts reach the amount, the charge is paid with all of them. Changes after the end are
 * adjustments.
 */
export function decideReceived(
  payment: KnownPayment,
  reported: readonly Receipt[],
  { cause, question }: Pick<Observed, 'cause' | 'question'>,
  around: DecisionInputs,
): Decision | undefined {
  const { transaction } = payment
  const change = changeOf(payment, reported, question)
  const [strange] = strangeOf(payment, reported)
  if (isFinal(transaction.state)) return traced(payment, change, afterTheEnd(payment, change, around.refunded ?? 0n))
  if (!strange) return traced(payment, change, beforeTheEnd(payment, change, cause, around))
  return traced(payment, change, besideStrange(payment, strange, change, cause, around))
}

/** Receipts in another currency than the charge's. */
const strangeOf = ({ transaction }: Pick<KnownPayment, 'transaction'>, reported: readonly Receipt[]) =>
  reported.filter(({ currency }) => currency !== transaction.currency)

/** Receipts in the charge's own currency count. If others exist, the charge waits for a person unless it is paid. */
function besideStrange(
  payment: KnownPayment,
  strange: Receipt,
  change: Change,
  cause: Cause,
  around: DecisionInputs,
): Decision {
  if (!isChange(change) && change.gone.length === 0) return mismatch(payment, strange, around)
  const doubt = 'amount_mismatch' as const
  const inDoubt = { ...payment, transaction: { ...payment.transaction, doubt } }
  const counted = beforeTheEnd(inDoubt, change, cause, around)
  if (counted.progress.state === 'successful') return counted
  return { ...counted, progress: { ...counted.progress, state: 'unknown', doubt } }
}

/**
 * Receipts that do not count are recorded with the others: one that was taken back, so that an older report does not book it, and
 * one in another currency, so that it is reported once.
 */
function traced(
  { transaction, receipts: booked }: KnownPayment,
  { strange, fresh, gone }: Change,
  decided: Decision | undefined,
): Decision | undefined {
  const decision =
    gone.length === 0 ? decided : { progress: {}, ...decided, receipts: [...(decided?.receipts ?? []), ...gone] }
  if (strange.length === 0) return decision
  const noted = strange.map((receipt, index) => ({
    ...newReceipt(transaction, receipt, booked.length + fresh.length + gone.length + index),
    ...{ fee: 0n, is_late: true, is_reversed: true },
  }))
  const otherCurrency = strange.map(({ id, amount, currency }) => `${id}: ${amount} ${currency}`)
  const { message = 'A transfer in another currency was reported; it is not booked.', notifiesMerchant = false } =
    decision?.event ?? {}
  return {
    progress: {},
    ...decision,
    receipts: [...(decision?.receipts ?? []), ...noted],
    event: { message, notifiesMerchant, detail: { ...decision?.event?.detail, otherCurrency } },
    alert: 'transfer reported in another currency than the charge',
  }
}

/** How a report differs from the booked receipts. */
interface Change {
  readonly fresh: readonly NewReceipt[]
  /** Taken back before it was booked. */
  readonly gone: readonly NewReceipt[]
  /** Booked before and taken back since. */
  readonly lost: readonly BookedReceipt[]
  /** Taken back before and present again. */
  readonly again: readonly BookedReceipt[]
  /** In another currency, and not recorded yet. */
  readonly strange: readonly Receipt[]
}

const isChange = ({ fresh, lost, again }: Change) => fresh.length + lost.length + again.length > 0

function changeOf(
  { receipts: booked, transaction, attempt }: KnownPayment,
  reported: readonly Receipt[],
  question: Question | undefined,
): Change {
  const known = new Map(booked.map((receipt) => [receipt.receipt_id, receipt]))
  const own = reported.filter(({ currency }) => currency === transaction.currency)
  const byId = new Map(own.map((receipt) => [receipt.id, receipt]))
  const strange = new Map(strangeOf({ transaction }, reported).map((receipt) => [receipt.id, receipt]))
  const isBack = ({ receipt_id }: BookedReceipt) => byId.get(receipt_id)?.isReversed === true
  const unknown = [...byId.values()].filter(({ id }) => !known.has(id))
  const [came, gone] = [
    unknown.filter((receipt) => !receipt.isReversed),
    unknown.filter((receipt) => receipt.isReversed),
  ]
  const isContrary = (receipt: BookedReceipt) => byId.has(receipt.receipt_id) && isBack(receipt) !== receipt.is_reversed
  const contrary = booked.filter(isContrary)
  const isLastAnswer = isLast({ transaction, attempt }, question)
  const isOpen = !isFinal(transaction.state)
  return {
    fresh: came.map((receipt, index) => newReceipt(transaction, receipt, booked.length + index)),
    gone: gone.map((receipt, index) => ({
      ...newReceipt(transaction, receipt, booked.length + came.length + index),
      ...{ fee: 0n, is_reversed: true },
    })),
    lost: contrary.filter(({ is_reversed }) => !is_reversed && (isLastAnswer || isOpen)),
    again: contrary.filter(({ is_reversed }) => is_reversed && isLastAnswer),
    strange: [...strange.values()].filter(({ id }) => !known.has(id)),
  }
}

/** Whether a report differs from the booked receipts. After the response to the last query is booked, it no longer differs. */
export function isUnbooked(payment: KnownPayment, reported: readonly Receipt[]): boolean {
  const change = changeOf(payment, reported, lastQuestion(payment))
  return isChange(change) || change.gone.length + change.strange.length > 0
}

/** A failing charge leaves the received part in suspense. The part gets a case, whichever observation ends the charge. */
export function withCase({ transaction }: KnownPayment, decision: Decision | undefined): Decision | undefined {
  const { method, state } = transaction
  const { received = transaction.received, state: target } = decision?.progress ?? {}
  const isLeft = method === 'bank-transfer' && !isFinal(state) && target === 'failed' && received > 0n
  if (!decision || !isLeft || decision.late?.suspend) return decision
  const suspend = { amount: received, kind: 'underpaid', isThere: true } as const
  return { ...decision, late: { ...decision.late, suspend } }
}

function newReceipt(
  { id, state }: Transaction,
  { id: receipt_id, amount, fee = 0n }: Receipt,
  number: number,
): NewReceipt {
  return { transaction_id: id, receipt_id, number, amount, fee, is_late: isFinal(state), is_reversed: false }
}

const sumOf = (receipts: readonly BookedReceipt[]) => receipts.reduce((sum, { amount }) => sum + amount, 0n)

/** Receipts whose `is_reversed` changes. */
function marked({ lost, again }: Change): Pick<Decision, 'changedReceipts'> {
  const changed = [
    ...lost.map((receipt) => ({ ...receipt, is_reversed: true })),
    ...again.map((receipt) => ({ ...receipt, is_reversed: false })),
  ]
  return changed.length === 0 ? {} : { changedReceipts: changed }
}

function beforeTheEnd(payment: KnownPayment, change: Change, cause: Cause, around: DecisionInputs): Decision {
  const { transaction } = payment
  const { fresh, gone, lost, again } = change
  const receiptsBack = sumOf(gone) + sumOf(lost) - sumOf(again)
  const received = transaction.received + sumOf(fresh) + sumOf(gone) - receiptsBack
  const booked = { receipts: fresh, ...marked(change) }
  const late: Late = { receiptsBack }
  if (received >= transaction.amount && received > 0n)
    return { ...complete(payment, [...again, ...fresh], received), ...booked, ...(receiptsBack !== 0n && { late }) }
  const total = { ...payment, transaction: { ...transaction, received } }
  const next =
    endIfExpired(total, cause, around) ??
    (isChange(change) ? short(payment, change, around) : proceed(payment, 'submitted', null, around))
  return {
    ...next,
    progress: { ...next.progress, received },
    ...booked,
    ...((next.late || receiptsBack !== 0n) && { late: { ...next.late, ...(receiptsBack !== 0n && late) } }),
  }
}

function complete({ transaction }: KnownPayment, receipts: readonly BookedReceipt[], received: bigint): Decision {
  const isOver = received > transaction.amount
  return {
    progress: {
      state: 'successful',
      failure: null,
      doubt: '',
      action: null,
      wake_at: null,
      received,
      fee: feeTaken(transaction, received),
      receipt: receipts.at(-1)?.receipt_id ?? '',
    },
    attempt: { outcome: 'successful', is_lost: false },
    postings: ['receipts_complete'],
    settled: { amount: received, currency: transaction.currency },
    event: { message: isOver ? 'Paid, with more than the requested amount.' : 'Paid.', notifiesMerchant: true },
  }
}

/**
 * The fee by the rule in force at acceptance, on all that was received. A charge from before rules were stored pays the quoted
 * fee.
 */
function feeTaken({ fee, fee_rule }: Transaction, received: bigint): bigint {
  return fee_rule ? feeOn(readRule(fee_rule), received) : fee
}

function short(payment: KnownPayment, { fresh }: Change, around: DecisionInputs): Decision {
  const came = 'A part of the amount was received; waiting for the rest.'
  const message = fresh.length > 0 ? came : 'The bank took back a part of the received amount.'
  return {
    progress: { state: 'waiting', doubt: '', failure: null, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), refusals: 0, is_lost: false },
    event: { message, notifiesMerchant: true },
  }
}

/** New receipts are credited, receipts that the bank took back are debited, and receipts that it restored are credited again. */
function afterTheEnd(payment: KnownPayment, change: Change, refunded: bigint): Decision | undefined {
  const { transaction, attempt, receipts } = payment
  const { fresh, lost, again } = change
  if (!isChange(change)) return undefined
  const there = sumOf(receipts.filter(({ is_reversed }) => !is_reversed)) - attempt.returned
  const reported = returnReported(payment, lost)
  const steps: readonly Step[] = [
    (charge) => credited(fresh, (came) => lateReceipt(charge, came)),
    (charge) => chargeTakenBack(charge, sumOf(lost) - reported, asideThere(transaction, there), refunded),
    (charge) => credited(again, (came) => givenAgain(charge, came)),
  ]
  const booked = steps.reduce<Late>((before, step) => joined(before, step(withLate(transaction, before))), {})
  const late = reported > 0n ? { ...booked, attempt: attempt.number, returned: attempt.returned - reported } : booked
  return {
    progress: {},
    receipts: fresh,
    ...marked(change),
    late,
    event: { message: messageOf(late), notifiesMerchant: false },
    alert: 'transfers reported after the end of a charge',
  }
}

/**
 * The bank may report what the operator returned to the payer as taken back. This applies only to receipts from before the end:
 * later ones were credited.
 */
function returnReported({ transaction, attempt }: KnownPayment, lost: readonly BookedReceipt[]): bigint {
  const early = lost.filter(({ is_late }) => !is_late)
  return transaction.state === 'failed' ? smaller(sumOf(early), attempt.returned) : 0n
}

type Step = (charge: Transaction) => Pick<Late, 'suspend' | 'adjustments'>

function credited(receipts: readonly BookedReceipt[], draft: (came: bigint) => AdjustmentDraft): ReturnType<Step> {
  return receipts.length > 0 ? { adjustments: [draft(sumOf(receipts))] } : {}
}

const givenAgain = (charge: Transaction, came: bigint): AdjustmentDraft =>
  charge.state === 'successful' ? chargebackWon(charge, came) : lateReceipt(charge, came)

function joined(one: Late, other: Late): Late {
  const suspend = other.suspend ?? one.suspend
  return { ...(suspend && { suspend }), adjustments: [...(one.adjustments ?? []), ...(other.adjustments ?? [])] }
}
