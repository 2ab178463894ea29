import type { EndpointKey, EndpointTables } from '../events/endpoint-tables.ts'
import type { Transaction } from '../payments/model/store.ts'
import { timing } from '../payments/resolve/timing.ts'
import { sql, type Tx, type WriteDb } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { allMonths, type IdRange, monthsOf, recentStart } from '../platform/months.ts'
import type { Scenario } from '../scenarios/catalogue.ts'

/** A record to deliver, and its endpoint. The worker that claimed it owns it for as long as an attempt can take. */
export interface Delivery extends EndpointKey {
  readonly id: string
  /** Sent as `webhook-id`: the same at every endpoint. */
  readonly event_id: string
  readonly transaction_id: string
  /** As stored: without the payer. */
  readonly body: string
  /** Of its transaction; null when that is archived. The counterparty is sealed. */
  readonly type: Transaction['type'] | null
  readonly counterparty: string | null
  readonly attempts: number
  /** The payment's scenario; always null in live. */
  readonly scenario: Scenario | null
  readonly url: string
  /** Sealed. The previous secret also signs for a day after a rotation. */
  readonly secret: string
  readonly previous_secret: string | null
}

/** Per endpoint; a failing one gets fewer. */
const inFlightMax = 8
const inFlightFailingMax = 2

/** How far one worker has read through the due endpoints. */
export interface ClaimPlace {
  /** By the database clock: every endpoint due by then was claimed or locked. Undefined before the first claim. */
  doneUntil: Date | undefined
  deepPolledAt: number
}

interface ClaimOptions {
  readonly place?: ClaimPlace
  /** Endpoints to skip in this claim. They are due again when an attempt under way there ends. */
  readonly leftOut?: readonly EndpointKey[]
}

export const newPlace = (): ClaimPlace => ({ doneUntil: undefined, deepPolledAt: Number.NEGATIVE_INFINITY })

/**
 * Claims due endpoints, longest due first, and of each as many records as it may have under way. A slow endpoint fills only its
 * own share. A separate statement reads the records after the locks: it sees every event from before the endpoint was locked, and
 * a later event waits for the lock and makes the endpoint due again.
 *
 * While a session holds a snapshot (pg_dump, a report), indexes keep every earlier version of a row. So both reads start at a
 * point below which nothing is due: endpoints where this worker's last claim ended, records at their endpoint's `due_from`.
 * Accepting payments locks endpoints too, so the commit waits for neither the disk nor the standby: a claim lost in a crash is
 * repeated. Only the months that have waiting records are read.
 */
export function claimDeliveries(
  db: WriteDb,
  tables: EndpointTables,
  endpointsMax: number,
  { place = newPlace(), leftOut = [] }: ClaimOptions = {},
): Promise<Delivery[]> {
  const isDeep = place.doneUntil === undefined || performance.now() - place.deepPolledAt > timing.webhookReadAllEveryMs
  const after = isDeep ? '-infinity' : new Date((place.doneUntil?.getTime() ?? 0) - timing.webhookLookbackMs)
  const { sql } = tables
  return db.transaction(async (tx) => {
    const [, [clock], ready] = await Promise.all([
      tx.query(sql`set local synchronous_commit = off`),
      tx.query<{ now: Date }>(sql`select record_time() as now`),
      readyAfter(tx, tables, { after, leftOut, endpointsMax }),
    ])
    if (isDeep) place.deepPolledAt = performance.now()
    if (ready.length < endpointsMax) place.doneUntil = clock?.now
    const picked = await pickAll(tx, tables, ready)
    if (picked.length === 0) return []
    const [parties] = await Promise.all([
      partiesOf(
        tx,
        picked.map(({ transaction_id }) => transaction_id),
      ),
      lease(tx, tables, picked),
    ])
    reach('webhook.leased')
    const byId = new Map(parties.map((party) => [party.id, party]))
    return picked.map(({ lease_end: _, ...record }) => {
      const { type = null, counterparty = null } = byId.get(record.transaction_id) ?? {}
      return { ...record, type, counterparty }
    })
  })
}

