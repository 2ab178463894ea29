import assert from 'node:assert/strict'
import { type Db, type Owner, sql, type Tx } from '../../platform/db.ts'
import type { Transaction } from '../model/store.ts'

/** Records bank transfer charges that were just paid. Their accounts stay open, and are queried once more when they end. */
export async function watchAccounts(tx: Tx, paid: readonly Transaction[]): Promise<void> {
  if (paid.length === 0) return
  await tx.query(sql`
    insert into paid_accounts (transaction_id, due)
    select *
    from unnest(${paid.map(({ id }) => id)}::uuid[], ${paid.map(({ expires_at }) => expires_at)}::timestamptz[])`)
}

/**
 * Claims charges whose accounts have ended and were not queried yet, the longest ended first. A charge that its claimer does not
 * forget within `seconds` can be claimed again.
 */
export function claimEndedAccounts(
  db: Db,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<Transaction[]> {
  return db.query<Transaction>(sql`
    with ended as (
      select transaction_id
      from paid_accounts
      where due <= record_time()
      order by due
      limit ${limit}
      for update skip locked
    ), claimed as (
      update paid_accounts p
      set due = record_time() + make_interval(secs => ${seconds})
      from ended
      where p.transaction_id = ended.transaction_id
      returning p.transaction_id
    )
    select t.*
    from claimed
    join transactions t on t.id = claimed.transaction_id`)
}

export async function forgetAccount(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from paid_accounts where transaction_id = ${id}`)
}

/** The scan covers at most this many accounts, those that end first. */
const rowsScannedMax = 20_000

/** Makes the accounts of one sandbox merchant end that much sooner. */
export async function fastForwardAccounts(db: Db, { merchant_id, env }: Owner, seconds: number): Promise<void> {
  assert.equal(env, 'sandbox', 'time cannot be advanced in live')
  await db.query(sql`
    update paid_accounts p
    set due = p.due - make_interval(secs => ${seconds})
    from (select transaction_id from paid_accounts order by due limit ${rowsScannedMax}) soon
    join transactions t on t.id = soon.transaction_id
    where p.transaction_id = soon.transaction_id
      and t.merchant_id = ${merchant_id}
      and t.env = ${env}`)
}
