import assert from 'node:assert/strict'
import { type Db, sql } from './db.ts'

/** The time of record is the database's clock in milliseconds, which tests and a dedicated sandbox may move. */
export async function databaseTimeMs(db: Db): Promise<number> {
  const [row] = await db.query<{ at: number }>(sql`select extract(epoch from record_time())::float8 * 1000 as at`)
  assert(row)
  return Math.floor(row.at)
}

/**
 * Returns the elapsed milliseconds by the faster of two clocks: the wall clock may be set back, and the steady one may stop while
 * the machine sleeps.
 */
export function startWatch(): () => number {
  const [steady, wall] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - steady, Date.now() - wall)
}

/** A process whose clock differs from the database's by more is not ready. */
export const skewMaxMs = 2000

/** The clock difference to the database, positive when this process is ahead. Assumes half the round trip each way. */
export async function skewMs(db: Db): Promise<number> {
  const before = Date.now()
  const [row] = await db.query<{ at: number }>(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as at`)
  const at = Math.floor(row?.at ?? before)
  return Math.round((before + Date.now()) / 2 - at)
}
