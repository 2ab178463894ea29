import { createHash } from 'node:crypto'
import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import { type BatchTx, sql } from '../platform/db.ts'
import type { Done, OperatorContext, Perform, Work } from './operator-context.ts'

/** A ledger entry that an action makes, with its accounts by name. */
export interface PostingView {
  readonly event: string
  readonly kind: 'hold' | 'post' | 'void' | 'transfer'
  readonly debit: string
  readonly credit: string
  readonly amount: string
  readonly currency: string
}

/** What an action would do, found out by doing it and rolling back. */
export interface Foreseen {
  readonly entry: Done<unknown>['entry']
  readonly money?: Done<unknown>['money']
  readonly postings: readonly PostingView[]
  readonly groundHash: Buffer
}

/** Ends a dry run: the transaction is rolled back. */
class DryRunEnd extends Error {
  readonly foreseen: Foreseen

  constructor(foreseen: Foreseen) {
    super('dry run')
    this.foreseen = foreseen
  }
}

/** Runs an action without effect and returns what it would do. Rejects as the action itself would. */
export async function foresee(
  context: OperatorContext,
  act: (context: OperatorContext) => Promise<unknown>,
): Promise<Foreseen> {
  try {
    await act({ ...context, perform: performDry })
  } catch (error) {
    if (error instanceof DryRunEnd) return error.foreseen
    throw error
  }
  throw new Error('the action changes nothing, so it cannot be proposed')
}

const performDry: Perform = <Result>(context: OperatorContext, work: Work<Result>) =>
  context.postings.submit(async (tx) => {
    const done = await work(tx)
    throw new DryRunEnd(await foreseenOf(tx, done))
  }) as Promise<Result>

export async function foreseenOf(tx: BatchTx, { entry, money, ground }: Done<unknown>): Promise<Foreseen> {
  const postings = await postingsOf(tx)
  const groundHash = createHash('sha256')
    .update(JSON.stringify([postings, ground ?? null]))
    .digest()
  return { entry, postings, groundHash, ...(money && { money }) }
}

/** The entries of this transaction. Accounts are compared by name: a wallet that does not exist yet has no lasting id. */
async function postingsOf(tx: BatchTx): Promise<PostingView[]> {
  const rows = await tx.query<Omit<PostingView, 'amount'> & { readonly amount: bigint }>(sql`
    select event, kind, name_of_account(debit_account) as debit, name_of_account(credit_account) as credit, amount, currency
    from transfers
    where batch = ${tx.batch}
    order by position`)
  return rows.map(({ amount, ...row }) => ({
    ...row,
    amount: isCurrency(row.currency) ? formatMinor(amount, row.currency) : String(amount),
  }))
}
