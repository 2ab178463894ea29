import assert from 'node:assert/strict'
import { type Db, sql } from '../../platform/db.ts'
import { providerKeyOf } from '../../platform/ids.ts'
import { monthsOf } from '../../platform/months.ts'
import type { RefundAttempt } from '../../providers/refund-contract.ts'
import type { Transaction } from '../model/store.ts'
import { collectedOf } from './refundable.ts'

/** What a provider needs of a refund's charge, and what it reported about the charge's other refunds. */
export async function refundFacts(
  db: Db,
  { id, related_transaction_id: charge_id }: Transaction,
): Promise<Pick<RefundAttempt, 'charge' | 'otherReceipts'>> {
  assert(charge_id, `refund ${id} names no charge`)
  const months = monthsOf([charge_id])
  const [charges, others] = await Promise.all([
    db.query<Transaction>(sql`
      select *
      from transactions
      where id = ${charge_id}
        and id >= ${months.from}
        and id < ${months.below}`),
    db.query<{ receipt: string }>(sql`
      select t.receipt
      from refunds_of_charges l
      join transactions t on t.id = l.transaction_id
      where l.charge_id = ${charge_id}
        and l.charge_id >= ${months.from}
        and l.charge_id < ${months.below}
        and t.type = 'refund'
        and t.id <> ${id}
        and t.receipt <> ''
      order by t.id`),
  ])
  const [charge] = charges
  assert(charge, `the charge of refund ${id} is missing`)
  const { method, receipt, attempt } = charge
  assert(method === 'momo' || method === 'card' || method === 'bank-transfer', `${charge.id} is not a charge`)
  return {
    charge: { key: providerKeyOf(charge.id, attempt), receipt, method, amount: collectedOf(charge) },
    otherReceipts: others.map((other) => other.receipt),
  }
}

/**
 * Whether money of a charge came by other transfers than the one that completed it, which is the charge's receipt. Those that the
 * bank took back do not count; those after the end do, since they can be refunded too.
 */
export async function isPaidByOthers(db: Db, { id, method, receipt }: Transaction): Promise<boolean> {
  if (method !== 'bank-transfer') return false
  const months = monthsOf([id])
  const [row] = await db.query(sql`
    select
    from receipts
    where transaction_id = ${id}
      and transaction_id >= ${months.from}
      and transaction_id < ${months.below}
      and receipt_id <> ${receipt}
      and not is_reversed
    limit 1`)
  return row !== undefined
}
