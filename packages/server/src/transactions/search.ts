import { openCounterparty } from '../payments/model/counterparty.ts'
import type { Transaction } from '../payments/model/store.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { firstIdAt, lastId } from '../platform/ids.ts'
import { type IdRange, type IdSpan, newestThenOlder } from '../platform/months.ts'
import type { Vault } from '../platform/seal.ts'
import type { ReferenceData } from '../reference/data.ts'
import { type Filtered, isSelective, passes, type TransactionFilter } from './filter.ts'
import { findTransaction, sqlOf } from './read.ts'
import { type SoughtValues, soughtValues } from './search-values.ts'

export interface SearchContext {
  readonly db: { readonly read: ReadDb }
  readonly vault: Vault
  readonly reference: ReferenceData
}

/** What a search must read of a transaction to recognise it. */
export type Searched = Filtered & Pick<Transaction, 'id' | 'counterparty' | 'external_reference'>

export interface Wanted<Row extends Searched> {
  readonly filter: TransactionFilter
  /** Only transactions older than this one. */
  readonly before: string
  readonly limit: number
  /** Reads transactions by their ids, in any order. */
  readonly read: (owner: Owner, ids: readonly string[]) => Promise<Row[]>
}

export interface FoundPage<Row> {
  /** Newest first. */
  readonly rows: readonly Row[]
  /** Set when there may be more: the `before` of the next page. */
  readonly next: string | undefined
}

/** Greater than every id: where the first page starts. */
export const newestId = lastId

/** How many transactions one statement examines at most where no index leads to the selected ones. */
const examinedMax = 1000
/** Statements of a page. Each examines more than the one before, because most filters need only a few. */
const roundsMax = 12

/**
 * The next transactions of an owner that a filter selects, newest first. Every statement reads at most {@link examinedMax} entries
 * of an index, whatever the merchant has. A page is shorter than its limit if it examined about 10,000 and found too few: then it
 * has a `next`.
 */
export async function findPage<Row extends Searched>(
  context: SearchContext,
  owner: Owner,
  wanted: Wanted<Row>,
): Promise<FoundPage<Row>> {
  const { filter, limit } = wanted
  const examine =
    filter.q === undefined ? examineAll(context, owner, wanted) : await examineFound(context, owner, wanted)
  const rows: Row[] = []
  let from: string | undefined = wanted.before
  for (let round = 0; round < roundsMax && from !== undefined; round += 1) {
    const examined: Examined<Row> = await examine(from)
    rows.push(...examined.rows)
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.id }
    from = examined.next
  }
  return { rows, next: from }
}

interface Examined<Row> {
  /** The selected ones, newest first. */
  readonly rows: Row[]
  /** Where it stopped; undefined at the end. */
  readonly next: string | undefined
}

type Examine<Row> = (from: string) => Promise<Examined<Row>>

/** Walks along the merchant's own transactions. */
function examineAll<Row extends Searched>({ db }: SearchContext, owner: Owner, wanted: Wanted<Row>): Examine<Row> {
  const { filter, limit, read } = wanted
  const most = Math.max(examinedMax, limit + 1)
  let next = isSelective(filter) ? Math.min(5 * (limit + 1), most) : limit + 1
  const ranges = [...newestThenOlder(spanOf(filter, wanted.before))]
  return async (from) => {
    const examined = next
    if (isSelective(filter)) next = Math.min(2 * next, most)
    const [range] = ranges
    const walked = range
      ? await walk(db.read, owner, filter, { ...range, below: least(from, range.below) }, examined)
      : []
    const isEnd = walked.length < examined
    if (isEnd) ranges.shift() // Older months only if this page needs them.
    const passing = walked.filter((row) => passes(filter, row))
    const ids = passing.slice(0, limit + 1).map(({ id }) => id) // More would not fit the page, and each is read whole.
    const rows = ids.length === 0 ? [] : await read(owner, ids)
    return { rows: rows.sort(byAge), next: isEnd ? ranges[0]?.below : walked.at(-1)?.id }
  }
}

