import type { Currency } from '../money/currencies.ts'
import type { DoubtOrNone } from '../payments/model/doubts.ts'
import type { State } from '../payments/model/state.ts'
import type { CommandName } from '../platform/command-results.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'

/** Reads of the metrics of the cell. Each follows an index, and its cost grows with what is open, never with what has ended. */

interface OpenGroup {
  readonly env: Environment
  readonly provider: string
  readonly type: string
  readonly state: State
  readonly doubt: DoubtOrNone
  readonly payments: number
  readonly oldest_seconds: number
  /** Those that a worker should handle now, and how long the first of them has waited. */
  readonly due: number
  readonly oldest_due_seconds: number | null
}

/** One pass over the index of open payments. */
export function openGroups(db: Db): Promise<OpenGroup[]> {
  return db.query<OpenGroup>(sql`
    with open as materialized (
      select merchant_id, env, provider, type, state, doubt, created_at, wake_at
      from transactions
      where state not in ('successful', 'failed')
    ), clock as (
      select record_time() as at
    ), seen as (
      select o.*, at,
        coalesce(o.wake_at <= at and o.doubt <> 'earlier_refund' and m.frozen_at is null and l.paused_at is null, false) as is_due
      from clock, open o
      join merchants m on m.id = o.merchant_id
      left join lanes l on l.lane = o.env || '/' || o.provider
    )
    select env, provider, type, state, doubt, count(*)::int as payments,
      extract(epoch from max(at - created_at))::float8 as oldest_seconds,
      (count(*) filter (where is_due))::int as due,
      (extract(epoch from max(at - wake_at) filter (where is_due)))::float8 as oldest_due_seconds
    from seen
    group by env, provider, type, state, doubt`)
}

interface LaneRow {
  readonly lane: string
  readonly budget: number
  readonly is_paused: boolean
  readonly is_unhealthy: boolean
}

export function laneRows(db: Db): Promise<LaneRow[]> {
  return db.query<LaneRow>(sql`
    select lane, budget, paused_at is not null as is_paused, coalesce(unhealthy_until > record_time(), false) as is_unhealthy
    from lanes`)
}

/** At most this many waiting webhooks of each environment and kind of endpoint are counted. */
const waitingMax = 50_000

interface WebhookState {
  readonly env: Environment
  readonly waiting: number
  readonly oldest_due_seconds: number | null
  readonly failing: number
  readonly disabled: number
}

export function webhookState(db: Db): Promise<WebhookState[]> {
  return db.query<WebhookState>(sql`
    with waiting as (
      (select env from webhook_records where env = 'live' and next_attempt_at is not null limit ${waitingMax})
      union all
      (select env from webhook_records where env = 'sandbox' and next_attempt_at is not null limit ${waitingMax})
      union all
      (select env from added_webhook_records where env = 'live' and next_attempt_at is not null limit ${waitingMax})
      union all
      (select env from added_webhook_records where env = 'sandbox' and next_attempt_at is not null limit ${waitingMax})
    ), endpoints as (
      -- The owner disables an endpoint with is_enabled; Malipo, after failures, with disabled_at alone.
      select env, next_due, rests_until, failures, disabled_at from webhook_endpoints where url <> '' and is_enabled
      union all
      select env, next_due, rests_until, failures, disabled_at from added_webhook_endpoints where is_enabled
    ), clock as (
      select record_time() as at
    ), counted as (
      select env, count(*)::int as waiting from waiting group by env
    ), grouped as (
      select env, (count(*) filter (where disabled_at is null and failures > 0))::int as failing,
        (count(*) filter (where disabled_at is not null))::int as disabled,
        (extract(epoch from max(at - next_due) filter (
          where disabled_at is null and next_due <= at and rests_until <= at
        )))::float8 as oldest_due_seconds
      from clock, endpoints
      group by env
    )
    select e.env::text as env, coalesce(waiting, 0) as waiting, oldest_due_seconds, coalesce(failing, 0) as failing,
      coalesce(disabled, 0) as disabled
    from (values ('live'::environment), ('sandbox')) as e(env)
    left join counted using (env)
    left join grouped using (env)`)
}

interface CaseGroup {
  readonly env: Environment
  readonly provider: string
  readonly kind: string
  readonly currency: Currency
  readonly cases: number
  readonly amount: bigint
  readonly oldest_seconds: number
}

export function caseGroups(db: Db): Promise<CaseGroup[]> {
  return db.query<CaseGroup>(sql`
    select env, provider, kind, currency, count(*)::int as cases, sum(amount)::bigint as amount,
      extract(epoch from max((select record_time()) - opened_at))::float8 as oldest_seconds
    from suspense_cases
    where closed_at is null
    group by env, provider, kind, currency`)
}

/** How far the seals, the relay and the WAL archive are behind. Null if nothing is behind, or nothing is known. */
interface Lags {
  readonly unsealed_seconds: number | null
  readonly relay_seconds: number | null
  readonly archived_at: number | null
  readonly is_archive_failing: boolean
}

export async function lags(db: Db): Promise<Lags | undefined> {
  const [found] = await db.query<Lags>(sql`
    select (
        select (extract(epoch from record_time()) - at / 1e6)::float8
        from ledger_batches
        where batch >= coalesce((select settled_below from ledger_seals order by number desc limit 1), 0)
        order by batch
        limit 1
      ) as unsealed_seconds, (
        select extract(epoch from record_time() - at)::float8
        from events
        where batch >= (select relayed_below from relays where name = 'events')
          and name is not null
        order by batch, transaction_id, number
        limit 1
      ) as relay_seconds,
      extract(epoch from last_archived_time)::float8 as archived_at,
      coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_archive_failing
    from pg_stat_archiver`)
  return found
}

export function commandResults(db: Db): Promise<{ name: CommandName; ended_at: number; is_good: boolean }[]> {
  return db.query(sql`
    select name, extract(epoch from ended_at)::float8 as ended_at, is_good
    from command_results`)
}
