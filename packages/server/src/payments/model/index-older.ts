import { type Db, sql, type WriteDb } from '../../platform/db.ts'
import type { Vault } from '../../platform/seal.ts'
import { nameOf, openCounterparty } from './counterparty.ts'
import {
  accountLookups,
  insertLookups,
  insertMerchantLookups,
  type Lookup,
  nameHashes,
  numberHashes,
  receiptLookups,
  referenceLookup,
  searchableNumber,
} from './lookups.ts'
import { nameStarts } from './name-words.ts'
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
      select id, merchant_id, env, external_reference, counterparty, receipt, action,
        (select coalesce(array_agg(r.receipt_id), '{}') from receipts r where r.transaction_id = t.id) as receipts
      from transactions t
      where id >= ${range.id_from}
        and id < ${range.id_below}
      order by id desc
      limit ${pageMax}`)
    const sealed = page.map((payment) => sealedLookups(vault, payment))
    const found = page.map((payment, index) => ({
      payment,
      lookups: [...plainLookups(payment), ...(sealed[index] ?? [])],
    }))
    const own = found.flatMap(({ payment: { merchant_id, env }, lookups }) =>
      lookups.map((lookup) => ({ ...lookup, merchant_id, env })),
    )
    await insertLookups(tx, [...page.map(referenceLookup), ...own])
    await insertMerchantLookups(tx, own)
    await shrink(tx, range, page.length < pageMax ? undefined : page.at(-1)?.id)
    return { payments: page.length, unopened: sealed.filter((each) => each === undefined).length }
  })
}

interface OlderPayment
  extends Pick<
    Transaction,
    'id' | 'merchant_id' | 'env' | 'external_reference' | 'counterparty' | 'receipt' | 'action'
  > {
  readonly receipts: readonly string[]
}

function plainLookups(payment: OlderPayment): Lookup[] {
  const { id, receipt, receipts, action } = payment
  return [...receiptLookups(id, [receipt, ...receipts]), ...accountLookups(id, action)]
}

/**
 * Hashes the number and the name under the key that seals them, as at acceptance: a reseal then moves all. A reseal at the same
 * moment writes the new hashes itself, so the payment is found either way. Undefined when the counterparty does not open.
 */
function sealedLookups(vault: Vault, payment: OlderPayment): Lookup[] | undefined {
  const { id: transaction_id, counterparty } = payment
  if (counterparty === '') return []
  try {
    const opened = openCounterparty(vault, payment)
    const key = vault.keyIds.indexOf(counterparty.slice(0, counterparty.indexOf('.')))
    const number = searchableNumber(opened)
    const numbers = number === undefined ? [] : numberHashes(vault, number).slice(key, key + 1)
    const names = nameStarts(nameOf(opened)).flatMap((start) => nameHashes(vault, start).slice(key, key + 1))
    return [
      ...numbers.map((hash) => ({ hash, transaction_id })),
      ...names.map((hash) => ({ hash, transaction_id, isOfName: true as const })),
    ]
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
