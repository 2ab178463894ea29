import type { Vault } from '../../platform/seal.ts'
import { laneOf, type Timer } from '../dispatch/timers.ts'
import { sealCounterparty } from '../model/counterparty.ts'
import { type Attempt, freshAttempt, type Transaction, unadjusted } from '../model/store.ts'
import { timing } from '../resolve/timing.ts'
import type { PricedPayment } from './priced-payment.ts'

/** The row of an accepted payment. One that needs approval is not due: nothing may send it before a person approves it. */
export function firstRow(
  id: string,
  priced: PricedPayment,
  { wallet_id, needsApproval }: { readonly wallet_id: string; readonly needsApproval: boolean },
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
    ...promised
  } = priced
  return {
    ...promised,
    id,
    merchant_id: owner.merchant_id,
    env: owner.env,
    wallet_id,
    counterparty: sealCounterparty(vault, id, counterparty),
    created_at: at,
    expires_at: expiresInMs === undefined ? null : new Date(at.getTime() + expiresInMs),
    state: needsApproval ? 'unapproved' : isSentAtOnce ? 'sending' : 'accepted',
    attempt: 1,
    doubt: '',
    failure: null,
    receipt: '',
    received: 0n,
    events: 1,
    notified: 1,
    wake_at: needsApproval ? null : isSentAtOnce ? sendDeadline(at) : at,
    ...unadjusted,
    related_transaction_id: null,
    related_reference: null,
    direction: null,
    reason: null,
    updated_at: at,
  }
}

const sendDeadline = (at: Date) => new Date(at.getTime() + timing.sendDeadlineMs)

export function firstAttempt({ id, provider, created_at, state }: Transaction): Attempt {
  const isSent = state === 'sending'
  return {
    ...freshAttempt,
    transaction_id: id,
    number: 1,
    provider,
    sends: isSent ? 1 : 0,
    send_deadline: isSent ? sendDeadline(created_at) : null,
  }
}

/** None while the payment needs approval. */
export function firstTimer({ id, env, provider, wake_at }: Transaction): Timer[] {
  return wake_at ? [{ due: wake_at, lane: laneOf(env, provider), transaction_id: id }] : []
}
