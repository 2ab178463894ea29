import type { Tx } from '../../platform/db.ts'
import {
  findPaidLate,
  insertLinks,
  lockCharges,
  lockTotals,
  type RefundedRow,
  type RefundLink,
  type RefundTotals,
  writeTotals,
} from './refund-totals.ts'
import { refundableOf } from './refundable.ts'

/** The charge of a refund, or of a payout in its place. */
export interface RefundOf {
  readonly charge_id: string
  readonly reference: string
  /** The provider takes the next refund of a charge only when the one before has ended. Never for a payout. */
  readonly waitsItsTurn: boolean
  /** The merchant's words. */
  readonly reason: string | undefined
}

/** An item of the accepting batch. */
interface Refunding {
  readonly id: string
  readonly priced: { readonly amount: bigint; readonly refundOf?: RefundOf | undefined }
}

/** The refunds of one batch. They are decided in order, and each that is accepted counts for the next. */
export interface RefundBatch {
  /** What is left of the charge, when the item is more than that. */
  exceeded(item: Refunding): bigint | undefined
  /** Counts an accepted item, and returns whether it waits for an earlier refund of its charge. */
  accept(item: Refunding): { readonly waitsForEarlier: boolean }
  write(): Promise<void>
}

const none: RefundBatch = {
  exceeded: () => undefined,
  accept: () => ({ waitsForEarlier: false }),
  write: () => Promise.resolve(),
}

/**
 * Locks the charges of a batch's refunds, then their totals: before the wallets, in the lock order. Costs nothing when the batch
 * refunds nothing.
 */
export async function openRefundBatch(tx: Tx, items: readonly Refunding[]): Promise<RefundBatch> {
  const wanted = items.flatMap(({ priced }) => priced.refundOf?.charge_id ?? [])
  if (wanted.length === 0) return none
  const charges = await lockCharges(tx, wanted)
  const totals = await lockTotals(tx, charges.values())
  const paidLate = await findPaidLate(tx, [...charges.keys()])
  const links: RefundLink[] = []
  const refundable = (charge: RefundedRow) =>
    refundableOf(charge, { ...totalsOf(totals, charge.id), paidLate: paidLate.get(charge.id) })
  return {
    exceeded: ({ priced: { amount, refundOf } }) => {
      const charge = refundOf && charges.get(refundOf.charge_id)
      return charge && amount > refundable(charge) ? refundable(charge) : undefined
    },
    accept: ({ id, priced: { amount, refundOf } }) => {
      const charge = refundOf && charges.get(refundOf.charge_id)
      if (!charge) return { waitsForEarlier: false }
      const { waitsItsTurn, reason } = refundOf
      const before = totalsOf(totals, charge.id)
      const turn_of = waitsItsTurn ? (before.turn_of ?? id) : before.turn_of
      totals.set(charge.id, { ...before, pending: before.pending + amount, turn_of })
      const { id: charge_id, merchant_id, env } = charge
      links.push({ charge_id, transaction_id: id, merchant_id, env, reason })
      return { waitsForEarlier: waitsItsTurn && turn_of !== id }
    },
    write: async () => void (await Promise.all([writeTotals(tx, [...totals.values()]), insertLinks(tx, links)])),
  }
}

function totalsOf(totals: ReadonlyMap<string, RefundTotals>, chargeId: string): RefundTotals {
  const found = totals.get(chargeId)
  if (!found) throw new Error(`the totals of charge ${chargeId} are not locked`)
  return found
}
