import { chargeReversed, clearedAside, larger, merchantShare, movedInAll, smaller } from '../late-money/late-money.ts'
import type { FullPayment, Transaction } from '../model/store.ts'
import type { Decision } from '../resolve/decision.ts'
import { type RefundSums, takenOf } from './refundable.ts'

/**
 * A refund covers its part of a charge: while it is open, a provider that takes the charge back takes that part from suspense, not
 * from the merchant. When the refund fails, the merchant has the money again, and owes what it covered. What was cleared aside
 * before is for a person to recover.
 */
export function uncovered(charge: FullPayment, refund: Transaction, left: RefundSums): Decision | undefined {
  const { transaction } = charge
  const covered = -transaction.suspended - larger(clearedAside(transaction, movedInAll(charge)), 0n)
  const owed = smaller(smaller(covered, refund.amount), merchantShare(transaction) - takenOf(left))
  if (owed <= 0n) return undefined
  return {
    progress: {},
    late: {
      suspend: { amount: owed, kind: 'amount_mismatch' },
      adjustments: [chargeReversed(transaction, owed)],
    },
    event: {
      message: 'A refund failed after the provider took the charge back; the merchant is debited.',
      notifiesMerchant: false,
      detail: { refund: refund.external_reference },
    },
  }
}
