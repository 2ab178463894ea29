import type { BatchTx } from '../../platform/db.ts'
import { claimReferences } from '../accept/references.ts'
import {
  type Attempt,
  type BookedReceipt,
  type FullPayment,
  freshAttempt,
  insert,
  type Transaction,
} from '../model/store.ts'
import type { Adjustment } from './adjustments.ts'
import { keepLate, keepMoved, keepReceiptMarks } from './late-store.ts'
import { type CaseChange, keepCases } from './suspense-cases.ts'

/** A payment before and after a batch, as far as late money is concerned. */
interface Changed {
  readonly before: FullPayment
  readonly transaction: Transaction
  readonly attempt: Attempt
  readonly abandoned: readonly Attempt[]
  /** Attempts abandoned in this batch. */
  readonly ended: readonly Attempt[]
  readonly receipts: readonly BookedReceipt[]
  readonly suspense: Pick<CaseChange, 'kind' | 'provider'> | undefined
  readonly adjustments: readonly Adjustment[]
}

/** Empty for almost all payments, so late money has its own statements. */
export async function writeLate(tx: BatchTx, at: Date, cell: number, changed: readonly Changed[]): Promise<void> {
  const adjustments = changed.flatMap((draft) => draft.adjustments.map(({ transaction }) => transaction))
  const late = changed.filter(
    ({ before, transaction }) =>
      transaction.late_postings + transaction.adjustments.length >
        before.transaction.late_postings + before.transaction.adjustments.length ||
      transaction.suspended !== before.transaction.suspended,
  )
  const reported = changed.flatMap(({ before, attempt, abandoned, ended }) =>
    [attempt, ...abandoned, ...ended].filter((each) => isReported(each, before)),
  )
  const marks = changed.flatMap(({ before, receipts }) =>
    receipts.filter((each, index) => each.is_reversed !== (before.receipts[index]?.is_reversed ?? false)),
  )
  const cases = changed.flatMap(({ before, transaction, suspense }) =>
    suspense && transaction.suspended !== before.transaction.suspended ? [{ transaction, ...suspense }] : [],
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

function isReported({ number, moved, returned }: Attempt, { attempt, abandoned }: FullPayment): boolean {
  const before = [attempt, ...abandoned].find((each) => each.number === number) ?? freshAttempt
  return moved !== before.moved || returned !== before.returned
}

const referenceOf = ({ merchant_id, env, external_reference: reference, id }: Transaction) => ({
  merchant_id,
  env,
  reference,
  transaction_id: id,
})
