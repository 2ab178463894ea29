import { type Db, type Owner, sql } from '../platform/db.ts'
import { monthsOf } from '../platform/months.ts'
import type { PlatformKind } from './accounts.ts'

/** One side of an entry, as its owner may know it. */
export interface EntryAccount {
  /** `other`: an account of another owner. */
  readonly kind: 'wallet' | PlatformKind | 'other'
  /** The wallet's country, or the float's; empty for other accounts. */
  readonly country: string
  /** Only a float has one. */
  readonly provider: string
}

/** One row of the ledger: a hold, its end, or money that moved at once. */
export interface LedgerEntry {
  readonly number: number
  readonly kind: 'hold' | 'post' | 'void' | 'transfer'
  readonly event: string
  readonly amount: bigint
  readonly currency: string
  /** Microseconds. */
  readonly at: bigint
  readonly debit: EntryAccount
  readonly credit: EntryAccount
}

/**
 * The entries of one payment in posting order. The caller has checked that the payment is the owner's: entries between accounts of
 * the platform belong to no merchant, so row security does not show them to one.
 */
export function readEntries(db: Db, { merchant_id, env }: Owner, transactionId: string): Promise<LedgerEntry[]> {
  const months = monthsOf([transactionId])
  return db.query<LedgerEntry>(sql`
    with accounts as not materialized (
      select id, jsonb_build_object('kind', 'wallet', 'country', country, 'provider', '') as account
      from wallets
      where merchant_id = ${merchant_id}
        and env = ${env}
      union all
      select id, jsonb_build_object('kind', kind, 'country', country, 'provider', provider)
      from platform_accounts
    )
    select t.number, t.kind, t.event, t.amount, t.currency, b.at,
      coalesce(d.account, ${unknownAccount}::jsonb) as debit, coalesce(c.account, ${unknownAccount}::jsonb) as credit
    from transfers t
    join ledger_batches b using (batch)
    left join accounts d on d.id = t.debit_account
    left join accounts c on c.id = t.credit_account
    where t.transaction_id = ${transactionId}
      and t.transaction_id >= ${months.from}
      and t.transaction_id < ${months.below}
    order by t.batch, t.position`)
}

const unknownAccount = JSON.stringify({ kind: 'other', country: '', provider: '' } satisfies EntryAccount)