/** An endpoint to claim of. Its waiting records have no smaller ids. */
type Ready = EndpointKey & { readonly waiting_from: string }

/** Endpoints whose records wait for months are rare: the others are not claimed with the plan for all months. */
async function pickAll(tx: Tx, tables: EndpointTables, ready: readonly Ready[]): Promise<Picked[]> {
  const recent = recentStart()
  const isRecent = ({ waiting_from }: Ready) => waiting_from >= recent.id
  const others = ready.filter((each) => !isRecent(each))
  const [picked, older] = await Promise.all([
    pick(tx, tables, ready.filter(isRecent), recent),
    pick(tx, tables, others, allMonths.from),
    raiseStart(tx, tables, others),
  ])
  return [...picked, ...older]
}

/**
 * Waiting records of these locked endpoints start at the month before this one, unless an older one waits. A record that is committed
 * later is newer, or its transaction lowers the start under the endpoint's lock.
 */
async function raiseStart(tx: Tx, { sql }: EndpointTables, endpoints: readonly EndpointKey[]): Promise<void> {
  if (endpoints.length === 0) return
  await tx.query(sql`
    with start as materialized (
      select id_at(date_trunc('month', record_time(), 'UTC') - interval '1 month') as id
    )
    update webhook_endpoints e
    set waiting_from = start.id
    from start, unnest(${endpoints.map(({ merchant_id }) => merchant_id)}::uuid[], ${endpoints.map(({ env }) => env)}::text[],
      ${endpoints.map(({ endpoint_id }) => endpoint_id)}::uuid[]) as wanted(merchant_id, env, id)
    where (e.merchant_id, e.env, e.id) = (wanted.merchant_id, wanted.env::environment, wanted.id)
      and e.waiting_from < start.id
      and not exists (
        select
        from webhook_records w
        where (w.merchant_id, w.env, w.endpoint_id) = (e.merchant_id, e.env, e.id)
          and w.next_attempt_at is not null
          and w.id < start.id
      )`)
}

interface ReadyWanted {
  readonly after: Date | string
  readonly leftOut: readonly EndpointKey[]
  readonly endpointsMax: number
}

function readyAfter(tx: Tx, { sql }: EndpointTables, { after, leftOut, endpointsMax }: ReadyWanted): Promise<Ready[]> {
  return tx.query<Ready>(sql`
    with moment as materialized (
      select record_time() as now
    )
    select e.merchant_id, e.env, e.id as endpoint_id, e.waiting_from
    from webhook_endpoints e, moment
    where e.next_due > least(${after}::timestamptz, now - ${`${timing.webhookLookbackMs} milliseconds`}::interval)
      and e.next_due <= now
      and e.rests_until <= now
      and e.disabled_at is null
      and e.url <> ''
      and (e.merchant_id, e.env::text, e.id) not in (
        select *
        from unnest(${leftOut.map(({ merchant_id }) => merchant_id)}::uuid[], ${leftOut.map(({ env }) => env)}::text[],
          ${leftOut.map(({ endpoint_id }) => endpoint_id)}::uuid[])
      )
    order by e.next_due
    limit ${endpointsMax}
    for no key update of e skip locked`)
}

/** A record that this claim will lease, and until when. The time is PostgreSQL's own text, because a Date would lose its microseconds. */
type Picked = Omit<Delivery, 'type' | 'counterparty'> & { readonly lease_end: string }

