import { feeOn, readRule } from '../../money/fees.ts'
import { isOutgoing } from '../model/outgoing.ts'
import type { AdjustmentReason, Attempt, FullPayment, Transaction } from '../model/store.ts'
import type { Late } from '../resolve/decision.ts'

/** What an adjustment moves, in minor units. */
export interface AdjustmentDraft {
  readonly reason: AdjustmentReason
  readonly direction: 'credit' | 'debit'
  /** What moved at the provider, in the payment's currency. */
  readonly amount: bigint
  /** The merchant's side of it before the fee, in the wallet's currency. */
  readonly wallet_amount: bigint
  /** For a credit, the fee deducted from it. For a debit or a returned payout, the fee that we give back. */
  readonly fee: bigint
  /** The part of our exchange income that moves with it, in the wallet's currency. */
  readonly spread: bigint
  /** Of a returned refund: the fee of the charge that came back with the refund, and is due again. */
  readonly feeDue?: bigint
}

type Sums = Pick<
  Transaction,
  | 'type'
  | 'method'
  | 'state'
  | 'amount'
  | 'received'
  | 'wallet_amount'
  | 'fee'
  | 'fee_rule'
  | 'rate'
  | 'adjusted'
  | 'adjusted_fee'
>

/** What moved through an attempt according to the books, in the payment's currency. */
export function movedOf(
  { amount, method, received }: Pick<Transaction, 'amount' | 'method' | 'received'>,
  { moved, outcome }: Pick<Attempt, 'moved' | 'outcome'>,
): bigint {
  if (moved !== null) return moved
  if (outcome !== 'successful') return 0n
  return method === 'bank-transfer' ? received : amount
}

/** What moved through all attempts of a payment. Of a bank transfer charge: what was received and not taken back since. */
export function movedInAll({ transaction, attempt, abandoned, receipts }: FullPayment): bigint {
  const add = (sum: bigint, amount: bigint) => sum + amount
  if (transaction.method !== 'bank-transfer')
    return [attempt, ...abandoned].map((each) => movedOf(transaction, each)).reduce(add, 0n)
  const there = receipts.filter(({ is_reversed }) => !is_reversed)
  return there.map(({ amount }) => amount).reduce(add, 0n) - attempt.returned
}

/** What an attempt moved, as a part of the payment's money in suspense. */
interface Part {
  readonly attempt: Attempt
  readonly amount: bigint
}

/**
 * The attempts through which money in suspense came in, starting with the provider that the case names. The merchant's share of a
 * successful charge came through the current attempt.
 */
export function partsOf(charge: Transaction, attempts: readonly Attempt[], provider: string, amount: bigint): Part[] {
  const named = attempts.filter((each) => each.provider === provider)
  const ordered = [...named, ...attempts.filter((each) => !named.includes(each))]
  if (charge.method === 'bank-transfer') return ordered.slice(0, 1).map((attempt) => ({ attempt, amount }))
  let left = amount
  const parts = ordered.map((attempt) => {
    const isEnd = attempt.number === charge.attempt && charge.state === 'successful'
    const there = movedOf(charge, attempt) - (isEnd ? smaller(merchantShare(charge), charge.amount) : 0n)
    const part = smaller(left, larger(there, 0n))
    left -= part
    return { attempt, amount: part }
  })
  return parts.filter((part) => part.amount > 0n)
}

/** What the merchant has of a charge, or has paid for a payout, before fees and in the payment's currency. */
export function merchantShare({ type, method, state, amount, received, adjusted }: Sums): bigint {
  const atTheEnd = state !== 'successful' ? 0n : method === 'bank-transfer' ? received : amount
  return isOutgoing({ type }) ? atTheEnd - adjusted : atTheEnd + adjusted
}

/** The payment after this is booked. */
export function withLate(transaction: Transaction, { adjustments = [], suspend }: Late): Transaction {
  const sums = adjustments.map(({ direction, amount, fee }) => {
    const isCredit = direction === 'credit'
    const isCharged = isCredit && transaction.type === 'deposit'
    return { amount: isCredit ? amount : -amount, fee: isCharged ? fee : -fee }
  })
  return {
    ...transaction,
    adjusted: sums.reduce((sum, { amount }) => sum + amount, transaction.adjusted),
    adjusted_fee: sums.reduce((sum, { fee }) => sum + fee, transaction.adjusted_fee),
    suspended: transaction.suspended + (suspend?.amount ?? 0n),
  }
}

/**
 * What moved and is neither the merchant's share of the payment nor in suspense: it was written off, or cleared with the merchant
 * in another wallet. If it goes back, a person decides whose it is.
 */
export function clearedAside(payment: Sums & Pick<Transaction, 'suspended'>, movedInAll: bigint): bigint {
  const { type, suspended } = payment
  return movedInAll - merchantShare(payment) + (isOutgoing({ type }) ? suspended : -suspended)
}

/** How much of that may still go back. What already went back has a case. */
export function asideThere(payment: Sums & Pick<Transaction, 'suspended'>, movedInAll: bigint): bigint {
  const { type, suspended } = payment
  const back = larger(isOutgoing({ type }) ? suspended : -suspended, 0n)
  return larger(clearedAside(payment, movedInAll) - back, 0n)
}

