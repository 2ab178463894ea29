import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import { type PayoutMaker, placesOf, requirePlaces } from '../payments/controls/maker.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { RefundOf } from '../payments/refunds/accept-refunds.ts'
import type { Owner } from '../platform/db.ts'
import { findRefundable, refundableNow } from '../transactions/find-refundable.ts'
import type { Figures } from './figures.ts'

/**
 * The charge that a payout gives back, in place of a refund. It counts like one, and a person needs the same places. Whether enough
 * is left of it is decided under its lock.
 */
export async function refundedBy(
  ctx: Context,
  owner: Owner,
  refundOf: string | undefined,
  maker: Pick<PayoutMaker, 'mayActIn'>,
  figures: Pick<Figures, 'beneficiary'>,
): Promise<RefundOf | undefined> {
  if (refundOf === undefined) return undefined
  const { id, external_reference } = await chargeFor(ctx, owner, refundOf, maker, figures)
  return { charge_id: id, reference: external_reference, waitsItsTurn: false, reason: undefined }
}

async function chargeFor(
  ctx: Context,
  owner: Owner,
  refundOf: string,
  maker: Pick<PayoutMaker, 'mayActIn'>,
  { beneficiary: { currency } }: Pick<Figures, 'beneficiary'>,
): Promise<Transaction> {
  const charge = await findRefundable(ctx, owner, refundOf)
  requirePlaces(maker, placesOf(charge))
  if (charge.currency === currency) return charge
  throw invalid([
    { field: 'refundOf', message: `refundOf is a charge in ${charge.currency}: pay it back in ${charge.currency}` },
  ])
}

/** What a payout that is only tried would give back. */
export interface TriedRefund {
  readonly charge: Transaction
  readonly amount: bigint
  /** What is left of the charge now. */
  readonly left: bigint
}

/** The same for a payout that is only tried. Whether enough is left also depends on the payouts before it. */
export async function tryRefund(
  ctx: Context,
  owner: Owner,
  refundOf: string | undefined,
  maker: Pick<PayoutMaker, 'mayActIn'>,
  figures: Figures,
): Promise<TriedRefund | undefined> {
  if (refundOf === undefined) return undefined
  const charge = await chargeFor(ctx, owner, refundOf, maker, figures)
  return { charge, amount: figures.amount, left: await refundableNow(ctx, owner, charge) }
}
