import assert from 'node:assert/strict'
import { type Db, type Owner, sql, type Tx } from '../../platform/db.ts'
import type { Transaction } from '../model/store.ts'

/** Notes charges by transfer that were just paid: their accounts stay open, and are asked about once more at their end. */
export async function watchAccounts(tx: Tx, paid: readonly Transaction[]): Promise<void> {
  if (paid.length === 0) return
  await tx.query(sql`
    insert into paid_accounts (transaction_id, due)
    select *
    from unnest(${paid.map(({ id }) => id)}::uuid[], ${paid.map(({ expires_at }) => expires_at)}::timestamptz[])`)
}

/**
 * Claims charges whose accounts have ended and were not asked about, the longest ended first. Whoever does not forget one within
 * that time leaves it to be claimed again.
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

/** No more of the accounts that end first than this are looked at. */
const looksMax = 20_000

/** Has the accounts of one merchant of the sandbox end so much sooner. */
export async function pullAccounts(db: Db, { merchant_id, env }: Owner, seconds: number): Promise<void> {
  assert.equal(env, 'sandbox', 'time passes in live by itself')
  await db.query(sql`
    update paid_accounts p
    set due = p.due - make_interval(secs => ${seconds})
    from (select transaction_id from paid_accounts order by due limit ${looksMax}) soon
    join transactions t on t.id = soon.transaction_id
    where p.transaction_id = soon.transaction_id
      and t.merchant_id = ${merchant_id}
      and t.env = ${env}`)
}
