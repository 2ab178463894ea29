import type { BatchTx } from '../platform/db.ts'
import type { Adjustment } from './adjustments.ts'
import { keepLate, keepMoved, keepReceiptMarks } from './late-store.ts'
import { claimReferences } from './references.ts'
import { type Attempt, type BookedReceipt, type FullPayment, insert, type Transaction } from './store.ts'
import { type CaseKind, keepCases } from './suspense-cases.ts'

/** A payment before and after a batch, as far as late money is concerned. */
interface Changed {
  readonly before: FullPayment
  readonly transaction: Transaction
  readonly attempt: Attempt
  readonly givenUp: readonly Attempt[]
  readonly ended: readonly Attempt[]
  readonly receipts: readonly BookedReceipt[]
  readonly caseKind: CaseKind | undefined
  readonly adjustments: readonly Adjustment[]
}

/** Nothing for almost all payments, so what only late money needs is written by statements of its own. */
export async function writeLate(tx: BatchTx, at: Date, cell: number, changed: readonly Changed[]): Promise<void> {
  const adjustments = changed.flatMap((course) => course.adjustments.map(({ transaction }) => transaction))
  const late = changed.filter(
    ({ before, transaction }) =>
      transaction.late_postings + transaction.adjustments.length >
        before.transaction.late_postings + before.transaction.adjustments.length ||
      transaction.suspended !== before.transaction.suspended,
  )
  const reported = changed.flatMap(({ before, attempt, givenUp, ended }) =>
    [attempt, ...givenUp, ...ended].filter((each) => each.moved !== movedBefore(before, each)),
  )
  const marks = changed.flatMap(({ before, receipts }) =>
    receipts.slice(0, before.receipts.length).filter((each, index) => each !== before.receipts[index]),
  )
  const cases = changed.flatMap(({ before, transaction, caseKind: kind }) =>
    kind !== undefined && transaction.suspended !== before.transaction.suspended ? [{ transaction, kind }] : [],
  )
  await Promise.all([
    claimReferences(tx, adjustments.map(referenceOf)),
    insert(tx, adjustments),
    keepLate(
      tx,
      late.map(({ transaction }) => transaction),
    ),
    keepMoved(tx, reported),
    keepReceiptMarks(tx, marks),
    keepCases(tx, at, cell, cases),
  ])
}

const movedBefore = ({ attempt, givenUp }: FullPayment, { number }: Attempt) =>
  [attempt, ...givenUp].find((each) => each.number === number)?.moved ?? null

const referenceOf = ({ merchant_id, env, external_reference: reference, id }: Transaction) => ({
  merchant_id,
  env,
  reference,
  transaction_id: id,
})
