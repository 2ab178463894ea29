import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Db, sql } from '../../platform/db.ts'
import { ArchiveChanged, addToManifest, fileOf, type ManifestMonth } from './manifest.ts'
import {
  type ArchiveLine,
  type Contents,
  columns,
  createContents,
  hashOfFile,
  linesAtOnce,
  readLines,
  syncFolderOf,
  withPartial,
  writeLines,
} from './month-file.ts'
import { type Archiver, closeCopy, replaceMonth } from './replace-month.ts'

/** A month that cannot be archived now, with the reason. Nothing was changed. */
export class MonthNotReady extends Error {
  override readonly name = 'MonthNotReady'
}

export interface CreateOrder {
  /** `2025-01`. */
  readonly month: string
  readonly folder: string
  readonly cell: number
  /** Called with the file in place, before its transfers are removed. */
  readonly onVerified: (month: ManifestMonth) => Promise<void>
}

export interface CreatedMonth {
  /** Undefined if the database still needs every transfer: nothing was changed. */
  readonly listed: ManifestMonth | undefined
  /** Transfers of the month that stay in the database. */
  readonly retained: number
}

/**
 * Moves the transfers of a month to a file. The steps: transfers that must stay are copied; the others are written to the file; the
 * file is read back from disk and compared with the database; then one transaction replaces the month by the copy and records the
 * file. Killed at any point before that, the month is whole in the database, and the next run starts again.
 */
export async function createMonth(archiver: Archiver, order: CreateOrder): Promise<CreatedMonth> {
  const { session, owner } = archiver
  const { month, folder, cell } = order
  const range = await rangeOf(session, month)
  await owner.query(sql`select start_transfers_copy(${`${month}-01`}::date)`)
  await retain(session, range)
  await closeCopy(owner)
  await owner.query(sql`analyze transfers_copy`)
  const retained = await readRetained(session, month, range)
  const expected = (await countMonth(session, range)) - retained.transfers
  if (expected === 0) return { listed: undefined, retained: retained.transfers }
  const listed = await writeMonth(session, { month, folder, range, expected })
  await addToManifest(folder, cell, listed)
  await order.onVerified(listed)
  await replaceMonth(
    owner,
    month,
    sql`
      with recorded as (
        insert into archived_months (month, transfers, file_hash, below, retained_transfers, retained_hash)
        values (${`${month}-01`}::date, ${listed.transfers}, ${Buffer.from(listed.sha256, 'hex')}, ${String(range.below)},
          ${retained.transfers}, ${retained.hash})
        returning month, below
      )
      select replace_month(month, below, ${retained.transfers}) from recorded`,
  )
  return { listed, retained: retained.transfers }
}

export interface MonthRange {
  readonly first_id: string
  readonly end_id: string
  /** Every batch below has ended, so its transfers cannot change any more. */
  readonly below: bigint
}

export async function rangeOf(db: Db, month: string): Promise<MonthRange> {
  const first = `${month}-01`
  const [range] = await db.query<MonthRange>(sql`
    select id_at(${first}::timestamp at time zone 'UTC') as first_id,
      id_at((${first}::timestamp + interval '1 month') at time zone 'UTC') as end_id,
      settled_below() as below`)
  if (!range) throw new Error('the database returned no range')
  return range
}

/**
 * Copies what the database still needs, always all transfers of a payment: of payments that are open or have no row of their own, such
 * as money in suspense; of refunds, whose returned fees the next refund of the charge counts; of payments that the ledger check has
 * not passed yet; and of payments with a line whose day is not in the wallet's sums.
 */
async function retain(db: Db, { first_id, end_id, below }: MonthRange): Promise<void> {
  await db.query(sql`
    insert into transfers_copy
    with moved as materialized (
      select transaction_id as id, wallet_id, max(batch) as batch, max(entry_at) as entry_at
      from transfers
      where transaction_id >= ${first_id}
        and transaction_id < ${end_id}
      group by transaction_id, wallet_id
    ), summed as (
      select wallet_id, least(max(day) + 1, extract(epoch from record_time())::bigint / 86400) * 86400000000 as until
      from wallet_day_sums
      group by wallet_id
    ), finished as (
      select id
      from transactions
      where id >= ${first_id}
        and id < ${end_id}
        and state in ('successful', 'failed')
        and (type = 'adjustment' or related_transaction_id is null)
    ), needed as materialized (
      select m.id
      from moved m
      left join finished f on f.id = m.id
      left join summed s on s.wallet_id = m.wallet_id
      where f.id is null
        or m.batch >= (select checked_below from ledger_checkpoints)
        or m.entry_at >= coalesce(s.until, 0)
    )
    select t.*
    from transfers t
    where t.transaction_id in (select id from needed)
      and t.transaction_id >= ${first_id}
      and t.transaction_id < ${end_id}
      and t.batch < ${below}`)
}

interface Retained {
  readonly transfers: number
  readonly hash: Buffer
}

/**
 * Reads the closed copy. Until it was closed, each process could add to it, so it must have exactly the transfers that the month has
 * of its payments: all others of these payments would leave the database and be in no file.
 */
