import type { NotSubmittedCause } from '../providers/contract.ts'

type Doubt =
  | NotSubmittedCause
  | 'no_answer'
  | 'not_found'
  | 'refused_on_resend'
  | 'refused_unclear'
  | 'amount_mismatch'
  | 'overdue'
  | 'contradicted'

/** Why a payment waits or is in doubt, in words for staff; docs/operating/payments.md says what to do about each. */
const doubts = {
  no_answer: 'no clear response: the money may have moved',
  not_found: 'the provider does not know it, though it was sent',
  refused_on_resend: 'the provider refused the resend; Malipo queries the first submission',
  refused_unclear: 'the provider refused it for an unknown reason; Malipo queries whether it has it',
  amount_mismatch: 'the provider moved another amount than requested',
  overdue: 'it has expired, but the provider still reports it as pending',
  contradicted: 'it has ended, and the provider reported something else that cannot be booked',
  float_exhausted: 'our float at the provider is used up; nothing was paid',
  rate_limited: 'the provider limits our requests; nothing was sent',
  closed: 'the provider or the operator is closed; nothing was sent',
  not_reached: 'the provider cannot be reached; nothing was sent',
  rejected: 'the provider blocks our account; nothing was sent',
  unwritable: 'the provider requires data that this payment does not have; nothing was sent',
} as const satisfies Record<Doubt, string>

export function meaningOfDoubt(word: string): string {
  return doubts[word as Doubt] ?? word
}
