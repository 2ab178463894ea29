import { type Db, sql } from '../../platform/db.ts'
import { MonthNotReady } from './create.ts'

interface MonthsWanted {
  /** `2025-02` for the months to January 2025. */
  readonly before: string
  /** How many whole months must have passed since the end of a month. */
  readonly keptMonths: number
}

/** Months with transfers that are not archived yet, oldest first. Throws if one of them is too young. */
export async function readyMonths(db: Db, { before, keptMonths }: MonthsWanted): Promise<string[]> {
  const months = await db.query<{ name: string; is_ready: boolean; ready_before: string }>(sql`
    with attached as (
      select to_date(right(c.relname, 6), 'YYYYMM') as month
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'public.transfers'::regclass
        and not i.inhdetachpending
    ), bound as (
      select (date_trunc('month', record_time() at time zone 'UTC') - make_interval(months => ${keptMonths}::int))::date as month
    )
    select to_char(a.month, 'YYYY-MM') as name, a.month < bound.month as is_ready, to_char(bound.month, 'YYYY-MM') as ready_before
    from attached a
    cross join bound
    where a.month < ${`${before}-01`}::date
      and not exists (select from archived_months m where m.month = a.month)
      and exists (
        select
        from transfers
        where transaction_id >= id_at(a.month::timestamp at time zone 'UTC')
          and transaction_id < id_at((a.month + interval '1 month')::timestamp at time zone 'UTC')
      )
    order by a.month`)
  const young = months.find(({ is_ready }) => !is_ready)
  if (young)
    throw new MonthNotReady(
      `${young.name} ended less than ${keptMonths} months ago: use --before ${young.ready_before}, or keep fewer months with --keep-months. A month that has not ended is never archived.`,
    )
  return months.map(({ name }) => name)
}
