import { setTimeout as pause } from 'node:timers/promises'
import { type Db, sql } from '../platform/db.ts'
import { idempotencyKeysKeptDays } from '../platform/secret-keys.ts'

/** One statement reads this many pages of each partition: a few thousand rows, for a few milliseconds. */
const pagesAStep = 32
/** A run reads at least these many pages of each partition, and enough that the runs of a day read the whole table. */
const pagesARunMin = 64
const runsADay = 1440
const pauseMs = 10

/**
 * Deletes idempotency keys older than 30 days from the next pages of the table, and stores where the next run continues. The run goes
 * past pages that fail, and throws at its end: they are read again a day later, while one bad page would otherwise keep all keys. A key
 * holds as long as its row: all writers of a key meet in its primary key, so the moment of deletion has no race that the first use of a
 * key does not have. It needs no index on the age, which every accepted payment would pay for (docs/decisions/retention.md). Called once
 * a minute by one process; a second one at the same time only repeats work.
 */
export async function expireKeys(db: Db, signal?: AbortSignal): Promise<void> {
  const [state] = await db.query<{ from: number; pages: number; older_than: Date }>(sql`
    select place::int as from, (
        select ceil(max(pg_relation_size(inhrelid)) / current_setting('block_size')::numeric)::int
        from pg_inherits
        where inhparent = 'idempotency_keys'::regclass
      ) as pages,
      record_time() - make_interval(days => ${idempotencyKeysKeptDays}::int) as older_than
    from leases
    where name = 'retention'`)
  if (!state) return
  const { from, pages, older_than } = state
  const below = Math.min(pages, from + Math.max(pagesARunMin, Math.ceil(pages / runsADay)))
  const failed: unknown[] = []
  let place = from
  while (place < below && !signal?.aborted) {
    await expirePages(db, place, older_than).catch((error: unknown) => failed.push(error))
    place += pagesAStep
    await storePlace(db, place)
    await pause(pauseMs)
  }
  if (place >= pages) await storePlace(db, 0)
  if (failed.length > 0) throw new AggregateError(failed, 'idempotency keys not deleted')
}

async function storePlace(db: Db, place: number): Promise<void> {
  await db.query(sql`update leases set place = ${place} where name = 'retention'`)
}

async function expirePages(db: Db, from: number, olderThan: Date): Promise<void> {
  await db.query(sql`
    delete from idempotency_keys
    where ctid >= ${`(${from},0)`}::tid
      and ctid < ${`(${from + pagesAStep},0)`}::tid
      and created_at < ${olderThan}`)
}
