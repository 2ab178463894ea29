import type { Said, Settled } from '../providers/contract.ts'
import { type Decision, flagged, isAsAsked, type Observation } from './decision.ts'
import { isFinal } from './state.ts'
import type { Payment, Transaction } from './store.ts'

/** What news against an end is held against. */
type Ended = Pick<Payment, 'transaction'>

/**
 * News against a final state is booked and flagged, once of each kind, and never changes the state. What was on its way when
 * the payment ended may be old, so only the answer to a question counts that was put after the end, and the last one.
 */
export function decideFinal(payment: Ended, said: Said): Decision | undefined {
  const { state, type, discrepancy } = payment.transaction
  const known = discrepancy.split(' ')
  const isTaken = state === 'successful' || known.includes('late_success')
  if (said.state === 'successful') return decideSuccess(payment, said.settled, isTaken)
  const isGivenBack = said.state === 'reversed' || said.state === 'failed'
  if (!isGivenBack || !isTaken || known.includes('reversed')) return undefined
  return {
    progress: flagged(payment, 'reversed'),
    postings: [type === 'withdrew' ? 'payout_reversed' : 'charge_reversed'],
    event: { message: 'The provider took it back; the operator looks into it.', isTold: false },
    alert: 'a payment that had succeeded was taken back',
  }
}

/** Of a success that is booked already only another sum is news. */
function decideSuccess(payment: Ended, settled: Settled, isTaken: boolean): Decision | undefined {
  if (payment.transaction.discrepancy.split(' ').includes('late_mismatch')) return undefined
  if (!isTaken) return lateSuccess(payment, settled)
  return isAsAsked(payment, settled) || payment.transaction.received > 0n ? undefined : otherAmount(payment, settled)
}

/** Money that moved after we had given it up. Another sum than was asked for is not booked: a person must find out. */
function lateSuccess(payment: Ended, settled: Settled): Decision | undefined {
  const { type } = payment.transaction
  if (!isAsAsked(payment, settled)) return otherAmount(payment, settled)
  return {
    progress: flagged(payment, 'late_success'),
    postings: [type === 'withdrew' ? 'payout_successful_late' : 'charge_successful_late', 'provider_fee_told'],
    settled,
    event: { message: 'The provider says it succeeded after all; the operator looks into it.', isTold: false },
    alert: 'a payment that had failed succeeded after all',
  }
}

/** Money that nobody can book as it stands: told once. */
export function otherAmount(payment: Ended, { amount, currency }: Settled): Decision | undefined {
  if (payment.transaction.discrepancy.split(' ').includes('late_mismatch')) return undefined
  return {
    progress: flagged(payment, 'late_mismatch'),
    event: {
      message: 'The provider says that it moved another amount; the operator looks into it.',
      isTold: false,
      detail: { amount: String(amount), currency },
    },
    alert: 'a provider moved another amount than a payment ended with',
  }
}

/** Whether word of a payment, if it is true, is news against its end. */
export function isContrary(transaction: Transaction, said: Said): boolean {
  return isFinal(transaction.state) && (said.state === 'received' || decideFinal({ transaction }, said) !== undefined)
}

/**
 * Word of an attempt that was given up because it was certain that nothing had been sent. That certainty was wrong: what
 * it moved is booked against suspense, whatever became of the payment, and somebody must look at once. Here too
 * only the last question counts.
 */
export function decideStray(payment: Payment, { news, question }: Observation): Decision | undefined {
  return news.kind === 'said' && question === payment.attempt.polls ? decideStrayWord(payment, news.said) : undefined
}

function decideStrayWord(payment: Ended, said: Said): Decision | undefined {
  const known = payment.transaction.discrepancy.split(' ')
  if (said.state === 'successful')
    return known.includes('stray_success') || known.includes('late_mismatch')
      ? undefined
      : straySuccess(payment, said.settled)
  const isGivenBack = said.state === 'reversed' || said.state === 'failed'
  const isMoved = known.includes('stray_success') && !known.includes('stray_reversed')
  return isGivenBack && isMoved ? strayReversed(payment) : undefined
}

/** Whether word of an attempt that was given up, if it is true, is news. */
export const isContraryStray = (transaction: Transaction, said: Said): boolean =>
  decideStrayWord({ transaction }, said) !== undefined

function strayReversed(payment: Ended): Decision {
  const { type } = payment.transaction
  return {
    progress: flagged(payment, 'stray_reversed'),
    postings: [type === 'withdrew' ? 'payout_reversed' : 'charge_reversed'],
    isStray: true,
    event: { message: 'What an attempt that was given up had moved was given back.', isTold: false },
  }
}

function straySuccess(payment: Ended, settled: Settled): Decision | undefined {
  const { type } = payment.transaction
  if (!isAsAsked(payment, settled)) return otherAmount(payment, settled)
  return {
    progress: flagged(payment, 'stray_success'),
    postings: [type === 'withdrew' ? 'payout_successful_late' : 'charge_successful_late', 'provider_fee_told'],
    settled,
    isStray: true,
    event: { message: 'An attempt that was given up moved money; the operator looks into it.', isTold: false },
    alert: 'an attempt that was given up moved money',
  }
}
