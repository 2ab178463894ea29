import type { RetentionDays } from '../config/retention.ts'
import { addedEndpoints, defaultEndpoints, type EndpointTables } from '../events/endpoint-tables.ts'
import { type Db, sql, type WriteDb } from '../platform/db.ts'

type Parent = 'callbacks' | 'webhook_records' | 'added_webhook_records'

/** Rows that a month must not have when it is emptied; ids of the month are from `id_from` and below `id_below`. */
type Needed = (db: Db, month: OldMonth) => Promise<unknown[]>

/** The tables whose months are emptied, how long their rows are kept, and which rows are still needed after that. */
const emptied: Readonly<Record<Parent, { readonly days: keyof RetentionDays; readonly needed: Needed }>> = {
  callbacks: { days: 'callbackDays', needed: openEvidence },
  webhook_records: { days: 'webhookDays', needed: undeliveredIn(defaultEndpoints) },
  added_webhook_records: { days: 'webhookDays', needed: undeliveredIn(addedEndpoints) },
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

/** Longer than this the second check must not lock the month: deliveries and callbacks wait for it. */
const recheckMs = 500

/** Empties a month, unless one of its rows is still needed or another transaction uses it at this moment. */
export async function emptyMonth(db: WriteDb, old: OldMonth): Promise<'emptied' | 'needed' | 'in use'> {
  const { needed } = emptied[old.parent]
  if ((await needed(db, old)).length > 0) return 'needed'
  return db.transaction(async (tx) => {
    const part = `public.${old.month}`
    const [locked] = await tx.query<{ is_ours: boolean }>(
      sql`select lock_old_month(${part}::text::regclass) as is_ours`,
    )
    if (!locked?.is_ours) return 'in use'
    // Again under the lock: no row can become needed between this check and the end.
    await tx.query(sql`select set_config('statement_timeout', ${String(recheckMs)}, true)`)
    if ((await needed(tx, old)).length > 0) return 'needed'
    await tx.query(sql`set local statement_timeout to default`)
    await tx.query(sql`select empty_old_month(${part}::text::regclass)`)
    return 'emptied'
  })
}

/** Callbacks of payments that are open, or whose money has an open case. */
function openEvidence(db: Db, { id_from, id_below }: OldMonth): Promise<unknown[]> {
  return db.query(sql`
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

function undeliveredIn(tables: EndpointTables): Needed {
  return (db, { id_from, id_below }) =>
    db.query(tables.sql`
      select
      from webhook_records
      where id >= ${id_from}::uuid
        and id < ${id_below}::uuid
        and next_attempt_at is not null
      limit 1`)
}
