/** A way to misbehave that the simulator knows, as its control API takes it. */
interface Fault {
  readonly mode: string
  readonly delayMs?: number
  /** Only charges or only payouts go wrong so. */
  readonly of?: 'charge' | 'payout'
}

interface Entry {
  /** For people. */
  readonly what: string
  /** What the simulator is asked to do with the payment; nothing where the webhooks play. */
  readonly faults: readonly Fault[]
}

/** Longer than until a provider is first asked, 6 s at most. */
const lateMs = 10_000

/** So long after an end money moves again, unless the merchant lets time pass. */
const afterwardsMs = 3_600_000

/** Everything an integrator can have played to a payment in the sandbox. There is no such thing in live. */
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

/** What the simulator is asked to do to an attempt. */
export function faultsOf(scenario: Scenario, operation: 'charge' | 'payout'): Omit<Fault, 'of'>[] {
  const faults: readonly Fault[] = scenarios[scenario].faults
  return faults.flatMap(({ of, ...fault }) => (of === undefined || of === operation ? [fault] : []))
}
