import type { Origin } from '../audit/record.ts'
import { receiverOfKey } from '../auth/credentials.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import {
  type Approval,
  findApproval,
  overdueApprovals,
  storeDecision,
  storeExpiry,
} from '../payments/controls/approvals.ts'
import { placesOf } from '../payments/controls/maker.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import type { Transaction } from '../payments/model/store.ts'
import { permissionDenied } from '../people/grants.ts'
import { holdsWithinNow } from '../people/members.ts'
import { merchantPermissions } from '../people/roles.ts'
import { sharePasskey } from '../people/same-person.ts'
import type { Owner, Tx } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { findTransaction } from '../transactions/read.ts'

/** A person's decision about a payout that waits for approval. */
export interface PayoutDecision {
  /** Its id, or the merchant's reference. */
  readonly transactionId: string
  /** The signed-in person, as people see the id: `person_…`. */
  readonly approver: { readonly id: string; readonly name: string }
  /** Where the decision came from, for the audit trail. */
  readonly origin?: Origin | undefined
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
 * that it waits no longer. The approver's role and identity are read in that transaction, with the role locked.
 */
async function decidePayout(
  ctx: Context,
  owner: Owner,
  { transactionId, approver, origin, reason }: PayoutDecision,
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
  const check = (tx: Tx) => refuseApprover(tx, transaction, approver.id, decision === 'approved' ? approval : undefined)
  // Most refusals are found here, where they make no batch of other payments repeat; only the check with the decision counts.
  await ctx.db.write.transaction(check)
  const alongside = async (tx: Tx) => {
    await check(tx)
    await storeDecision(tx, id, { decision, by: approver, reason })
  }
  const resolved = await ctx.resolver.submit({
    transaction_id: id,
    attempt: undefined,
    cause: 'request',
    observation: { kind: decision === 'approved' ? 'approve' : 'reject' },
    note: { by: approver.id, name, reason },
    alongside,
    audit: {
      actor: { kind: 'person', ...approver },
      action: decision === 'approved' ? 'payout.approve' : 'payout.reject',
      ...{ merchant_id, env, subject: showId('transaction', id), reason, origin },
      detail: { made_by: approval.made_by, reasons: approval.approval_reasons },
    },
  })
  if (!resolved?.isChanged) throw new AppError('PAYOUT_NOT_AWAITING_APPROVAL')
  return resolved.transaction
}

/** Refuses a person without the right to decide about the payout now, and the maker of one that is to be approved. */
async function refuseApprover(
  tx: Tx,
  payout: Transaction,
  approverId: string,
  approved: Pick<Approval, 'made_by'> | undefined,
): Promise<void> {
  const { merchant_id, env } = payout
  const needed = { merchant_id, env, permission: 'payouts:approve', places: placesOf(payout) } as const
  if (!(await holdsWithinNow(tx, approverId, needed))) throw permissionDenied(needed.permission, merchantPermissions)
  if (approved && (await isMadeBy(tx, approved.made_by, approverId))) throw new AppError('APPROVAL_NOT_ALLOWED')
}

/**
 * Whether a person made a payout: alone, under another identity with the same passkey, or with the API key that this person
 * received.
 */
async function isMadeBy(tx: Tx, made_by: string, personId: string): Promise<boolean> {
  const maker = made_by.startsWith('cred_') ? await receiverOfKey(tx, made_by) : made_by
  return maker !== undefined && (maker === personId || (await sharePasskey(tx, maker, personId)))
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
