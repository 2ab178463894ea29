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
  no_answer: 'no clear answer: the money may have moved',
  not_found: 'the provider does not know it, though it was sent',
  refused_on_resend: 'the provider refused it when it was sent again, and is asked about the first',
  refused_unclear: 'the provider refused it in words that we do not know, and is asked whether it has it',
  amount_mismatch: 'the provider moved another amount than was asked for',
  overdue: 'its time is over, but the provider still reports it as under way',
  contradicted: 'it has ended, and the provider reported something else that cannot be booked',
  float_exhausted: 'our money with the provider is used up; nothing was paid',
  rate_limited: 'the provider takes no more requests for now; nothing was sent',
  closed: 'the provider, or the operator behind it, is closed for now; nothing was sent',
  not_reached: 'the provider cannot be reached; nothing was sent',
  rejected: 'the provider accepts nothing from our account for now; nothing was sent',
  unwritable: 'the provider wants something that this payment does not have; nothing was sent',
} as const satisfies Record<Doubt, string>

export function meaningOfDoubt(word: string): string {
  return doubts[word as Doubt] ?? word
}
