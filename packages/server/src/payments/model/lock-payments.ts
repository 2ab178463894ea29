import assert from 'node:assert/strict'
import { sql, type Tx } from '../../platform/db.ts'
import { monthsOf } from '../../platform/months.ts'
import { type Attempt, type BookedReceipt, type FullPayment, freshAttempt, type Transaction } from './store.ts'

/** Locks these payments in the order of their ids and reads them with their attempts. */
export async function lock(tx: Tx, ids: readonly string[]): Promise<Map<string, FullPayment>> {
  const months = monthsOf(ids)
  const transactions = await tx.query<Transaction>(sql`
    select *
    from transactions
    where id = any(${[...new Set(ids)]}::uuid[])
      and id >= ${months.from}
      and id < ${months.below}
    order by id
    for no key update`)
  return withAttempts(tx, transactions)
}

/** The same, with the charges that these payments give back: they never change, so they are read before the locks. */
export async function lockWithCharges(tx: Tx, ids: readonly string[]): Promise<Map<string, FullPayment>> {
  const months = monthsOf(ids)
  const charges = await tx.query<{ id: string }>(sql`
    select related_transaction_id as id
    from transactions
    where id = any(${ids}::uuid[])
      and id >= ${months.from}
      and id < ${months.below}
      and type in ('refund', 'withdrew')
      and related_transaction_id is not null`)
  return lock(tx, [...ids, ...charges.map(({ id }) => id)])
}

/**
 * Locks the first `limit` of these payments, in this order, and reads them with their attempts. Skips payments that are not due,
 * that another process is working on, that are held back, or whose charge has another refund open. A payment that was rerouted belongs to its new provider's lane.
 */
export async function lockDue(
  tx: Tx,
  { lane, ids, limit }: { readonly lane: string; readonly ids: readonly string[]; readonly limit: number },
): Promise<FullPayment[]> {
  const transactions = await tx.query<Transaction>(sql`
    select t.*
    from unnest(${ids}::uuid[]) with ordinality as w(id, place)
    join transactions t on t.id = w.id
    join attempts a on a.transaction_id = t.id and a.number = t.attempt
    join merchants m on m.id = t.merchant_id
    where t.env || '/' || t.provider = ${lane}
      and t.state not in ('successful', 'failed')
      and t.wake_at <= record_time()
      and held_by(t.state, a.is_lost, m.frozen_at, null) is null
      and not (t.doubt = 'earlier_refund' and waits_for_turn(t.id, t.related_transaction_id))
    order by w.place
    limit ${limit}
    for no key update of t skip locked`)
  return [...(await withAttempts(tx, transactions)).values()]
}

async function withAttempts(tx: Tx, transactions: readonly Transaction[]): Promise<Map<string, FullPayment>> {
  const ids = transactions.map(({ id }) => id)
  const months = monthsOf(ids)
  const [attempts, receipts] = await Promise.all([
    tx.query<Attempt>(sql`
      select *
      from attempts
      where transaction_id = any(${ids}::uuid[])
        and transaction_id >= ${months.from}
        and transaction_id < ${months.below}`),
    receiptsOf(tx, transactions),
  ])
  const byTransaction = Map.groupBy(attempts, (attempt) => attempt.transaction_id)
  return new Map(
    transactions.map((transaction) => {
      const all = byTransaction.get(transaction.id) ?? []
      const attempt = all.find(({ number }) => number === transaction.attempt) ?? noAttempt(transaction)
      assert(attempt, `payment ${transaction.id} has no attempt ${transaction.attempt}`)
      const abandoned = all.filter((each) => each !== attempt)
      return [transaction.id, { transaction, attempt, abandoned, receipts: receipts.get(transaction.id) ?? [] }]
    }),
  )
}

/** Adjustments and conversions go to no provider, so they have no attempt. They are final from the start. */
function noAttempt({ id, provider, type }: Transaction): Attempt | undefined {
  const isFinalAtOnce = type === 'adjustment' || type === 'conversion'
  return isFinalAtOnce ? { ...freshAttempt, transaction_id: id, number: 0, provider } : undefined
}

async function receiptsOf(tx: Tx, transactions: readonly Transaction[]): Promise<Map<string, BookedReceipt[]>> {
  const charges = transactions.filter(({ method }) => method === 'bank-transfer')
  if (charges.length === 0) return new Map()
  const ids = charges.map(({ id }) => id)
  const months = monthsOf(ids)
  const receipts = await tx.query<BookedReceipt>(sql`
    select transaction_id, receipt_id, number, amount, is_late, is_reversed
    from receipts
    where transaction_id = any(${ids}::uuid[])
      and transaction_id >= ${months.from}
      and transaction_id < ${months.below}`)
  return Map.groupBy(receipts, (receipt) => receipt.transaction_id)
}
