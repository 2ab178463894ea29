import type { Payment, PendingAction } from '../model/store.ts'
import { type Decision, type DecisionInputs, failed, failureOf, wakeLater } from './decision.ts'

/** The provider would take another answer. The customer has a limited number of tries; after the last one the charge fails. */
export function answerRefused(payment: Payment, action: PendingAction, around: DecisionInputs): Decision {
  const attemptsLeft = (action.attemptsLeft ?? 1) - 1
  if (attemptsLeft < 1) return failed(failureOf('AUTHENTICATION_FAILED'), 'The customer gave a wrong answer too often.')
  return {
    progress: { state: 'waiting', doubt: '', action: { ...action, attemptsLeft }, ...wakeLater(payment, around) },
    event: { message: `The customer's answer was wrong; ${attemptsLeft} more may be tried.`, notifiesMerchant: false },
  }
}

/** Restores the state before the answer. */
export function answerUnsent(
  payment: Payment,
  { action, detail }: { readonly action: PendingAction; readonly detail: string },
  around: DecisionInputs,
): Decision {
  return {
    progress: { state: 'waiting', doubt: '', action, ...wakeLater(payment, around) },
    event: { message: "The customer's answer could not be sent.", notifiesMerchant: false, detail: { detail } },
  }
}
