import { type EndpointKey, type EndpointTables, endpointKeyOf } from '../events/endpoint-tables.ts'
import { type Batcher, type BatchObserver, createBatcher } from '../platform/batch.ts'
import type { BatchTx, WriteDb } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import type { Posted } from '../platform/gated-http.ts'
import type { Log } from '../platform/log.ts'
import { allMonths, type IdRange, recentStart } from '../platform/months.ts'
import type { Delivery } from './claim.ts'
import { injectFaults } from './fault-injection.ts'
import { breaker, isGone, isSuccess, retryAfterMs } from './schedule.ts'

interface Endpoint extends EndpointKey {
  readonly disabled_at: Date | null
}

/** An attempt and its response. */
export interface Attempted {
  readonly delivery: Delivery
  readonly posted: Posted
}

export type Reporter = Batcher<Attempted, void>

/**
 * Stores the receivers' responses, many attempts in one transaction, for the endpoints of these tables. Endpoints are locked before
 * records, as everywhere.
 */
export function createReporter(db: WriteDb, tables: EndpointTables, log: Log, observer?: BatchObserver): Reporter {
  return createBatcher({
    db,
    observer,
    decide: async (tx, attempted) => {
      const endpoints = endingsOf(attempted)
      const waitingFrom = await lockEndpoints(tx, tables, endpoints)
      const [disabled] = await Promise.all([
        keepEndpoints(tx, tables, endpoints, waitingFrom),
        keepRecords(tx, tables, attempted),
      ])
      await injectFaults(tx, tables, attempted)
      for (const endpoint of disabled) log.warn(endpoint, 'webhook endpoint disabled: failing for too long, or gone')
      reach('webhook.reporting')
      return { results: attempted.map(() => undefined) }
    },
    keyOf: ({ delivery }) => endpointKeyOf(delivery),
  })
}

/**
 * An attempt whose lease expired and that another attempt replaced changes nothing. A record that was stopped meanwhile, and so has
 * no lease, gets no retry.
 */
async function keepRecords(tx: BatchTx, { sql }: EndpointTables, attempted: readonly Attempted[]): Promise<void> {
  const at = timeOf(tx).getTime()
  const results = attempted.map(({ delivery, posted }) => {
    const attempts = delivery.attempts + 1
    const delay = isSuccess(posted) ? undefined : retryAfterMs(posted, attempts)
    return {
      id: delivery.id,
      status: isSuccess(posted) ? 'SUCCESS' : 'FAILED',
      attempts,
      next_attempt_at: delay === undefined ? null : new Date(at + delay),
      url: delivery.url,
      response: JSON.stringify(responseOf(posted)),
    }
  })
  const sorted = results.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  await tx.query(sql`
    update webhook_records w
    set status = r.status, attempts = r.attempts, leased_until = null, url = r.url, response = r.response,
      next_attempt_at = case when w.leased_until is not null then r.next_attempt_at end
    from unnest(${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ status }) => status)}::text[],
      ${sorted.map(({ attempts }) => attempts)}::smallint[],
      ${sorted.map((result) => result.next_attempt_at)}::timestamptz[], ${sorted.map(({ url }) => url)}::text[],
      ${sorted.map(({ response }) => response)}::jsonb[])
      as r(id, status, attempts, next_attempt_at, url, response)
    where w.id = r.id
      and w.attempts = r.attempts - 1`)
}

const timeOf = ({ atUs }: BatchTx) => new Date(Number(atUs / 1000n))

function responseOf(posted: Posted) {
  const { durationMs } = posted
  if (posted.kind === 'responded') return { status: String(posted.status), body: posted.body, durationMs }
  return { status: '', durationMs, error: `${posted.kind}: ${posted.detail}` }
}

type Ending = ReturnType<typeof endingsOf>[number]

const keysOf = (endpoints: readonly Ending[]) => ({
  merchantIds: endpoints.map(({ merchant_id }) => merchant_id),
  envs: endpoints.map(({ env }) => env),
  ids: endpoints.map(({ endpoint_id }) => endpoint_id),
})

