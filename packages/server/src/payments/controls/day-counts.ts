import { type Db, type Environment, sql, type Tx } from '../../platform/db.ts'
import { monthsOf } from '../../platform/months.ts'
import type { DayKind } from './rules.ts'

/** One sum of payouts of a day. */
export interface DayCount {
  readonly merchant_id: string
  readonly env: Environment
  readonly currency: string
  /** In UTC, such as 2027-01-31. */
  readonly day: string
  readonly kind: DayKind
  readonly subject: string
}

/** The sums of a batch, locked. */
export interface DayCounts {
  spent(count: DayCount): bigint
  add(count: DayCount, amount: bigint): void
  /** Writes the sums that changed. */
  write(): Promise<void>
}

const keyOf = ({ merchant_id, env, currency, day, kind, subject }: DayCount) =>
  [merchant_id, env, currency, day, kind, subject].join(' ')

/**
 * Locks these sums until the transaction ends, in the lock order: after the wallets, sorted by key. A missing sum is created, so
 * that it can be locked.
 */
export async function openDayCounts(tx: Tx, wanted: readonly DayCount[]): Promise<DayCounts> {
  const counts = new Map(wanted.map((count) => [keyOf(count), count]))
  return countsFrom(counts.size === 0 ? [] : await lockCounts(tx, [...counts.values()]), counts, (changed) =>
    writeCounts(tx, changed),
  )
}

/** The same without locks, for a payout that is only tried: nothing is written. */
export async function readDayCounts(db: Db, wanted: readonly DayCount[]): Promise<DayCounts> {
  const counts = new Map(wanted.map((count) => [keyOf(count), count]))
  const found = counts.size === 0 ? [] : await readCounts(db, [...counts.values()])
  return countsFrom(found, counts, () => Promise.resolve())
}

function countsFrom(
  found: readonly DayCountRow[],
  counts: ReadonlyMap<string, DayCount>,
  writeChanged: (changed: readonly DayCountRow[]) => Promise<void>,
): DayCounts {
  const sums = new Map(found.map((row) => [keyOf(row), row.spent]))
  const changed = new Set<string>()
  const spent = (count: DayCount) => sums.get(keyOf(count)) ?? 0n
  return {
    spent,
    add: (count, amount) => {
      sums.set(keyOf(count), spent(count) + amount)
      changed.add(keyOf(count))
    },
    write: () =>
      writeChanged(
        [...counts.values()]
          .filter((count) => changed.has(keyOf(count)))
          .map((count) => ({ ...count, spent: spent(count) })),
      ),
  }
}

interface DayCountRow extends DayCount {
  readonly spent: bigint
}

function lockCounts(tx: Tx, counts: readonly DayCount[]): Promise<DayCountRow[]> {
  const of = <Key extends keyof DayCount>(name: Key) => counts.map((count) => count[name])
  return tx.query<DayCountRow>(sql`
    insert into payout_days as d (merchant_id, env, currency, day, kind, subject, spent)
    select *, 0
    from unnest(${of('merchant_id')}::uuid[], ${of('env')}::text[], ${of('currency')}::text[], ${of('day')}::date[],
      ${of('kind')}::text[], ${of('subject')}::text[]) as w(merchant_id, env, currency, day, kind, subject)
    order by merchant_id, env, currency, day, kind, subject
    on conflict (merchant_id, env, currency, day, kind, subject) do update set spent = d.spent
    returning merchant_id, env, currency, day::text as day, kind, subject, spent`)
}

function readCounts(db: Db, counts: readonly DayCount[]): Promise<DayCountRow[]> {
  const of = <Key extends keyof DayCount>(name: Key) => counts.map((count) => count[name])
  return db.query<DayCountRow>(sql`
    select d.merchant_id, d.env, d.currency, d.day::text as day, d.kind, d.subject, d.spent
    from unnest(${of('merchant_id')}::uuid[], ${of('env')}::text[], ${of('currency')}::text[], ${of('day')}::date[],
      ${of('kind')}::text[], ${of('subject')}::text[]) as w(merchant_id, env, currency, day, kind, subject)
    join payout_days d using (merchant_id, env, currency, day, kind, subject)`)
}

async function writeCounts(tx: Tx, rows: readonly DayCountRow[]): Promise<void> {
  if (rows.length === 0) return
  const of = <Key extends keyof DayCountRow>(name: Key) => rows.map((row) => row[name])
  await tx.query(sql`
    update payout_days as d
    set spent = n.spent
    from unnest(${of('merchant_id')}::uuid[], ${of('env')}::text[], ${of('currency')}::text[], ${of('day')}::date[],
      ${of('kind')}::text[], ${of('subject')}::text[], ${of('spent')}::bigint[])
      as n(merchant_id, env, currency, day, kind, subject, spent)
    where (d.merchant_id, d.env, d.currency, d.day, d.kind, d.subject)
      = (n.merchant_id, n.env, n.currency, n.day, n.kind, n.subject)`)
}

/**
 * Takes failed payouts out of the sums of their days, in the wallet's currency and in the one that was paid. The caller fails each of them in this transaction, and a payout fails once.
 * The sums are locked in the same order as everywhere, after the wallets. A sum that was deleted needs no change.
 */
export async function returnShares(tx: Tx, transactionIds: readonly string[]): Promise<void> {
  if (transactionIds.length === 0) return
  const months = monthsOf(transactionIds)
  await tx.query(sql`
    with shares as (
      select c.merchant_id, c.env, side.currency, c.day, k.kind,
        case k.kind when 'credential' then coalesce(c.counted_as, c.made_by) when 'beneficiary' then c.beneficiary else '' end as subject,
        sum(side.amount)::bigint as amount
      from controlled_payouts c
      cross join lateral (
        values (c.currency, c.amount, c.counted), (c.paid_currency, c.paid_amount, c.paid_counted)
      ) as side(currency, amount, counted)
      cross join lateral unnest(side.counted) as k(kind)
      where c.transaction_id = any(${transactionIds}::uuid[])
        and c.transaction_id >= ${months.from}
        and c.transaction_id < ${months.below}
      group by 1, 2, 3, 4, 5, 6
    ), locked as materialized (
      select d.merchant_id, d.env, d.currency, d.day, d.kind, d.subject, s.amount
      from payout_days d
      join shares s using (merchant_id, env, currency, day, kind, subject)
      order by d.merchant_id, d.env, d.currency, d.day, d.kind, d.subject
      for no key update of d
    )
    update payout_days as d
    set spent = d.spent - l.amount
    from locked l
    where (d.merchant_id, d.env, d.currency, d.day, d.kind, d.subject)
      = (l.merchant_id, l.env, l.currency, l.day, l.kind, l.subject)`)
}

/** Deletes the sums of past days. A batch that started before midnight may still add to yesterday's. */
export async function forgetDays(db: Db): Promise<void> {
  await db.query(sql`delete from payout_days where day < (record_time() at time zone 'UTC')::date - 1`)
}
