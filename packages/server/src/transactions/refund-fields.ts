import { numberFromMinor } from '../money/money.ts'
import type { Transaction } from '../payments/model/store.ts'
import { readSums } from '../payments/refunds/refund-totals.ts'
import { refundableOf } from '../payments/refunds/refundable.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { monthsOf } from '../platform/months.ts'

/** What a charge shows of its refunds, and a refund of its reason. */
export interface RefundsShown {
  readonly refunded?: number
  readonly refundable?: number
  readonly reason?: string
}

/** Reads these fields of some transactions at once. */
export async function readRefundFields(
  db: ReadDb,
  owner: Owner,
  transactions: readonly Transaction[],
): Promise<(transaction: Transaction) => RefundsShown> {
  const [sumsOf, reasons] = await Promise.all([
    readSums(db, owner, transactions),
    readReasons(
      db,
      owner,
      transactions.filter(({ type }) => type === 'refund').map(({ id }) => id),
    ),
  ])
  return (transaction) => {
    const { id, type, currency } = transaction
    const reason = reasons.get(id)
    if (type !== 'deposit') return reason === undefined ? {} : { reason }
    const sums = sumsOf(id)
    return {
      refunded: numberFromMinor(sums.successful, currency),
      refundable: numberFromMinor(refundableOf(transaction, sums), currency),
    }
  }
}

/** The merchants' words for refunds, by their ids. */
export async function readReasons(
  db: ReadDb,
  owner: Owner,
  refunds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (refunds.length === 0) return new Map()
  const months = monthsOf(refunds)
  const rows = await db.within<{ transaction_id: string; reason: string }>(
    owner,
    months,
    sql`
      select transaction_id, reason
      from refund_reasons
      where transaction_id = any(${refunds}::uuid[])
        and transaction_id >= ${months.from}
        and transaction_id < ${months.below}`,
  )
  return new Map(rows.map((row) => [row.transaction_id, row.reason]))
}
