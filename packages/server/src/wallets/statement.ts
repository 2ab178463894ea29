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

/** A line, or none, with the balances at both ends of the period. */
type Row = Ends & (LedgerLine | { readonly [Name in keyof LedgerLine]: null })

interface Ends {
  readonly opening: bigint
  /** Null where a further page follows. */
  readonly closing: bigint | null
  /** The time of the wallet's newest line, archived or not; null if there is none. */
  readonly newest_at: bigint | null
}

const isLine = (row: Row): row is Row & LedgerLine => row.entry_at !== null

/**
 * Lines are read in index order and each holds the running balance, so a page costs the same for a new wallet as after a billion
 * lines. Opening plus the lines is closing, and closing is the next page's opening: the balance before that page's first line.
 * The opening and the last closing are those of `wallet_balance_at`, as in the flow.
 */
export async function readStatement(db: ReadDb, owner: Owner, wanted: StatementWanted): Promise<StatementPage> {
  const { from, limit } = wanted
  const to = wanted.to < from ? from : wanted.to
  const rows = await linesFrom(db, owner, { ...wanted, to })
  const { opening = 0n, closing: last = 0n, newest_at = 0n } = rows[0] ?? {}
  const found = await withPayments(db, owner, rows.filter(isLine))
  const next = found[limit]
  const closing = next ? before(next) : (last ?? 0n)
  const newestAt = newest_at !== null && newest_at < to ? newest_at : to - 1n
  return {
    opening,
    lines: withArchived(found.slice(0, limit), { opening, closing, newestAt }),
    closing,
    next: next?.entry_at,
  }
}

const before = ({ balance, change }: Line) => balance - change

interface Gaps {
  readonly opening: bigint
  readonly closing: bigint
  /** No line of the period is newer. */
  readonly newestAt: bigint
}

/** Where a line does not start from the balance before it, the lines between are in an archived month: one line sums them up. */
function withArchived(lines: readonly Line[], { opening, closing, newestAt }: Gaps): Line[] {
  const archivedBefore = (index: number): Line[] => {
    const [previous, next] = [lines[index - 1], lines[index]]
    const balance = next ? before(next) : closing
    const change = balance - (previous?.balance ?? opening)
    if (change === 0n) return []
    return [{ ...archivedLine, entry_at: (next ?? previous)?.entry_at ?? newestAt, change, balance }]
  }
  return [...lines.flatMap((line, index) => [...archivedBefore(index), line]), ...archivedBefore(lines.length)]
}

const archivedLine = {
  transaction_id: null,
  number: 0,
  event: archivedLines,
  external_reference: null,
  type: null,
  method: null,
  counterparty: null,
}

/** A page of lines of the period, and the one after them; one row without a line when there is none. */
function linesFrom(db: ReadDb, owner: Owner, wanted: StatementWanted): Promise<Row[]> {
  const { currency, country, from, to, limit } = wanted
  return db.query<Row>(
    owner,
    sql`
      with wallet as (
        select id, entry_at
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
          and entry_at < ${to}
        order by entry_at
        limit ${limit + 1}
      ), ends as materialized (
        select entry_at as newest_at,
          (select balance from wallet_balance_at(id, ${from})) as opening,
          case when (select count(*) from page) <= ${limit} then (select balance from wallet_balance_at(id, ${to})) end as closing
        from wallet
      )
      select ends.newest_at, ends.opening, ends.closing, line.entry_at, line.transaction_id, line.number, line.event, line.balance,
        case when line.credit_account = line.wallet_id then line.amount else -line.amount end as change
      from ends
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
