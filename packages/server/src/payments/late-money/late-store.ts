import { sql, type Tx } from '../../platform/db.ts'
import type { Attempt, BookedReceipt, Transaction } from '../model/store.ts'

/** Writes what moves after a payment's end. Callers have locked the payments. */

export async function keepLate(tx: Tx, rows: readonly Transaction[]): Promise<void> {
  if (rows.length === 0) return
  const of = <Key extends keyof Transaction>(name: Key) => rows.map((row) => row[name])
  await tx.query(sql`
    update transactions as t
    set adjustments = string_to_array(n.adjustments, ' ')::uuid[], adjusted = n.adjusted,
      adjusted_fee = n.adjusted_fee, suspended = n.suspended, late_postings = n.late_postings
    from unnest(${of('id')}::uuid[], ${rows.map(({ adjustments }) => adjustments.join(' '))}::text[],
      ${of('adjusted')}::bigint[], ${of('adjusted_fee')}::bigint[], ${of('suspended')}::bigint[],
      ${of('late_postings')}::smallint[])
      as n(id, adjustments, adjusted, adjusted_fee, suspended, late_postings)
    where t.id = n.id`)
}

export async function keepMoved(tx: Tx, rows: readonly Attempt[]): Promise<void> {
  if (rows.length === 0) return
  const of = <Key extends keyof Attempt>(name: Key) => rows.map((row) => row[name])
  await tx.query(sql`
    update attempts as a
    set moved = n.moved, returned = n.returned
    from unnest(${of('transaction_id')}::uuid[], ${of('number')}::smallint[], ${of('moved')}::bigint[],
      ${of('returned')}::bigint[]) as n(transaction_id, number, moved, returned)
    where (a.transaction_id, a.number) = (n.transaction_id, n.number)`)
}

export async function keepReceiptMarks(tx: Tx, rows: readonly BookedReceipt[]): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map((row) => row.transaction_id)
  await tx.query(sql`
    update receipts as r
    set is_reversed = n.is_reversed
    from unnest(${ids}::uuid[], ${rows.map((row) => row.receipt_id)}::text[],
      ${rows.map((row) => row.is_reversed)}::boolean[]) as n(transaction_id, receipt_id, is_reversed)
    where (r.transaction_id, r.receipt_id) = (n.transaction_id, n.receipt_id)`)
}
