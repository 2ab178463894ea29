import type { Tx } from '../../platform/db.ts'
import { isFinal } from '../model/state.ts'
import type { Payment, Transaction } from '../model/store.ts'
import { timing } from '../resolve/timing.ts'
import { closeApprovals, closedApprovals } from './approvals.ts'
import { returnShares } from './day-counts.ts'

interface Changed {
  readonly before: Pick<Payment, 'transaction'>
  readonly transaction: Transaction
}

/**
 * The start of the time to final of payouts that end, where it is not their acceptance: their approval, or null if they ended
 * without one. Costs no statement for payouts that end within a minute.
 */
export async function countedFrom(tx: Tx, at: Date, changed: readonly Changed[]): Promise<Map<string, Date | null>> {
  const ended = changed.filter(
    ({ before, transaction: { type, state } }) =>
      type === 'withdrew' && isFinal(state) && !isFinal(before.transaction.state),
  )
  const late = ended.filter(
    ({ transaction }) => at.getTime() - transaction.created_at.getTime() >= timing.approvalCountedMs,
  )
  const approved = await closedApprovals(
    tx,
    late.map(({ transaction }) => transaction.id),
  )
  const unapproved = ended.filter(isDecided).map(({ transaction }) => [transaction.id, null] as const)
  return new Map<string, Date | null>([...approved, ...unapproved])
}

/**
 * What the changes of a batch mean for payout controls: a payout that fails returns its share of the day's limits, and one that
 * is decided no longer waits for approval. Costs no statement for other changes.
 */
export async function endControls(tx: Tx, at: Date, changed: readonly Changed[]): Promise<void> {
  const idsOf = (isMeant: (change: Changed) => boolean) =>
    changed.filter(isMeant).map(({ transaction }) => transaction.id)
  await Promise.all([closeApprovals(tx, at, idsOf(isDecided)), returnShares(tx, idsOf(isFailedPayout))])
}

const isDecided = ({ before, transaction }: Changed) =>
  before.transaction.state === 'unapproved' && transaction.state !== 'unapproved'

const isFailedPayout = ({ before, transaction: { type, state } }: Changed) =>
  type === 'withdrew' && state === 'failed' && !isFinal(before.transaction.state)
