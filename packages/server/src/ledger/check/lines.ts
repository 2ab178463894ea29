import { part, sql, type Tx } from '../../platform/db.ts'
import { LedgerDisagreement } from './disagreement.ts'
import { type IdRange, inPiece, type Piece, within } from './months.ts'
import type { KeptShadow, LastLine } from './shadow.ts'

/** A line of a wallet's statement. */
interface Line {
  readonly wallet_id: string
  readonly entry_at: bigint
  readonly balance: bigint
  /** What it adds to the balance. */
  readonly change: bigint
}

interface PieceLine extends Line {
  /** It is not the first of its wallet in the piece, and continues the line before it. */
  readonly fits: boolean
  readonly is_first: boolean
  readonly is_last: boolean
  /** Another line has its time. */
  readonly is_repeated: boolean
}

/**
 * Checks that each line of a wallet continues the one before it. Batches are numbered when they start and lines when they get their
 * wallet's lock, so the order of lines is what counts: a line may come before one of an earlier piece, or after one of a later piece.
 * Those few are looked up in all months. Returns the last line of each wallet.
 */
export async function checkLines(
  tx: Tx,
  shadow: KeptShadow,
  piece: Piece,
  ranges: readonly IdRange[],
): Promise<readonly LastLine[]> {
  const lines = await tx.query<PieceLine>(linesOf(piece))
  const repeated = lines.find(({ is_repeated }) => is_repeated)
  if (repeated) throw wrong(repeated)
  const firsts = lines.filter(({ is_first }) => is_first)
  const before = await shadow.lastLines(
    tx,
    firsts.map(({ wallet_id }) => wallet_id),
  )
  const continues = (line: PieceLine) => {
    const last = line.is_first ? before(line.wallet_id) : undefined
    return last !== undefined && last.entry_at < line.entry_at && line.balance === last.balance + line.change
  }
  const inserted = await linesAmong(
    tx,
    piece,
    firsts.flatMap(({ wallet_id, entry_at }) => {
      const last = before(wallet_id)
      return last && last.entry_at >= entry_at ? [{ ...last, wallet_id }] : []
    }),
  )
  await compareBefore(tx, [...lines.filter((line) => !line.fits && !continues(line)), ...inserted], ranges)
  await compareAfter(tx, inserted, ranges)
  return lines.filter(({ is_last }) => is_last)
}

const wrong = ({ wallet_id, entry_at }: Pick<Line, 'wallet_id' | 'entry_at'>) =>
  new LedgerDisagreement(
    `the running balance of a wallet does not add up: wallet_id ${wallet_id}, entry_at ${entry_at}`,
  )

/** Materialized where it is used: sorting the lines of a piece is quick, and the index in their order is of whole months. */
const ownLines = (piece: Piece) => part`
  select wallet_id, entry_at, balance, case when credit_account = wallet_id then amount else -amount end as change
  from transfers
  where ${inPiece(piece)}
    and entry_at is not null`

/** The first and the last line of each wallet in the piece, and those that do not continue the line before. */
const linesOf = (piece: Piece) => sql`
  with own as materialized (${ownLines(piece)}), lines as (
    select wallet_id, entry_at, balance, change,
      lag(balance) over w as before, lag(entry_at) over w as before_at, lead(entry_at) over w as after_at
    from own
    window w as (partition by wallet_id order by entry_at)
  )
  select wallet_id, entry_at, balance, change, before_at is null as is_first, after_at is null as is_last,
    coalesce(balance = before + change, false) as fits, coalesce(entry_at = before_at, false) as is_repeated
  from lines
  where before_at is null
    or after_at is null
    or balance <> before + change
    or entry_at = before_at
  order by wallet_id, entry_at`

/** The lines of the piece that are not later than the last line of their wallet in earlier pieces, and the line that follows on them. */
async function linesAmong(tx: Tx, piece: Piece, lasts: readonly LastLine[]): Promise<readonly Line[]> {
  if (lasts.length === 0) return []
  return tx.query<Line>(sql`
    with own as materialized (${ownLines(piece)}), lines as (
      select *, lag(entry_at) over (partition by wallet_id order by entry_at) as before_at
      from own
    )
    select l.wallet_id, l.entry_at, l.balance, l.change
    from lines l
    join unnest(${lasts.map(({ wallet_id }) => wallet_id)}::uuid[], ${lasts.map(({ entry_at }) => entry_at)}::bigint[])
      as last(wallet_id, entry_at) using (wallet_id)
    where coalesce(l.before_at, l.entry_at) <= last.entry_at`)
}

/** Each of these lines continues the one before it, wherever that is. */
async function compareBefore(tx: Tx, lines: readonly Line[], ranges: readonly IdRange[]): Promise<void> {
  const found = await neighbours(tx, lines, ranges, 'before')
  const different = lines.find((line, index) => line.balance !== (found[index]?.balance ?? 0n) + line.change)
  if (different) throw wrong(different)
}

/** Each of these lines is continued by the one after it, wherever that is. */
async function compareAfter(tx: Tx, lines: readonly Line[], ranges: readonly IdRange[]): Promise<void> {
  const found = await neighbours(tx, lines, ranges, 'after')
  const different = found.find((next, index) => next && next.balance !== (lines[index]?.balance ?? 0n) + next.change)
  if (different) throw wrong(different)
}

/** The line before or after each of these, of all months: each is asked for itself, and only that has few lines. */
async function neighbours(
  tx: Tx,
  lines: readonly Line[],
  ranges: readonly IdRange[],
  side: 'before' | 'after',
): Promise<readonly (Line | undefined)[]> {
  const found = new Map<number, Line>()
  const isNearer = (line: Line, other: Line | undefined) =>
    other === undefined || (side === 'before' ? line.entry_at > other.entry_at : line.entry_at < other.entry_at)
  for (const range of lines.length > 0 ? ranges : [])
    for (const { index, ...line } of await neighboursIn(tx, lines, range, side))
      if (isNearer(line, found.get(index))) found.set(index, line)
  return lines.map((_, index) => found.get(index))
}

function neighboursIn(
  tx: Tx,
  lines: readonly Line[],
  range: IdRange,
  side: 'before' | 'after',
): Promise<(Line & { readonly index: number })[]> {
  const [condition, order] =
    side === 'before'
      ? [part`entry_at < own.entry_at`, part`entry_at desc`]
      : [part`entry_at > own.entry_at`, part`entry_at`]
  return tx.query(sql`
    select own.index::int - 1 as index, t.wallet_id, t.entry_at, t.balance,
      case when t.credit_account = t.wallet_id then t.amount else -t.amount end as change
    from unnest(${lines.map(({ wallet_id }) => wallet_id)}::uuid[], ${lines.map(({ entry_at }) => entry_at)}::bigint[])
      with ordinality as own(wallet_id, entry_at, index)
    cross join lateral (
      select *
      from transfers
      where wallet_id = own.wallet_id
        and entry_at is not null
        and ${condition}
        and ${within(part`transaction_id`, [range])}
      order by ${order}
      limit 1
    ) t`)
}
