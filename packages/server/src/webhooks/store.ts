import { allEndpoints, type EndpointTables } from '../events/endpoint-tables.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { Moments } from '../platform/days.ts'
import type { Owner, ReadDb, Tx } from '../platform/db.ts'

export interface WebhookRecord {
  readonly id: string
  readonly endpoint_id: string
  /** The id of the event, which is sent as `webhook-id`. */
  readonly event_id: string
  readonly event: string
  readonly transaction_id: string
  readonly body: string
  /** Of its transaction; the counterparty is sealed. */
  readonly type: Transaction['type'] | null
  readonly counterparty: string | null
  readonly created_at: Date
  readonly status: 'CREATED' | 'SUCCESS' | 'FAILED'
  readonly attempts: number
  readonly next_attempt_at: Date | null
  /** The URL of the last attempt, or of the first one to come. */
  readonly url: string
  readonly response: {
    readonly status: string
    readonly body?: string
    readonly durationMs?: number
    readonly error?: string
  }
}

export async function find(db: ReadDb, owner: Owner, id: string): Promise<WebhookRecord | undefined> {
  for (const { sql } of allEndpoints) {
    const [found] = await db.query<WebhookRecord>(
      owner,
      sql`
        select w.id, w.endpoint_id, coalesce(w.event_id, w.id) as event_id, w.event, w.transaction_id, w.body, w.created_at,
          w.status, w.attempts, w.next_attempt_at, w.response, t.type, t.counterparty,
          coalesce(nullif(w.url, ''), e.url, '') as url
        from webhook_records w
        left join webhook_endpoints e on (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
        left join transactions t on t.id = w.transaction_id
        where w.id = ${id}`,
    )
    if (found) return found
  }
  return undefined
}

export interface ListWanted extends Moments {
  readonly status: string | undefined
  readonly transaction_id: string | undefined
  readonly limit: number
}

/** Newest first, over all endpoints. */
export async function list(db: ReadDb, owner: Owner, wanted: ListWanted): Promise<WebhookRecord[]> {
  const lists = await Promise.all(allEndpoints.map((tables) => listIn(db, owner, tables, wanted)))
  return lists
    .flat()
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, wanted.limit)
}

/** Records of one payment come from its own index; others from the merchant's index, read up to a limit. */
function listIn(db: ReadDb, owner: Owner, { sql }: EndpointTables, wanted: ListWanted): Promise<WebhookRecord[]> {
  const { status = null, from, below, transaction_id, limit } = wanted
  if (transaction_id !== undefined)
    return db.query<WebhookRecord>(
      owner,
      sql`
        select w.id, w.endpoint_id, coalesce(w.event_id, w.id) as event_id, w.event, w.transaction_id, w.body, w.created_at,
          w.status, w.attempts, w.next_attempt_at, w.response, t.type, t.counterparty,
          coalesce(nullif(w.url, ''), e.url, '') as url
        from webhook_records w
        left join webhook_endpoints e on (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
        left join transactions t on t.id = w.transaction_id
        where w.transaction_id = ${transaction_id}
          and w.status = coalesce(${status}, w.status)
          and w.id >= id_at(${from})
          and w.id < id_at(${below})
        order by w.id desc
        limit ${limit}`,
    )
  return db.query<WebhookRecord>(
    owner,
    sql`
      with looked as (
        select *
        from webhook_records
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and id >= id_at(${from})
          and id < id_at(${below})
          and (${status === 'FAILED'} is false or status = 'FAILED')
        order by id desc
        limit 20000
      )
      select w.id, w.endpoint_id, coalesce(w.event_id, w.id) as event_id, w.event, w.transaction_id, w.body, w.created_at,
        w.status, w.attempts, w.next_attempt_at, w.response, t.type, t.counterparty,
        coalesce(nullif(w.url, ''), e.url, '') as url
      from looked w
      left join webhook_endpoints e on (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
      left join transactions t on t.id = w.transaction_id
      where w.status = coalesce(${status}, w.status)
      order by w.id desc
      limit ${limit}`,
  )
}

export type Resent = 'due' | 'no record' | 'no endpoint' | 'disabled'

/**
 * Makes a record due again at once, whatever its status. An endpoint that Malipo disabled gets it when it is enabled; one that the
 * merchant disabled never would, so the caller refuses that and undoes this.
 */
export async function sendAgain(tx: Tx, owner: Owner, id: string): Promise<Resent> {
  for (const tables of allEndpoints) {
    const resent = await sendAgainIn(tx, owner, tables, id)
    if (resent !== 'no record') return resent
  }
  return 'no record'
}

async function sendAgainIn(tx: Tx, { merchant_id, env }: Owner, { sql }: EndpointTables, id: string): Promise<Resent> {
  // The endpoint first: the holder of its lock may lock the record next.
  const [endpoint] = await tx.query<{ is_enabled: boolean }>(sql`
    update webhook_endpoints e
    set next_due = record_time(), rests_until = '-infinity'
    from webhook_records w
    where w.id = ${id}
      and w.merchant_id = ${merchant_id}
      and w.env = ${env}
      and (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
      and e.url <> ''
    returning e.is_enabled`)
  const due = await tx.query(sql`
    update webhook_records
    set next_attempt_at = case when ${endpoint !== undefined} then record_time() end
    where id = ${id}
      and merchant_id = ${merchant_id}
      and env = ${env}
    returning id`)
  if (due.length === 0) return 'no record'
  if (!endpoint) return 'no endpoint'
  return endpoint.is_enabled ? 'due' : 'disabled'
}
