import assert from 'node:assert/strict'
import { roundedQuotient } from './rounding.ts'

/** A fee rule: a fixed part and basis points, within bounds. In minor units of one currency. */
export interface FeeRule {
  readonly fixed: bigint
  readonly basisPoints: number
  readonly min?: bigint
  readonly max?: bigint
  /** The fee is refunded when a payout is returned or a charge refunded. */
  readonly isReturned?: true
}

/** A rule as stored with a payment: JSON has no bigint, so amounts are text. */
export interface KeptFeeRule {
  readonly fixed: string
  readonly basisPoints: number
  readonly min?: string
  readonly max?: string
  readonly isReturned?: true
}

/**
 * The fee of an amount, in its currency. Never negative, but it may exceed the amount: a payout pays it on top. A charge pays it
 * from the received money, so it uses {@link feeOn}.
 */
export function feeOf(rule: FeeRule, amountMinor: bigint): bigint {
  const { fixed, basisPoints, min = 0n, max } = rule
  assert(amountMinor >= 0n, 'a payment is not negative')
  assert(Number.isSafeInteger(basisPoints) && basisPoints >= 0, 'basis points are whole and not negative')
  assert(fixed >= 0n && min >= 0n, 'a fee is not negative')
  assert(max === undefined || min <= max, 'the minimum fee is not above the maximum')

  const fee = fixed + roundedQuotient(amountMinor * BigInt(basisPoints), 10_000n, 'half-up')
  if (fee < min) return min
  return max !== undefined && fee > max ? max : fee
}

/** The fee on money received by a charge, in its currency. It is taken from that money, so it never exceeds it. */
export function feeOn(rule: FeeRule, receivedMinor: bigint): bigint {
  const fee = feeOf(rule, receivedMinor)
  return fee > receivedMinor ? receivedMinor : fee
}

export function keepRule({ fixed, basisPoints, min, max, isReturned }: FeeRule): KeptFeeRule {
  return {
    fixed: String(fixed),
    basisPoints,
    ...(min !== undefined && { min: String(min) }),
    ...(max !== undefined && { max: String(max) }),
    ...(isReturned && { isReturned }),
  }
}

/** Reads a rule stored by {@link keepRule}. */
export function readRule({ fixed, basisPoints, min, max, isReturned }: KeptFeeRule): FeeRule {
  return {
    fixed: BigInt(fixed),
    basisPoints,
    ...(min !== undefined && { min: BigInt(min) }),
    ...(max !== undefined && { max: BigInt(max) }),
    ...(isReturned && { isReturned }),
  }
}
