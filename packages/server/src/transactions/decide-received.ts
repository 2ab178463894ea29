import type { Cause } from '../events/emit.ts'
import { feeOn, readRule } from '../money/fees.ts'
import type { Receipt } from '../providers/contract.ts'
import { chargeTakenBack, messageOf } from './decide-late.ts'
import {
  asked,
  type Decision,
  endIfExpired,
  goOn,
  type Late,
  mismatch,
  type NewReceipt,
  type Surroundings,
  wakeLater,
} from './decision.ts'
import { type AdjustmentDraft, asideThere, chargebackWon, lateReceipt, smaller, withLate } from './late-money.ts'
import { isFinal } from './state.ts'
import type { BookedReceipt, KnownPayment, Transaction } from './store.ts'

/**
 * Money that came into the account of a charge. Each receipt is booked once, whoever reports it and however often, and one
 * that the bank took back no longer counts. When they reach the amount the charge is paid, with all of them; what comes or
 * goes after the end is an adjustment.
 */
export function decideReceived(
  payment: KnownPayment,
  reported: readonly Receipt[],
  cause: Cause,
  around: Surroundings,
): Decision | undefined {
  const { transaction } = payment
  const strange = reported.find(({ currency }) => currency !== transaction.currency)
  if (strange) return isFinal(transaction.state) ? undefined : mismatch(payment, strange, around)
  const change = changeOf(payment, reported)
  if (isFinal(transaction.state)) return afterTheEnd(payment, change)
  return beforeTheEnd(payment, change, cause, around)
}

/** How a report differs from what is booked. */
interface Change {
  readonly fresh: readonly NewReceipt[]
  /** Booked before and taken back since. */
  readonly lost: readonly BookedReceipt[]
  /** Taken back before and there again. */
  readonly again: readonly BookedReceipt[]
}

function changeOf({ receipts: booked, transaction }: KnownPayment, reported: readonly Receipt[]): Change {
  const known = new Map(booked.map((receipt) => [receipt.receipt_id, receipt]))
  const byId = new Map(reported.map((receipt) => [receipt.id, receipt]))
  const isBack = ({ receipt_id }: BookedReceipt) => byId.get(receipt_id)?.isReversed === true
  const unknown = [...byId.values()].filter(({ id, isReversed }) => !known.has(id) && !isReversed)
  return {
    fresh: unknown.map((receipt, index) => newReceipt(transaction, receipt, booked.length + index)),
    lost: booked.filter((receipt) => !receipt.is_reversed && isBack(receipt)),
    again: booked.filter((receipt) => receipt.is_reversed && byId.has(receipt.receipt_id) && !isBack(receipt)),
  }
}

function newReceipt(
  { id, state }: Transaction,
  { id: receipt_id, amount, fee = 0n }: Receipt,
  number: number,
): NewReceipt {
  return { transaction_id: id, receipt_id, number, amount, fee, is_late: isFinal(state), is_reversed: false }
}

const sumOf = (receipts: readonly BookedReceipt[]) => receipts.reduce((sum, { amount }) => sum + amount, 0n)

/** Receipts whose mark changes. */
function marked({ lost, again }: Change): Pick<Decision, 'changedReceipts'> {
  const changed = [
    ...lost.map((receipt) => ({ ...receipt, is_reversed: true })),
    ...again.map((receipt) => ({ ...receipt, is_reversed: false })),
  ]
  return changed.length === 0 ? {} : { changedReceipts: changed }
}

function beforeTheEnd(payment: KnownPayment, change: Change, cause: Cause, around: Surroundings): Decision {
  const { transaction } = payment
  const { fresh, lost, again } = change
  const receiptsBack = sumOf(lost) - sumOf(again)
  const received = transaction.received + sumOf(fresh) - receiptsBack
  const booked = { receipts: fresh, ...marked(change) }
  const late: Late = { receiptsBack }
  if (received >= transaction.amount && received > 0n)
    return { ...complete(payment, fresh, received), ...booked, ...(receiptsBack !== 0n && { late }) }
  const total = { ...payment, transaction: { ...transaction, received } }
  const isNews = fresh.length + lost.length + again.length > 0
  const next =
    endIfExpired(total, cause, around) ??
    (isNews ? short(payment, change, around) : goOn(payment, 'submitted', null, around))
  return {
    ...next,
    progress: { ...next.progress, received },
    ...booked,
    ...((next.late || receiptsBack !== 0n) && { late: { ...next.late, ...(receiptsBack !== 0n && late) } }),
  }
}

function complete({ transaction }: KnownPayment, receipts: readonly NewReceipt[], received: bigint): Decision {
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
    event: { message: isOver ? 'Paid, with more than was requested.' : 'Paid.', isTold: true },
  }
}

/** By the rule in force at acceptance, on all that was received. A charge from before rules were kept pays what was quoted. */
function feeTaken({ fee, fee_rule }: Transaction, received: bigint): bigint {
  return fee_rule ? feeOn(readRule(fee_rule), received) : fee
}

function short(payment: KnownPayment, { fresh }: Change, around: Surroundings): Decision {
  const came = 'A part of the amount was received; waiting for the rest.'
  const message = fresh.length > 0 ? came : 'The bank took back a part of what was received.'
  return {
    progress: { state: 'waiting', doubt: '', failure: null, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), refusals: 0, is_lost: false },
    event: { message, isTold: true },
  }
}

/** What arrived is credited; what the bank took back is debited, and what it gave again is credited again. */
function afterTheEnd(payment: KnownPayment, change: Change): Decision | undefined {
  const { transaction, attempt, receipts } = payment
  const { fresh, lost, again } = change
  if (fresh.length + lost.length + again.length === 0) return undefined
  const there = sumOf(receipts.filter(({ is_reversed }) => !is_reversed)) - attempt.returned
  const reported = returnReported(payment, lost)
  const steps: readonly Step[] = [
    (charge) => credited(fresh, (came) => lateReceipt(charge, came)),
    (charge) => chargeTakenBack(charge, sumOf(lost) - reported, asideThere(transaction, there)),
    (charge) => credited(again, (came) => givenAgain(charge, came)),
  ]
  const booked = steps.reduce<Late>((before, step) => joined(before, step(withLate(transaction, before))), {})
  const late = reported > 0n ? { ...booked, attempt: attempt.number, returned: attempt.returned - reported } : booked
  return {
    progress: {},
    receipts: fresh,
    ...marked(change),
    late,
    event: { message: messageOf(late), isTold: false },
    alert: 'a bank reported transfers moved after the end of a charge',
  }
}

/**
 * The bank may report what the operator returned to the payer as taken back. Only receipts of before the end can be that:
 * what came later was credited.
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
