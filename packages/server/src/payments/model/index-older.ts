import { type Db, sql, type WriteDb } from '../../platform/db.ts'
import type { Vault } from '../../platform/seal.ts'
import { openCounterparty } from './counterparty.ts'
import {
  accountLookups,
  insertLookups,
  type Lookup,
  numberHashes,
  receiptLookups,
  referenceLookup,
  searchableNumber,
} from './lookups.ts'
import type { Transaction } from './store.ts'

/** Payments that may have no lookups yet: accepted from the first time until before the second. */
export interface UnindexedRange {
  readonly from: Date
  readonly until: Date
}

export interface IndexedPage {
  readonly payments: number
  /** Payments whose number could not be unsealed, so that it was not indexed. */
  readonly unopened: number
}

const pageMax = 500

/**
 * Adds lookups to the newest payments of a range that was accepted without them, and shrinks the range in the same transaction.
 * Undefined when no range is left, or other processes work on all of them.
 */
export function indexPage(db: WriteDb, vault: Vault): Promise<IndexedPage | undefined> {
  return db.transaction(async (tx) => {
    const [range] = await tx.query<{ id_from: string; id_below: string }>(sql`
      select id_from, id_below
      from unindexed_payments
      where id_below <= (select id_at(record_time()))
      order by id_below desc
      limit 1
      for update skip locked`)
    if (!range) return undefined
    const page = await tx.query<OlderPayment>(sql`
      select id, type, external_reference, counterparty, receipt, action,
        (select coalesce(array_agg(r.receipt_id), '{}') from receipts r where r.transaction_id = t.id) as receipts
      from transactions t
      where id >= ${range.id_from}
        and id < ${range.id_below}
      order by id desc
      limit ${pageMax}`)
    const numbers = page.map((payment) => lookupOfNumber(vault, payment))
    await insertLookups(tx, [...page.flatMap(plainLookups), ...numbers.flatMap((found) => found ?? [])])
    await shrink(tx, range, page.length < pageMax ? undefined : page.at(-1)?.id)
    return { payments: page.length, unopened: numbers.filter((found) => found === undefined).length }
  })
}

interface OlderPayment
  extends Pick<Transaction, 'id' | 'type' | 'external_reference' | 'counterparty' | 'receipt' | 'action'> {
  readonly receipts: readonly string[]
}

function plainLookups(payment: OlderPayment): Lookup[] {
  const { id, receipt, receipts, action } = payment
  return [referenceLookup(payment), ...receiptLookups(id, [receipt, ...receipts]), ...accountLookups(id, action)]
}

/**
 * Hashes the number under the key that seals it, as at acceptance: a reseal then moves both. A reseal at the same moment writes the
 * new hash itself, so the payment is found either way.
 */
function lookupOfNumber(vault: Vault, payment: OlderPayment): Lookup[] | undefined {
  const { id, type, counterparty } = payment
  if (type === 'adjustment') return []
  try {
    const number = searchableNumber(openCounterparty(vault, payment))
    if (number === undefined) return []
    const key = counterparty.slice(0, counterparty.indexOf('.'))
    const hash = numberHashes(vault, number)[vault.keyIds.indexOf(key)]
    return hash === undefined ? undefined : [{ hash, transaction_id: id }]
  } catch {
    return undefined
  }
}

async function shrink(
  db: Db,
  { id_from, id_below }: { readonly id_from: string; readonly id_below: string },
  last: string | undefined,
): Promise<void> {
  if (last === undefined)
    await db.query(sql`delete from unindexed_payments where (id_from, id_below) = (${id_from}, ${id_below})`)
  else
    await db.query(sql`
      update unindexed_payments
      set id_below = ${last}
      where (id_from, id_below) = (${id_from}, ${id_below})`)
}

/** What a find may miss by number, receipt, or reference without a merchant; newest first. */
export async function unindexedRanges(db: Db): Promise<UnindexedRange[]> {
  const rows = await db.query<{ id_from: string; id_below: string }>(sql`
    select id_from, id_below
    from unindexed_payments
    order by id_below desc`)
  return rows.map(({ id_from, id_below }) => ({ from: timeOf(id_from), until: timeOf(id_below) }))
}

/** The time that an id starts with. */
const timeOf = (id: string) => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
