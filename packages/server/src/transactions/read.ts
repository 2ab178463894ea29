import { type PublicStatus, publicStatus } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { Moments } from '../platform/days.ts'
import { type Owner, type ReadDb, sql, sqlOn } from '../platform/db.ts'
import { firstIdAt, lastId, readId } from '../platform/ids.ts'
import { type IdRange, type IdSpan, monthsOf, newestFirst, newestThenOlder } from '../platform/months.ts'
import type { TimelineEntry } from './present.ts'

/** By its shown id, else by its external reference. */
export async function findTransaction(db: ReadDb, owner: Owner, wanted: string): Promise<Transaction | undefined> {
  const id = readId('transaction', wanted)
  const byId = id === undefined ? undefined : await findById(db, owner, id)
  return byId ?? findByReference(db, owner, wanted)
}

export async function findById(db: ReadDb, owner: Owner, id: string): Promise<Transaction | undefined> {
  const [found] = await readTransactions(db, owner, [id])
  return found
}

async function findByReference(db: ReadDb, owner: Owner, reference: string): Promise<Transaction | undefined> {
  const [row] = await db.find<{ transaction_id: string }>(
    owner,
    sql`
      select transaction_id
      from external_references
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and reference = ${reference}`,
  )
  return row && findById(db, owner, row.transaction_id)
}

export function timelineOf(db: ReadDb, owner: Owner, id: string): Promise<TimelineEntry[]> {
  const months = monthsOf([id])
  return db.within<TimelineEntry>(
    owner,
    months,
    sql`
      select at, stage, message
      from events
      where transaction_id = ${id}
        and transaction_id >= ${months.from}
        and transaction_id < ${months.below}
      order by number
      limit 1000`,
  )
}

/** Whether the operator has frozen the merchant. */
export async function isFrozen(db: ReadDb, owner: Owner): Promise<boolean> {
  const [merchant] = await db.find<{ is_frozen: boolean }>(
    owner,
    sql`select frozen_at is not null as is_frozen from merchants where id = ${owner.merchant_id}`,
  )
  return merchant?.is_frozen === true
}

/** Whole transactions by their ids, in any order. */
export async function readTransactions(db: ReadDb, owner: Owner, ids: readonly string[]): Promise<Transaction[]> {
  if (ids.length === 0) return []
  const months = monthsOf(ids)
  return db.within<Transaction>(
    owner,
    months,
    sql`
      select *
      from transactions
      where id = any(${ids}::uuid[])
        and id >= ${months.from}
        and id < ${months.below}`,
  )
}

export interface ListWanted extends Moments {
  readonly currency: string | undefined
  readonly type: string | undefined
  readonly externalReference: string | undefined
  readonly status: PublicStatus | undefined
  readonly limit: number
  /** Only transactions older than this one. */
  readonly before: string | undefined
}

export interface ListPage {
  readonly transactions: readonly Transaction[]
  /** Where the scan stopped although there may be more, because the filter matched too few rows. */
  readonly stoppedAt: string | undefined
}

/** A filter without its own index scans at most this many transactions for one page. */
const rowsScannedMax = 20_000

/** Newest first. */
export async function listTransactions(db: ReadDb, owner: Owner, wanted: ListWanted): Promise<ListPage> {
  if (wanted.externalReference !== undefined) {
    const found = await findByReference(db, owner, wanted.externalReference)
    return { transactions: found && isAmong(wanted, found) ? [found] : [], stoppedAt: undefined }
  }
  if (isIndexed(wanted)) {
    const read = (range: IdRange, limit: number) => readOfKind(db, owner, wanted, range, limit)
    return { transactions: await newestFirst(spanOf(wanted), wanted.limit, read), stoppedAt: undefined }
  }
  return scan(db, owner, wanted)
}

/** Filters whose index leads straight to the matching rows, so that the scan reads no others. */
function isIndexed({ currency, type, status }: ListWanted): boolean {
  return currency !== undefined && type !== undefined && status === undefined
}

function spanOf({ before = lastId, from, below }: ListWanted): IdSpan {
  const end = firstIdAt(below.getTime())
  return { from: firstIdAt(from.getTime()), below: before < end ? before : end }
}

