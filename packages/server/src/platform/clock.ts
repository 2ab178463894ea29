import assert from 'node:assert/strict'
import { type Db, sql } from './db.ts'

/** Time of record is the database's clock, which tests and a sandbox of its own may move, in milliseconds. */
export async function databaseTimeMs(db: Db): Promise<number> {
  const [row] = await db.query<{ at: number }>(sql`select extract(epoch from record_time())::float8 * 1000 as at`)
  assert(row)
  return Math.floor(row.at)
}

/**
 * Tells how many milliseconds have passed, by whichever of two clocks says more: one may be set back while we look, the
 * other may stand still while the machine sleeps.
 */
export function startWatch(): () => number {
  const [steady, wall] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - steady, Date.now() - wall)
}

/** How far this process is from the database, positive when it is ahead. Half the round trip is taken as the way there. */
export async function skewMs(db: Db): Promise<number> {
  const before = Date.now()
  const [row] = await db.query<{ at: number }>(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as at`)
  const at = Math.floor(row?.at ?? before)
  return Math.round((before + Date.now()) / 2 - at)
}
