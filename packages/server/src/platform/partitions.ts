import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Db, sql, type WriteDb } from './db.ts'
import type { Secret } from './secret.ts'
import { platformTiming } from './timing.ts'

/** Tables partitioned by the month of their id. */
export const monthly = [
  'audit_entries',
  'transfers',
  'transactions',
  'attempts',
  'events',
  'webhook_records',
  'added_webhook_records',
  'receipts',
  'payment_lookups',
  'merchant_lookups',
  'callbacks',
  'controlled_payouts',
  'refund_reasons',
  'refunds_of_charges',
  'refund_totals',
] as const

const { timersAheadHours, timersKeptHours } = platformTiming
const monthsAhead = 3
const logDaysAhead = 3
const busyMaxMs = 60_000
const busyPauseMs = 50

/** How many full hours and months after the current one are already writable; -1 when the current one is not. */
export interface PartitionsLeft {
  readonly hours: number
  /** By table. */
  readonly months: ReadonlyMap<string, number>
  /** The smallest count of any table. */
  readonly fewestMonths: number
}

/** Below these a process is not ready: a payment accepted now might find no partition for its later rows. */
const leftMin = { hours: platformTiming.timersAheadMinHours, months: 1 } as const

export async function partitionsLeft(db: Db): Promise<PartitionsLeft> {
  const rows = await db.query<{ parent: string; months: number; hours: number }>(sql`
    select parent, months_ahead(parent::regclass) as months, (select hours_ahead()) as hours
    from unnest(${monthly}::text[]) as parent`)
  const months = new Map(rows.map((row) => [row.parent, row.months]))
  return { hours: rows[0]?.hours ?? -1, months, fewestMonths: Math.min(...months.values()) }
}

/** Why too few are left; undefined when there are enough. */
export function shortage({ hours, fewestMonths }: PartitionsLeft): string | undefined {
  if (hours < leftMin.hours) return `hours of timers left: ${hours}, needed: ${leftMin.hours}`
  if (fewestMonths < leftMin.months) return 'the next month has no partition'
  return undefined
}

/**
 * Attaches missing partitions: this month and the next three, for timers this hour and the next 73, for the request log this day
 * and the next three. Each in its own
 * transaction, so that a locked table does not block the others. Waits at most 200 ms for any lock, and takes none that a payment
 * or a reader would wait for. Any process may call it at any time: concurrent calls take turns.
 */
export async function attachPartitions(db: Db): Promise<void> {
  const failed: unknown[] = []
  const attempt = (attach: () => Promise<number>) => untilDone(attach).catch((error: unknown) => failed.push(error))
  await attempt(() => attachHour(db))
  for (const parent of monthly) await attempt(() => attachMonths(db, parent))
  await attempt(() => attachLogDays(db))
  if (failed.length > 0) throw new AggregateError(failed, 'partitions not attached')
}

async function attachLogDays(db: Db): Promise<number> {
  const [row] = await db.query<{ attached: number }>(
    sql`select attach_request_log_days(${logDaysAhead}::int) as attached`,
  )
  return row?.attached ?? 0
}

/** Drops the days of the request log that are older than this many days, one after another; what a reader holds is left for the next call. */
export async function dropOldLogDays(db: Db, keptDays: number): Promise<void> {
  const dropOne = () => db.query<{ dropped: number }>(sql`select drop_request_log_day(${keptDays}::int) as dropped`)
  for (let [row] = await dropOne(); row && row.dropped > 0; ) [row] = await dropOne()
}

async function attachHour(db: Db): Promise<number> {
  const [row] = await db.query<{ attached: number }>(sql`select attach_hour(${timersAheadHours}::int) as attached`)
  return row?.attached ?? 0
}

async function attachMonths(db: Db, parent: string): Promise<number> {
  const [row] = await db.query<{ attached: number }>(
    sql`select attach_months(${parent}::text::regclass, ${monthsAhead}::int) as attached`,
  )
  return row?.attached ?? 0
}

/**
 * Calls until nothing is left to attach. A negative result means that another process is attaching: waits for it, then calls
 * again.
 */
async function untilDone(attach: () => Promise<number>): Promise<void> {
  const deadline = performance.now() + busyMaxMs
  for (let attached = await attach(); attached !== 0; attached = await attach()) {
    if (attached > 0) continue
    if (performance.now() > deadline) throw new Error('another process holds the attach lock for too long')
    await pause(busyPauseMs)
  }
}

const isLockHeld = (error: unknown) => (error as { code?: string }).code === '55P03'

/** Statements that detach an hour from timers, if it is still attached, and drop it. */
interface OldHour {
  readonly detach: string | null
  readonly drop: string | null
}

/**
 * Detaches and drops old hours of timers; returns how many could not be dropped because they are being read. Detaching
 * concurrently blocks no payment, but only the owner may do it, and not in a transaction: hence a separate connection, with the
 * role that owns timers and nothing else. Each step waits at most 200 ms for any lock. What a call could not finish, because a
 * reader holds timers or its process died, the next call continues.
 */
export async function dropOldHours(db: WriteDb, url: Secret): Promise<number> {
  const old = await db.query<OldHour>(oldHours())
  if (old.length === 0) return 0
  const client = await connectAsOwnerOfHours(url)
  try {
    await dropHours(client)
  } catch (error) {
    if (!isLockHeld(error)) throw error
  } finally {
    await client.end()
  }
  return (await db.query<OldHour>(oldHours())).length
}

async function connectAsOwnerOfHours(url: Secret): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url.reveal(),
    options: '-c role=malipo_timers -c lock_timeout=200 -c statement_timeout=5000',
    application_name: 'malipo_timers',
    connectionTimeoutMillis: 5000,
    query_timeout: 10_000, // For a server that hangs without closing.
  })
  client.on('error', () => undefined) // The running statement fails with it.
  await client.connect()
  return client
}

/** One process at a time: PostgreSQL allows one pending detach for each table. */
async function dropHours(client: pg.Client): Promise<void> {
  const { rows: taken } = await client.query(`select where pg_try_advisory_lock(hashtextextended('drop_hours', 0))`)
  if (taken.length === 0) return
  const { rows } = await client.query<OldHour>(oldHours() as pg.QueryConfig)
  for (const { detach, drop } of rows) {
    if (detach !== null) await client.query(detach)
    if (drop !== null) await client.query(drop)
  }
}

/**
 * An hour with a pending detach comes first: no other can be detached before that is finished. It may be an hour that is needed,
 * if the clock jumped ahead and back: then it is not dropped, and is attached again.
 */
const oldHours = () => sql`
  with kept as (
    select hour_of(date_trunc('hour', record_time(), 'UTC') - make_interval(hours => ${timersKeptHours}::int)) as first
  )
  select case when c.relname < kept.first then format('drop table timer_hours.%I', c.relname) end as drop,
    format('alter table public.timers detach partition timer_hours.%I ', c.relname)
      || case when i.inhdetachpending then 'finalize' when i.inhrelid is not null then 'concurrently' end as detach
  from kept, pg_class c
  left join pg_inherits i on i.inhrelid = c.oid
  where c.relnamespace = 'timer_hours'::regnamespace
    and c.relkind = 'r'
    and (c.relname < kept.first or i.inhdetachpending)
  order by i.inhdetachpending desc nulls last, c.relname`
