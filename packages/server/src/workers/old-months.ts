import type { RetentionDays } from '../config/retention.ts'
import { type Db, sql, type Tx, type WriteDb } from '../platform/db.ts'

type Parent = 'callbacks' | 'webhook_records' | 'added_webhook_records'

/** Rows that a month must not have when it is emptied; ids of the month are from `id_from` and below `id_below`. */
type Needed = (tx: Tx, month: OldMonth) => Promise<unknown[]>

/** The tables whose months are emptied, how long their rows are kept, and which rows are still needed after that. */
const emptied: Readonly<Record<Parent, { readonly days: keyof RetentionDays; readonly needed: Needed }>> = {
  callbacks: { days: 'callbackDays', needed: openEvidence },
  webhook_records: { days: 'webhookDays', needed: undelivered },
  added_webhook_records: { days: 'webhookDays', needed: undeliveredByAdded },
}

export const emptiedTables = Object.keys(emptied) as readonly Parent[]

export interface OldMonth {
  readonly parent: Parent
  /** The partition. */
  readonly month: string
  readonly id_from: string
  readonly id_below: string
}

/** Months whose rows have passed their time, oldest first. Those that are empty already are not among them. */
export function oldMonths(db: Db, days: RetentionDays): Promise<OldMonth[]> {
  return db.query<OldMonth>(sql`
    select p.parent, c.relname as month, id_at(m.start at time zone 'UTC') as id_from,
      id_at((m.start + interval '1 month') at time zone 'UTC') as id_below
    from unnest(${emptiedTables}::text[], ${emptiedTables.map((parent) => days[emptied[parent].days])}::int[]) as p(parent, days)
    join pg_inherits i on i.inhparent = p.parent::regclass
    join pg_class c on c.oid = i.inhrelid
    cross join lateral (select to_date(right(c.relname, 6), 'YYYYMM')::timestamp) as m(start)
    where c.relname < month_of(
        i.inhparent, (((select record_time()) - make_interval(days => p.days)) at time zone 'UTC')::date
      )
      and pg_relation_size(c.oid) > 0
    order by c.relname`)
}

/** Empties a month, unless one of its rows is still needed or another transaction uses it at this moment. */
export function emptyMonth(db: WriteDb, old: OldMonth): Promise<'emptied' | 'needed' | 'in use'> {
  return db.transaction(async (tx) => {
    const part = `public.${old.month}`
    const [locked] = await tx.query<{ is_ours: boolean }>(
      sql`select lock_old_month(${part}::text::regclass) as is_ours`,
    )
    if (!locked?.is_ours) return 'in use'
    // Under the lock: no row can become needed between the check and the end.
    if ((await emptied[old.parent].needed(tx, old)).length > 0) return 'needed'
    await tx.query(sql`select empty_old_month(${part}::text::regclass)`)
    return 'emptied'
  })
}

/** Callbacks of payments that are open, or whose money has an open case. */
function openEvidence(tx: Tx, { id_from, id_below }: OldMonth): Promise<unknown[]> {
  return tx.query(sql`
    with open as (
      select id
      from transactions
      where state not in ('successful', 'failed')
        and id < ${id_below}::uuid
      union all
      select transaction_id
      from suspense_cases
      where closed_at is null
    )
    select
    from open o
    join callbacks c on c.transaction_id = o.id
    where c.id >= ${id_from}::uuid
      and c.id < ${id_below}::uuid
    union all
    -- Money of an unknown payment: its callback is the only trace of it.
    select
    from suspense_cases s
    join callbacks c on c.outcome = 'unknown_payment' and c.env = s.env and c.provider = s.provider
    where s.closed_at is null
      and s.kind = 'unknown_payment'
      and s.provider_key = any(c.keys)
      and c.id >= ${id_from}::uuid
      and c.id < ${id_below}::uuid
    limit 1`)
}

function undelivered(tx: Tx, { id_from, id_below }: OldMonth): Promise<unknown[]> {
  return tx.query(sql`
    select
    from webhook_records
    where id >= ${id_from}::uuid
      and id < ${id_below}::uuid
      and next_attempt_at is not null
    limit 1`)
}

function undeliveredByAdded(tx: Tx, { id_from, id_below }: OldMonth): Promise<unknown[]> {
  return tx.query(sql`
    select
    from added_webhook_records
    where id >= ${id_from}::uuid
      and id < ${id_below}::uuid
      and next_attempt_at is not null
    limit 1`)
}
