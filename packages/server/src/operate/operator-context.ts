import { type AuditEntry, type Origin, recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import type { PlatformAccounts } from '../ledger/accounts.ts'
import type { Writer } from '../ledger/chain.ts'
import type { ResolverContext } from '../payments/resolve/resolve.ts'
import { actorOf, type Place, type Principal, scopesOf } from '../people/principal.ts'
import type { OperatorPermission } from '../people/roles.ts'
import { type Batcher, createBatcher, type Decided } from '../platform/batch.ts'
import type { BatchTx, Database, Tx, WriteDb } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import type { Vault } from '../platform/seal.ts'
import type { Wakeups } from '../platform/wakeups.ts'
import type { RecentOutcomes } from './recent-outcomes.ts'

/** The dependencies of an operator command. */
export interface OperatorContext {
  readonly db: Database
  readonly wakeups: Wakeups
  readonly vault: Vault
  readonly cell: number
  /** The address of this installation, for the links of invitations. */
  readonly publicUrl: string
  /** How long callbacks are kept. */
  readonly callbackDays: number
  /** The person or machine that acts, with its rights. */
  readonly principal: Principal
  /** Where the request came from; missing on a command line of the installation. */
  readonly origin?: Origin
  readonly perform: Perform
  readonly platformAccounts: PlatformAccounts
  readonly writer: Writer
  /** Runs the commands of this process, one at a time. */
  readonly postings: Batcher<PostingWork, unknown>
  /** Dependencies of a manual resolution. Commands call no provider, so it has no connectors. */
  readonly resolving: ResolverContext
  readonly recent: RecentOutcomes
}

/** A command calls no provider. */
export const noConnectors = { live: new Map(), sandbox: new Map() }

/** A command that cannot run, with a reason for its user. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** The commit may or may not have happened. */
export class OutcomeUnknown extends OperatorError {}

/** The countries and currencies that the reader may see, as the database's `is_in_scope` takes them; null for all. */
export function readScope(
  { principal }: Pick<OperatorContext, 'principal'>,
  permission: OperatorPermission,
): string | null {
  const scopes = scopesOf(principal, permission)
  return scopes && JSON.stringify(scopes)
}

/** What a command did, before its transaction is committed. */
export interface Done<Result> {
  readonly result: Result
  readonly entry: Omit<AuditEntry, 'actor'>
  /** Callbacks of the books, where money moved. */
  readonly written?: Omit<Decided<never>, 'results'>
  /** The state that the decision rests on, beside the postings: a proposal is void once it has changed. */
  readonly ground?: unknown
  /** Where it acts, if its input does not say so: a role may be limited to countries and currencies. */
  readonly place?: Place
  /** The amount at stake, compared with the threshold for two people. */
  readonly money?: { readonly amount: bigint; readonly currency: string }
}

export type Work<Result> = (tx: BatchTx) => Promise<Done<Result>>

/** How a command's work runs: at once, as the dry run of a proposal, or as an approved proposal. */
export type Perform = <Result>(context: OperatorContext, work: Work<Result>) => Promise<Result>

/** Does the work and records who did it, both or neither. It is its own batch, so that a lost commit is detected. */
export function audited<Result>(context: OperatorContext, work: Work<Result>): Promise<Result> {
  return context.perform(context, work).catch(inPlainWords)
}

export const performAtOnce: Perform = <Result>(context: OperatorContext, work: Work<Result>) =>
  context.postings.submit(async (tx) => {
    const { result, entry, written } = await work(tx)
    await record(tx, context, entry)
    reach('operator.written')
    return { results: [result], ...written }
  }) as Promise<Result>

/** An auditor must find the reason, so it must not be blank. */
export async function record(
  tx: Tx,
  { cell, principal, origin }: OperatorContext,
  entry: Omit<AuditEntry, 'actor'>,
): Promise<void> {
  if (entry.reason !== undefined && entry.reason.trim() === '') throw new OperatorError('the reason must not be empty')
  await recordAudit(tx, cell, { ...entry, actor: actorOf(principal), origin })
}

type PostingWork = (tx: BatchTx) => Promise<Decided<unknown>>

export function createPostings(db: WriteDb): Batcher<PostingWork, unknown> {
  const decide = (tx: BatchTx, [work]: readonly PostingWork[]) => (work ? work(tx) : Promise.resolve({ results: [] }))
  return createBatcher({ db, decide, keyOf: () => '', sizeMax: 1 })
}

function inPlainWords(error: unknown): never {
  if (error instanceof AppError && error.key === 'OVERLOADED')
    throw new OutcomeUnknown('the database is too busy or does not respond: check whether it was done before you retry')
  throw error
}
