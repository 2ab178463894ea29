import type { NotSubmittedCause } from '../providers/contract.ts'

type Doubt = NotSubmittedCause | 'no_answer' | 'not_found' | 'refused_on_resend' | 'refused_unclear' | 'amount_mismatch'

/** Why a payment waits or is not known, as staff reads it; docs/operating/payments.md tells what to do about each. */
const doubts = {
  no_answer: 'no clear answer: the money may have moved',
  not_found: 'the provider does not know it, though it was sent',
  refused_on_resend: 'the provider refused it when it was sent again, and is asked about the first',
  refused_unclear: 'the provider refused it in words that we do not know, and is asked whether it has it',
  amount_mismatch: 'the provider moved another amount than was asked for',
  float_exhausted: 'our money with the provider is used up; nothing was sent',
  rate_limited: 'the provider takes no more requests for now; nothing was sent',
  closed: 'the provider, or the operator behind it, is closed for now; nothing was sent',
  not_reached: 'the provider cannot be reached; nothing was sent',
  rejected: 'the provider accepts nothing from our account for now; nothing was sent',
  unwritable: 'the provider wants something that this payment does not have; nothing was sent',
} as const satisfies Record<Doubt, string>

/** What a provider said against a final state. */
const discrepancies: Readonly<Record<string, string>> = {
  late_success: 'failed here, and the provider says it succeeded after all',
  late_mismatch: 'failed here, and the provider says it succeeded after all with another amount; not booked',
  stray_success: 'an attempt that was given up moved money after all',
  stray_reversed: 'what an attempt that was given up had moved was given back',
  underpaid: 'less than the amount came in before the end; it is kept in suspense',
  late_receipt: 'money came in for a charge that had ended; it is kept in suspense',
  reversed: 'succeeded here, and the provider took it back',
}

export function meaningOfDoubt(word: string): string {
  return doubts[word as Doubt] ?? word
}

/** A payment may have several, one after another. */
export function meaningOfDiscrepancy(words: string): string {
  return words
    .split(' ')
    .map((word) => discrepancies[word] ?? word)
    .join('; then ')
}
