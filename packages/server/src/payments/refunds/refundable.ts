import type { Transaction } from '../model/store.ts'

/** What went back of a charge by refunds and by payouts in their place, in the charge's currency. */
export interface RefundSums {
  readonly pending: bigint
  readonly successful: bigint
  /** What the provider paid by refunds that had failed. It went back all the same. */
  readonly paidLate?: bigint | undefined
}

export const noRefunds: RefundSums = { pending: 0n, successful: 0n }

export const takenOf = ({ pending, successful }: RefundSums): bigint => pending + successful

type Collected = Pick<Transaction, 'type' | 'state' | 'method' | 'amount' | 'received'>
type Charge = Collected & Pick<Transaction, 'adjusted' | 'suspended'>

/** What the customer paid by the end of a charge; 0 unless it is successful. */
export function collectedOf({ type, state, method, amount, received }: Collected): bigint {
  if (type !== 'deposit' || state !== 'successful') return 0n
  return method === 'bank-transfer' ? received : amount
}

/**
 * How much of a charge can still go back: what was received, less what the provider took back, less what went back already. What
 * the provider took beyond the merchant's share is in suspense, below zero. It is gone too, also when the refund that covered it
 * fails.
 */
export function refundableOf(charge: Charge, sums: RefundSums): bigint {
  const beyond = charge.suspended < 0n ? charge.suspended : 0n
  const left = collectedOf(charge) + charge.adjusted + beyond - takenOf(sums) - (sums.paidLate ?? 0n)
  return collectedOf(charge) > 0n && left > 0n ? left : 0n
}

/**
 * The part of a charge's fee that comes back with a refund, in the wallet's currency: none unless the charge's fee rule returns
 * it. Shares are differences of one growing sum, so all refunds of a charge together return its whole fee and never more.
 */
export function feeReturned(
  charge: Collected & Pick<Transaction, 'fee' | 'fee_rule'>,
  before: RefundSums,
  amount: bigint,
): bigint {
  const collected = collectedOf(charge)
  if (!charge.fee_rule?.isReturned || collected === 0n) return 0n
  const due = (refunded: bigint) => (charge.fee * (refunded < collected ? refunded : collected)) / collected
  return due(before.successful + amount) - due(before.successful)
}
