import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { fingerprintOf, insertKeys, type KeyedRequest } from '../idempotency/keys.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { replayOf } from '../transactions/answer.ts'
import { findTransaction } from '../transactions/read.ts'

const answer = { success: true, message: 'Payout cancelled.' } as const

/** Cancels a payout that was not sent. Its money is back in the very transaction that makes it failed. */
export async function cancelPayout(
  ctx: Context,
  owner: Owner,
  wanted: string,
  keyed: KeyedRequest | undefined,
): Promise<{ readonly answer: typeof answer; readonly isReplay: boolean }> {
  if (await replayOf(ctx, owner, keyed)) return { answer, isReplay: true }
  const transaction = await findTransaction(ctx.db.read, owner, wanted)
  if (transaction?.type !== 'withdrew') throw new AppError('TRANSACTION_MISSING')
  const { id: transaction_id } = transaction
  const key = keyed && { owner, key: keyed.key, fingerprint: fingerprintOf(ctx.vault, keyed), answer, transaction_id }
  reach('cancel.found')
  const standing = await ctx.settler.submit({
    transaction_id,
    attempt: undefined,
    cause: 'request',
    news: { kind: 'cancel' },
    alongside: key && (async (tx) => void (await insertKeys(tx, [key]))),
  })
  reach('cancel.settled')
  if (!standing?.isChanged) {
    // Its own repetition may have been quicker.
    if (await replayOf(ctx, owner, keyed)) return { answer, isReplay: true }
    throw new AppError('PAYOUT_NOT_CANCELLABLE')
  }
  return { answer, isReplay: false }
}
