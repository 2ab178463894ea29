import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type ArchivedMonth, archivedMonths, verifiedFile } from '../ledger/archive/archived-months.ts'
import { type CreatedMonth, createMonth } from '../ledger/archive/create.ts'
import { ArchiveChanged, ArchiveInvalid, ArchiveMissing, fileOf, readManifest } from '../ledger/archive/manifest.ts'
import { columns, syncFolderOf } from '../ledger/archive/month-file.ts'
import { openArchive } from '../ledger/archive/open-archive.ts'
import { readyMonths } from '../ledger/archive/ready-months.ts'
import { type Archiver, dropCopy, lockArchive, requireSameDatabase } from '../ledger/archive/replace-month.ts'
import { restoreMonth } from '../ledger/archive/restore.ts'
import { drawTransaction } from '../ledger/draw.ts'
import type { Session } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { asOwner } from '../platform/owner.ts'
import type { Secret } from '../platform/secret.ts'
import { accountEntries, type EntryView } from './ledger-entries.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

interface ArchiveOrder {
  /** Months before this one, such as `2025-02`. */
  readonly before: string
  readonly folder: string
  /** How many whole months must have passed since a month ended. */
  readonly keptMonths: number
  readonly onMonth?: (created: ArchivedView) => void
}

/** An archived month, for people. Without a file it was not archived, because the database needs all of its transfers. */
interface ArchivedView {
  readonly month: string
  /** In the file. */
  readonly transfers: number
  /** In the database. */
  readonly retained: number
  readonly file?: string
  readonly sha256?: string
  readonly archivedAt?: string
  /** Of the file in the folder that was given. */
  readonly status?: 'verified' | 'missing' | 'changed'
}

/** What archives transfers. Everything works on PostgreSQL directly, and creating and restoring as the owner of its tables. */
export interface ArchiveCommands {
  create(order: ArchiveOrder): Promise<ArchivedView[]>
  /** With a folder, verifies the file of each month. */
  list(order: { readonly folder?: string }): Promise<ArchivedView[]>
  /** The entries of a payment as `malipo ledger show` draws them, archived or not. */
  show(transactionId: string, folder: string): Promise<string>
  /** Pages of the entries of an account, newest first, archived or not. */
  entries(accountId: string, folder: string): AsyncGenerator<readonly EntryView[]>
  restore(month: string, folder: string): Promise<ArchivedView>
}

export function archiveCommands(context: OperatorContext, ownerUrl: Secret): ArchiveCommands {
  return {
    create: (order) => withArchiver(context, ownerUrl, (archiver) => create(context, archiver, order)),
    list: ({ folder }) => list(context, folder),
    show: (id, folder) => show(context, id, folder),
    entries: (id, folder) => entries(context, id, folder),
    restore: (month, folder) =>
      withArchiver(context, ownerUrl, (archiver) => restore(context, archiver, { month, folder })),
  }
}

async function withArchiver<Result>(
  context: OperatorContext,
  ownerUrl: Secret,
  work: (archiver: Archiver) => Promise<Result>,
): Promise<Result> {
  return asOwner(ownerUrl, async (owner) => {
    await lockArchive(owner)
    try {
      return await withSession(context, async (session) => {
        await requireSameDatabase({ session, owner })
        return work({ session, owner })
      })
    } finally {
      await dropCopy(owner)
    }
  })
}