/** Whether one transaction passes the filters. */
function isAmong(wanted: ListWanted, { id, state, currency, type }: Transaction): boolean {
  const { from, below } = spanOf(wanted)
  return (
    id >= from &&
    id < below &&
    (wanted.status === undefined || publicStatus[state] === wanted.status) &&
    (wanted.currency === undefined || currency === wanted.currency) &&
    (wanted.type === undefined || type === wanted.type)
  )
}

function readOfKind(
  db: ReadDb,
  { merchant_id, env }: Owner,
  { type, currency }: ListWanted,
  range: IdRange,
  limit: number,
): Promise<Transaction[]> {
  return db.within(
    { merchant_id, env },
    range,
    sql`
      select *
      from transactions
      where merchant_id = ${merchant_id}
        and env = ${env}
        and type = ${type}
        and currency = ${currency}
        and id >= ${range.from}
        and id < ${range.below}
      order by id desc
      limit ${limit}`,
  )
}

/**
 * Applies the filters to the rows as they are read, along the index of the status if it has one. A range is read to its end, unless
 * the page is full or all ranges together had too many rows.
 */
async function scan(db: ReadDb, owner: Owner, wanted: ListWanted): Promise<ListPage> {
  const found: Transaction[] = []
  let left = rowsScannedMax
  for (const range of newestThenOlder(spanOf(wanted))) {
    const part = { range, limit: wanted.limit - found.length, rowsMax: left }
    const rows = await scanRange(db, owner, wanted, part)
    found.push(...rows.filter(isFound).sort((one, other) => (one.id < other.id ? 1 : -1)))
    if (found.length === wanted.limit) break
    const { examined = 0, examined_to } = rows[0] ?? {}
    if (examined === left) return { transactions: found, stoppedAt: examined_to ?? undefined }
    left -= examined
  }
  return { transactions: found, stoppedAt: undefined }
}

/** What a scan reads of a range. */
interface Part {
  readonly range: IdRange
  /** Matching rows. */
  readonly limit: number
  /** Rows read. */
  readonly rowsMax: number
}

/** A matching row, or none; with how many rows were read for a page that is not full, and the last of them. */
type Scanned = { readonly examined: number; readonly examined_to: string | null } & (
  | Transaction
  | { readonly id: null }
)

const isFound = (row: Scanned): row is Scanned & Transaction => row.id !== null

/** Rows are counted in the statement that reads them: one that ends meanwhile would move the place where the next page starts. */
function scanRange(db: ReadDb, owner: Owner, wanted: ListWanted, { range, limit, rowsMax }: Part): Promise<Scanned[]> {
  const { currency = null, type = null, status } = wanted
  const { merchant_id, env } = owner
  return db.within<Scanned>(
    owner,
    range,
    sqlOf(status)`
      with page as materialized (
        select *
        from (
          select *
          from transactions
          where merchant_id = ${merchant_id}
            and env = ${env}
            and id >= ${range.from}
            and id < ${range.below}
            and of_status
          order by id desc
          limit ${rowsMax}
        ) scanned
        where currency = coalesce(${currency}, currency)
          and type = coalesce(${type}, type)
          and (${status === 'successful'} is false or state = 'successful')
        order by id desc
        limit ${limit}
      ), counted as (
        select count(*)::int as examined, min(id::text collate "C") as examined_to
        from (
          select id
          from transactions
          where merchant_id = ${merchant_id}
            and env = ${env}
            and id >= ${range.from}
            and id < ${range.below}
            and of_status
            and (select count(*) from page) < ${limit}
          order by id desc
          limit ${rowsMax}
        ) scanned
      )
      select counted.*, page.*
      from counted
      left join page on true`,
  )
}

/** Statements with the condition `of_status`. Each status with an index has its own: a condition that a value switches off uses none. */
const statements = {
  pending: sqlOn({ of_status: "state not in ('successful', 'failed')" }),
  failed: sqlOn({ of_status: "state = 'failed'" }),
  any: sqlOn({ of_status: 'true' }),
}

export const sqlOf = (status: PublicStatus | undefined) =>
  statements[status === 'pending' || status === 'failed' ? status : 'any']
