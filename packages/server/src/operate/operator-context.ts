import { type AuditEntry, recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import type { PlatformAccounts } from '../ledger/accounts.ts'
import type { Writer } from '../ledger/chain.ts'
import type { ResolverContext } from '../payments/resolve/resolve.ts'
import { type Batcher, createBatcher, type Decided } from '../platform/batch.ts'
import type { BatchTx, Database, Tx, WriteDb } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import type { Vault } from '../platform/seal.ts'
import type { Wakeups } from '../platform/wakeups.ts'

/** The dependencies of an operator command. */
export interface OperatorContext {
  readonly db: Database
  readonly wakeups: Wakeups
  readonly vault: Vault
  readonly cell: number
  /** The person who runs the command, for the audit trail. */
  readonly actor: string
  readonly platformAccounts: PlatformAccounts
  readonly writer: Writer
  /** Runs commands that move money, one at a time. */
  readonly postings: Batcher<PostingWork, unknown>
  /** Dependencies of a manual resolution. Commands call no provider, so it has no connectors. */
  readonly resolving: ResolverContext
}

/** A command that cannot run, with a reason for its user. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** Does the work and records who did it, both or neither. */
export function audited<Result>(
  context: OperatorContext,
  work: (tx: Tx) => Promise<{ result: Result; entry: Omit<AuditEntry, 'actor'> }>,
): Promise<Result> {
  return context.db.write.transaction(async (tx) => {
    const { result, entry } = await work(tx)
    await record(tx, context, entry)
    return result
  })
}

/** An auditor must find the reason, so it must not be blank. */
async function record(tx: Tx, { cell, actor }: OperatorContext, entry: Omit<AuditEntry, 'actor'>): Promise<void> {
  if (entry.reason !== undefined && entry.reason.trim() === '') throw new OperatorError('the reason must not be empty')
  await recordAudit(tx, cell, { ...entry, actor })
}

type PostingWork = (tx: BatchTx) => Promise<Decided<unknown>>

export function createPostings(db: WriteDb): Batcher<PostingWork, unknown> {
  const decide = (tx: BatchTx, [work]: readonly PostingWork[]) => (work ? work(tx) : Promise.resolve({ results: [] }))
  return createBatcher({ db, decide, keyOf: () => '', sizeMax: 1 })
}

/** Like {@link audited}, for work that moves money: it is its own batch, so that a lost commit is detected. */
export function auditedPosting<Result>(
  context: OperatorContext,
  work: (
    tx: BatchTx,
  ) => Promise<{ result: Result; entry: Omit<AuditEntry, 'actor'>; written: Omit<Decided<never>, 'results'> }>,
): Promise<Result> {
  const done = context.postings.submit(async (tx) => {
    const { result, entry, written } = await work(tx)
    await record(tx, context, entry)
    reach('operator.written')
    return { results: [result], ...written }
  })
  return done.catch(inPlainWords) as Promise<Result>
}

function inPlainWords(error: unknown): never {
  if (error instanceof AppError && error.key === 'OVERLOADED')
    throw new OperatorError('the database is too busy or does not respond: check whether it was done before you retry')
  throw error
}
