/** A fault that the simulator can inject, as its control API takes it. */
interface Fault {
  readonly mode: string
  readonly delayMs?: number
  /** Limits the fault to charges or to payouts. A refund has only those without a limit. */
  readonly of?: 'charge' | 'payout'
}

interface Entry {
  /** Text for people. */
  readonly what: string
  /** Faults for the simulator to inject into the payment; none where the fault is in the webhooks. */
  readonly faults: readonly Fault[]
}

/** Longer than the time to the first query, which is 6 s at most. */
const lateMs = 10_000

/** How long after the end money moves again, unless the merchant advances the clock. */
const afterwardsMs = 3_600_000

/** Every scenario that an integrator can run on a sandbox payment. Live has none. */
export const scenarios = {
  'lost-answer': {
    what: 'The provider executes the payment, but its response and its callback are lost. The payment is in doubt (stage UNCONFIRMED) until Malipo queries the provider, some seconds later. A bank transfer charge returns 503: send the same request again.',
    faults: [{ mode: 'drop_after_processing' }, { mode: 'callback_never' }],
  },
  'late-callback': {
    what: "The provider's callback arrives after the first query; it then changes nothing.",
    faults: [{ mode: 'callback_late', delayMs: lateMs }],
  },
  'duplicate-webhook': {
    what: 'Every webhook of the payment is delivered twice, under the same id.',
    faults: [],
  },
  'out-of-order-webhook': {
    what: 'The last webhook is delivered before the first; `sequence` has the true order.',
    faults: [],
  },
  expiry: {
    what: 'The customer never answers, and the charge expires after 15 minutes; advance the clock to see it at once. A payout stays pending, because payouts never expire: simulate-webhook ends it.',
    faults: [
      { mode: 'prompt_expires', of: 'charge' },
      { mode: 'stuck_pending', of: 'payout' },
    ],
  },
  'late-success': {
    what: 'The charge fails, and an hour later the provider reports that it succeeded; advance the clock to see it at once. A bank transfer charge then receives its money. A payout succeeds as usual.',
    faults: [
      { mode: 'flap', of: 'charge', delayMs: afterwardsMs },
      { mode: 'late_receipt', of: 'charge', delayMs: afterwardsMs },
    ],
  },
  'late-receipt': {
    what: 'A bank transfer charge fails, and an hour later its account is paid into; advance the clock to see it at once. Any other payment succeeds as usual.',
    faults: [{ mode: 'late_receipt', of: 'charge', delayMs: afterwardsMs }],
  },
  'payout-returned': {
    what: 'The payout succeeds, and an hour later the provider returns its money; advance the clock to see it at once. A charge succeeds as usual.',
    faults: [{ mode: 'reversal_after_success', of: 'payout', delayMs: afterwardsMs }],
  },
  'charge-reversed': {
    what: 'The charge succeeds, and an hour later the provider takes its money back; advance the clock to see it at once. A payout succeeds as usual.',
    faults: [{ mode: 'reversal_after_success', of: 'charge', delayMs: afterwardsMs }],
  },
  'chargeback-won': {
    what: 'The charge succeeds. An hour later the provider takes its money back, and an hour after that gives it back; advance the clock to see both within seconds. A payout succeeds as usual.',
    faults: [
      { mode: 'reversal_after_success', of: 'charge', delayMs: afterwardsMs },
      { mode: 'chargeback_won', of: 'charge', delayMs: afterwardsMs },
    ],
  },
} as const satisfies Record<string, Entry>

export type Scenario = keyof typeof scenarios

export const scenarioNames = Object.keys(scenarios) as [Scenario, ...Scenario[]]

/** The faults for the simulator to inject into an attempt. */
export function faultsOf(scenario: Scenario, operation: 'charge' | 'payout' | 'refund'): Omit<Fault, 'of'>[] {
  const faults: readonly Fault[] = scenarios[scenario].faults
  return faults.flatMap(({ of, ...fault }) => (of === undefined || of === operation ? [fault] : []))
}
