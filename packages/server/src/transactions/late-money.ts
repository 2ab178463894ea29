import { feeOn, readRule } from '../money/fees.ts'
import type { Late } from './decision.ts'
import type { AdjustmentReason, Attempt, Transaction } from './store.ts'

/** What an adjustment moves, in minor units. */
export interface AdjustmentDraft {
  readonly reason: AdjustmentReason
  readonly direction: 'credit' | 'debit'
  /** What moved at the provider, in the payment's currency. */
  readonly amount: bigint
  /** The merchant's side of it before the fee, in the wallet's currency. */
  readonly wallet_amount: bigint
  /** Of a credit the fee taken out of it; of a debit, or of a payout that came back, the fee that we give back. */
  readonly fee: bigint
  /** The part of our exchange income that moves with it, in the wallet's currency. */
  readonly spread: bigint
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

/** What moved through an attempt as the books have it, in the payment's currency. */
export function movedOf(
  { amount, method, received }: Pick<Transaction, 'amount' | 'method' | 'received'>,
  { moved, outcome }: Pick<Attempt, 'moved' | 'outcome'>,
): bigint {
  if (moved !== null) return moved
  if (outcome !== 'successful') return 0n
  return method === 'bank-transfer' ? received : amount
}

/** What the merchant has of a charge, or has paid for a payout, before fees and in the payment's currency. */
export function merchantShare({ type, method, state, amount, received, adjusted }: Sums): bigint {
  const atTheEnd = state !== 'successful' ? 0n : method === 'bank-transfer' ? received : amount
  return type === 'withdrew' ? atTheEnd - adjusted : atTheEnd + adjusted
}

/** A payment once this is booked. */
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

/** The fees that the merchant has paid for it so far. */
const feesPaid = ({ state, fee, adjusted_fee }: Sums) => (state === 'successful' ? fee : 0n) + adjusted_fee

/** A charge that succeeded after its end: credited as it would have been in time. */
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

/** A transfer that arrived after the end. The fee is what the rule takes of everything received, less what was taken. */
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

/** The fee on money of a charge that is credited after its end, in the payment's currency. A payout's costs nothing more. */
export function lateFee(charge: Sums, came: bigint): bigint {
  if (charge.type !== 'deposit' || !charge.fee_rule) return 0n
  const due = feeOn(readRule(charge.fee_rule), merchantShare(charge) + came) - feesPaid(charge)
  return due < 0n ? 0n : smaller(due, came)
}

/** The merchant gives back what it was credited; the fee is ours to give back once nothing else is left. */
export function chargeReversed(charge: Sums, back: bigint): AdjustmentDraft {
  const before = merchantShare(charge)
  const gross = walletSide(charge, before) - walletSide(charge, before - back)
  const net = walletSide(charge, before) - feesPaid(charge)
  const wallet_amount = smaller(gross, net)
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

/** What was taken back is given again; with the last of it, the fee is due again. */
export function chargebackWon(charge: Sums, won: bigint): AdjustmentDraft {
  const before = merchantShare(charge)
  const after = before + won
  const isWhole = after === (charge.method === 'bank-transfer' ? charge.received : charge.amount)
  const owing = charge.fee - feesPaid(charge)
  const wallet_amount = walletSide(charge, after) - walletSide(charge, before)
  return {
    reason: 'chargeback_won',
    direction: 'credit',
    amount: won,
    wallet_amount,
    fee: isWhole && owing > 0n ? smaller(owing, wallet_amount) : 0n,
    spread: spreadOf(charge, after) - spreadOf(charge, before),
  }
}

/** The merchant gets back what it paid at the rate it paid; the fee too where its rule says so and all came back. */
export function payoutReturned(payout: Sums, back: bigint): AdjustmentDraft {
  const before = merchantShare(payout)
  const isWhole = before === back
  return {
    reason: 'payout_returned',
    direction: 'credit',
    amount: back,
    wallet_amount: walletSide(payout, before) - walletSide(payout, before - back),
    fee: isWhole && payout.fee_rule?.isReturned ? payout.fee : 0n,
    spread: spreadOf(payout, before) - spreadOf(payout, before - back),
  }
}

/** The wallet's side of a part of a payment, at the rate it was accepted at. The whole is exactly what was agreed. */
function walletSide({ amount, wallet_amount, method }: Sums, part: bigint): bigint {
  return method === 'bank-transfer' ? part : (wallet_amount * part) / amount
}

function spreadOf({ rate, amount }: Sums, part: bigint): bigint {
  return (BigInt(rate?.spread ?? 0) * part) / amount
}

export const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other)
