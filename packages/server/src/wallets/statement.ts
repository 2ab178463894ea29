import { type Owner, type ReadDb, sql } from '../platform/db.ts'

/** A line of a wallet's statement: money that moved for good, and what was there after it. */
export interface Line {
  readonly entry_at: bigint
  readonly transaction_id: string
  readonly event: string
  readonly number: number
  /** Of the payment the line belongs to; nothing for what no payment caused. */
  readonly external_reference: string | null
  readonly type: string | null
  readonly change: bigint
  readonly balance: bigint
}

export interface StatementPage {
  readonly opening: bigint
  readonly lines: readonly Line[]
  readonly closing: bigint
  /** Where the next page begins; nothing on the last. */
  readonly next: bigint | undefined
}

export interface StatementWanted {
  readonly currency: string
  readonly country: string
  /** Microseconds; from is included, to is not. */
  readonly from: bigint
  readonly to: bigint
  readonly limit: number
}

/**
 * Lines are read in order of an index and the running balance stands in each, so a page costs the same at the beginning
 * of a wallet's life as after a billion lines. Opening plus the lines is closing, and closing is the next page's opening.
 */
export async function readStatement(db: ReadDb, owner: Owner, wanted: StatementWanted): Promise<StatementPage> {
  const { currency, country, from, to, limit } = wanted
  const rows = await db.query<Line>(
    owner,
    sql`
      with wallet as (
        select id
        from wallets
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and currency = ${currency}
          and country = ${country}
      ), earlier as (
        select entry_at, transaction_id, number, event, credit_account, wallet_id, amount, balance
        from transfers
        where wallet_id = (select id from wallet)
          and entry_at < ${from}
          and entry_at is not null
        order by entry_at desc
        limit 1
      ), page as (
        select entry_at, transaction_id, number, event, credit_account, wallet_id, amount, balance
        from transfers
        where wallet_id = (select id from wallet)
          and entry_at >= ${from}
          and entry_at < ${to}
          and entry_at is not null
        order by entry_at
        limit ${limit + 1}
      )
      select line.entry_at, line.transaction_id, line.number, line.event, line.balance, t.external_reference, t.type,
        case when line.credit_account = line.wallet_id then line.amount else -line.amount end as change
      from (select * from earlier union all select * from page) as line
      left join transactions t on t.id = line.transaction_id
      order by line.entry_at`,
  )
  const opening = rows.findLast(({ entry_at }) => entry_at < from)?.balance ?? 0n
  const found = rows.filter(({ entry_at }) => entry_at >= from)
  const lines = found.slice(0, limit)
  return { opening, lines, closing: lines.at(-1)?.balance ?? opening, next: found[limit]?.entry_at }
}
