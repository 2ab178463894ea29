import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Db, sql } from '../../platform/db.ts'
import {
  ArchiveChanged,
  ArchiveInvalid,
  ArchiveMissing,
  fileOf,
  type Manifest,
  type ManifestMonth,
} from './manifest.ts'
import { type Contents, hashOfFile } from './month-file.ts'

/** A row of `archived_months`. */
export interface ArchivedMonth {
  /** `2025-01`. */
  readonly month: string
  readonly first_id: string
  readonly end_id: string
  /** In the file. */
  readonly transfers: bigint
  readonly file_hash: Buffer
  readonly below: bigint
  readonly retained_transfers: bigint
  readonly at: Date
}

export function archivedMonths(db: Db): Promise<ArchivedMonth[]> {
  return db.query<ArchivedMonth>(sql`
    select to_char(month, 'YYYY-MM') as month, first_id, end_id, transfers, file_hash, below, retained_transfers, at
    from archived_months
    order by archived_months.month`)
}

/** The archived month of a payment, unless its transfers stayed in the database. */
export async function archivedMonthOf(db: Db, transactionId: string): Promise<string | undefined> {
  const [found] = await db.query<{ month: string }>(sql`
    select to_char(m.month, 'YYYY-MM') as month
    from archived_months m
    where ${transactionId}::uuid >= m.first_id
      and ${transactionId}::uuid < m.end_id
      and not exists (select from transfers where transaction_id = ${transactionId} and batch < m.below)`)
  return found?.month
}

/** A month's file, which is the one that the database recorded: the manifest is not trusted with that. */
export interface VerifiedFile {
  readonly path: string
  /** What the manifest states about it; undefined where that was lost. */
  readonly listed: ManifestMonth | undefined
}

export async function verifiedFile(folder: string, manifest: Manifest, recorded: ArchivedMonth): Promise<VerifiedFile> {
  const { month, file_hash, transfers } = recorded
  const file = fileOf(month, file_hash)
  const path = join(folder, file)
  const hash = await hashOfFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    const words = `${path} is missing: the file of the archived month ${month}`
    // A folder that lists nothing may be another one; from the archive itself the transfers are lost.
    throw manifest.months.length === 0 ? new ArchiveInvalid(words) : new ArchiveMissing(words)
  })
  refuseOtherHash(path, hash, recorded)
  const listed = manifest.months.find((each) => each.file === file)
  if (!listed) return { path, listed }
  if (listed.sha256 !== file_hash.toString('hex') || BigInt(listed.transfers) !== transfers)
    throw new ArchiveChanged(`the manifest in ${folder} differs from the database for the month ${month}`)
  return { path, listed }
}

export function refuseOtherHash(path: string, hash: Buffer, { file_hash }: ArchivedMonth): void {
  if (!hash.equals(file_hash))
    throw new ArchiveChanged(`${path} was changed: its SHA-256 is not the one in the database`)
}

/** The manifest states what the file contains. */
export function refuseOtherContents({ path, listed }: VerifiedFile, found: Contents): void {
  if (!listed) return
  const { transfers, firstBatch, lastBatch, amounts } = listed
  if (!isDeepStrictEqual({ transfers, firstBatch, lastBatch, amounts }, found))
    throw new ArchiveChanged(`the manifest states other contents for ${path} than it has`)
}
