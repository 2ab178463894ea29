import assert from 'node:assert/strict'
import type { Db, Owner, Tx, WriteDb } from '../platform/db.ts'
import { nameMerchants } from '../platform/named-merchants.ts'
import { allEndpoints, type EndpointKey, type EndpointTables } from './endpoint-tables.ts'

const pageMax = 5000

/** A position among an endpoint's pending records. The time is PostgreSQL's text, because a Date is less exact. */
interface Place {
  readonly at: string
  readonly id: string
}

const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Advances time for the webhooks of one sandbox merchant, at each of its endpoints: records that wait for a retry, and the
 * endpoint's rest after failures. Attempts in progress are left alone. Returns how many records were advanced.
 */
export async function fastForwardWebhooks(db: WriteDb, owner: Owner, aheadMs: number): Promise<number> {
  assert.equal(owner.env, 'sandbox', 'time cannot be advanced in live')
  let webhooks = 0
  for (const tables of allEndpoints)
    for (const endpoint of await endpointsOf(db, tables, owner))
      webhooks += await fastForwardRecords(db, tables, endpoint, aheadMs)
  return webhooks
}

function endpointsOf(db: Db, { sql }: EndpointTables, { merchant_id, env }: Owner): Promise<EndpointKey[]> {
  return db.query<EndpointKey>(sql`
    select merchant_id, env, id as endpoint_id
    from webhook_endpoints
    where merchant_id = ${merchant_id}
      and env = ${env}
    order by id`)
}

async function fastForwardRecords(
  db: WriteDb,
  tables: EndpointTables,
  endpoint: EndpointKey,
  aheadMs: number,
): Promise<number> {
  const first = await db.transaction(async (tx) => {
    await nameMerchants(tx, [endpoint.merchant_id])
    return fastForwardEndpoint(tx, tables, endpoint, aheadMs)
  })
  let webhooks = 0
  for (let place: Place | undefined = first; place; ) {
    const after: Place = place
    const { count, last } = await db.transaction(async (tx) => {
      await nameMerchants(tx, [endpoint.merchant_id])
      return fastForwardPage(tx, tables, { endpoint, after, aheadMs })
    })
    webhooks += count
    place = count === pageMax ? last : undefined
  }
  return webhooks
}

/** Returns where pending records start: records that are already due are not advanced. */
async function fastForwardEndpoint(
  tx: Tx,
  { sql }: EndpointTables,
  { merchant_id, env, endpoint_id }: EndpointKey,
  aheadMs: number,
): Promise<Place | undefined> {
  const [endpoint] = await tx.query<{ at: string }>(sql`
    with moment as materialized (
      select record_time() as now, make_interval(secs => ${aheadMs / 1000}) as ahead
    )
    update webhook_endpoints e
    set rests_until = e.rests_until - ahead, failing_since = e.failing_since - ahead,
      next_due = case when e.next_due > now then greatest(now, e.next_due - ahead) else e.next_due end
    from moment
    where e.merchant_id = ${merchant_id}
      and e.env = ${env}
      and e.id = ${endpoint_id}
    returning now::text as at`)
  return endpoint && { at: endpoint.at, id: firstId }
}

/**
 * Locks the endpoint before its records, as everywhere. Advanced records move before the start of the page, so no later page
 * reads them again.
 */
async function fastForwardPage(
  tx: Tx,
  { sql }: EndpointTables,
  { endpoint, after, aheadMs }: { readonly endpoint: EndpointKey; readonly after: Place; readonly aheadMs: number },
): Promise<{ readonly count: number; readonly last: Place | undefined }> {
  const { merchant_id, env, endpoint_id } = endpoint
  await tx.query(sql`
    select
    from webhook_endpoints
    where merchant_id = ${merchant_id}
      and env = ${env}
      and id = ${endpoint_id}
    for no key update`)
  const [fastForwarded] = await tx.query<{ count: number; last_at: string | null; last_id: string | null }>(sql`
    with moment as materialized (
      select record_time() as now, make_interval(secs => ${aheadMs / 1000}) as ahead
    ), waiting as materialized (
      select w.id, w.next_attempt_at
      from webhook_records w, moment
      where w.merchant_id = ${merchant_id}
        and w.env = ${env}
        and w.endpoint_id = ${endpoint_id}
        and w.next_attempt_at >= ${after.at}::timestamptz
        and (w.next_attempt_at, w.id) > (${after.at}::timestamptz, ${after.id}::uuid)
        and (w.leased_until is null or w.leased_until <= now)
      order by w.next_attempt_at, w.id
      limit ${pageMax}
    ), sooner as (
      update webhook_records w
      set next_attempt_at = w.next_attempt_at - ahead
      from waiting, moment
      where w.id = waiting.id
      returning w.next_attempt_at
    ), woken as (
      update webhook_endpoints e
      set next_due = least(coalesce(e.next_due, 'infinity'), greatest(now, e.rests_until, first.at)),
        due_from = least(e.due_from, first.at)
      from moment, (select min(next_attempt_at) as at from sooner) first
      where e.merchant_id = ${merchant_id}
        and e.env = ${env}
        and e.id = ${endpoint_id}
        and first.at is not null
    )
    select (select count(*)::int from sooner) as count, last.next_attempt_at::text as last_at, last.id as last_id
    from moment
    left join lateral (
      select next_attempt_at, id from waiting order by next_attempt_at desc, id desc limit 1
    ) last on true`)
  const { count = 0, last_at, last_id } = fastForwarded ?? {}
  return { count, last: last_at && last_id ? { at: last_at, id: last_id } : undefined }
}
