import type { NotSubmittedCause } from '../../providers/contract.ts'

/** What staff need to know about a doubt. `summary` is for lists; docs/operating/payments.md shows the rest as a table. */
interface DoubtEntry {
  readonly summary: string
  readonly meaning: string
  /** What Malipo does by itself. */
  readonly withoutHelp: string
  /** What staff should check, and do then. */
  readonly check: string
  readonly action: string
}

/** A payment that the provider's protocol cannot express does not wait: it is rerouted or fails. */
type WaitingCause = Exclude<NotSubmittedCause, 'unwritable'>

/** Every reason why a payment waits or is in doubt. The database accepts no other. */
export const doubts = {
  no_response: {
    summary: 'no clear response: the money may have moved',
    meaning: 'It was sent and no clear response came. The money may have moved.',
    withoutHelp: 'Malipo queries the provider, soon at first, then every 15 minutes.',
    check: 'The key at the provider.',
    action: 'Found with a final state: wait for the next poll, or resolve it. Not found: ask the provider in writing.',
  },
  not_found: {
    summary: 'the provider does not know it, though it was sent',
    meaning: 'It was sent, and the provider does not know the key.',
    withoutHelp:
      'Malipo sends a payout again under the same key once the provider must have known it. It queries a charge until the charge expires.',
    check: 'Whether the provider has an incident.',
    action: 'Nothing, for an hour. Then ask the provider in writing.',
  },
  refused_on_resend: {
    summary: 'the provider refused the resend; Malipo queries the first submission',
    meaning:
      'The provider did not know it, Malipo sent it again, and the provider refused it. The provider may have taken the first one.',
    withoutHelp:
      "Malipo queries the provider. Once the provider has not known the first one for its whole window, the payout fails with the provider's reason.",
    check: 'Whether the provider has a payment under the key.',
    action: 'Nothing, or resolve it if you have evidence.',
  },
  refused_unclear: {
    summary: 'the provider refused it for an unknown reason; Malipo queries whether it has it',
    meaning:
      'The provider refused it with a reason that Malipo does not know. The reason may mean that it has the payment already.',
    withoutHelp:
      "Malipo queries the provider. Once the provider has not known the key for its whole window, the payout fails with the provider's reason and its money is back.",
    check: 'Whether the provider has a payment under the key.',
    action: 'Nothing, or resolve it if you have evidence.',
  },
  amount_mismatch: {
    summary: 'the provider moved another amount than requested',
    meaning:
      "The provider moved a different amount from the one requested. A charge's money is in suspense; a payout's money stays held.",
    withoutHelp: 'Nothing changes until you act, or until the provider reports another end.',
    check: "The amount on the provider's statement.",
    action: 'See below.',
  },
  overdue: {
    summary: 'it has expired, but the provider still reports it as pending',
    meaning: "The charge's time is over, but the provider still reports it as in progress: the customer may still pay.",
    withoutHelp: 'Malipo queries the provider every 15 minutes until it reports the end.',
    check: 'The key at the provider.',
    action: 'Nothing, or resolve it when the provider confirms in writing that it ended.',
  },
  contradicted: {
    summary: 'it has ended, and the provider reported something else that cannot be booked',
    meaning:
      'The payment has ended, and the provider reported a contradiction that cannot be booked: another currency, a transfer charge as failed after its money came, or a report that it did not confirm when queried.',
    withoutHelp: 'Nothing: one event and one alert.',
    check: 'The key at the provider, and its statement.',
    action: 'Correct the error with the provider; `malipo floats adjust` if money moved.',
  },
  float_exhausted: {
    summary: 'our float at the provider is used up; nothing was paid',
    meaning: 'Our money with the provider is used up, or a limit of our account there is reached. Nothing was paid.',
    withoutHelp:
      'Malipo retries every minute. If the provider took the payout and then failed it (Flutterwave), Malipo sends it again under a new key after 1, 2, 5, 15, 30, then every 60 minutes, with an alert each time.',
    check: "`malipo providers status`; the provider's balance.",
    action: 'Top up at the provider, then `malipo floats adjust`.',
  },
  rate_limited: {
    summary: 'the provider limits our requests; nothing was sent',
    meaning: 'The provider takes no more requests for now. Nothing was sent.',
    withoutHelp: 'Malipo retries every minute.',
    check: 'Whether the agreed rate is too low.',
    action: 'Wait.',
  },
  closed: {
    summary: 'the provider or the operator is closed; nothing was sent',
    meaning:
      'The provider, or the mobile money operator behind it, is closed for now; or it is not configured here. Nothing was sent.',
    withoutHelp: 'Malipo retries every minute.',
    check: "The provider's status page; the configuration.",
    action: 'Wait. Inform merchants if it lasts.',
  },
  not_reached: {
    summary: 'the provider cannot be reached; nothing was sent',
    meaning: 'No connection. Nothing was sent.',
    withoutHelp: 'Malipo retries every minute.',
    check: "The network, the provider's status page.",
    action: 'Wait, or pause the provider.',
  },
  rejected: {
    summary: 'the provider blocks our account; nothing was sent',
    meaning:
      'The provider accepts nothing from our account: a wrong key, an address that is not on its list, KYC that is not approved, transfers that are not switched on. The cause is not this payment. Nothing was sent.',
    withoutHelp: 'Malipo retries every minute, with an alert when it starts.',
    check: "The event's detail in `show`.",
    action: 'Fix it at the provider, then `retry`, or wait a minute.',
  },
  earlier_refund: {
    summary: 'an earlier refund of the same charge is open; nothing was sent',
    meaning: 'The provider takes one refund of a charge at a time, and an earlier one has not ended. Nothing was sent.',
    withoutHelp: 'Malipo sends it as soon as the earlier refund has ended.',
    check: 'The earlier refund: `malipo payments find` with the reference of the charge.',
    action: 'Nothing, or resolve the earlier refund if you have evidence.',
  },
} as const satisfies Readonly<Record<string, DoubtEntry>> & Readonly<Record<WaitingCause, DoubtEntry>>

export type Doubt = keyof typeof doubts

/** Empty when the payment neither waits for a reason nor is in doubt. */
export type DoubtOrNone = Doubt | ''
