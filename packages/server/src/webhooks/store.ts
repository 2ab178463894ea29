import { allEndpoints, type EndpointTables } from '../events/endpoint-tables.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { Moments } from '../platform/days.ts'
import type { Owner, ReadDb, Tx } from '../platform/db.ts'
import { firstIdAt } from '../platform/ids.ts'
import { type IdRange, type IdSpan, monthsOf, monthsSince, newestFirst, newestThenOlder } from '../platform/months.ts'
import { readTransactions } from '../transactions/read.ts'

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

/** What is stored of a webhook; the rest of a record is its transaction's. */
type Stored = Omit<WebhookRecord, 'type' | 'counterparty'>

export async function find(db: ReadDb, owner: Owner, id: string): Promise<WebhookRecord | undefined> {
  const months = monthsOf([id])
  for (const { sql } of allEndpoints) {
    const found = await db.within<Stored>(
      owner,
      months,
      sql`
        select w.id, w.endpoint_id, coalesce(w.event_id, w.id) as event_id, w.event, w.transaction_id, w.body, w.created_at,
          w.status, w.attempts, w.next_attempt_at, w.response, coalesce(nullif(w.url, ''), e.url, '') as url
        from webhook_records w
        left join webhook_endpoints e on (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
        where w.id = ${id}
          and w.id >= ${months.from}
          and w.id < ${months.below}`,
    )
    const [record] = await withParties(db, owner, found)
    if (record) return record
  }
  return undefined
}

/** An archived transaction leaves no party. */
async function withParties(db: ReadDb, owner: Owner, records: readonly Stored[]): Promise<WebhookRecord[]> {
  const ids = [...new Set(records.map(({ transaction_id }) => transaction_id))]
  const transactions = await readTransactions(db, owner, ids)
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]))
  return records.map((record) => {
    const { type = null, counterparty = null } = byId.get(record.transaction_id) ?? {}
    return { ...record, type, counterparty }
  })
}

export interface ListWanted extends Moments {
  readonly status: string | undefined
  readonly transaction_id: string | undefined
  readonly limit: number
}

/** Newest first, over all endpoints. */
export async function list(db: ReadDb, owner: Owner, wanted: ListWanted): Promise<WebhookRecord[]> {
  const span = { from: firstIdAt(wanted.from.getTime()), below: firstIdAt(wanted.below.getTime()) }
  const { transaction_id } = wanted
  const listed =
    transaction_id === undefined
      ? await listSpan(db, owner, wanted, span)
      : await ofAllEndpoints(wanted.limit, (tables) =>
          listOfPayment(db, owner, tables, { ...wanted, transaction_id }, span),
        )
  return withParties(db, owner, listed)
}

/** A status without an index is looked for among the newest records of the whole span: no older month follows after a gap. */
async function listSpan(db: ReadDb, owner: Owner, wanted: ListWanted, span: IdSpan): Promise<Stored[]> {
  const { status, limit } = wanted
  const read = (range: IdRange, most: number) => listRange(db, owner, { ...wanted, limit: most }, range)
  if (status === undefined || status === 'FAILED') return newestFirst(span, limit, read)
  const [newest, older] = newestThenOlder(span)
  const found = await read(newest, limit)
  return older && found.length < limit ? read({ ...span, plan: 'kept' }, limit) : found
}

function listRange(db: ReadDb, owner: Owner, wanted: ListWanted, range: IdRange): Promise<Stored[]> {
  const listIn = wanted.status === 'FAILED' ? listFailed : listAny
  return ofAllEndpoints(wanted.limit, (tables) => listIn(db, owner, tables, wanted, range))
}

/** The newest of what is read of the tables of each kind of endpoint. */
async function ofAllEndpoints(limit: number, read: (tables: EndpointTables) => Promise<Stored[]>): Promise<Stored[]> {
  const lists = await Promise.all(allEndpoints.map(read))
  return lists
    .flat()
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit)
}

/** A payment has few. They are written after it. */
function listOfPayment(
  db: ReadDb,
  owner: Owner,
  { sql }: EndpointTables,
  { transaction_id, status }: ListWanted & { readonly transaction_id: string },
  { from, below }: IdSpan,
): Promise<Stored[]> {
  const later = monthsSince([transaction_id])
  return db.find<Stored>(
    owner,
    sql`
      select w.id, w.endpoint_id, coalesce(w.event_id, w.id) as event_id, w.event, w.transaction_id, w.body, w.created_at,
        w.status, w.attempts, w.next_attempt_at, w.response, coalesce(nullif(w.url, ''), e.url, '') as url
      from webhook_records w
      left join webhook_endpoints e on (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
      where w.transaction_id = ${transaction_id}
        and w.status = coalesce(${status ?? null}, w.status)
        and w.id >= ${later.from}
        and w.id >= ${from}
        and w.id < ${below}`,
  )
}

function listFailed(
  db: ReadDb,
  owner: Owner,
  { sql }: EndpointTables,
  { limit }: ListWanted,
  range: IdRange,
): Promise<Stored[]> {
  return db.within<Stored>(
    owner,
    range,
    sql`
      select w.id, w.endpoint_id, coalesce(w.event_id, w.id) as event_id, w.event, w.transaction_id, w.body, w.created_at,
        w.status, w.attempts, w.next_attempt_at, w.response, coalesce(nullif(w.url, ''), e.url, '') as url
      from webhook_records w
      left join webhook_endpoints e on (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
      where w.merchant_id = ${owner.merchant_id}
        and w.env = ${owner.env}
        and w.id >= ${range.from}
        and w.id < ${range.below}
        and w.status = 'FAILED'
      order by w.id desc
      limit ${limit}`,
  )
}

function listAny(
  db: ReadDb,
  owner: Owner,
  { sql }: EndpointTables,
  { status, limit }: ListWanted,
  range: IdRange,
): Promise<Stored[]> {
  return db.within<Stored>(
    owner,
    range,
    sql`
      with looked as (
        select *
        from webhook_records
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and id >= ${range.from}
          and id < ${range.below}
        order by id desc
        limit 20000
      )
      select w.id, w.endpoint_id, coalesce(w.event_id, w.id) as event_id, w.event, w.transaction_id, w.body, w.created_at,
        w.status, w.attempts, w.next_attempt_at, w.response, coalesce(nullif(w.url, ''), e.url, '') as url
      from looked w
      left join webhook_endpoints e on (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
      where w.status = coalesce(${status ?? null}, w.status)
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
  const months = monthsOf([id])
  // The endpoint first: the holder of its lock may lock the record next.
  const [endpoint] = await tx.query<{ is_enabled: boolean }>(sql`
    update webhook_endpoints e
    set next_due = record_time(), rests_until = '-infinity', waiting_from = least(e.waiting_from, w.id)
    from webhook_records w
    where w.id = ${id}
      and w.id >= ${months.from}
      and w.id < ${months.below}
      and w.merchant_id = ${merchant_id}
      and w.env = ${env}
      and (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
      and e.url <> ''
    returning e.is_enabled`)
  const due = await tx.query(sql`
    update webhook_records
    set next_attempt_at = case when ${endpoint !== undefined} then record_time() end
    where id = ${id}
      and id >= ${months.from}
      and id < ${months.below}
      and merchant_id = ${merchant_id}
      and env = ${env}
    returning id`)
  if (due.length === 0) return 'no record'
  if (!endpoint) return 'no endpoint'
  return endpoint.is_enabled ? 'due' : 'disabled'
}