/** Works on a connection of its own, whose statements may take as long as adding up a large month does. */
export async function withSession<Result>(
  { db }: OperatorContext,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await db.openSession()
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

/** Works in a session that reads archived transfers like all others. */
export function withArchive<Result>(
  context: OperatorContext,
  folder: string,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return withSession(context, async (session) => {
    await openArchive(session, { folder, cell: context.cell, months: await archivedMonths(session) })
    return work(session)
  })
}

async function create(
  context: OperatorContext,
  archiver: Archiver,
  { before, folder, keptMonths, onMonth }: ArchiveOrder,
): Promise<ArchivedView[]> {
  const months = await readyMonths(archiver.session, { before, keptMonths })
  await readManifest(folder, context.cell) // Of another cell, before anything is copied.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await syncFolderOf(resolve(folder))
  const views: ArchivedView[] = []
  for (const month of months) {
    const created = await createMonth(archiver, {
      ...{ month, folder, cell: context.cell },
      onVerified: ({ file, sha256, transfers }) =>
        note(context, { action: 'archive.create', subject: month, detail: { file, sha256, transfers } }),
    })
    const view = viewOfCreated(month, created)
    views.push(view)
    onMonth?.(view)
  }
  return views
}

/** Recorded before it is done: a killed run leaves the entry of what it started. */
const note = (
  context: OperatorContext,
  entry: { readonly action: string; readonly subject: string; readonly detail: Readonly<Record<string, unknown>> },
): Promise<void> => audited(context, async () => ({ result: undefined, entry }))

const viewOfCreated = (month: string, { listed, retained }: CreatedMonth): ArchivedView =>
  listed
    ? { month, transfers: listed.transfers, retained, file: listed.file, sha256: listed.sha256 }
    : { month, transfers: 0, retained }

const viewOf = ({ month, transfers, retained_transfers, file_hash, at }: ArchivedMonth): ArchivedView => ({
  month,
  transfers: Number(transfers),
  retained: Number(retained_transfers),
  file: fileOf(month, file_hash),
  sha256: file_hash.toString('hex'),
  archivedAt: at.toISOString(),
})

async function list({ db, cell }: OperatorContext, folder: string | undefined): Promise<ArchivedView[]> {
  const months = await archivedMonths(db.write)
  if (folder === undefined) return months.map(viewOf)
  const manifest = await readManifest(folder, cell)
  const statusOf = (month: ArchivedMonth) =>
    verifiedFile(folder, manifest, month).then(
      () => 'verified' as const,
      (error) => {
        if (error instanceof ArchiveMissing || error instanceof ArchiveInvalid) return 'missing' as const
        if (error instanceof ArchiveChanged) return 'changed' as const
        throw error
      },
    )
  return Promise.all(months.map(async (month) => ({ ...viewOf(month), status: await statusOf(month) })))
}

async function show(context: OperatorContext, shownId: string, folder: string): Promise<string> {
  const id = readId('transaction', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a transaction id; they look like txn_0193…`)
  const drawing = await withSession(context, async (session) => {
    const months = (await archivedMonths(session)).filter(({ first_id, end_id }) => first_id <= id && id < end_id)
    const isWanted = (fields: readonly string[]) => fields[columns.transaction_id] === id
    await openArchive(session, { folder, cell: context.cell, months, isWanted })
    return drawTransaction(session, id)
  })
  if (drawing === undefined) throw new OperatorError(`neither the ledger nor the archive has transfers for ${shownId}`)
  return drawing
}

const entriesAtOnce = 200

async function* entries(
  context: OperatorContext,
  shownId: string,
  folder: string,
): AsyncGenerator<readonly EntryView[]> {
  const id = readId('account', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not an account id; they look like acc_0193…`)
  const session = await context.db.openSession()
  try {
    const isWanted = (fields: readonly string[]) =>
      fields[columns.debit_account] === id || fields[columns.credit_account] === id
    const months = await archivedMonths(session)
    await openArchive(session, { folder, cell: context.cell, months, isWanted })
    let cursor: string | undefined
    do {
      const page = await accountEntries(context, shownId, { limit: entriesAtOnce, ...(cursor && { cursor }) }, session)
      yield page.entries
      cursor = page.next
    } while (cursor !== undefined)
  } finally {
    await session.close()
  }
}

async function restore(
  context: OperatorContext,
  archiver: Archiver,
  { month, folder }: { readonly month: string; readonly folder: string },
): Promise<ArchivedView> {
  const archived = (await archivedMonths(archiver.session)).find((each) => each.month === month)
  if (!archived) throw new OperatorError(`the month ${month} is not archived: malipo archive list`)
  const view = viewOf(archived)
  const { file, sha256, transfers } = view
  await restoreMonth(archiver, archived, {
    ...{ folder, cell: context.cell },
    onVerified: () => note(context, { action: 'archive.restore', subject: month, detail: { file, sha256, transfers } }),
  })
  return view
}
