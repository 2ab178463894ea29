import { failureCodes } from '../../providers/failure-codes.ts'
import type { Payment } from '../model/store.ts'
import {
  type Decision,
  type DecisionInputs,
  failed,
  failureOf,
  isAsAsked,
  type Observation,
  successful,
} from './decision.ts'

/**
 * A payout that needs approval. Nothing of it was sent, so only an approval makes it due, and no retry, hint or timer does. Its
 * money goes back when it is rejected, cancelled, resolved as failed or not approved in time.
 */
export function decideUnapproved(
  payment: Payment,
  observation: Observation,
  { nowMs }: DecisionInputs,
): Decision | undefined {
  switch (observation.kind) {
    case 'approve':
      return {
        progress: { state: 'accepted', wake_at: new Date(nowMs) },
        event: { message: 'Approved; it is sent to the provider.', notifiesMerchant: true },
      }
    case 'reject':
      return failed(failureOf('REJECTED_BY_APPROVER'), failureCodes.REJECTED_BY_APPROVER)
    case 'approval_expired':
      return failed(failureOf('APPROVAL_EXPIRED'), failureCodes.APPROVAL_EXPIRED)
    case 'cancel':
      return failed(failureOf('MANUALLY_CANCELLED'), 'Cancelled before it was approved.')
    case 'operator_resolved': // It was never sent, so it cannot have succeeded.
      return observation.outcome === 'failed'
        ? failed(failureOf('UNSPECIFIED_FAILURE'), 'The operator resolved it as failed.')
        : undefined
    case 'reported':
      return reportedUnapproved(payment, observation)
    default:
      return undefined
  }
}

/**
 * The provider reports a payout that was never sent. If it has paid it, the books say so; anything else changes nothing. Staff
 * must find out how the provider got it.
 */
function reportedUnapproved(
  payment: Payment,
  { providerStatus }: Extract<Observation, { readonly kind: 'reported' }>,
): Decision {
  const alert = 'provider reports a payout that was not approved'
  const isPaid = providerStatus.state === 'successful' && isAsAsked(payment, providerStatus.settled)
  return isPaid ? { ...successful(payment, providerStatus.settled), alert } : { progress: {}, alert }
}
