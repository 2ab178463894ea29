import { movedOf } from '../late-money/late-money.ts'
import { isFinal } from '../model/state.ts'
import type { Attempt, FullPayment, Payment } from '../model/store.ts'
import { asked, type Decision, type News, type Surroundings, wakeLater } from './decision.ts'

/** Whether an attempt that was given up moved money of a payout, as the books have it: then it is not sent again. */
export function isPaidBefore({ transaction, givenUp }: Pick<FullPayment, 'transaction' | 'givenUp'>): boolean {
  return transaction.type === 'withdrew' && givenUp.some((attempt) => movedOf(transaction, attempt) > 0n)
}

/** The attempt, among others than the current one, that paid a payout as it was asked for. */
export function earlierPaying({ transaction }: Pick<Payment, 'transaction'>, others: readonly Attempt[]) {
  return others.find((attempt) => movedOf(transaction, attempt) === transaction.amount)
}

/**
 * An earlier attempt of an open payout has moved money. Once the current one has certainly moved nothing, the payout is that
 * earlier attempt: it is not sent again, nor does it fail or get cancelled.
 */
export function unlessPaidBefore(
  payment: Payment,
  news: News,
  decision: Decision | undefined,
  around: Surroundings,
): Decision | undefined {
  const { type, state } = payment.transaction
  const isToLookAt = type === 'withdrew' && !isFinal(state) && around.movedElsewhere > 0n
  if (!decision || !isToLookAt || !isNothingMoved(decision)) return decision
  if (news.kind === 'cancel' || news.kind === 'retry') return undefined
  if (around.paidBy) return paidBy(payment, around.paidBy, decision)
  return news.kind === 'judged' ? decision : otherAmountPaid(payment, around)
}

/** It would fail, or be sent: again, later or elsewhere. */
function isNothingMoved({ progress, attempt, reroute }: Decision): boolean {
  return (
    progress.state === 'failed' || progress.state === 'accepted' || reroute !== undefined || attempt?.is_lost === true
  )
}

/** What was in suspense as money to recover is what the payout costs. */
function paidBy({ transaction }: Payment, { number, provider }: Attempt, { attempt }: Decision): Decision {
  const { amount } = transaction
  return {
    progress: { state: 'successful', failure: null, doubt: '', action: null, wake_at: null },
    attempt: { outcome: attempt?.outcome ?? 'not_submitted', is_lost: false },
    postings: ['payout_successful'],
    late: { attempt: number, moved: amount, suspend: { amount, kind: 'abandoned_attempt_success' } },
    event: { message: 'Paid out.', isTold: true, detail: { provider, attempt: number } },
  }
}

/** Sent again, too much would be paid; failed, too little would have been paid for. An operator finds out what is owed. */
function otherAmountPaid(payment: Payment, around: Surroundings): Decision {
  const isNew = payment.transaction.doubt !== 'amount_mismatch'
  const detail = { moved: String(around.movedElsewhere) }
  return {
    progress: { state: 'unknown', doubt: 'amount_mismatch', ...wakeLater(payment, around) },
    attempt: { ...asked(payment), is_lost: false },
    ...(isNew && {
      event: { message: 'An earlier attempt moved another amount; it is not sent again.', isTold: false, detail },
      alert: 'an earlier attempt moved another amount than a payout has',
    }),
  }
}
