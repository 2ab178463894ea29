import { type Environment, type Owner, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import type { Scenario } from '../scenarios/catalogue.ts'

/** A record to be delivered, and where to. It belongs to whoever claimed it, for as long as an attempt can take. */
export interface Delivery {
  readonly id: string
  readonly merchant_id: string
  readonly env: Environment
  readonly body: string
  readonly attempts: number
  /** What is played to the payment it tells of; never anything in live. */
  readonly scenario: Scenario | null
  readonly url: string
  /** Sealed; the second signs beside the first for a day after a rotation. */
  readonly secret: string
  readonly previous_secret: string | null
}

/** At one endpoint at a time; one that fails is tried with less. */
const inFlightMax = 8
const inFlightFailingMax = 2
/** Longer than an attempt can take: after this its worker has died, and somebody else tries. */
const leaseMs = 30_000

/** A claim reads from so far below the time of the one before, for records whose transaction took as long to commit. */
const behindMs = 15_000
/** A claim goes through all endpoints this often, for those that were locked, or committed, for longer than that. */
const deepEveryMs = 30_000

/** How far one worker has gone through the endpoints that are due. */
export interface ClaimPlace {
  /** By the database's clock: every endpoint that was due by then has been claimed, or was locked. Nothing before the first claim. */
  doneUntil: Date | undefined
  lookedDeepAt: number
}

interface ClaimOptions {
  readonly place?: ClaimPlace
  /** Endpoints that are not claimed now. They are due again when an attempt under way there ends. */
  readonly leftOut?: readonly Owner[]
}

export const newPlace = (): ClaimPlace => ({ doneUntil: undefined, lookedDeepAt: Number.NEGATIVE_INFINITY })

/**
 * Claims endpoints that have something to do, longest due first, and of each as many records as it may have under way.
 * A slow endpoint fills its own share and nobody else's. Records are read by a statement of its own, after the locks: what
 * was told before the endpoint was locked is seen, and what is told later waits for the lock and makes it due again.
 *
 * While a session holds a snapshot (pg_dump, a report), indexes keep every earlier version of a row. So both are read from a
 * place below which nothing is due: endpoints from where this worker's last claim ended, records from `due_from` of their
 * endpoint. Accepting payments locks endpoints too, so the commit does not wait for the disk or the standby: a claim that a crash
 * loses is made again.
 */
export function claimDeliveries(
  db: WriteDb,
  endpointsMax: number,
  { place = newPlace(), leftOut = [] }: ClaimOptions = {},
): Promise<Delivery[]> {
  const isDeep = place.doneUntil === undefined || performance.now() - place.lookedDeepAt > deepEveryMs
  const after = isDeep ? '-infinity' : new Date((place.doneUntil?.getTime() ?? 0) - behindMs)
  return db.transaction(async (tx) => {
    const [, [clock], ready] = await Promise.all([
      tx.query(sql`set local synchronous_commit = off`),
      tx.query<{ now: Date }>(sql`select record_time() as now`),
      readyAfter(tx, { after, leftOut, endpointsMax }),
    ])
    if (isDeep) place.lookedDeepAt = performance.now()
    if (ready.length < endpointsMax) place.doneUntil = clock?.now
    const picked = ready.length === 0 ? [] : await pick(tx, ready)
    if (picked.length > 0) reach('webhook.leased')
    return picked
  })
}

interface ReadyWanted {
  readonly after: Date | string
  readonly leftOut: readonly Owner[]
  readonly endpointsMax: number
}

function readyAfter(tx: Tx, { after, leftOut, endpointsMax }: ReadyWanted): Promise<Owner[]> {
  return tx.query<Owner>(sql`
    with moment as materialized (
      select record_time() as now
    )
    select e.merchant_id, e.env
    from webhook_endpoints e, moment
    where e.next_due > least(${after}::timestamptz, now - ${`${behindMs} milliseconds`}::interval)
      and e.next_due <= now
      and e.rests_until <= now
      and e.disabled_at is null
      and e.url <> ''
      and (e.merchant_id, e.env::text) not in (
        select *
        from unnest(${leftOut.map(({ merchant_id }) => merchant_id)}::uuid[], ${leftOut.map(({ env }) => env)}::text[])
      )
    order by e.next_due
    limit ${endpointsMax}
    for no key update of e skip locked`)
}

/** The records, and what each endpoint has left. Its `due_from` never passes a record that waits. */
function pick(tx: Tx, endpoints: readonly Owner[]): Promise<Delivery[]> {
  return tx.query<Delivery>(sql`
    with moment as materialized (
      select now, now + ${`${leaseMs} milliseconds`}::interval as lease_end,
        now - ${`${behindMs} milliseconds`}::interval as behind
      from (select record_time() as now offset 0) clock
    ), ready as materialized (
      select e.merchant_id, e.env, e.url, e.secret, e.due_from, now, lease_end, behind,
        case when e.previous_secret_until > now then e.previous_secret end as previous_secret,
        (
          select count(*)::int
          from webhook_records w
          where (w.merchant_id, w.env) = (e.merchant_id, e.env)
            and w.next_attempt_at between now and lease_end
            and w.leased_until > now
        ) as under_way,
        case when e.failures > 0 then ${inFlightFailingMax}::int else ${inFlightMax}::int end as most
      from unnest(${endpoints.map(({ merchant_id }) => merchant_id)}::uuid[], ${endpoints.map(({ env }) => env)}::text[])
        as wanted(merchant_id, env)
      join webhook_endpoints e on e.merchant_id = wanted.merchant_id and e.env = wanted.env::environment, moment
    ), picked as (
      select r.id, r.merchant_id, r.env, r.body, r.attempts, r.scenario, ready.url, ready.secret, ready.previous_secret
      from ready
      cross join lateral (
        select *
        from webhook_records w
        where (w.merchant_id, w.env) = (ready.merchant_id, ready.env)
          and w.next_attempt_at between ready.due_from and ready.now
        order by w.next_attempt_at, w.id
        limit greatest(0, ready.most - ready.under_way)
        for no key update skip locked
      ) r
    ), leased as (
      update webhook_records w
      set next_attempt_at = lease_end, leased_until = lease_end
      from picked, moment
      where w.id = picked.id
    ), stands as (
      select ready.*, (
        select count(*)::int
        from picked
        where (picked.merchant_id, picked.env) = (ready.merchant_id, ready.env)
      ) as picked, (
        select min(w.next_attempt_at)
        from webhook_records w
        where (w.merchant_id, w.env) = (ready.merchant_id, ready.env)
          and w.next_attempt_at >= ready.due_from
          and w.id not in (select id from picked)
      ) as left_due
      from ready
    ), marked as (
      update webhook_endpoints e
      set next_due = least(case when under_way + picked > 0 then lease_end end, case when under_way + picked < most then left_due end),
        due_from = least(behind, left_due)
      from stands
      where (e.merchant_id, e.env) = (stands.merchant_id, stands.env)
    )
    select *
    from picked`)
}
