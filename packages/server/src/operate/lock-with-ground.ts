import { lockWithCharges } from '../payments/model/lock-payments.ts'
import type { FullPayment } from '../payments/model/store.ts'
import { sumsOf } from '../payments/refunds/refund-totals.ts'
import type { Tx } from '../platform/db.ts'

export interface Grounded {
  readonly payment: FullPayment
  /** What a decision about the payment rests on: a proposal is void once it has changed. */
  readonly ground: unknown
}

/**
 * Locks a payment, with the charge that it refunds. Status queries without news leave the ground as it is, so a proposal outlives
 * them. Another send, another adjustment and another refund change it: each can make the evidence of the proposal wrong.
 */
export async function lockWithGround(tx: Tx, id: string): Promise<Grounded | undefined> {
  const locked = await lockWithCharges(tx, [id])
  const payment = locked.get(id)
  if (!payment) return undefined
  const refunded = await sumsOf(tx, [...locked.keys()])
  const taken = [...refunded.values()].map(({ pending, successful }) => String(pending + successful))
  return { payment, ground: [...locked.values()].map(factsOf).concat(taken) }
}

function factsOf({ transaction, attempt }: FullPayment): unknown[] {
  const { state, doubt, events, late_postings, adjustments, suspended } = transaction
  return [state, attempt.number, attempt.sends, doubt, events, late_postings, adjustments.length, String(suspended)]
}
