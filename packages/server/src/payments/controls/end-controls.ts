import type { Tx } from '../../platform/db.ts'
import { isFinal } from '../model/state.ts'
import type { Payment, Transaction } from '../model/store.ts'
import { closeApprovals } from './approvals.ts'
import { returnShares } from './day-counts.ts'

interface Changed {
  readonly before: Pick<Payment, 'transaction'>
  readonly transaction: Transaction
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
