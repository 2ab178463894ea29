import { numberFromMinor } from '../money/money.ts'
import type { Transaction } from '../payments/model/store.ts'
import { readSums } from '../payments/refunds/refund-totals.ts'
import { refundableOf } from '../payments/refunds/refundable.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'

/** What a charge shows of its refunds, and a refund of its reason. */
export async function refundFields(db: ReadDb, owner: Owner, transaction: Transaction) {
  const { id, type, currency } = transaction
  if (type === 'refund') {
    const [row] = await db.find<{ reason: string }>(
      owner,
      sql`select reason from refund_reasons where transaction_id = ${id}`,
    )
    return row ? { reason: row.reason } : {}
  }
  if (type !== 'deposit') return {}
  const sums = (await readSums(db, owner, [transaction]))(id)
  return {
    refunded: numberFromMinor(sums.successful, currency),
    refundable: numberFromMinor(refundableOf(transaction, sums), currency),
  }
}
