import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { refundableLeft } from '../payments/accept/replay.ts'
import type { Transaction } from '../payments/model/store.ts'
import { readSums } from '../payments/refunds/refund-totals.ts'
import { refundableOf } from '../payments/refunds/refundable.ts'
import type { Owner } from '../platform/db.ts'
import { findTransaction } from './read.ts'

/** A successful charge by its id or external reference. */
export async function findRefundable(ctx: Context, owner: Owner, wanted: string): Promise<Transaction> {
  const charge = await findTransaction(ctx.db.read, owner, wanted)
  if (!charge) throw new AppError('TRANSACTION_MISSING')
  if (charge.type !== 'deposit' || charge.state !== 'successful') throw new AppError('TRANSACTION_NOT_REFUNDABLE')
  return charge
}

/** What can still go back of a charge. Another refund may be accepted meanwhile: the accepting batch decides. */
export async function refundableNow(ctx: Context, owner: Owner, charge: Transaction): Promise<bigint> {
  const sumsOf = await readSums(ctx.db.read, owner, [charge])
  return refundableOf(charge, sumsOf(charge.id))
}

export const excess = (charge: Transaction, left: bigint): AppError =>
  new AppError('REFUND_EXCEEDS_CHARGE', { details: [refundableLeft(charge, left)] })