/** Follows the lookups of everything that `q` may be. */
async function examineFound<Row extends Searched>(
  { db, vault, reference }: SearchContext,
  owner: Owner,
  { filter, limit, read }: Wanted<Row>,
): Promise<Examine<Row>> {
  const sought = soughtValues(vault, reference, filter.q ?? '')
  const byIdOrReference = await findTransaction(db.read, owner, filter.q ?? '')
  const exact = byIdOrReference ? [byIdOrReference.id] : []
  const days = spanOf(filter, newestId)
  const isWithin = (id: string, from: string) => id < from && id >= days.from && id < days.below
  return async (from) => {
    const found = await lookUp(db.read, owner, sought, spanOf(filter, from), limit + 1)
    const next = cutOf(found, limit + 1)
    const known = new Set(
      found.filter(({ hash }) => sought.trusted.has(hash)).map(({ transaction_id }) => transaction_id),
    )
    for (const id of exact) known.add(id)
    const ids = new Set([...found.map(({ transaction_id }) => transaction_id), ...exact])
    const complete = [...ids].filter((id) => isWithin(id, from) && (next === undefined || id >= next))
    const rows = complete.length === 0 ? [] : await read(owner, complete)
    const isSame = (row: Row) =>
      known.has(row.id) || (row.counterparty !== '' && sought.isOf(openCounterparty(vault, row)))
    return { rows: rows.filter((row) => passes(filter, row) && isSame(row)).sort(byAge), next }
  }
}

const byAge = (left: { readonly id: string }, right: { readonly id: string }) => (left.id < right.id ? 1 : -1)

interface Found {
  readonly hash: bigint
  readonly transaction_id: string
}

/** Where the shortest reach of a value with more entries ends: older transactions are complete only down to there. */
function cutOf(found: readonly Found[], limit: number): string | undefined {
  const ends = [...Map.groupBy(found, ({ hash }) => hash).values()]
    .filter((entries) => entries.length >= limit)
    .map((entries) => entries.at(-1)?.transaction_id ?? newestId)
  return ends.reduce<string | undefined>((newest, id) => (newest && newest > id ? newest : id), undefined)
}

/** The newest transactions of each hash, as many of each as the limit. */
async function lookUp(
  db: ReadDb,
  owner: Owner,
  { hashes }: SoughtValues,
  span: IdSpan,
  limit: number,
): Promise<Found[]> {
  const [newest, older] = newestThenOlder(span)
  const found = await lookUpIn(db, owner, hashes, newest, limit)
  const counts = Map.groupBy(found, ({ hash }) => hash)
  const lacking = hashes.filter((hash) => (counts.get(hash)?.length ?? 0) < limit)
  const others = older && lacking.length > 0 ? await lookUpIn(db, owner, lacking, older, limit) : []
  return [...Map.groupBy([...found, ...others], ({ hash }) => hash).values()].flatMap((each) => each.slice(0, limit))
}

/** Of each hash newest first. */
function lookUpIn(
  db: ReadDb,
  owner: Owner,
  hashes: readonly bigint[],
  range: IdRange,
  limit: number,
): Promise<Found[]> {
  return db.within(
    owner,
    range,
    sql`
      select h.hash, l.transaction_id
      from unnest(${hashes}::bigint[]) as h(hash)
      cross join lateral (
        select m.transaction_id
        from merchant_lookups m
        where m.merchant_id = ${owner.merchant_id}
          and m.env = ${owner.env}
          and m.hash = h.hash
          and m.transaction_id >= ${range.from}
          and m.transaction_id < ${range.below}
        order by m.transaction_id desc
        limit ${limit}
      ) as l`,
  )
}

/** The ids of the filter's days, before this one. */
function spanOf({ from, below }: TransactionFilter, before: string): IdSpan {
  return { from: firstIdAt(from.getTime()), below: least(before, firstIdAt(below.getTime())) }
}

const least = (left: string, right: string) => (left < right ? left : right)

type Walked = Filtered & Pick<Transaction, 'id'>

/** Reads along the index that selects most. */
function walk(
  db: ReadDb,
  { merchant_id, env }: Owner,
  { type, currency, status }: TransactionFilter,
  range: IdRange,
  limit: number,
): Promise<Walked[]> {
  if (type !== undefined && currency !== undefined)
    return db.within(
      { merchant_id, env },
      range,
      sql`
        select id, state, type, method, currency, country, amount
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
  return db.within(
    { merchant_id, env },
    range,
    sqlOf(status)`
      select id, state, type, method, currency, country, amount
      from transactions
      where merchant_id = ${merchant_id}
        and env = ${env}
        and id >= ${range.from}
        and id < ${range.below}
        and of_status
      order by id desc
      limit ${limit}`,
  )
}
