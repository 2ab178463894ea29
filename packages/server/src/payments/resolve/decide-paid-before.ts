import { movedOf } from '../late-money/late-money.ts'
import { isOutgoing } from '../model/outgoing.ts'
import { isFinal } from '../model/state.ts'
import type { Attempt, FullPayment, Payment } from '../model/store.ts'
import { asked, type Decision, type DecisionInputs, type Observation, wakeLater } from './decision.ts'

/** Whether an abandoned attempt moved money of a payout, according to the books. Such a payout is not sent again. */
export function isPaidBefore({ transaction, abandoned }: Pick<FullPayment, 'transaction' | 'abandoned'>): boolean {
  return isOutgoing(transaction) && abandoned.some((attempt) => movedOf(transaction, attempt) > 0n)
}

/** The attempt, other than the current one, that paid the requested amount of a payout. */
export function earlierPaying({ transaction }: Pick<Payment, 'transaction'>, others: readonly Attempt[]) {
  return others.find((attempt) => movedOf(transaction, attempt) === transaction.amount)
}

/**
 * An earlier attempt of an open payout has moved money. Once it is certain that the current attempt moved nothing, the payout
 * succeeds by the earlier attempt: it is not sent again, and neither fails nor is cancelled.
 */
export function unlessPaidBefore(
  payment: Payment,
  observation: Observation,
  decision: Decision | undefined,
  around: DecisionInputs,
): Decision | undefined {
  const needsCheck =
    isOutgoing(payment.transaction) && !isFinal(payment.transaction.state) && around.movedElsewhere > 0n
  if (!decision || !needsCheck || !isNothingMoved(decision)) return decision
  if (observation.kind === 'cancel' || observation.kind === 'retry') return undefined
  if (around.paidBy) return paidBy(payment, around.paidBy, decision)
  return observation.kind === 'operator_resolved' ? decision : otherAmountPaid(payment, around)
}

/** The decision would fail the payout or send it: again, later or through another provider. */
function isNothingMoved({ progress, attempt, reroute }: Decision): boolean {
  return (
    progress.state === 'failed' || progress.state === 'accepted' || reroute !== undefined || attempt?.is_lost === true
  )
}

/** The money to recover in suspense becomes the cost of the payout. */
function paidBy({ transaction }: Payment, { number, provider }: Attempt, { attempt }: Decision): Decision {
  const { amount } = transaction
  return {
    progress: { state: 'successful', failure: null, doubt: '', action: null, wake_at: null },
    attempt: { outcome: attempt?.outcome ?? 'not_submitted', is_lost: false },
    postings: ['payout_successful'],
    late: { attempt: number, moved: amount, suspend: { amount, kind: 'abandoned_attempt_success' } },
    event: { message: 'Paid out.', notifiesMerchant: true, detail: { provider, attempt: number } },
  }
}

/**
 * Sending again would pay too much; failing would return money that was partly paid out. An operator must find out what is owed.
 */
function otherAmountPaid(payment: Payment, around: DecisionInputs): Decision {
  const isNew = payment.transaction.doubt !== 'amount_mismatch'
  const detail = { moved: String(around.movedElsewhere) }
  return {
    progress: { state: 'unknown', doubt: 'amount_mismatch', ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...(isNew && {
      event: {
        message: 'An earlier attempt moved another amount; the payout is not sent again.',
        notifiesMerchant: false,
        detail,
      },
      alert: 'earlier attempt moved another amount than the payout',
    }),
  }
}
