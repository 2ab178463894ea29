import { type Db, sql, type Tx } from '../platform/db.ts'

/** A time to look at a payment again, in the lane of whoever must. */
export interface Alarm {
  readonly due: Date
  readonly lane: string
  readonly transaction_id: string
}

/** The lane of a provider in an environment. */
export function laneOf(env: string, provider: string): string {
  return `${env}/${provider}`
}

/** Alarms are only ever added: one whose need is gone when it rings does nothing. */
export async function setAlarms(tx: Tx, alarms: readonly Alarm[]): Promise<void> {
  if (alarms.length === 0) return
  await tx.query(sql`
    insert into alarms (due, lane, transaction_id)
    select *
    from unnest(${alarms.map(({ due }) => due)}::timestamptz[], ${alarms.map(({ lane }) => lane)}::text[],
      ${alarms.map((alarm) => alarm.transaction_id)}::uuid[])`)
}

/** A place among the alarms of a lane. The time is the database's own text: a Date would lose its microseconds. */
export interface Place {
  readonly due: string
  readonly transaction_id: string
}

/** An alarm that has rung, and whether its payment still needs looking at. */
export interface Rung extends Place {
  readonly is_needed: boolean
}

/** The alarms of a lane that rang after a place, in order. Most are not needed any more, and cost no lock. */
export function rungAfter(
  db: Db,
  lane: string,
  { after, limit }: { readonly after: Place; readonly limit: number },
): Promise<Rung[]> {
  return db.query(sql`
    select a.due::text as due, a.transaction_id,
      coalesce(t.wake_at <= record_time() and t.state not in ('successful', 'failed'), false) as is_needed
    from (
      select due, transaction_id
      from alarms
      where lane = ${lane}
        and (due, transaction_id) > (${after.due}::timestamptz, ${after.transaction_id}::uuid)
        and due <= (select record_time())
      order by due, transaction_id
      limit ${limit}
    ) a
    left join transactions t on t.id = a.transaction_id
    order by a.due, a.transaction_id`)
}
