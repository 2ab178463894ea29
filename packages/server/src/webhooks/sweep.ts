import { allEndpoints, type EndpointTables } from '../events/endpoint-tables.ts'
import type { Db } from '../platform/db.ts'
import { stopOrphans, stoppedPerPage } from './stop.ts'

/** Repairs what claims rely on, for endpoints of every kind. Returns how many endpoints it moved. */
export async function sweepEndpoints(db: Db): Promise<number> {
  while ((await stopOrphans(db)) === stoppedPerPage);
  let moved = 0
  for (const tables of allEndpoints) moved += await moveBack(db, tables)
  return moved
}

/**
 * Finds endpoints with a record waiting from before their `due_from` or below their `waiting_from`, which no claim would read, and
 * moves these back to it. Only an older version, or a transaction longer than 15 s, writes such a record. Returns how many endpoints
 * it moved.
 */
async function moveBack(db: Db, { sql }: EndpointTables): Promise<number> {
  const found = await db.query(sql`
    with moment as materialized (
      select record_time() as now
    ), waiting as materialized (
      select w.merchant_id, w.env, w.endpoint_id, min(w.next_attempt_at) as since, min(w.id::text)::uuid as first
      from webhook_records w, moment
      where w.next_attempt_at < now
      group by w.merchant_id, w.env, w.endpoint_id
    )
    update webhook_endpoints e
    set due_from = least(e.due_from, waiting.since), waiting_from = least(e.waiting_from, waiting.first),
      next_due = least(e.next_due, greatest(now, e.rests_until))
    from waiting, moment
    where (e.merchant_id, e.env, e.id) = (waiting.merchant_id, waiting.env, waiting.endpoint_id)
      and (e.due_from > waiting.since or e.waiting_from > waiting.first)
    returning 1`)
  return found.length
}
