import type { Tx } from '../../platform/db.ts'
import type { FullPayment, Transaction } from '../model/store.ts'
import { chargeIdOf, type EndingRefunds, openEndingRefunds } from './end-refunds.ts'
import { feesReturnedBy, sumsOf } from './refund-totals.ts'
import { noRefunds, type RefundSums, takenOf } from './refundable.ts'

/** Everything about refunds that the observations of one batch need. */
export interface Refunds extends EndingRefunds {
  /** What went back of this charge, and what this refund returned of its charge's fee, by now. */
  pastOf(transaction: Transaction): { readonly refunded: bigint; readonly feeReturned: bigint }
  sumsOf(chargeId: string): RefundSums
}

/** The payments are locked with their charges, so nothing of this changes meanwhile. */
export async function openRefunds(
  tx: Tx,
  payments: ReadonlyMap<string, FullPayment>,
  moving: readonly FullPayment[],
): Promise<Refunds> {
  const sums = await sumsOf(tx, [...payments.values()].flatMap(refundableCharge))
  const isFeeReturned = ({ transaction }: FullPayment) =>
    transaction.type === 'refund' &&
    transaction.state === 'successful' &&
    payments.get(chargeIdOf(transaction) ?? '')?.transaction.fee_rule?.isReturned === true
  const fees = await feesReturnedBy(
    tx,
    moving.filter(isFeeReturned).map(({ transaction }) => transaction.id),
  )
  const ending = await openEndingRefunds(tx, payments)
  const sumsNow = (chargeId: string) => ending.sumsOf(chargeId) ?? sums.get(chargeId) ?? noRefunds
  return {
    ...ending,
    sumsOf: sumsNow,
    pastOf: ({ id }) => ({ refunded: takenOf(sumsNow(id)), feeReturned: fees.get(id) ?? 0n }),
  }
}

/** Only a successful charge can have refunds. */
const refundableCharge = ({ transaction: { id, type, state } }: FullPayment) =>
  type === 'deposit' && state === 'successful' ? [id] : []
