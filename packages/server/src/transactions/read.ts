import type { PublicStatus } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { Moments } from '../platform/days.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import type { TimelineEntry } from './present.ts'

/** By its shown id, else by its external reference. */
export async function findTransaction(db: ReadDb, owner: Owner, wanted: string): Promise<Transaction | undefined> {
  const id = readId('transaction', wanted)
  const byId = id === undefined ? undefined : await findById(db, owner, id)
  return byId ?? findByReference(db, owner, wanted)
}

export async function findById(db: ReadDb, owner: Owner, id: string): Promise<Transaction | undefined> {
  const [found] = await db.find<Transaction>(owner, sql`select * from transactions where id = ${id}`)
  return found
}

async function findByReference(db: ReadDb, owner: Owner, reference: string): Promise<Transaction | undefined> {
  const [row] = await db.find<{ transaction_id: string }>(
    owner,
    sql`
      select transaction_id
      from external_references
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and reference = ${reference}`,
  )
  return row && findById(db, owner, row.transaction_id)
}

export function timelineOf(db: ReadDb, owner: Owner, id: string): Promise<TimelineEntry[]> {
  return db.find<TimelineEntry>(
    owner,
    sql`
      select at, stage, message
      from events
      where transaction_id = ${id}
      order by number
      limit 1000`,
  )
}

/** Whether the operator has frozen the merchant. */
export async function isFrozen(db: ReadDb, owner: Owner): Promise<boolean> {
  const [merchant] = await db.find<{ is_frozen: boolean }>(
    owner,
    sql`select frozen_at is not null as is_frozen from merchants where id = ${owner.merchant_id}`,
  )
  return merchant?.is_frozen === true
}

/** Whole transactions by their ids, in any order. The range leaves out the months without any: ids in a list do not. */
export const readTransactions = (db: ReadDb, owner: Owner, ids: readonly string[]): Promise<Transaction[]> =>
  db.find<Transaction>(
    owner,
    sql`
      select *
      from transactions
      where id = any(${ids}::uuid[])
        and id >= ${leastOf(ids)}
        and id <= ${greatestOf(ids)}`,
  )

export const leastOf = (ids: readonly string[]) => ids.reduce((least, id) => (id < least ? id : least), lastId)
export const greatestOf = (ids: readonly string[]) => ids.reduce((greatest, id) => (id > greatest ? id : greatest), '')

export interface ListWanted extends Moments {
  readonly currency: string | undefined
  readonly type: string | undefined
  readonly externalReference: string | undefined
  readonly status: PublicStatus | undefined
  readonly limit: number
  /** Only transactions older than this one. */
  readonly before: string | undefined
}

export interface ListPage {
  readonly transactions: readonly Transaction[]
  /** Where the scan stopped although there may be more, because the filter matched too few rows. */
  readonly stoppedAt: string | undefined
}

/** A filter without its own index scans at most this many transactions for one page. */
const rowsScannedMax = 20_000
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Newest first. */
export async function listTransactions(db: ReadDb, owner: Owner, wanted: ListWanted): Promise<ListPage> {
  if (wanted.externalReference !== undefined) {
    const found = await findByReference(db, owner, wanted.externalReference)
    const isWanted = found !== undefined && (await isAmong(db, owner, wanted, found.id))
    return { transactions: found && isWanted ? [found] : [], stoppedAt: undefined }
  }
  const found = await scan(db, owner, wanted, {
    before: wanted.before ?? lastId,
    limit: wanted.limit,
    rowsMax: rowsScannedMax,
  })
  if (found.length === wanted.limit || isIndexed(wanted)) return { transactions: found, stoppedAt: undefined }
  return { transactions: found, stoppedAt: await scannedUntil(db, owner, wanted) }
}

/** Filters whose index leads straight to the matching rows, so that the scan reads no others. */
function isIndexed({ currency, type, status }: ListWanted): boolean {
  return currency !== undefined && type !== undefined && status === undefined
}

/** Whether one transaction passes the filters. */
async function isAmong(db: ReadDb, owner: Owner, wanted: ListWanted, id: string): Promise<boolean> {
  const rows = await scan(db, owner, wanted, { before: wanted.before ?? lastId, limit: 1, rowsMax: 1, id })
  return rows.length > 0
}

interface Scan {
  readonly before: string
  readonly limit: number
  readonly rowsMax: number
  readonly id?: string
}

/** A filter with an index reads along it; other filters are applied to the rows as they are read. */
function scan(
  db: ReadDb,
  owner: Owner,
  wanted: ListWanted,
  { before, limit, rowsMax, id }: Scan,
): Promise<Transaction[]> {
  const { currency = null, type = null, from, below, status } = wanted
  const { merchant_id, env } = owner
  const one = id ?? null
  if (isIndexed(wanted))
    return db.query(
      owner,
      sql`
        select *
        from transactions
        where merchant_id = ${merchant_id}
          and env = ${env}
          and type = ${type}
          and currency = ${currency}
          and id < ${before}
          and id = coalesce(${one}, id)
          and id >= id_at(${from})
          and id < id_at(${below})
        order by id desc
        limit ${limit}`,
    )
  return db.query(
    owner,
    sql`
      with scanned as (
        select *
        from transactions
        where merchant_id = ${merchant_id}
          and env = ${env}
          and id < ${before}
          and id = coalesce(${one}, id)
          and id >= id_at(${from})
          and id < id_at(${below})
          and (${status === 'pending'} is false or state not in ('successful', 'failed'))
          and (${status === 'failed'} is false or state = 'failed')
        order by id desc
        limit ${rowsMax}
      )
      select *
      from scanned
      where currency = coalesce(${currency}, currency)
        and type = coalesce(${type}, type)
        and (${status === 'successful'} is false or state = 'successful')
      order by id desc
      limit ${limit}`,
  )
}

/** Where the scan stopped, if it stopped before the end of what the dates and the status select. */
async function scannedUntil(db: ReadDb, owner: Owner, wanted: ListWanted): Promise<string | undefined> {
  const { before = lastId, from, below, status } = wanted
  const [row] = await db.query<{ id: string }>(
    owner,
    sql`
      select id
      from transactions
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and id < ${before}
        and id >= id_at(${from})
        and id < id_at(${below})
        and (${status === 'pending'} is false or state not in ('successful', 'failed'))
        and (${status === 'failed'} is false or state = 'failed')
      order by id desc
      offset ${rowsScannedMax - 1}
      limit 1`,
  )
  return row?.id
}
