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
  readonly result: unknown
  readonly money?: Done<unknown>['money']
  readonly place?: Done<unknown>['place']
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

export async function foreseenOf(
  tx: BatchTx,
  { result, entry, money, place, ground }: Done<unknown>,
): Promise<Foreseen> {
  const postings = await postingsOf(tx)
  const groundHash = createHash('sha256')
    .update(JSON.stringify([postings, ground ?? null]))
    .digest()
  return { entry, result, postings, groundHash, ...(money && { money }), ...(place && { place }) }
}

/**
 * The entries of this transaction. Accounts are compared by name: a wallet that does not exist yet has no lasting id. Merchants may
 * have the same name, so a wallet is named with its merchant's id too.
 */
async function postingsOf(tx: BatchTx): Promise<PostingView[]> {
  const rows = await tx.query<Omit<PostingView, 'amount'> & { readonly amount: bigint }>(sql`
    select t.event, t.kind, concat(name_of_account(t.debit_account), debited.of) as debit,
      concat(name_of_account(t.credit_account), credited.of) as credit, t.amount, t.currency
    from transfers t
    left join lateral (
      select ' (mer_' || replace(merchant_id::text, '-', '') || ')' as of from wallets where id = t.debit_account
    ) debited on true
    left join lateral (
      select ' (mer_' || replace(merchant_id::text, '-', '') || ')' as of from wallets where id = t.credit_account
    ) credited on true
    where t.batch = ${tx.batch}
    order by t.position`)
  return rows.map(({ amount, ...row }) => ({
    ...row,
    amount: isCurrency(row.currency) ? formatMinor(amount, row.currency) : String(amount),
  }))
}
