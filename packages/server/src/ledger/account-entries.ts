import { type Db, sql } from '../platform/db.ts'

/** A posted movement of one account, or the sum of movements in archived months. */
export interface Entry {
  /** Microseconds. */
  readonly at: bigint
  /** Null in a line that sums up archived months. */
  readonly transaction_id: string | null
  readonly event: string
  /** The number of the transfer within its transaction. */
  readonly number: number
  readonly is_debit: boolean
  readonly amount: bigint
  /** Debits less credits after it. */
  readonly balance: bigint
  /** The name of the account on the other side. */
  readonly other: string
  readonly external_reference: string | null
}

/** Where a page of entries ends, and the balance before its oldest entry. */
export interface EntryPlace {
  /** The time of a wallet's line, or the number of a platform account's batch. */
  readonly before: bigint
  readonly balance: bigint
}

interface EntryPage {
  /** Newest first. */
  readonly entries: readonly Entry[]
  readonly next: EntryPlace | undefined
}

export const archivedEvent = 'archived'

/** A row with what it changed. */
type Found = Omit<Entry, 'balance'> & { readonly batch: bigint }

/** The newest lines of a wallet before a place. Each line holds its running balance, so a page costs the same everywhere. */
export async function walletEntries(
  db: Db,
  wallet: string,
  { from, limit }: { readonly from: EntryPlace | undefined; readonly limit: number },
): Promise<EntryPage> {
  const rows = await db.query<Entry>(sql`
    select t.entry_at as at, t.transaction_id, t.event, t.number, t.debit_account = t.wallet_id as is_debit, t.amount,
      -t.balance as balance, x.external_reference,
      name_of_account(case when t.debit_account = t.wallet_id then t.credit_account else t.debit_account end) as other
    from (
      select *
      from transfers
      where wallet_id = ${wallet}
        and entry_at is not null
        and entry_at < ${from?.before ?? lastBigint}
      order by entry_at desc
      limit ${limit + 1}
    ) as t
    left join transactions x on x.id = t.transaction_id
    order by t.entry_at desc`)
  const page = rows.slice(0, limit)
  const after = rows[limit]
  const last = page.at(-1)
  return {
    entries: withArchived(page, after ? after.balance : 0n),
    next: after && last ? { before: last.at, balance: after.balance } : undefined,
  }
}

const lastBigint = 9_223_372_036_854_775_807n

const changeOf = ({ is_debit, amount }: Pick<Entry, 'is_debit' | 'amount'>) => (is_debit ? amount : -amount)

/** Where an entry does not start from the balance of the one before, the entries between are in an archived month. */
function withArchived(newestFirst: readonly Entry[], opening: bigint): Entry[] {
  return newestFirst.flatMap((entry, index) => {
    const earlier = newestFirst[index + 1]?.balance ?? opening
    const start = entry.balance - changeOf(entry)
    return start === earlier ? [entry] : [entry, archivedBetween(entry.at, earlier, start)]
  })
}

function archivedBetween(at: bigint, from: bigint, to: bigint): Entry {
  const change = to - from
  const sides = { is_debit: change > 0n, amount: change > 0n ? change : -change }
  return { at, transaction_id: null, event: archivedEvent, number: 0, ...sides, balance: to, ...unknownSides }
}

const unknownSides = { other: '', external_reference: null }

/** At most this many deltas of all accounts are examined for one page. */
const examinedMax = 50_000
/** Batches closer together than this are read as one range. */
const rangeMax = 20_000n

/**
 * The newest entries of a platform account before a place. No index leads from an account to its transfers: its batches are found
 * among the deltas, newest first, and the transfers of these batches by their numbers. The page ends with a whole batch. It may have
 * fewer entries than wanted, or none, when the account had no movement in the deltas that were examined.
 */
