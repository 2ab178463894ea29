import type { Tx } from '../../platform/db.ts'
import { laneOf, setTimers } from '../dispatch/timers.ts'
import { isFinal } from '../model/state.ts'
import type { Payment, Transaction } from '../model/store.ts'
import { lockTotals, nextInTurn, type RefundedRow, type RefundTotals, writeTotals } from './refund-totals.ts'
import { feeReturned, type RefundSums } from './refundable.ts'

interface Changed {
  readonly before: Pick<Payment, 'transaction'>
  readonly transaction: Transaction
}

/** The refunds that may end in one batch, and payouts in their place. */
export interface EndingRefunds {
  /** The part of the charge's fee that comes back if this one succeeds now. A payout in place of a refund returns none. */
  feeReturned(transaction: Transaction): bigint
  /** Counts what a change of a payment means for its charge. */
  note(changed: Changed): void
  /** What went back of a charge whose refunds may end, counting the ends in this batch. */
  sumsOf(chargeId: string): RefundSums | undefined
  /** Writes the sums, and lets the next refund of each charge be sent. */
  write(at: Date): Promise<void>
}

const none: EndingRefunds = {
  feeReturned: () => 0n,
  note: () => undefined,
  sumsOf: () => undefined,
  write: () => Promise.resolve(),
}

export const chargeIdOf = ({ type, related_transaction_id }: Transaction) =>
  type === 'adjustment' ? undefined : (related_transaction_id ?? undefined)

/**
 * Locks the totals of the charges, before the wallets. The charges are locked with their refunds. Costs nothing when no payment of
 * the batch refunds a charge.
 */
export async function openEndingRefunds(
  tx: Tx,
  payments: ReadonlyMap<string, Pick<Payment, 'transaction'>>,
): Promise<EndingRefunds> {
  const charges = new Map(
    [...payments.values()].flatMap(({ transaction }): [string, RefundedRow][] => {
      const charge = isFinal(transaction.state) ? undefined : payments.get(chargeIdOf(transaction) ?? '')
      return charge ? [[charge.transaction.id, charge.transaction]] : []
    }),
  )
  if (charges.size === 0) return none
  const totals = await lockTotals(tx, charges.values())
  const ended = new Set<string>()
  const rowOf = (transaction: Transaction) => totals.get(chargeIdOf(transaction) ?? '')
  return {
    feeReturned: (transaction) => {
      const [row, charge] = [rowOf(transaction), charges.get(chargeIdOf(transaction) ?? '')]
      // A payout may go to anyone, in any currency: it returns no fee.
      return row && charge && transaction.type === 'refund' ? feeReturned(charge, row, transaction.amount) : 0n
    },
    note: ({ before, transaction }) => {
      const { id, state, amount } = transaction
      const row = rowOf(transaction)
      if (!row || isFinal(before.transaction.state) || !isFinal(state) || ended.has(id)) return
      ended.add(id)
      const successful = row.successful + (state === 'successful' ? amount : 0n)
      totals.set(row.charge_id, { ...row, pending: row.pending - amount, successful })
    },
    sumsOf: (chargeId) => totals.get(chargeId),
    write: (at) => writeEnds(tx, at, { charges, totals }, [...ended]),
  }
}

interface Locked {
  readonly charges: ReadonlyMap<string, RefundedRow>
  readonly totals: Map<string, RefundTotals>
}

async function writeEnds(tx: Tx, at: Date, { charges, totals }: Locked, ended: readonly string[]): Promise<void> {
  if (ended.length === 0) return
  const turns: RefundTotals[] = []
  for (const row of totals.values())
    if (row.turn_of !== null && ended.includes(row.turn_of))
      turns.push({ ...row, turn_of: await nextInTurn(tx, row.charge_id, ended) })
  for (const row of turns) totals.set(row.charge_id, row)
  const timers = turns.flatMap(({ charge_id, turn_of }) => {
    const charge = charges.get(charge_id)
    return turn_of && charge ? [{ due: at, lane: laneOf(charge.env, charge.provider), transaction_id: turn_of }] : []
  })
  await Promise.all([writeTotals(tx, [...totals.values()]), setTimers(tx, timers)])
}
