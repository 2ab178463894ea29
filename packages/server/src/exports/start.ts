import { type Db, sql } from '../platform/db.ts'

/** The moment an export starts, by the database's clock: what happens later is not part of it. */
export interface Start {
  /** Greater than the ids before, and at most as great as those from now on. */
  readonly id: string
  readonly microseconds: bigint
}

export async function startOf(db: Db): Promise<Start> {
  const [start] = await db.query<Start>(sql`
    select id_at(now) as id, (extract(epoch from now) * 1000000)::bigint + 1 as microseconds
    from (select record_time() as now) clock`)
  if (!start) throw new Error('the database has no clock')
  return start
}
