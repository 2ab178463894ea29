import { type Db, sql } from '../platform/db.ts'

/**
 * Finds endpoints with a record waiting from before their `due_from`, which no claim would read, and moves `due_from` back to it.
 * Only an older version, or a transaction longer than 15 s, writes such a record. Returns how many endpoints it moved.
 */
export async function sweepEndpoints(db: Db): Promise<number> {
  const found = await db.query(sql`
    with moment as materialized (
      select record_time() as now
    ), waiting as materialized (
      select w.merchant_id, w.env, min(w.next_attempt_at) as since
      from webhook_records w, moment
      where w.next_attempt_at < now
      group by w.merchant_id, w.env
    )
    update webhook_endpoints e
    set due_from = waiting.since, next_due = least(e.next_due, greatest(now, e.rests_until))
    from waiting, moment
    where (e.merchant_id, e.env) = (waiting.merchant_id, waiting.env)
      and e.due_from > waiting.since
    returning 1`)
  return found.length
}