/** Returns where the waiting records of all these endpoints start. */
async function lockEndpoints(
  tx: BatchTx,
  { sql }: EndpointTables,
  endpoints: readonly Ending[],
): Promise<IdRange['from']> {
  const { merchantIds, envs, ids } = keysOf(endpoints)
  const locked = await tx.query<{ waiting_from: string }>(sql`
    select e.waiting_from
    from webhook_endpoints e
    join unnest(${merchantIds}::uuid[], ${envs}::text[], ${ids}::uuid[]) as r(merchant_id, env, id) using (merchant_id, env, id)
    order by e.merchant_id, e.env, e.id
    for no key update of e`)
  const recent = recentStart()
  return locked.every(({ waiting_from }) => waiting_from >= recent.id) ? recent : allMonths.from
}

/**
 * Failures in a row make an endpoint rest; one success ends the row. An endpoint that is gone is disabled until its URL is set
 * again, whatever else was under way there; a response from an earlier URL does not count. Returns the newly disabled endpoints.
 * A healthy endpoint with nothing waiting, which is nearly every one, is not written to. Retries are planned from the time of this
 * batch, so `due_from` is not later: a claim since the batch began may have moved it on.
 */
async function keepEndpoints(
  tx: BatchTx,
  { sql }: EndpointTables,
  endpoints: readonly Ending[],
  waitingFrom: IdRange['from'],
): Promise<Endpoint[]> {
  const { merchantIds, envs, ids } = keysOf(endpoints)
  // A separate statement after the locks, so that it sees events from meanwhile.
  const written = await tx.query<Endpoint>(sql`
    with moment as materialized (
      select record_time() as now
    ), ended as (
      select *
      from unnest(${merchantIds}::uuid[], ${envs}::text[], ${ids}::uuid[], ${endpoints.map(({ failed }) => failed)}::int[],
        ${endpoints.map(({ hasSuccess }) => hasSuccess)}::boolean[],
        ${endpoints.map(({ goneUrl }) => goneUrl)}::text[])
        as r(merchant_id, env, id, failed, has_success, gone_url)
    )
    update webhook_endpoints e
    set failures = case when r.has_success then 0 else least(e.failures + r.failed, 1000) end,
      failing_since = case when r.has_success then null else coalesce(e.failing_since, now) end,
      rests_until = case when r.has_success then '-infinity'
        else now + rest_of(e.failures + r.failed, ${breaker.failuresMin}::int, ${breaker.firstPauseMs}::int, ${breaker.longestPauseMs}::int) end,
      next_due = greatest(now, case when r.has_success then now
        else now + rest_of(e.failures + r.failed, ${breaker.failuresMin}::int, ${breaker.firstPauseMs}::int, ${breaker.longestPauseMs}::int) end),
      due_from = least(e.due_from, ${timeOf(tx)}),
      disabled_at = case when r.gone_url = e.url then now
        when not r.has_success and e.failing_since < now - interval '5 days' then now
        else e.disabled_at end
    from ended r, moment
    where (e.merchant_id, e.env, e.id) = (r.merchant_id, r.env, r.id)
      and e.disabled_at is null
      and (r.failed > 0 or e.failures > 0 or exists (
        select from webhook_records w
        where (w.merchant_id, w.env, w.endpoint_id) = (e.merchant_id, e.env, e.id)
          and w.id >= ${waitingFrom}
          and w.next_attempt_at between e.due_from and now
      ))
    returning e.merchant_id, e.env, e.id as endpoint_id, e.disabled_at`)
  return written.filter(({ disabled_at }) => disabled_at !== null)
}

/** The results of the attempts at each endpoint, in lock order. */
function endingsOf(attempted: readonly Attempted[]) {
  return [...Map.groupBy(attempted, ({ delivery }) => endpointKeyOf(delivery))]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group
      if (!first) return []
      const { merchant_id, env, endpoint_id } = first.delivery
      const failed = group.filter(({ posted }) => !isSuccess(posted)).length
      const ended = { failed, hasSuccess: failed < group.length }
      const gone = group.find(({ posted }) => isGone(posted))
      return [{ merchant_id, env, endpoint_id, ...ended, goneUrl: gone?.delivery.url ?? null }]
    })
}
