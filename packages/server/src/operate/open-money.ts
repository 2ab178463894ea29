import type { Currency } from '../money/currencies.ts'
import type { DoubtOrNone } from '../payments/model/doubts.ts'
import type { State } from '../payments/model/state.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import type { HeldBy } from './payment-summaries.ts'

/** How long something has been open, as the pages of operations group it. */
export const ages = ['under_5_minutes', 'under_1_hour', 'under_24_hours', 'over_24_hours'] as const
export type Age = (typeof ages)[number]

/** Open payments that are alike in everything that the pages of operations count them by. */
export interface OpenGroup {
  readonly provider: string
  readonly currency: Currency
  readonly age: Age
  readonly state: State
  readonly doubt: DoubtOrNone
  readonly held_by: HeldBy
  /** Payouts and refunds: the money leaves. */
  readonly is_out: boolean
  /** The next request sends the payment, for the first time or again. */
  readonly is_to_send: boolean
  /** A process should work on it now. A payment that is held, or waits for an earlier refund, is not due. */
  readonly is_due: boolean
  readonly payments: number
  readonly amount: bigint
  readonly oldest_seconds: number
  /** How long the longest waiting of them has been due; below 0 when none is. */
  readonly due_seconds: number | null
}

/**
 * Reads every open payment once, along the index of open payments. Their attempts are found by the index of open attempts, so the
 * cost grows with the open payments and never with all payments.
 */
export function groupOpen(db: Db, { env, scope }: { readonly env: Environment; readonly scope: string | null }) {
  return db.query<OpenGroup>(sql`
    with open as materialized (
      select id, merchant_id, env, type, provider, currency, country, state, doubt, amount, created_at, wake_at
      from transactions
      where state not in ('successful', 'failed')
    ), clock as (
      select record_time() as at
    ), seen as (
      select o.provider, o.currency, o.state, o.doubt, o.amount, o.created_at, o.wake_at, at,
        case
          when o.created_at > at - interval '5 minutes' then 'under_5_minutes'
          when o.created_at > at - interval '1 hour' then 'under_1_hour'
          when o.created_at > at - interval '24 hours' then 'under_24_hours'
          else 'over_24_hours'
        end as age,
        held_by(o.state, a.is_lost, m.frozen_at, l.paused_at) as held_by,
        o.type in ('withdrew', 'refund') as is_out,
        coalesce(is_to_send(o.state, a.is_lost), false) as is_to_send
      from clock, open o
      join merchants m on m.id = o.merchant_id
      left join attempts a on a.transaction_id = o.id and a.outcome is null
      left join lanes l on l.lane = o.env || '/' || o.provider
      where o.env = ${env}
        and is_in_scope(${scope}::jsonb, o.country, o.currency)
    )
    select provider, currency, age, state, doubt, held_by, is_out, is_to_send,
      coalesce(wake_at <= at and held_by is null and doubt <> 'earlier_refund', false) as is_due,
      count(*)::int as payments, sum(amount)::bigint as amount,
      extract(epoch from max(at - created_at))::int as oldest_seconds,
      extract(epoch from max(at - wake_at))::float8 as due_seconds
    from seen
    group by provider, currency, age, state, doubt, held_by, is_out, is_to_send, is_due
    order by provider, currency, age, state, doubt`)
}

/** Webhooks that wait, of one age. */
interface WaitingWebhooks {
  readonly age: Age
  readonly records: number
  /** Delivered without success at least once. */
  readonly retries: number
  readonly oldest_seconds: number
}

/** At most this many waiting webhooks of each kind of endpoint are read, so that a backlog of a night does not slow the page. */
export const waitingMax = 50_000

/** Webhooks that are not delivered yet and will be tried again, along the indexes of due records. */
export function groupWaitingWebhooks(db: Db, env: Environment): Promise<WaitingWebhooks[]> {
  return db.query<WaitingWebhooks>(sql`
    with waiting as materialized (
      (
        select created_at, attempts
        from webhook_records
        where next_attempt_at is not null and env = ${env}
        limit ${waitingMax}
      )
      union all
      (
        select created_at, attempts
        from added_webhook_records
        where next_attempt_at is not null and env = ${env}
        limit ${waitingMax}
      )
    ), clock as (
      select record_time() as at
    )
    select case
        when created_at > at - interval '5 minutes' then 'under_5_minutes'
        when created_at > at - interval '1 hour' then 'under_1_hour'
        when created_at > at - interval '24 hours' then 'under_24_hours'
        else 'over_24_hours'
      end as age,
      count(*)::int as records, (count(*) filter (where attempts > 0))::int as retries,
      extract(epoch from max(at - created_at))::int as oldest_seconds
    from clock, waiting
    group by 1`)
}

interface EndpointCounts {
  readonly disabled: number
  readonly failing: number
}

/** Endpoints that get nothing now, because they failed for too long, and those that fail. */
export async function countEndpoints(db: Db, env: Environment): Promise<EndpointCounts> {
  const [counts] = await db.query<EndpointCounts>(sql`
    select (count(*) filter (where disabled_at is not null))::int as disabled,
      (count(*) filter (where disabled_at is null and failures > 0))::int as failing
    from (
      select disabled_at, failures from webhook_endpoints where env = ${env} and url <> ''
      union all
      select disabled_at, failures from added_webhook_endpoints where env = ${env}
    ) as endpoints`)
  return counts ?? { disabled: 0, failing: 0 }
}
