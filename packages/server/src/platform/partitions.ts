import { type Db, sql } from './db.ts'

/** Tables partitioned by the month of their id. */
const monthly = ['audit_entries', 'transfers'] as const

const monthsAhead = 3

/** Makes sure that this month and the next three can be written to. Safe to call at any time, from any process. */
export async function attachPartitions(db: Db): Promise<void> {
  await db.query(sql`
    select attach_months(parent::regclass, ${monthsAhead})
    from unnest(${monthly}::text[]) as parent`)
}

/** The fewest months any table still has before it: below one, a new month could find no room. */
export async function fewestMonthsAhead(db: Db): Promise<number> {
  const [row] = await db.query<{ ahead: number }>(sql`
    select min(months_ahead(parent::regclass)) as ahead
    from unnest(${monthly}::text[]) as parent`)
  return row?.ahead ?? 0
}
