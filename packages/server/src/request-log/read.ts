import type { Moments } from '../platform/days.ts'
import { type Owner, type Query, type ReadDb, sql } from '../platform/db.ts'
import type { RequestEntry } from './entry.ts'

/** An entry as it is stored. */
export interface StoredEntry extends Omit<RequestEntry, keyof Owner> {
  readonly id: string
  readonly at: Date
}

export interface EntriesWanted extends Moments {
  /** Statuses from … to, both included. */
  readonly statusFrom: number
  readonly statusTo: number
  readonly path: string | undefined
  readonly requestId: string | undefined
  readonly transaction_id: string | undefined
  /** The last entry of the page before. */
  readonly before: string | undefined
  readonly limit: number
}

export interface EntriesPage {
  readonly entries: readonly StoredEntry[]
  /** Where the next page starts; undefined when this is the last. */
  readonly next: string | undefined
}

/** How many entries one page compares with its filters: it may have fewer than its limit, and still not be the last. */
const lookedMax = 20_000

/** Newest first. */
export async function readEntries(db: ReadDb, owner: Owner, wanted: EntriesWanted): Promise<EntriesPage> {
  const { limit } = wanted
  const few = ofRequest(owner, wanted) ?? ofTransaction(owner, wanted)
  const found = await db.query<StoredEntry>(owner, few ?? ofMerchant(owner, wanted))
  const entries = found.slice(0, limit)
  if (found.length > limit) return { entries, next: entries.at(-1)?.id }
  const [lastLooked] = few ? [] : await db.query<{ id: string }>(owner, lookedLast(owner, wanted))
  return { entries, next: lastLooked?.id }
}

const idMax = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** From the merchant's index, up to a limit. It stops as soon as the page is full. */
function ofMerchant({ merchant_id, env }: Owner, wanted: EntriesWanted): Query {
  const { from, below, before = idMax } = wanted
  return sql`
    with looked as (
      select *
      from request_log
      where merchant_id = ${merchant_id}
        and env = ${env}
        and id >= id_at(${from})
        and id < least(${before}::uuid, id_at(${below}))
      order by id desc
      limit ${lookedMax}
    )
    select *
    from looked
    where status between ${wanted.statusFrom} and ${wanted.statusTo}
      and path = coalesce(${wanted.path ?? null}, path)
    order by id desc
    limit ${wanted.limit + 1}`
}

/** The last entry that a page compares, if it may not be the last of all. */
function lookedLast({ merchant_id, env }: Owner, wanted: EntriesWanted): Query {
  const { from, below, before = idMax } = wanted
  return sql`
    select id
    from request_log
    where merchant_id = ${merchant_id}
      and env = ${env}
      and id >= id_at(${from})
      and id < least(${before}::uuid, id_at(${below}))
    order by id desc
    offset ${lookedMax - 1}
    limit 1`
}

/** The entries of one request id, which have their own index; undefined when all requests are wanted. */
function ofRequest({ merchant_id, env }: Owner, wanted: EntriesWanted): Query | undefined {
  const { from, below, before = idMax } = wanted
  if (wanted.requestId === undefined) return undefined
  return sql`
    select *
    from request_log
    where merchant_id = ${merchant_id}
      and env = ${env}
      and request_id = ${wanted.requestId}
      and id >= id_at(${from})
      and id < least(${before}::uuid, id_at(${below}))
      and status between ${wanted.statusFrom} and ${wanted.statusTo}
      and path = coalesce(${wanted.path ?? null}, path)
      and (${wanted.transaction_id ?? null}::uuid is null or transaction_id = ${wanted.transaction_id ?? null}::uuid)
    order by id desc
    limit ${wanted.limit + 1}`
}

/** The entries of one payment, which have their own index; undefined when those of all payments are wanted. */
function ofTransaction({ merchant_id, env }: Owner, wanted: EntriesWanted): Query | undefined {
  const { from, below, before = idMax } = wanted
  if (wanted.transaction_id === undefined) return undefined
  return sql`
    select *
    from request_log
    where merchant_id = ${merchant_id}
      and env = ${env}
      and transaction_id = ${wanted.transaction_id}
      and id >= id_at(${from})
      and id < least(${before}::uuid, id_at(${below}))
      and status between ${wanted.statusFrom} and ${wanted.statusTo}
      and path = coalesce(${wanted.path ?? null}, path)
    order by id desc
    limit ${wanted.limit + 1}`
}
