import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import { findApproval, overdueApprovals, storeDecision, storeExpiry } from '../payments/controls/approvals.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { Owner, Tx } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { findTransaction } from '../transactions/read.ts'

/** A person's decision about a payout that waits for approval. */
export interface PayoutDecision {
  /** Its id, or the merchant's reference. */
  readonly transactionId: string
  /** The signed-in person, as people see the id: `person_…`. The caller has checked the person's permission. */
  readonly approver: { readonly id: string; readonly name: string }
  readonly reason: string
}

/** Approves a payout: it becomes due for sending, with its event and its audit row in the same transaction. */
export async function approvePayout(ctx: Context, owner: Owner, order: PayoutDecision): Promise<Transaction> {
  const transaction = await decidePayout(ctx, owner, order, 'approved')
  ctx.wakeups.wake(laneOf(owner.env, transaction.provider))
  return transaction
}

/** Rejects a payout: it fails, and its money is back in the wallet, in the same transaction. */
export function rejectPayout(ctx: Context, owner: Owner, order: PayoutDecision): Promise<Transaction> {
  return decidePayout(ctx, owner, order, 'rejected')
}

/**
 * Of any number of decisions, cancellations and the expiry, one takes effect: the first that locks the payout. The others find
 * that it waits no longer.
 */
async function decidePayout(
  ctx: Context,
  owner: Owner,
  { transactionId, approver, reason }: PayoutDecision,
  decision: 'approved' | 'rejected',
): Promise<Transaction> {
  if (reason.trim() === '') throw invalid([{ field: 'reason', message: 'reason must not be empty' }])
  const transaction = await findTransaction(ctx.db.read, owner, transactionId)
  if (transaction?.type !== 'withdrew') throw new AppError('TRANSACTION_MISSING')
  const { id, merchant_id, env } = transaction
  const approval = await findApproval(ctx.db.read, owner, id)
  if (!approval) throw new AppError('PAYOUT_NOT_AWAITING_APPROVAL')
  const isMaker = approval.made_by === approver.id
  if (!approver.id.startsWith('person_') || (isMaker && decision === 'approved'))
    throw new AppError('APPROVAL_NOT_ALLOWED')
  const { name } = approver
  const alongside = async (tx: Tx) => {
    await storeDecision(tx, id, { decision, by: approver, reason })
    await recordAudit(tx, ctx.config.cell, {
      actor: { kind: 'person', ...approver },
      action: decision === 'approved' ? 'payout.approve' : 'payout.reject',
      ...{ merchant_id, env, subject: showId('transaction', id), reason },
      detail: { made_by: approval.made_by, reasons: approval.approval_reasons },
    })
  }
  const resolved = await ctx.resolver.submit({
    transaction_id: id,
    attempt: undefined,
    cause: 'request',
    observation: { kind: decision === 'approved' ? 'approve' : 'reject' },
    note: { by: approver.id, name, reason },
    alongside,
  })
  if (!resolved?.isChanged) throw new AppError('PAYOUT_NOT_AWAITING_APPROVAL')
  return resolved.transaction
}

const pageMax = 100

/** Rejects payouts that no person approved in time, and returns their money. Returns how many. */
export async function expireApprovals({ db, resolver }: Context): Promise<number> {
  const overdue = await overdueApprovals(db.write, pageMax)
  const results = await Promise.all(
    overdue.map((transaction_id) =>
      resolver.submit({
        transaction_id,
        attempt: undefined,
        cause: 'clock',
        observation: { kind: 'approval_expired' },
        alongside: (tx) => storeExpiry(tx, transaction_id),
      }),
    ),
  )
  return results.filter((result) => result?.isChanged).length
}
