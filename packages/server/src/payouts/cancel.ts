import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { type KeyedRequest, type Once, underKey } from '../idempotency/keys.ts'
import { replayOf } from '../payments/accept/replay.ts'
import { auditOfPayout, type PayoutMaker, placesOf, requirePlaces } from '../payments/controls/maker.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { findTransaction } from '../transactions/read.ts'

interface Cancelled {
  readonly success: true
  readonly message: string
}

const response: Cancelled = { success: true, message: 'Payout cancelled.' }

/** Cancels a payout that was not sent. The same database transaction returns its money and marks it failed. */
export async function cancelPayout(
  ctx: Context,
  owner: Owner,
  wanted: string,
  keyed: KeyedRequest | undefined,
  by: Pick<PayoutMaker, 'person' | 'mayActIn'> = {},
): Promise<Once<Cancelled>> {
  if ((await replayOf(ctx, owner, keyed))?.response) return { response, isReplay: true }
  const transaction = await findTransaction(ctx.db.read, owner, wanted)
  if (transaction?.type !== 'withdrew') throw new AppError('TRANSACTION_MISSING')
  requirePlaces(by, placesOf(transaction))
  const { id: transaction_id } = transaction
  reach('cancel.found')
  return underKey(ctx, owner, { keyed, transaction_id }, async (keep) => {
    const armed = await ctx.resolver.submit({
      transaction_id,
      attempt: undefined,
      cause: 'request',
      observation: { kind: 'cancel' },
      alongside: (tx) => keep(tx, response),
      audit: by.person && auditOfPayout('payout.cancel', by.person, transaction),
    })
    reach('cancel.resolved')
    if (armed?.isChanged) return { response, isReplay: false }
    // A repeat of this request may have been faster.
    if ((await replayOf(ctx, owner, keyed))?.response) return { response, isReplay: true }
    throw new AppError('PAYOUT_NOT_CANCELLABLE')
  })
}
