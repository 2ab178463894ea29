import type { Cause } from '../events/emit.ts'
import { feeOn, readRule } from '../money/fees.ts'
import type { Receipt } from '../providers/contract.ts'
import { otherAmount } from './decide-final.ts'
import {
  asked,
  type Decision,
  endIfExpired,
  flagged,
  goOn,
  mismatch,
  type NewReceipt,
  type Surroundings,
  wakeLater,
} from './decision.ts'
import { isFinal } from './state.ts'
import type { KnownPayment, Transaction } from './store.ts'

/**
 * Money that came into the account of a charge. Each receipt is booked once, whoever tells of it and however often. When they
 * reach the amount the charge is paid, with all of them; what comes after the end is kept for the operator.
 */
export function decideReceived(
  payment: KnownPayment,
  told: readonly Receipt[],
  cause: Cause,
  around: Surroundings,
): Decision | undefined {
  const { transaction } = payment
  const strange = told.find(({ currency }) => currency !== transaction.currency)
  if (strange) return isFinal(transaction.state) ? otherAmount(payment, strange) : mismatch(payment, strange, around)
  const receipts = unbooked(payment, told)
  const came = receipts.reduce((sum, { amount }) => sum + amount, 0n)
  if (isFinal(transaction.state)) return receipts.length === 0 ? undefined : afterTheEnd(payment, receipts, came)
  const received = transaction.received + came
  if (received >= transaction.amount && received > 0n) return complete(payment, receipts, received)
  const total = { ...payment, transaction: { ...transaction, received } }
  const ended = endIfExpired(total, cause, around)
  const next = ended ?? (receipts.length > 0 ? short(payment, around) : goOn(payment, 'submitted', null, around))
  return { ...next, progress: { ...next.progress, received }, receipts }
}

function unbooked({ receipts: booked, transaction }: KnownPayment, told: readonly Receipt[]): NewReceipt[] {
  const known = new Set(booked.map(({ receipt_id }) => receipt_id))
  // A receipt that was reversed before it was booked never counts.
  const isNew = ({ id, isReversed }: Receipt) => !known.has(id) && !isReversed
  const fresh = new Map(told.filter(isNew).map((receipt) => [receipt.id, receipt]))
  const is_late = isFinal(transaction.state)
  return [...fresh.values()].map(({ id, amount, fee = 0n }, index) => ({
    transaction_id: transaction.id,
    receipt_id: id,
    number: booked.length + index,
    amount,
    fee,
    is_late,
  }))
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
    receipts,
    event: { message: isOver ? 'Paid, with more than was asked for.' : 'Paid.', isTold: true },
  }
}

/** By the rule in force at acceptance, on all that was received. A charge from before rules were kept pays what was quoted. */
function feeTaken({ fee, fee_rule }: Transaction, received: bigint): bigint {
  return fee_rule ? feeOn(readRule(fee_rule), received) : fee
}

function short(payment: KnownPayment, around: Surroundings): Decision {
  return {
    progress: { state: 'waiting', doubt: '', failure: null, ...wakeLater(payment, around) },
    attempt: { ...asked(payment), refusals: 0, is_lost: false },
    event: { message: 'A part of the amount came in; waiting for the rest.', isTold: true },
  }
}

function afterTheEnd(payment: KnownPayment, receipts: readonly NewReceipt[], came: bigint): Decision {
  return {
    progress: flagged(payment, 'late_receipt'),
    receipts,
    event: {
      message: 'Money came in after the end; it is kept for the operator.',
      isTold: true,
      detail: { amount: String(came), currency: payment.transaction.currency },
    },
    alert: 'money came in for a charge that had ended',
  }
}
