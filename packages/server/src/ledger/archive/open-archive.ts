import { createHash } from 'node:crypto'
import { type Session, sql } from '../../platform/db.ts'
import {
  type ArchivedMonth,
  refuseOtherContents,
  refuseOtherHash,
  type VerifiedFile,
  verifiedFile,
} from './archived-months.ts'
import { ArchiveChanged, readManifest } from './manifest.ts'
import { columns, createContents, readLines } from './month-file.ts'

interface OpenOrder {
  readonly folder: string
  readonly cell: number
  readonly months: readonly ArchivedMonth[]
  /** Which transfers are needed; all, if not given. */
  readonly isWanted?: (fields: readonly string[]) => boolean
}

/**
 * Makes archived transfers part of what this session reads: a temporary table has them, and a temporary view, which PostgreSQL finds
 * before the table, is `transfers` with them. Every statement then sees the ledger as if nothing was archived, with nothing left
 * out: a transfer that is here and in a file counts twice, and one in neither is missing.
 */
export async function openArchive(session: Session, { folder, cell, months, isWanted }: OpenOrder): Promise<void> {
  await session.query(sql`set temp_buffers = '256MB'`)
  await session.query(sql`set maintenance_work_mem = '256MB'`)
  await session.query(sql`
    create temp table archived_transfers (like public.transfers)
    partition by range (transaction_id)`)
  const manifest = await readManifest(folder, cell)
  for (const month of months) {
    const file = await verifiedFile(folder, manifest, month)
    await refuseOtherSeal(session, file)
    await createPartition(session, month)
    await load(session, { file, month, isWanted })
  }
  await session.query(sql`create index on archived_transfers (transaction_id, number, phase)`)
  await session.query(sql`create index on archived_transfers (wallet_id, entry_at) where entry_at is not null`)
  await session.query(sql`create index on archived_transfers (batch)`)
  await session.query(sql`analyze archived_transfers`)
  await session.query(sql`
    create temp view transfers as
    select * from public.transfers
    union all
    select * from archived_transfers`)
}

async function refuseOtherSeal(session: Session, { path, listed }: VerifiedFile): Promise<void> {
  if (!listed) return
  const { number, hash } = listed.seal
  const [seal] = await session.query<{ is_same: boolean }>(sql`
    select encode(hash, 'hex') = ${hash} and settled_below > ${listed.lastBatch}::bigint as is_same
    from ledger_seals
    where number = ${number}`)
  if (!seal?.is_same) throw new ArchiveChanged(`seal ${number}, which covers ${path}, is missing or differs`)
}

/** A table for each month, like those of `transfers`, so that a statement about a month reads no other. */
async function createPartition(session: Session, { month, first_id, end_id }: ArchivedMonth): Promise<void> {
  const [partition] = await session.query<{ text: string }>(sql`
    select format('create temp table %I partition of archived_transfers for values from (%L) to (%L)',
      ${`archived_transfers_${month}`}::text, ${first_id}::uuid, ${end_id}::uuid) as text`)
  await session.query({ name: '', text: partition?.text ?? '', values: [] })
}

interface LoadOrder {
  readonly file: VerifiedFile
  readonly month: ArchivedMonth
  readonly isWanted: OpenOrder['isWanted']
}

async function load(session: Session, { file, month, isWanted }: LoadOrder): Promise<void> {
  const contents = createContents()
  const hash = createHash('sha256')
  for await (const lines of readLines(file.path, hash)) {
    contents.add(lines)
    const fields = lines.map((line) => line.split('\t'))
    refuseOtherMonth(fields, file, month)
    await insertLines(session, isWanted ? fields.filter(isWanted) : fields)
  }
  refuseOtherHash(file.path, hash.digest(), month) // The file may have been replaced since it was verified.
  refuseOtherContents(file, contents.sum())
}

function refuseOtherMonth(
  lines: readonly (readonly string[])[],
  { path }: VerifiedFile,
  { month, first_id, end_id }: ArchivedMonth,
): void {
  const other = lines.map((fields) => fields[columns.transaction_id] ?? '').find((id) => id < first_id || id >= end_id)
  if (other !== undefined) throw new ArchiveChanged(`${path} has transfers of ${other}, which is not of ${month}`)
}

const nullable = (value: string | undefined) => (value === '\\N' ? null : value)

async function insertLines(session: Session, lines: readonly (readonly string[])[]): Promise<void> {
  if (lines.length === 0) return
  const of = (name: keyof typeof columns) => lines.map((fields) => nullable(fields[columns[name]]))
  await session.query(sql`
    insert into archived_transfers
    select *
    from unnest(${of('transaction_id')}::uuid[], ${of('number')}::smallint[], ${of('phase')}::smallint[], ${of('kind')}::text[],
      ${of('event')}::text[], ${of('debit_account')}::uuid[], ${of('credit_account')}::uuid[], ${of('amount')}::bigint[],
      ${of('currency')}::text[], ${of('wallet_id')}::uuid[], ${of('entry_at')}::bigint[], ${of('balance')}::bigint[],
      ${of('batch')}::bigint[], ${of('position')}::integer[])`)
}
