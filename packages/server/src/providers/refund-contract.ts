import type { AttemptRef, QueryOutcome, SubmitOutcome } from './contract.ts'

/**
 * Refunds of charges that the same provider collected. A provider that takes a key refunds once for each key. One that takes
 * none is listed instead: `query` finds the refund among those of the charge, and only a query that finds nothing, after the
 * window, lets Malipo send again.
 */
export interface Refunds {
  /** How long after the last send the provider may still not report a refund that it received. */
  readonly notFoundWindowMs: number
  /** The provider takes the next refund of a charge only when the one before has ended. Malipo keeps the others waiting. */
  readonly takesOneAtATime: boolean
  /** Where several transfers paid a charge, the provider refunds only the one that completed it: it knows each as its own payment. */
  readonly refundsOneTransfer: boolean
  /** How long after the charge's success the provider refunds it. */
  readonly windowMs: number
  submit(attempt: RefundAttempt, signal: AbortSignal): Promise<SubmitOutcome>
  query(attempt: RefundAttempt, signal: AbortSignal): Promise<QueryOutcome>
}

export interface RefundAttempt extends AttemptRef {
  readonly charge: RefundedCharge
  /** The provider's own ids of the charge's other refunds, as far as it reported them. None of them is this refund. */
  readonly otherReceipts: readonly string[]
  /** Whether this is the first send: nothing at the provider can be this refund yet. False for a query. */
  readonly isFirstSend: boolean
}

/** The charge to refund, as its provider knows it. */
export interface RefundedCharge {
  /** The provider key of the charge. */
  readonly key: string
  /** The provider's own reference of the charge; empty if it gave none. */
  readonly receipt: string
  readonly method: 'momo' | 'card' | 'bank-transfer'
  /** What the customer paid, in minor units of the refund's currency. */
  readonly amount: bigint
}
