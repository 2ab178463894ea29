import { type AuditEntry, recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import type { PlatformAccounts } from '../ledger/accounts.ts'
import type { Writer } from '../ledger/chain.ts'
import type { Surrounded } from '../payments/resolve/resolve.ts'
import { type Batcher, createBatcher, type Decided } from '../platform/batch.ts'
import type { BatchTx, Database, Tx, WriteDb } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import type { Vault } from '../platform/seal.ts'
import type { Bell } from '../platform/wakeups.ts'

/** What an operator's command works with. */
export interface Desk {
  readonly db: Database
  readonly bell: Bell
  readonly vault: Vault
  readonly cell: number
  /** Who sits there, for the audit trail. */
  readonly actor: string
  readonly platformAccounts: PlatformAccounts
  readonly writer: Writer
  /** Where commands that move money are carried out, one at a time. */
  readonly postings: Batcher<PostingWork, unknown>
  /** What settling a payment by hand needs. No provider is called from here, so there are no connectors. */
  readonly settling: Surrounded
}

/** A command that cannot be carried out, with a reason for the person who gave it. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** Does the work and notes who did it, together or not at all. */
export function audited<Result>(
  desk: Desk,
  work: (tx: Tx) => Promise<{ result: Result; entry: Omit<AuditEntry, 'actor'> }>,
): Promise<Result> {
  return desk.db.write.transaction(async (tx) => {
    const { result, entry } = await work(tx)
    await record(tx, desk, entry)
    return result
  })
}

/** Whoever reads the trail must find out why: a reason that is given is not blank. */
async function record(tx: Tx, { cell, actor }: Desk, entry: Omit<AuditEntry, 'actor'>): Promise<void> {
  if (entry.reason !== undefined && entry.reason.trim() === '') throw new OperatorError('the reason must not be empty')
  await recordAudit(tx, cell, { ...entry, actor })
}

type PostingWork = (tx: BatchTx) => Promise<Decided<unknown>>

export function createPostings(db: WriteDb): Batcher<PostingWork, unknown> {
  const decide = (tx: BatchTx, [work]: readonly PostingWork[]) => (work ? work(tx) : Promise.resolve({ answers: [] }))
  return createBatcher({ db, decide, keyOf: () => '', sizeMax: 1 })
}

/** Like {@link audited}, for work that moves money: a batch of its own, so that a lost commit is found out about. */
export function auditedPosting<Result>(
  desk: Desk,
  work: (
    tx: BatchTx,
  ) => Promise<{ result: Result; entry: Omit<AuditEntry, 'actor'>; written: Omit<Decided<never>, 'answers'> }>,
): Promise<Result> {
  const done = desk.postings.submit(async (tx) => {
    const { result, entry, written } = await work(tx)
    await record(tx, desk, entry)
    reach('operator.written')
    return { answers: [result], ...written }
  })
  return done.catch(inPlainWords) as Promise<Result>
}

function inPlainWords(error: unknown): never {
  if (error instanceof AppError && error.key === 'OVERLOADED')
    throw new OperatorError('the database is too busy or fell silent: look whether it was done before you try again')
  throw error
}
