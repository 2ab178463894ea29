import { type Owner, type ReadDb, sql, type Tx } from '../platform/db.ts'

export interface WebhookRecord {
  readonly id: string
  readonly event: string
  readonly body: string
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
  const [found] = await db.query<WebhookRecord>(
    owner,
    sql`
      select w.id, w.event, w.body, w.created_at, w.status, w.attempts, w.next_attempt_at, w.response,
        coalesce(nullif(w.url, ''), e.url) as url
      from webhook_records w
      join webhook_endpoints e using (merchant_id, env)
      where w.id = ${id}`,
  )
  return found
}

export interface ListWanted {
  readonly status: string | undefined
  /** Both days included. */
  readonly startDate: string | undefined
  readonly endDate: string | undefined
  readonly transaction_id: string | undefined
  readonly limit: number
}

/** Newest first. Records of one payment come from its own index; others from the merchant's index, read up to a limit. */
export function list(db: ReadDb, owner: Owner, wanted: ListWanted): Promise<WebhookRecord[]> {
  const { status = null, startDate = null, endDate = null, transaction_id, limit } = wanted
  if (transaction_id !== undefined)
    return db.query<WebhookRecord>(
      owner,
      sql`
        select w.id, w.event, w.body, w.created_at, w.status, w.attempts, w.next_attempt_at, w.response,
          coalesce(nullif(w.url, ''), e.url) as url
        from webhook_records w
        join webhook_endpoints e using (merchant_id, env)
        where w.transaction_id = ${transaction_id}
          and w.status = coalesce(${status}, w.status)
          and w.id >= id_at(coalesce(${startDate}::date, '1970-01-01')::timestamp at time zone 'UTC')
          and w.id < id_at((coalesce(${endDate}::date, '9999-12-30') + 1)::timestamp at time zone 'UTC')
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
          and id >= id_at(coalesce(${startDate}::date, '1970-01-01')::timestamp at time zone 'UTC')
          and id < id_at((coalesce(${endDate}::date, '9999-12-30') + 1)::timestamp at time zone 'UTC')
          and (${status === 'FAILED'} is false or status = 'FAILED')
        order by id desc
        limit 20000
      )
      select w.id, w.event, w.body, w.created_at, w.status, w.attempts, w.next_attempt_at, w.response,
        coalesce(nullif(w.url, ''), e.url) as url
      from looked w
      join webhook_endpoints e using (merchant_id, env)
      where w.status = coalesce(${status}, w.status)
      order by w.id desc
      limit ${limit}`,
  )
}

/** Makes a record due again at once, whatever its status. Returns false when the record does not exist. */
export async function sendAgain(tx: Tx, { merchant_id, env }: Owner, id: string): Promise<boolean> {
  // The endpoint first: the holder of its lock may lock the record next.
  await tx.query(sql`
    update webhook_endpoints
    set next_due = record_time(), rests_until = '-infinity'
    where merchant_id = ${merchant_id}
      and env = ${env}
      and exists (
        select
        from webhook_records
        where id = ${id}
          and merchant_id = ${merchant_id}
          and env = ${env}
      )`)
  const due = await tx.query(sql`
    update webhook_records
    set next_attempt_at = record_time()
    where id = ${id}
      and merchant_id = ${merchant_id}
      and env = ${env}
    returning id`)
  return due.length > 0
}
