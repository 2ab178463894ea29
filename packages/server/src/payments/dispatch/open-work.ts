import { type Db, type Environment, sql } from '../../platform/db.ts'
import { laneOf, type Work } from './timers.ts'

/** Reads due work from the payments themselves, along the index of open payments, one page at a time. */

interface OpenOfMerchant {
  readonly env: Environment
  readonly provider: string
  readonly merchant_id: string
  readonly after: string
  readonly limit: number
}

/** A page of one merchant's open payments: those due in a lane, and where the next page starts, if there is one. */
export async function openWork(
  db: Db,
  { env, provider, merchant_id, after, limit }: OpenOfMerchant,
): Promise<{ readonly due: readonly Work[]; readonly last: string | undefined }> {
  const page = await db.query<Work & { readonly is_due: boolean }>(sql`
    select t.id, t.merchant_id, work_kind(t.type, t.state, a.is_lost, a.is_hinted) as kind,
      t.provider = ${provider}
        and t.wake_at <= record_time()
        and held_by(t.state, a.is_lost, m.frozen_at, null) is null
        and not (t.doubt = 'earlier_refund' and waits_for_turn(t.id, t.related_transaction_id)) as is_due
    from (
      select *
      from transactions
      where state not in ('successful', 'failed')
        and merchant_id = ${merchant_id}
        and env = ${env}
        and id > ${after}
      order by id
      limit ${limit}
    ) t
    join attempts a on a.transaction_id = t.id and a.number = t.attempt
    join merchants m on m.id = t.merchant_id
    order by t.id`)
  return { due: page.filter(({ is_due }) => is_due), last: page.length === limit ? page.at(-1)?.id : undefined }
}

/** A position among the open payments of all merchants. */
export interface OpenPlace {
  readonly merchant_id: string
  readonly env: Environment
  readonly id: string
}

/** Overdue payments of one lane. */
export interface LateWork {
  readonly lane: string
  readonly late: readonly Work[]
}

type Late = Work & OpenPlace & { readonly provider: string; readonly is_late: boolean }

/** A page of all open payments: those that are overdue and not held back, and where the next page starts. */
export async function lateWork(
  db: Db,
  { after, lateMs, limit }: { readonly after: OpenPlace; readonly lateMs: number; readonly limit: number },
): Promise<{ readonly lanes: readonly LateWork[]; readonly last: OpenPlace | undefined }> {
  const { merchant_id, env, id } = after
  const page = await db.query<Late>(sql`
    select t.merchant_id, t.env, t.id, t.provider, work_kind(t.type, t.state, a.is_lost, a.is_hinted) as kind,
      t.wake_at < record_time() - ${`${lateMs} milliseconds`}::interval
        and held_by(t.state, a.is_lost, m.frozen_at, l.paused_at) is null
        and not (t.doubt = 'earlier_refund' and waits_for_turn(t.id, t.related_transaction_id)) as is_late
    from (
      select *
      from transactions
      where state not in ('successful', 'failed')
        and (merchant_id, env, id) > (${merchant_id}, ${env}, ${id})
      order by merchant_id, env, id
      limit ${limit}
    ) t
    join attempts a on a.transaction_id = t.id and a.number = t.attempt
    join merchants m on m.id = t.merchant_id
    left join lanes l on l.lane = t.env || '/' || t.provider
    order by t.merchant_id, t.env, t.id`)
  const late = Map.groupBy(
    page.filter(({ is_late }) => is_late),
    (each) => laneOf(each.env, each.provider),
  )
  const lanes = [...late].map(([lane, work]) => ({ lane, late: work }))
  return { lanes, last: page.length === limit ? page.at(-1) : undefined }
}
