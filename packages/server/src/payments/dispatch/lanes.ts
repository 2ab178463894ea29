import { type Db, type Environment, sql, type Tx } from '../../platform/db.ts'

/** The state of a provider's lane. A lane that never worked and was never paused has no row. */
export interface LaneState {
  readonly lane: string
  readonly paused_at: Date | null
  readonly reason: string
  /** The provider does not respond, and new payments are routed to other providers. */
  readonly is_unhealthy: boolean
}

/** Claims of a lane serialise on its row, so none is made after this commits. False when the lane was already paused. */
export async function pauseLane(tx: Tx, lane: string, reason: string): Promise<boolean> {
  const paused = await tx.query(sql`
    insert into lanes as l (lane, paused_at, reason)
    values (${lane}, record_time(), ${reason})
    on conflict (lane) do update
    set paused_at = excluded.paused_at, reason = excluded.reason
    where l.paused_at is null
    returning lane`)
  return paused.length > 0
}

/** False when it was not paused. */
export async function resumeLane(tx: Tx, lane: string): Promise<boolean> {
  const resumed = await tx.query(sql`
    update lanes
    set paused_at = null, reason = ''
    where lane = ${lane}
      and paused_at is not null
    returning lane`)
  return resumed.length > 0
}

export function listLanes(db: Db): Promise<LaneState[]> {
  return db.query<LaneState>(sql`
    select lane, paused_at, reason, coalesce(unhealthy_until > record_time(), false) as is_unhealthy
    from lanes
    where split_part(lane, '/', 3) = ''
    order by lane`)
}

/** The merchant or the lane whose payments were held back. */
type Held = { readonly merchant_id: string } | { readonly env: Environment; readonly provider: string }

const wakeMax = 5000

/**
 * Sets new timers for payments that fell due while held back, because the lane skipped their expired timers. At most 5,000, the
 * longest waiting first; the sweeper finds the rest. Payments that are still held back for another reason are left alone. Returns
 * the lanes to wake, with the number of payments for each.
 */
export function wakeHeld(tx: Tx, held: Held): Promise<{ readonly lane: string; readonly payments: number }[]> {
  const { merchant_id = null, env = null, provider = null } = held as Partial<Record<string, string>>
  return tx.query(sql`
    with waiting as (
      select t.id, t.env || '/' || t.provider as lane
      from transactions t
      join attempts a on a.transaction_id = t.id and a.number = t.attempt
      join merchants m on m.id = t.merchant_id
      left join lanes l on l.lane = t.env || '/' || t.provider
      where t.state not in ('successful', 'failed')
        and t.wake_at <= (select record_time())
        and t.merchant_id = coalesce(${merchant_id}::uuid, t.merchant_id)
        and t.env = coalesce(${env}::text, t.env)
        and t.provider = coalesce(${provider}::text, t.provider)
        and held_by(t.state, a.is_lost, m.frozen_at, l.paused_at) is null
      order by t.wake_at
      limit ${wakeMax}
    ), woken as (
      insert into timers (due, lane, transaction_id)
      select (select record_time()), lane, id
      from waiting
      returning lane
    )
    select lane, count(*)::int as payments
    from woken
    group by lane
    order by lane`)
}