async function readRetained(db: Db, month: string, { first_id, end_id, below }: MonthRange): Promise<Retained> {
  const [row] = await db.query<Retained & { is_of_month: boolean }>(sql`
    with originals as (
      select *
      from transfers
      where transaction_id in (select transaction_id from transfers_copy)
        and transaction_id >= ${first_id}
        and transaction_id < ${end_id}
        and batch < ${below}
    ), differing as (
      (table originals except table transfers_copy)
      union all
      (table transfers_copy except table originals)
    )
    select count(*)::int as transfers,
      sha256(coalesce(string_agg(sha256(convert_to(archive_line(row(t.*)::public.transfers), 'UTF8')), ''::bytea
        order by transaction_id, number, phase), '')) as hash,
      not exists (select from differing) as is_of_month
    from transfers_copy t`)
  if (!row) throw new Error('the database returned no count')
  const { is_of_month, ...retained } = row
  if (!is_of_month)
    throw new ArchiveChanged(
      `transfers_copy differs from the transfers of ${month}: another process wrote to it with the rights of malipo_write. Nothing was changed`,
    )
  return retained
}

interface WriteOrder {
  readonly month: string
  readonly folder: string
  readonly range: MonthRange
  /** The transfers of the month that are not retained. */
  readonly expected: number
}

/** Writes and verifies the file of everything in the month that is not retained. */
function writeMonth(db: Db, { month, folder, range, expected }: WriteOrder): Promise<ManifestMonth> {
  return withPartial(join(folder, `transfers-${month}`), async (partial) => {
    const written = createContents()
    const hash = await writeLines(partial, passing(linesToArchive(db, range), written.add))
    const contents = written.sum()
    if (contents.transfers !== expected)
      throw new ArchiveChanged(`the file of ${month} had ${contents.transfers} transfers in place of ${expected}`)
    const seal = await sealOver(db, month, contents)
    await verifyFile(db, partial, { hash, contents })
    const file = fileOf(month, hash)
    await rename(partial, join(folder, file))
    await syncFolderOf(join(folder, file))
    const { size: bytes } = await stat(join(folder, file))
    return { month, file, sha256: hash.toString('hex'), bytes, ...contents, seal }
  })
}

async function* passing<Page>(pages: AsyncIterable<Page>, note: (page: Page) => void): AsyncGenerator<Page> {
  for await (const page of pages) {
    note(page)
    yield page
  }
}

/** In the order of the primary key. */
async function* linesToArchive(
  db: Db,
  { first_id, end_id, below }: MonthRange,
): AsyncGenerator<readonly ArchiveLine[]> {
  let after: readonly [string, number, number] = [first_id, -1, 0]
  for (;;) {
    const [id, number, phase] = after
    const rows = await db.query<{ line: ArchiveLine }>(sql`
      select archive_line(row(t.*)::public.transfers) as line
      from transfers t
      where (t.transaction_id, t.number, t.phase) > (${id}::uuid, ${number}::smallint, ${phase}::smallint)
        and t.transaction_id >= ${first_id}
        and t.transaction_id < ${end_id}
        and t.batch < ${below}
        and not exists (select from transfers_copy c where c.transaction_id = t.transaction_id)
      order by t.transaction_id, t.number, t.phase
      limit ${linesAtOnce}`)
    const last = rows.at(-1)?.line.split('\t')
    if (!last) return
    yield rows.map(({ line }) => line)
    after = [last[columns.transaction_id] ?? '', Number(last[columns.number]), Number(last[columns.phase])]
  }
}

async function countMonth(db: Db, { first_id, end_id, below }: MonthRange): Promise<number> {
  const [found] = await db.query<{ transfers: number }>(sql`
    select count(*)::int as transfers
    from transfers
    where transaction_id >= ${first_id}
      and transaction_id < ${end_id}
      and batch < ${below}`)
  return found?.transfers ?? 0
}

/** The first seal that covers every batch of the file. */
async function sealOver(db: Db, month: string, { lastBatch }: Contents): Promise<ManifestMonth['seal']> {
  const [seal] = await db.query<{ number: number; hash: string }>(sql`
    select number::int, encode(hash, 'hex') as hash
    from ledger_seals
    where settled_below > ${lastBatch}::bigint
    order by ledger_seals.number
    limit 1`)
  if (!seal)
    throw new MonthNotReady(`No seal covers the transfers of ${month} yet: a worker seals once a minute. Try again.`)
  return seal
}

/** Reads the file from disk and finds each of its lines in the database, which still has them all. */
async function verifyFile(
  db: Db,
  path: string,
  { hash, contents }: { readonly hash: Buffer; readonly contents: Contents },
): Promise<void> {
  if (!(await hashOfFile(path)).equals(hash))
    throw new ArchiveChanged(`${path} was not as it was written, and is removed: check the disk`)
  let equal = 0
  for await (const lines of readLines(path)) equal += await countEqual(db, lines)
  if (equal !== contents.transfers)
    throw new ArchiveChanged(
      `${path} had ${equal} of ${contents.transfers} transfers as they are in the database, and is removed`,
    )
}

async function countEqual(db: Db, lines: readonly ArchiveLine[]): Promise<number> {
  const keys = lines.map((line) => line.split('\t'))
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count
    from unnest(${keys.map((key) => key[columns.transaction_id])}::uuid[], ${keys.map((key) => key[columns.number])}::smallint[],
      ${keys.map((key) => key[columns.phase])}::smallint[], ${lines}::text[]) as f(transaction_id, number, phase, line)
    join transfers t using (transaction_id, number, phase)
    where archive_line(row(t.*)::public.transfers) = f.line`)
  return row?.count ?? 0
}
