import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { monthsOf } from '../platform/months.ts'
import { archivedLines } from './line-kinds.ts'

/** A line of a wallet's statement: money that moved permanently, and the balance after it. */
export interface Line {
  readonly entry_at: bigint
  /** Null in a line that sums up archived months. */
  readonly transaction_id: string | null
  readonly event: string
  readonly number: number
  /** The reference of the line's payment; null when no payment caused it. */
  readonly external_reference: string | null
  readonly type: string | null
  readonly method: string | null
  /** Sealed; empty or null where no other party is known. */
  readonly counterparty: string | null
  readonly change: bigint
  readonly balance: bigint
}

export interface StatementPage {
  readonly opening: bigint
  readonly lines: readonly Line[]
  readonly closing: bigint
  /** Where the next page starts; undefined on the last. */
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

type PaymentFact = 'external_reference' | 'type' | 'method' | 'counterparty'

interface LedgerLine extends Omit<Line, PaymentFact> {
  readonly transaction_id: string
}

/** A line, or none, with the current balance. */
type Row = { readonly posted: bigint } & (LedgerLine | { readonly [Name in keyof LedgerLine]: null })

const isLine = (row: Row): row is Row & LedgerLine => row.entry_at !== null

/**
 * Lines are read in index order and each holds the running balance, so a page costs the same for a new wallet as after a billion
 * lines. Opening plus the lines is closing, and closing is the next page's opening.
 *
 * Balances are computed from later lines, never from earlier ones, which may be archived. A page opens with the balance before
 * its first line, and closes with the balance before the first line after it; without such a line, with the wallet's current
 * balance.
 */
export async function readStatement(db: ReadDb, owner: Owner, wanted: StatementWanted): Promise<StatementPage> {
  const { to, limit } = wanted
  const rows = await linesFrom(db, owner, wanted)
  const posted = rows[0]?.posted ?? 0n
  const found = await withPayments(db, owner, rows.filter(isLine))
  const lines = found.filter(({ entry_at }) => entry_at < to).slice(0, limit)
  const next = found[lines.length]
  const closing = next ? before(next) : posted
  return {
    opening: found[0] ? before(found[0]) : posted,
    lines: withArchived(lines, closing),
    closing,
    next: next && next.entry_at < to ? next.entry_at : undefined,
  }
}

const before = ({ balance, change }: Line) => balance - change

/**
 * If a line does not start from the previous line's balance, the lines between are in an archived month: one line sums them up.
 */
function withArchived(lines: readonly Line[], closing: bigint): Line[] {
  return lines.flatMap((line, index) => {
    const next = lines[index + 1]
    const left = next ? before(next) : closing
    if (left === line.balance) return [line]
    const { entry_at } = next ?? line
    const archived = {
      entry_at,
      transaction_id: null,
      number: 0,
      event: archivedLines,
      external_reference: null,
      type: null,
      method: null,
      counterparty: null,
    }
    return [line, { ...archived, change: left - line.balance, balance: left }]
  })
}

/** A page of lines from its start, and the one after them; one row without a line when there is none. */
function linesFrom(db: ReadDb, owner: Owner, { currency, country, from, limit }: StatementWanted): Promise<Row[]> {
  return db.query<Row>(
    owner,
    sql`
      with wallet as (
        select id, credits_posted - debits_posted as posted
        from wallets
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and currency = ${currency}
          and country = ${country}
      ), page as (
        select entry_at, transaction_id, number, event, credit_account, wallet_id, amount, balance
        from transfers
        where wallet_id = (select id from wallet)
          and entry_at >= ${from}
          and entry_at is not null
        order by entry_at
        limit ${limit + 1}
      )
      select wallet.posted, line.entry_at, line.transaction_id, line.number, line.event, line.balance,
        case when line.credit_account = line.wallet_id then line.amount else -line.amount end as change
      from wallet
      left join page as line on true
      order by line.entry_at`,
  )
}

/** With what the statement shows of each line's payment, if a payment caused it. */
async function withPayments(db: ReadDb, owner: Owner, lines: readonly LedgerLine[]): Promise<Line[]> {
  if (lines.length === 0) return []
  const ids = [...new Set(lines.map(({ transaction_id }) => transaction_id))]
  const months = monthsOf(ids)
  const payments = await db.within<Pick<Line, PaymentFact> & { readonly id: string }>(
    owner,
    months,
    sql`
      select id, external_reference, type, method, counterparty
      from transactions
      where id = any(${ids}::uuid[])
        and id >= ${months.from}
        and id < ${months.below}`,
  )
  const byId = new Map(payments.map(({ id, ...facts }) => [id, facts]))
  const none = { external_reference: null, type: null, method: null, counterparty: null }
  return lines.map((line) => ({ ...line, ...(byId.get(line.transaction_id) ?? none) }))
}
