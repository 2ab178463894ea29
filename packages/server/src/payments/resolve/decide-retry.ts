import type { Payment } from '../model/store.ts'
import type { Decision, DecisionInputs } from './decision.ts'

/** Sends again under the same key, and only when the provider may not have the payment. */
export function retry({ transaction }: Payment, { nowMs }: DecisionInputs): Decision | undefined {
  const again = { progress: { wake_at: new Date(nowMs) }, event: retried }
  if (transaction.state === 'accepted') return again
  if (transaction.type !== 'withdrew' || transaction.state !== 'unknown') return undefined
  return { ...again, attempt: { is_lost: true } }
}

const retried = { message: 'The operator requested a resend with the same key.', notifiesMerchant: false }
