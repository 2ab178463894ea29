import type { Core } from './core.ts'
import { leftOf } from './ends.ts'
import type { Payment } from './entries.ts'
import type { Draft } from './life.ts'
import { toUnits } from './money.ts'
import { refundOutcomeOf } from './outcomes.ts'

/** What is specific to a refund. The rest comes from its charge. */
export interface RefundOrder {
  readonly key: string
  readonly amount: string
  readonly fingerprint?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** A refund has its own number, as every dialect may show one. */
export function refundDraft(
  { numbers }: Core,
  charge: Payment,
  { key, amount, fingerprint = '', details }: RefundOrder,
): Omit<Draft, 'faults'> {
  const { provider, operator, country, currency, account } = charge
  const id = numbers.next()
  return {
    provider,
    operation: 'refund',
    key,
    operator,
    country,
    currency,
    amount,
    account,
    fingerprint,
    details: { id, ...details },
    plannedOutcome: refundOutcomeOf(amount),
    waitsFor: 'time',
    refundOf: charge.key,
    names: [String(id)],
  }
}

/** What the payer paid and no bank or operator took back. */
export function collectedOf(charge: Payment): bigint {
  if (charge.waitsFor !== 'money') return leftOf(charge)
  const kept = (charge.receipts ?? []).filter(({ reversedAt }) => reversedAt === undefined)
  return kept.reduce((sum, { amount }) => sum + toUnits(amount), 0n)
}

/** The sum of refunds that moved money or still may. */
export const claimedBy = (refunds: readonly Payment[]): bigint =>
  refunds
    .filter(({ state }) => state !== 'failed' && state !== 'reversed')
    .reduce((sum, { amount }) => sum + toUnits(amount), 0n)