/** Locks the records to lease and updates each endpoint. Its `due_from` never passes a waiting record. */
async function pick(
  tx: Tx,
  { sql }: EndpointTables,
  endpoints: readonly EndpointKey[],
  from: IdRange['from'],
): Promise<Picked[]> {
  if (endpoints.length === 0) return []
  return tx.query<Picked>(sql`
    with moment as materialized (
      select now, now + ${`${timing.webhookLeaseMs} milliseconds`}::interval as lease_end,
        now - ${`${timing.webhookLookbackMs} milliseconds`}::interval as behind
      from (select record_time() as now offset 0) clock
    ), ready as materialized (
      select e.merchant_id, e.env, e.id, e.url, e.secret, e.due_from, now, lease_end, behind,
        case when e.previous_secret_until > now then e.previous_secret end as previous_secret,
        (
          select count(*)::int
          from webhook_records w
          where (w.merchant_id, w.env, w.endpoint_id) = (e.merchant_id, e.env, e.id)
            and w.id >= ${from}
            and w.next_attempt_at between now and lease_end
            and w.leased_until > now
        ) as under_way,
        case when e.failures > 0 then ${inFlightFailingMax}::int else ${inFlightMax}::int end as most
      from unnest(${endpoints.map(({ merchant_id }) => merchant_id)}::uuid[], ${endpoints.map(({ env }) => env)}::text[],
        ${endpoints.map(({ endpoint_id }) => endpoint_id)}::uuid[]) as wanted(merchant_id, env, id)
      join webhook_endpoints e
        on e.merchant_id = wanted.merchant_id and e.env = wanted.env::environment and e.id = wanted.id, moment
    ), picked as (
      select r.id, r.merchant_id, r.env, r.endpoint_id, r.transaction_id, coalesce(r.event_id, r.id) as event_id, r.body, r.attempts, r.scenario, ready.url, ready.secret, ready.previous_secret
      from ready
      cross join lateral (
        select *
        from webhook_records w
        where (w.merchant_id, w.env, w.endpoint_id) = (ready.merchant_id, ready.env, ready.id)
          and w.id >= ${from}
          and w.next_attempt_at between ready.due_from and ready.now
        order by w.next_attempt_at, w.id
        limit greatest(0, ready.most - ready.under_way)
        for no key update skip locked
      ) r
    ), stands as (
      select ready.*, (
        select count(*)::int
        from picked
        where (picked.merchant_id, picked.env, picked.endpoint_id) = (ready.merchant_id, ready.env, ready.id)
      ) as picked, (
        select min(w.next_attempt_at)
        from webhook_records w
        where (w.merchant_id, w.env, w.endpoint_id) = (ready.merchant_id, ready.env, ready.id)
          and w.id >= ${from}
          and w.next_attempt_at >= ready.due_from
          and w.id not in (select id from picked)
      ) as left_due
      from ready
    ), marked as (
      update webhook_endpoints e
      set next_due = least(case when under_way + picked > 0 then lease_end end, case when under_way + picked < most then left_due end),
        due_from = least(behind, left_due)
      from stands
      where (e.merchant_id, e.env, e.id) = (stands.merchant_id, stands.env, stands.id)
    )
    select picked.*, moment.lease_end::text as lease_end
    from picked, moment`)
}

/** The records are locked. */
async function lease(tx: Tx, { sql }: EndpointTables, picked: readonly Picked[]): Promise<void> {
  const ids = picked.map(({ id }) => id)
  const months = monthsOf(ids)
  await tx.query(sql`
    update webhook_records
    set next_attempt_at = ${picked[0]?.lease_end}::timestamptz, leased_until = ${picked[0]?.lease_end}::timestamptz
    where id = any(${ids}::uuid[])
      and id >= ${months.from}
      and id < ${months.below}`)
}

interface Party extends Pick<Transaction, 'id' | 'type' | 'counterparty'> {}

/** The parties of the transactions that are not archived. */
function partiesOf(tx: Tx, ids: readonly string[]): Promise<Party[]> {
  const months = monthsOf(ids)
  return tx.query<Party>(sql`
    select id, type, counterparty
    from transactions
    where id = any(${ids}::uuid[])
      and id >= ${months.from}
      and id < ${months.below}`)
}
