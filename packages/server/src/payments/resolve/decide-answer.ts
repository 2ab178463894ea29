import type { Payment, PendingAction } from '../model/store.ts'
import { type Decision, failed, failureOf, type Surroundings, wakeLater } from './decision.ts'

/** The provider would take another answer; the customer has so many more, and then the charge has failed. */
export function answerRefused(payment: Payment, action: PendingAction, around: Surroundings): Decision {
  const attemptsLeft = (action.attemptsLeft ?? 1) - 1
  if (attemptsLeft < 1) return failed(failureOf('AUTHENTICATION_FAILED'), 'The customer gave a wrong answer too often.')
  return {
    progress: { state: 'waiting', doubt: '', action: { ...action, attemptsLeft }, ...wakeLater(payment, around) },
    event: { message: `The customer's answer was wrong; ${attemptsLeft} more may be tried.`, isTold: false },
  }
}

/** As if nothing had been answered. */
export function answerUnsent(
  payment: Payment,
  { action, detail }: { readonly action: PendingAction; readonly detail: string },
  around: Surroundings,
): Decision {
  return {
    progress: { state: 'waiting', doubt: '', action, ...wakeLater(payment, around) },
    event: { message: "The customer's answer could not be sent.", isTold: false, detail: { detail } },
  }
}
