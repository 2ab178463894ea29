import { type Db, part, type SnapshotDb, sql, type Tx } from '../../platform/db.ts'
import type { SqlPart } from '../../platform/statement-text.ts'

/**
 * Ids from the first to the last: those of a month, or those between two months. All ranges together are all ids, so nothing is
 * outside of them, whatever the partitions are named.
 */
export interface IdRange {
  /** Its place among all ranges. */
  readonly place: number
  readonly first: string
  readonly last: string
}

/** The ranges of the months that have partitions or are archived. */
export async function readIdRanges(db: Db): Promise<IdRange[]> {
  const starts = await db.query<{ ms: number }>(sql`
    with months as (
      select to_date(right(c.relname, 6), 'YYYYMM')::timestamp as month
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent in ('public.transactions'::regclass, 'public.transfers'::regclass)
        and c.relname ~ '_2[0-9]{3}(0[1-9]|1[0-2])$'
      union
      select month::timestamp from archived_months
    )
    select (extract(epoch from starts.at) * 1000)::float8 as ms
    from (select month as at from months union select month + interval '1 month' from months) starts
    order by ms`)
  const bounds = starts.map(({ ms }) => ms)
  return [0, ...bounds].map((from, place) => {
    const to = bounds[place]
    return {
      place,
      first: `${hexOf(from)}${'0'.repeat(20)}`,
      last: `${to ? hexOf(to - 1) : 'f'.repeat(12)}${'f'.repeat(20)}`,
    }
  })
}

const hexOf = (ms: number) => ms.toString(16).padStart(12, '0')

/** Whether this column, or this expression, is in one of the ranges. PostgreSQL then leaves out the partitions of all others. */
export function within(column: SqlPart, ranges: readonly IdRange[]): SqlPart {
  const [first, ...others] = merged(ranges).map(
    (range) => part`${column} between ${range.first}::uuid and ${range.last}::uuid`,
  )
  if (!first) return part`false`
  return part`(${others.reduce((all, each) => part`${all} or ${each}`, first)})`
}

/** Batches that are checked together, and the months with their transfers. */
export interface Piece {
  readonly from: bigint
  readonly below: bigint
  readonly ranges: readonly IdRange[]
}

/** The condition on `transfers` that selects those of the piece, from the months that have some. */
export const inPiece = ({ from, below, ranges }: Piece): SqlPart =>
  part`batch >= ${from} and batch < ${below} and ${within(part`transaction_id`, ranges)}`

/** Ranges that follow on each other are one. */
function merged(ranges: readonly IdRange[]): IdRange[] {
  const found: IdRange[] = []
  for (const range of ranges.toSorted((left, right) => left.place - right.place)) {
    const before = found.at(-1)
    if (before && range.place <= before.place + 1) found.splice(-1, 1, { ...range, first: before.first })
    else found.push(range)
  }
  return found
}

/** The ranges that these ids are in. */
export function rangesOf(all: readonly IdRange[], ids: readonly string[]): IdRange[] {
  const plain = ids.map((id) => id.replaceAll('-', ''))
  return all.filter(({ first, last }) => plain.some((id) => id >= first && id <= last))
}

/** Where the transfers of batches are. */
export interface Places {
  /** The ranges with a transfer in these batches. */
  of(from: bigint, below: bigint): IdRange[]
}

/** Batches from the first to the last. */
interface Run {
  readonly first: bigint
  readonly last: bigint
}

/** A gap between batches of a range counts from here on. */
const gapMin = 1000

/**
 * Finds out which ranges have transfers of which batches, reading each range once: a piece then reads no month without a transfer of
 * its batches, except in small gaps. Found by the transfers themselves, so that none can be hidden in another month.
 */
export async function findPlaces(
  db: SnapshotDb,
  ranges: readonly IdRange[],
  { from, below }: { readonly from: bigint; readonly below: bigint },
): Promise<Places> {
  const found: { readonly range: IdRange; readonly runs: readonly Run[] }[] = []
  for (const range of from < below ? ranges : []) {
    const runs = await db.snapshot((tx) => runsOf(tx, range, from, below))
    if (runs.length > 0) found.push({ range, runs })
  }
  return {
    of: (first, end) =>
      found.filter(({ runs }) => (runFrom(runs, first)?.first ?? end) < end).map(({ range }) => range),
  }
}

async function runsOf(tx: Tx, range: IdRange, from: bigint, below: bigint): Promise<Run[]> {
  await (from === 0n ? planByCost(tx) : readByIndex(tx)) // From a checkpoint on, most months have none of the batches.
  return tx.query<Run>(sql`
    with batches as (
      select distinct batch
      from transfers
      where batch >= ${from}
        and batch < ${below}
        and ${within(part`transaction_id`, [range])}
    ), starts as (
      select batch, (batch - lag(batch) over (order by batch) < ${gapMin}) is not true as is_start from batches
    ), runs as (
      select batch, count(*) filter (where is_start) over (order by batch) as run from starts
    )
    select min(batch) as first, max(batch) as last
    from runs
    group by run
    order by first`)
}

/**
 * Connections count sequential reads as dear, so that a plan that is kept uses indexes. The plans of a check are of the moment, and
 * a read of many neighbouring pages is cheap.
 */
export async function planByCost(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('seq_page_cost', '1', true)`)
}

/**
 * For what is small against a month, whatever the statistics say: no month is read whole. Nothing is memoized, because no transfer comes
 * twice.
 */
export async function readByIndex(tx: Tx): Promise<void> {
  await planByCost(tx)
  await tx.query(sql`select set_config('enable_seqscan', 'off', true), set_config('enable_memoize', 'off', true)`)
}

/** The first run that does not end before this batch. */
function runFrom(runs: readonly Run[], batch: bigint): Run | undefined {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((runs[middle]?.last ?? batch) < batch) low = middle + 1
    else high = middle
  }
  return runs[low]
}
