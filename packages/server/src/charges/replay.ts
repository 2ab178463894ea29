import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Once } from '../idempotency/keys.ts'
import type { Replay } from '../payments/accept/replay.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { Owner } from '../platform/db.ts'
import { findById } from '../transactions/read.ts'

/** Returns the stored response. Without one, presents the charge in its current state, unless it is still being sent. */
export async function replayResponse<Body>(
  ctx: Context,
  owner: Owner,
  { response, transactionId }: Replay,
  responseFor: (transaction: Transaction) => Body,
): Promise<Once<Body>> {
  if (response) return { response: response as Body, isReplay: true }
  const transaction = transactionId ? await findById(ctx.db.read, owner, transactionId) : undefined
  if (!transaction || transaction.state === 'sending') throw new AppError('IDEMPOTENCY_KEY_IN_PROGRESS')
  return { response: responseFor(transaction), isReplay: true }
}