/** The fees that the merchant has paid for it so far. */
const feesPaid = ({ state, fee, adjusted_fee }: Sums) => (state === 'successful' ? fee : 0n) + adjusted_fee

/** A charge that succeeded after its end is credited as if it had succeeded in time. */
export function lateSuccess(charge: Sums): AdjustmentDraft {
  const { amount, wallet_amount, fee } = charge
  return {
    reason: 'late_success',
    direction: 'credit',
    amount,
    wallet_amount,
    fee,
    spread: spreadOf(charge, amount),
  }
}

/** A transfer that arrived after the end. */
export function lateReceipt(charge: Sums, came: bigint): AdjustmentDraft {
  return {
    reason: 'late_receipt',
    direction: 'credit',
    amount: came,
    wallet_amount: came,
    fee: lateFee(charge, came),
    spread: 0n,
  }
}

/**
 * The fee on money of a charge that is credited after its end: the fee due on all that the merchant then has, less what it paid,
 * and never more than the credit. A payout costs no further fee.
 */
export function lateFee(charge: Sums, came: bigint): bigint {
  if (charge.type !== 'deposit') return 0n
  const before = merchantShare(charge)
  const due = feeDue(charge, before + came) - feesPaid(charge)
  return due < 0n ? 0n : smaller(due, walletSide(charge, before + came) - walletSide(charge, before))
}

/**
 * Up to the agreed amount, the agreed fee, also for a part. Above it, and for money that came after a failure, the fee by the
 * rule.
 */
function feeDue(charge: Sums, share: bigint): bigint {
  const { state, method, received, amount, fee, fee_rule } = charge
  const agreed = method === 'bank-transfer' ? received : amount
  if (share <= 0n) return 0n // The operator debited more than the merchant had of it.
  if (state === 'successful' && share <= agreed) return fee
  return fee_rule ? feeOn(readRule(fee_rule), walletSide(charge, share)) : 0n
}

/**
 * The fee on money of a charge that is credited to a wallet in the payment's currency, in that currency. The rule is in the
 * currency of the payment's own wallet, so the fee for this part is converted at the payment's rate.
 */
export function lateFeeAside(charge: Sums, came: bigint, aside: bigint): bigint {
  const { type, fee_rule, amount, wallet_amount } = charge
  if (type !== 'deposit' || !fee_rule || wallet_amount === 0n) return 0n
  const rule = readRule(fee_rule)
  const had = larger(merchantShare(charge), 0n) + larger(aside, 0n)
  const due = feeOn(rule, walletSide(charge, had + came)) - (had > 0n ? feeOn(rule, walletSide(charge, had)) : 0n)
  return smaller((larger(due, 0n) * amount) / wallet_amount, came)
}

/** The merchant returns what it was credited. We give back the fee only when no other money is left. */
export function chargeReversed(charge: Sums, back: bigint): AdjustmentDraft {
  const before = merchantShare(charge)
  const gross = walletSide(charge, before) - walletSide(charge, before - back)
  const net = walletSide(charge, before) - feesPaid(charge)
  // After a person's clearing the share can be less than the fees paid: then only fees go back.
  const wallet_amount = larger(smaller(gross, net), 0n)
  const spread = spreadOf(charge, before) - spreadOf(charge, before - back)
  return {
    reason: 'charge_reversed',
    direction: 'debit',
    amount: back,
    wallet_amount,
    fee: gross - wallet_amount,
    spread,
  }
}

/** The reversed money is credited again, and the returned fee is due again. */
export function chargebackWon(charge: Sums, won: bigint): AdjustmentDraft {
  const before = merchantShare(charge)
  const after = before + won
  return {
    reason: 'chargeback_won',
    direction: 'credit',
    amount: won,
    wallet_amount: walletSide(charge, after) - walletSide(charge, before),
    fee: lateFee(charge, won),
    spread: spreadOf(charge, after) - spreadOf(charge, before),
  }
}

/**
 * The merchant gets back what it paid, at the rate it paid. The fee comes back too when the rule says so and the whole payout
 * came back. What a refund returned of its charge's fee is due again, in shares: differences of one growing sum.
 */
export function payoutReturned(payout: Sums, back: bigint, feeReturned = 0n): AdjustmentDraft {
  const before = merchantShare(payout)
  const isWhole = before === back
  const due = (left: bigint) => (feeReturned * (payout.amount - left)) / payout.amount
  return {
    reason: 'payout_returned',
    direction: 'credit',
    amount: back,
    wallet_amount: walletSide(payout, before) - walletSide(payout, before - back),
    fee: isWhole && payout.fee_rule?.isReturned ? feesPaid(payout) : 0n,
    spread: spreadOf(payout, before) - spreadOf(payout, before - back),
    ...(feeReturned > 0n && { feeDue: due(before - back) - due(before) }),
  }
}

/** The wallet's side of a part of a payment, at the rate of acceptance. For the whole it is exactly the agreed amount. */
function walletSide({ amount, wallet_amount, method }: Sums, part: bigint): bigint {
  return method === 'bank-transfer' ? part : (wallet_amount * part) / amount
}

function spreadOf({ rate, amount }: Sums, part: bigint): bigint {
  return (BigInt(rate?.spread ?? 0) * part) / amount
}

export const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)
export const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other)
