import type { Currency } from '../money/currencies.ts'
import { type Db, type Owner, type ReadDb, sql } from '../platform/db.ts'
import { dayAfter, dayIn, startOfDay } from '../platform/zones.ts'

/** Moments of a summary, in the zone of its reader. */
export interface Moments {
  readonly now: Date
  /** The calendar day of now, and the start of that day. */
  readonly day: string
  readonly day_start: Date
  /** The same weekday a week ago: its start, its end, and its moment with the clock of now. */
  readonly week_start: Date
  readonly week_end: Date
  readonly week_now: Date
}

export async function momentsOf(db: Db, zone: string): Promise<Moments> {
  const [moments] = await db.query<Pick<Moments, 'now' | 'week_now'>>(sql`
    select now, ((now at time zone ${zone}) - interval '7 days') at time zone ${zone} as week_now
    from (select record_time() as now) as clock`)
  if (!moments) throw new Error('the database has no clock')
  const day = dayIn(moments.now, zone)
  const start = (days: number) => startOfDay(dayAfter(day, days), zone)
  return { ...moments, day, day_start: start(0), week_start: start(-7), week_end: start(-6) }
}

/** Payments of one kind that were made in one hour. */
export interface HourCount {
  /** Made today, or a week ago. */
  readonly is_today: boolean
  readonly hour: number
  readonly type: 'deposit' | 'withdrew' | 'refund'
  readonly method: string
  readonly state: 'successful' | 'failed'
  /** Made before the clock of now, a week ago; only meaningful for that day. */
  readonly is_before: boolean
  readonly count: bigint
  /** In minor units. */
  readonly amount: bigint
}

/**
 * Ended payments of a currency, of today and of the same weekday a week ago. Ids are in the order of time, so each day is a range of
 * the index by kind. Rows are counted by quarters of an hour, which every zone has in common, and only the counts are placed in the
 * zone. The planner expects far more groups than there are, and would sort all rows on disk before it counts them; a walk does not
 * sort. The start of the older day is there once more as a value, so that no older month is planned.
 */
export function countHours(
  db: ReadDb,
  { merchant_id, env }: Owner,
  { currency, zone, moments }: { readonly currency: Currency; readonly zone: string; readonly moments: Moments },
): Promise<HourCount[]> {
  const { now, day_start, week_start, week_end, week_now } = moments
  return db.walk<HourCount>(
    { merchant_id, env },
    sql`
      with quarters as (
        select d.is_today, q.*
        from (
          values (true, ${day_start}::timestamptz, ${now}::timestamptz + interval '1 second'),
            (false, ${week_start}::timestamptz, ${week_end}::timestamptz)
        ) as d (is_today, start, "end")
        cross join lateral (
          select type, method, state, created_at < ${week_now} as is_before,
            date_bin('15 minutes', created_at, '2000-01-01 00:00:00Z') as quarter, count(*) as count,
            sum(case when type = 'deposit' and method = 'bank-transfer' then received else amount end) as amount
          from transactions
          where merchant_id = ${merchant_id}
            and env = ${env}
            and type in ('deposit', 'withdrew', 'refund')
            and currency = ${currency}
            and id >= id_at(d.start)
            and id < id_at(d."end")
            and id >= id_at(${week_start})
            and state in ('successful', 'failed')
          group by 1, 2, 3, 4, 5
        ) as q
      )
      select is_today, extract(hour from quarter at time zone ${zone})::int as hour, type, method, state, is_before,
        sum(count)::bigint as count, sum(amount)::bigint as amount
      from quarters
      group by 1, 2, 3, 4, 5, 6`,
  )
}

/** Payments that have not ended, by state. */
export interface OpenCount {
  readonly state: string
  readonly count: bigint
  readonly amount: bigint
}

/** Along the index of open payments. */
export function countOpen(db: ReadDb, owner: Owner, currency: Currency): Promise<OpenCount[]> {
  return db.query<OpenCount>(
    owner,
    sql`
      select state, count(*) as count, sum(amount)::bigint as amount
      from transactions
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and state not in ('successful', 'failed')
        and currency = ${currency}
      group by state`,
  )
}

/** Currencies of the newest payments and of wallets that ever moved, those used last first. */
export async function recentCurrencies(db: ReadDb, owner: Owner): Promise<string[]> {
  const rows = await db.query<{ currency: string }>(
    owner,
    sql`
      select currency
      from (
        select currency, to_timestamp(max(entry_at) / 1000000.0) as at
        from wallets
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and entry_at > 0
        group by currency
        union all
        select currency, max(created_at)
        from (
          select currency, created_at
          from transactions
          where merchant_id = ${owner.merchant_id}
            and env = ${owner.env}
          order by id desc
          limit 1000
        ) newest
        group by currency
      ) used
      group by currency
      order by max(at) desc, currency`,
  )
  return rows.map(({ currency }) => currency)
}
