/** A way to misbehave that the simulator knows, as its control API takes it. */
interface Fault {
  readonly mode: string
  readonly delayMs?: number
}

interface Entry {
  /** For people. */
  readonly what: string
  /** What the simulator is asked to do with the payment; nothing where the webhooks play. */
  readonly faults: readonly Fault[]
}

/** Longer than until a provider is first asked, 6 s at most. */
const lateMs = 10_000

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
    what: 'The customer never answers, and the charge expires; advance the clock to see it at once. A payout stays pending, since none ever expires: simulate-webhook ends it.',
    faults: [{ mode: 'stuck_pending' }],
  },
} as const satisfies Record<string, Entry>

export type Scenario = keyof typeof scenarios

export const scenarioNames = Object.keys(scenarios) as [Scenario, ...Scenario[]]

/** What the simulator is asked to do to an attempt. */
export const faultsOf = (scenario: Scenario): readonly Fault[] => scenarios[scenario].faults
