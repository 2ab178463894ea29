import assert from 'node:assert/strict'
import { roundedQuotient } from './rounding.ts'

/** What a payment costs: a fixed part and hundredths of a percent, within bounds. In minor units of one currency. */
export interface FeeRule {
  readonly fixed: bigint
  readonly basisPoints: number
  readonly min?: bigint
  readonly max?: bigint
}

/**
 * The fee of an amount, in its currency. Never negative, but it may be more than the amount: a payout pays it on top, so
 * whoever takes it out of a charge must look.
 */
export function feeOf(rule: FeeRule, amountMinor: bigint): bigint {
  const { fixed, basisPoints, min = 0n, max } = rule
  assert(amountMinor >= 0n, 'a payment is not negative')
  assert(Number.isSafeInteger(basisPoints) && basisPoints >= 0, 'basis points are whole and not negative')
  assert(fixed >= 0n && min >= 0n, 'a fee is not negative')
  assert(max === undefined || min <= max, 'the least fee is not above the most')

  const fee = fixed + roundedQuotient(amountMinor * BigInt(basisPoints), 10_000n, 'half-up')
  if (fee < min) return min
  return max !== undefined && fee > max ? max : fee
}
