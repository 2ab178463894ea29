import { type Db, sql } from './db.ts'

/** Tables partitioned by the month of their id. */
export const monthly = [
  'audit_entries',
  'transfers',
  'transactions',
  'attempts',
  'events',
  'webhook_records',
  'receipts',
] as const

const monthsAhead = 3
const hoursAhead = 24
/** An alarm is rung within moments, and a payment whose alarm was lost is found by its own row. */
const hoursKept = 6

/**
 * Makes sure that this month and the next three, and of alarms this hour and the next twenty-four, can be written to.
 * Safe to call at any time, from any process.
 */
export async function attachPartitions(db: Db): Promise<void> {
  await db.query(sql`
    select attach_months(parent::regclass, ${monthsAhead})
    from unnest(${monthly}::text[]) as parent`)
  await db.query(sql`select attach_alarm_hours(${hoursAhead}, ${hoursKept})`)
}

/** The fewest months any table still has before it: below one, a new month could find no room. */
export async function fewestMonthsAhead(db: Db): Promise<number> {
  const [row] = await db.query<{ ahead: number }>(sql`
    select min(months_ahead(parent::regclass)) as ahead
    from unnest(${monthly}::text[]) as parent`)
  return row?.ahead ?? 0
}
