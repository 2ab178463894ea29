import { addedEndpoints, type EndpointKey, tablesOf } from '../events/endpoint-tables.ts'
import type { Db, Tx } from '../platform/db.ts'

/** Why no further attempt follows; part of the record's response. */
type StopReason = 'the endpoint was deleted' | 'the endpoint was disabled'

export const stoppedPerPage = 5000

/**
 * Ends the open records of an endpoint that takes no more: they become FAILED without a retry, and stay readable. An attempt under
 * way still stores its response, but plans no retry (webhooks/report.ts). Returns how many it ended, at most one page.
 */
export async function stopRecords(tx: Tx, endpoint: EndpointKey, reason: StopReason): Promise<number> {
  const { sql } = tablesOf(endpoint.endpoint_id)
  const stopped = await tx.query(sql`
    update webhook_records w
    set status = case w.status when 'SUCCESS' then 'SUCCESS' else 'FAILED' end,
      next_attempt_at = null,
      leased_until = null,
      response = w.response || jsonb_build_object('error', ${reason}::text)
    where w.id in (
      select id
      from webhook_records
      where merchant_id = ${endpoint.merchant_id}
        and env = ${endpoint.env}
        and endpoint_id = ${endpoint.endpoint_id}
        and next_attempt_at is not null
      order by id
      limit ${stoppedPerPage}
      for no key update
    )
    returning 1`)
  return stopped.length
}

/**
 * Ends open records of added endpoints that were deleted or disabled, where the process that did this died before it ended all.
 * Returns how many.
 */
export async function stopOrphans(db: Db): Promise<number> {
  const { sql } = addedEndpoints
  const stopped = await db.query(sql`
    update webhook_records w
    set status = case w.status when 'SUCCESS' then 'SUCCESS' else 'FAILED' end,
      next_attempt_at = null,
      leased_until = null,
      response = w.response || jsonb_build_object('error', 'the endpoint was deleted or disabled')
    where w.id in (
      select o.id
      from webhook_records o
      where o.next_attempt_at is not null
        and not exists (
          select
          from webhook_endpoints e
          where e.id = o.endpoint_id
            and e.is_enabled
        )
      order by o.id
      limit ${stoppedPerPage}
      for no key update skip locked
    )
    returning 1`)
  return stopped.length
}