export async function platformEntries(
  db: Db,
  account: string,
  { from, limit }: { readonly from: EntryPlace; readonly limit: number },
): Promise<EntryPage> {
  const { changes, examinedTo } = await changesBefore(db, account, { before: from.before, limit })
  const found = Map.groupBy(await entriesOf(db, account, changes), ({ batch }) => batch)
  const entries: Entry[] = []
  let place = from
  for (const { batch, change, at } of changes) {
    if (entries.length >= limit) return { entries, next: place }
    let balance = place.balance
    for (const { batch: _, ...entry } of found.get(batch) ?? []) {
      entries.push({ ...entry, balance })
      balance -= changeOf(entry)
    }
    const opening = place.balance - change
    if (balance !== opening) entries.push(archivedBetween(at, opening, balance))
    place = { before: batch, balance: opening }
  }
  if (changes.length === limit) return { entries, next: place }
  return { entries, next: examinedTo === undefined ? undefined : { ...place, before: examinedTo } }
}

interface BatchChange {
  readonly batch: bigint
  readonly change: bigint
  /** Microseconds. */
  readonly at: bigint
}

/** The newest batches that changed the account's posted balance, and where the examination stopped, if it did. */
async function changesBefore(
  db: Db,
  account: string,
  { before, limit }: { readonly before: bigint; readonly limit: number },
): Promise<{ changes: BatchChange[]; examinedTo: bigint | undefined }> {
  const rows = await db.query<
    Omit<BatchChange, 'at'> & { readonly at: bigint | null; readonly examined_to: bigint }
  >(sql`
    with examined as materialized (
      select batch, account_id, debits_posted, credits_posted
      from account_deltas
      where batch < ${before}
      order by batch desc
      limit ${examinedMax}
    ), found as (
      select batch, debits_posted - credits_posted as change
      from examined
      where account_id = ${account}
        and (debits_posted <> 0 or credits_posted <> 0)
      order by batch desc
      limit ${limit}
    ), stop as (
      select case when count(*) = ${examinedMax} then min(batch) else 0 end as examined_to from examined
    )
    select coalesce(f.batch, 0) as batch, coalesce(f.change, 0) as change, b.at, stop.examined_to
    from stop
    left join found f on true
    left join ledger_batches b on b.batch = f.batch
    order by f.batch desc`)
  const examinedTo = rows[0]?.examined_to ?? 0n
  return {
    changes: rows.flatMap(({ batch, change, at }) => (at === null ? [] : [{ batch, change, at }])),
    examinedTo: examinedTo === 0n ? undefined : examinedTo,
  }
}

async function entriesOf(db: Db, account: string, changes: readonly BatchChange[]): Promise<Found[]> {
  const [newest, oldest] = [changes[0]?.batch, changes.at(-1)?.batch]
  if (newest === undefined || oldest === undefined) return []
  const isRange = newest - oldest <= rangeMax
  return isRange ? entriesInRange(db, account, oldest, newest) : entriesOfBatches(db, account, changes)
}

function entriesInRange(db: Db, account: string, oldest: bigint, newest: bigint): Promise<Found[]> {
  return db.query<Found>(sql`
    select t.batch, b.at, t.transaction_id, t.event, t.number, t.debit_account = ${account} as is_debit, t.amount,
      x.external_reference,
      name_of_account(case when t.debit_account = ${account} then t.credit_account else t.debit_account end) as other
    from transfers t
    join ledger_batches b on b.batch = t.batch
    left join transactions x on x.id = t.transaction_id
    where t.batch between ${oldest} and ${newest}
      and (t.debit_account = ${account} or t.credit_account = ${account})
      and t.kind in ('post', 'transfer')
    order by t.batch desc, t.position desc`)
}

function entriesOfBatches(db: Db, account: string, changes: readonly BatchChange[]): Promise<Found[]> {
  return db.query<Found>(sql`
    select t.batch, b.at, t.transaction_id, t.event, t.number, t.debit_account = ${account} as is_debit, t.amount,
      x.external_reference,
      name_of_account(case when t.debit_account = ${account} then t.credit_account else t.debit_account end) as other
    from transfers t
    join ledger_batches b on b.batch = t.batch
    left join transactions x on x.id = t.transaction_id
    where t.batch = any(${changes.map(({ batch }) => batch)}::bigint[])
      and (t.debit_account = ${account} or t.credit_account = ${account})
      and t.kind in ('post', 'transfer')
    order by t.batch desc, t.position desc`)
}
