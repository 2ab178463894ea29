import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import { type PayoutMaker, placesOf, requirePlaces } from '../payments/controls/maker.ts'
import type { RefundOf } from '../payments/refunds/accept-refunds.ts'
import type { Owner } from '../platform/db.ts'
import { findRefundable, refuseExcess } from '../transactions/find-refundable.ts'
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
  { beneficiary: { currency } }: Pick<Figures, 'beneficiary'>,
): Promise<RefundOf | undefined> {
  if (refundOf === undefined) return undefined
  const charge = await findRefundable(ctx, owner, refundOf)
  requirePlaces(maker, placesOf(charge))
  if (charge.currency !== currency)
    throw invalid([
      { field: 'refundOf', message: `refundOf is a charge in ${charge.currency}: pay it back in ${charge.currency}` },
    ])
  return { charge_id: charge.id, reference: charge.external_reference, waitsItsTurn: false, reason: undefined }
}

/** The same for a payout that is only tried, with what is left of the charge now. */
export async function tryRefund(
  ctx: Context,
  owner: Owner,
  refundOf: string | undefined,
  maker: Pick<PayoutMaker, 'mayActIn'>,
  figures: Figures,
): Promise<void> {
  if (refundOf === undefined) return
  await refundedBy(ctx, owner, refundOf, maker, figures)
  await refuseExcess(ctx, owner, await findRefundable(ctx, owner, refundOf), figures.amount)
}
