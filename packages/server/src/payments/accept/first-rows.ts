import type { Vault } from '../../platform/seal.ts'
import { laneOf, type Timer } from '../dispatch/timers.ts'
import { sealCounterparty } from '../model/counterparty.ts'
import { isFinal, type State } from '../model/state.ts'
import { type Attempt, freshAttempt, type Transaction, unadjusted } from '../model/store.ts'
import { timing } from '../resolve/timing.ts'
import type { PricedPayment } from './priced-payment.ts'

interface Terms {
  readonly wallet_id: string
  readonly needsApproval: boolean
  /** An earlier refund of the same charge is open at a provider that takes one at a time. */
  readonly waitsForEarlier: boolean
}

/**
 * The row of an accepted payment. One that is final at once has no attempt. One that needs approval is not due: nothing may send
 * it before a person approves it.
 */
export function firstRow(
  id: string,
  priced: PricedPayment,
  { wallet_id, needsApproval, waitsForEarlier }: Terms,
  at: Date,
  vault: Vault,
): Omit<Transaction, 'scenario'> {
  const {
    owner,
    counterparty,
    expiresInMs,
    isSentAtOnce,
    holdsGoTo: _,
    keyed: __,
    responseOf: ___,
    origin: ____,
    refundOf,
    quote: _____,
    ...promised
  } = priced
  const state = firstState(priced, needsApproval)
  return {
    ...promised,
    id,
    merchant_id: owner.merchant_id,
    env: owner.env,
    wallet_id,
    counterparty: counterparty ? sealCounterparty(vault, id, counterparty) : '',
    created_at: at,
    expires_at: expiresInMs === undefined ? null : new Date(at.getTime() + expiresInMs),
    state,
    attempt: isFinal(state) ? 0 : 1,
    doubt: waitsForEarlier ? 'earlier_refund' : '',
    failure: null,
    receipt: '',
    received: 0n,
    events: 1,
    notified: 1,
    wake_at: state === 'accepted' ? at : state === 'sending' ? sendDeadline(at) : null,
    ...unadjusted,
    related_transaction_id: refundOf?.charge_id ?? null,
    related_reference: refundOf?.reference ?? null,
    direction: null,
    reason: null,
    updated_at: at,
  }
}

/** A conversion is final at once: its money moves in the batch that accepts it. */
function firstState({ type, isSentAtOnce }: PricedPayment, needsApproval: boolean): State {
  if (type === 'conversion') return 'successful'
  if (needsApproval) return 'unapproved'
  return isSentAtOnce ? 'sending' : 'accepted'
}

const sendDeadline = (at: Date) => new Date(at.getTime() + timing.sendDeadlineMs)

export function firstAttempt({ id, attempt, provider, created_at, state }: Transaction): Attempt {
  const isSent = state === 'sending'
  return {
    ...freshAttempt,
    transaction_id: id,
    number: attempt,
    provider,
    sends: isSent ? 1 : 0,
    send_deadline: isSent ? sendDeadline(created_at) : null,
  }
}

/** None while the payment needs approval, waits for an earlier refund, or is final at once. */
export function firstTimer({ id, env, provider, wake_at, doubt }: Transaction): Timer[] {
  return wake_at && doubt === '' ? [{ due: wake_at, lane: laneOf(env, provider), transaction_id: id }] : []
}
