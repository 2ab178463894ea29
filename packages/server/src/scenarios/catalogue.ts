/** A fault that the simulator can inject, as its control API takes it. */
interface Fault {
  readonly mode: string
  readonly delayMs?: number
  /** Limits the fault to charges or to payouts. */
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
    what: 'The provider does what it is asked, but its answer and its callback get lost. The payment is in doubt (stage UNCONFIRMED) until we ask, some seconds later. A bank transfer charge answers 503: send the same request again.',
    faults: [{ mode: 'drop_after_processing' }, { mode: 'callback_never' }],
  },
  'late-callback': {
    what: "The provider's callback comes only after we have asked for the first time; it then changes nothing any more.",
    faults: [{ mode: 'callback_late', delayMs: lateMs }],
  },
  'duplicate-webhook': {
    what: 'Every webhook of the payment is delivered twice, under the same id.',
    faults: [],
  },
  'out-of-order-webhook': {
    what: 'The webhook of the end is delivered before that of the beginning; `sequence` tells their true order.',
    faults: [],
  },
  expiry: {
    what: 'The customer never answers, and the charge expires after 15 minutes; advance the clock to see it at once. A payout stays pending, since none ever expires: simulate-webhook ends it.',
    faults: [
      { mode: 'prompt_expires', of: 'charge' },
      { mode: 'stuck_pending', of: 'payout' },
    ],
  },
  'late-success': {
    what: 'The charge fails, and an hour later the provider reports that it succeeded; advance the clock to see it at once. A bank transfer charge gets its money then. A payout succeeds as usual.',
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
export function faultsOf(scenario: Scenario, operation: 'charge' | 'payout'): Omit<Fault, 'of'>[] {
  const faults: readonly Fault[] = scenarios[scenario].faults
  return faults.flatMap(({ of, ...fault }) => (of === undefined || of === operation ? [fault] : []))
}
