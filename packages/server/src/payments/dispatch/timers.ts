import assert from 'node:assert/strict'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import { monthsOf } from '../../platform/months.ts'

/** A time to work on a payment again, in the lane of its provider. */
export interface Timer {
  readonly due: Date
  readonly lane: string
  readonly transaction_id: string
}

/** The lane of a provider in an environment. */
export function laneOf(env: string, provider: string): string {
  return `${env}/${provider}`
}

/** Timers are only ever added. An obsolete timer has no effect when it expires. */
export async function setTimers(tx: Tx, timers: readonly Timer[]): Promise<void> {
  if (timers.length === 0) return
  await tx.query(sql`
    insert into timers (due, lane, transaction_id)
    select *
    from unnest(${timers.map(({ due }) => due)}::timestamptz[], ${timers.map(({ lane }) => lane)}::text[],
      ${timers.map((timer) => timer.transaction_id)}::uuid[])`)
}

/** A position among the timers of a lane. The time is PostgreSQL's own text, because a Date would lose its microseconds. */
export interface Place {
  readonly due: string
  readonly transaction_id: string
}

/** Expired timers. */
export interface DueTimers {
  /** Payments that are due. Payments with only obsolete timers are left out. */
  readonly due: readonly Work[]
  /** The number of expired timers, the last of them, and the database time of the read. */
  readonly count: number
  readonly last: Place | undefined
  readonly at: Date
}

/**
 * What a lane's requests are for, the same as `work_kind` in the database. For the first two a customer waits for the outcome.
 */
export const workKinds = ['prompt', 'hint', 'payout', 'poll'] as const
export type WorkKind = (typeof workKinds)[number]

/** A payment that is due in its lane. */
export interface Work {
  readonly id: string
  readonly merchant_id: string
  readonly kind: WorkKind
}

interface TimersPage extends Place {
  readonly count: number
  /** The smallest and the greatest id of their payments. */
  readonly least: string
  readonly greatest: string
}

/**
 * The timers of a lane that expired after a position. Most are obsolete and cost no lock. The time is read first and passed as a
 * value, so that PostgreSQL opens only the hours it needs and not all that are attached ahead: with 51 attached a poll takes 0.06
 * ms instead of 0.4 ms. The payments are read by a second statement, which knows their months.
 */
export async function dueAfter(
  db: Db,
  lane: string,
  { after, limit }: { readonly after: Place; readonly limit: number },
): Promise<DueTimers> {
  const [clock] = await db.query<{ now: string; at: Date }>(sql`select now::text, now as at from record_time() as now`)
  assert(clock)
  const [page] = await db.query<TimersPage>(sql`
    with due_timers as materialized (
      select due, transaction_id
      from timers
      where lane = ${lane}
        and due >= ${after.due}::timestamptz
        and (due, transaction_id) > (${after.due}::timestamptz, ${after.transaction_id}::uuid)
        and due <= ${clock.now}::timestamptz
      order by due, transaction_id
      limit ${limit}
    )
    select last.due::text as due, last.transaction_id, whole.*
    from due_timers last,
      (
        select count(*)::int as count, min(transaction_id::text collate "C") as least,
          max(transaction_id::text collate "C") as greatest
        from due_timers
      ) whole
    order by last.due desc, last.transaction_id desc
    limit 1`)
  const due = page ? await workOf(db, lane, { after, page, now: clock.now }) : []
  return { due, count: page?.count ?? 0, last: page, at: clock.at }
}

/**
 * The payments of a page of timers that are due. A timer that was committed since the page was read may be left out: it is read again,
 * as all timers are.
 */
function workOf(
  db: Db,
  lane: string,
  { after, page, now }: { readonly after: Place; readonly page: TimersPage; readonly now: string },
): Promise<Work[]> {
  const months = monthsOf([page.least, page.greatest])
  return db.query<Work>(sql`
    select t.id, t.merchant_id, work_kind(t.type, t.state, a.is_lost, a.is_hinted) as kind
    from (
      select due, transaction_id
      from timers
      where lane = ${lane}
        and due >= ${after.due}::timestamptz
        and (due, transaction_id) > (${after.due}::timestamptz, ${after.transaction_id}::uuid)
        and due <= ${page.due}::timestamptz
        and (due, transaction_id) <= (${page.due}::timestamptz, ${page.transaction_id}::uuid)
      order by due, transaction_id
      offset 0
    ) due_timers
    join transactions t on t.id = due_timers.transaction_id
    join attempts a on a.transaction_id = t.id and a.number = t.attempt
    where t.id >= ${months.from}
      and t.id < ${months.below}
      and a.transaction_id >= ${months.from}
      and a.transaction_id < ${months.below}
      and t.env || '/' || t.provider = ${lane}
      and t.wake_at <= ${now}::timestamptz
      and t.state not in ('successful', 'failed')
    order by due_timers.due, due_timers.transaction_id`)
}
