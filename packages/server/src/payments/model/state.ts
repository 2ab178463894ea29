export const states = [
  'unapproved',
  'accepted',
  'sending',
  'waiting',
  'submitted',
  'unknown',
  'successful',
  'failed',
] as const
export type State = (typeof states)[number]

/** All states of a payment. A state without a transition is final. */
export const transitions = {
  /**
   * A payout that a person must approve first. It is not due, so nothing sends it. Only an approval makes it accepted; a success
   * that the provider reports all the same is booked.
   */
  unapproved: ['accepted', 'successful', 'failed'],
  /** Accepted, and nothing of its current attempt was sent as far as we know. A provider report that says otherwise wins. */
  accepted: ['sending', 'waiting', 'submitted', 'unknown', 'successful', 'failed'],
  /** Being sent. Back to accepted when it is certain that nothing was sent. */
  sending: ['accepted', 'waiting', 'submitted', 'unknown', 'successful', 'failed'],
  /** The customer must act. Their answer is then sent. */
  waiting: ['sending', 'submitted', 'unknown', 'successful', 'failed'],
  /**
   * The provider has it. Back to accepted, as a new attempt, when the provider ended this one unpaid because our float was too
   * low.
   */
  submitted: ['accepted', 'waiting', 'unknown', 'successful', 'failed'],
  /** It may have been sent, and its outcome is in doubt. */
  unknown: ['accepted', 'sending', 'waiting', 'submitted', 'successful', 'failed'],
  successful: [],
  failed: [],
} as const satisfies Record<State, readonly State[]>

export function isFinal(state: State): boolean {
  return transitions[state].length === 0
}

export type PublicStatus = 'pending' | 'failed' | 'successful'

/** The status that the API shows for each state. */
export const publicStatus = {
  unapproved: 'pending',
  accepted: 'pending',
  sending: 'pending',
  waiting: 'pending',
  submitted: 'pending',
  unknown: 'pending',
  successful: 'successful',
  failed: 'failed',
} as const satisfies Record<State, PublicStatus>

/** More detail than the status, for people, and the meaning of each stage. docs/reference/states.md is generated from this. */
export const stageMeanings = {
  AWAITING_APPROVAL:
    'A payout that a person of yours must approve within 72 hours. Its money is held, and nothing was sent.',
  PROCESSING: 'Accepted, or in progress at the provider. No action needed.',
  AWAITING_CUSTOMER: 'The customer must act; `nextAction` says how.',
  UNCONFIRMED: 'It may have been sent, and its outcome is not known yet. Malipo queries the provider.',
  COMPLETED: 'The money has moved. Final.',
  FAILED: 'It did not happen; `failureReason` says why. The amount held for a payout is back in the wallet. Final.',
  EXPIRED: 'It was not completed in time. Final.',
} as const

export type Stage = keyof typeof stageMeanings

const stages = {
  unapproved: 'AWAITING_APPROVAL',
  accepted: 'PROCESSING',
  sending: 'PROCESSING',
  waiting: 'AWAITING_CUSTOMER',
  submitted: 'PROCESSING',
  unknown: 'UNCONFIRMED',
  successful: 'COMPLETED',
  failed: 'FAILED',
} as const satisfies Record<State, Stage>

export function stageOf(state: State, failureCode: string | undefined): Stage {
  return state === 'failed' && failureCode === 'EXPIRED' ? 'EXPIRED' : stages[state]
}

export function isAllowed(source: State, target: State): boolean {
  return source === target || (transitions[source] as readonly State[]).includes(target)
}

/** Every allowed transition, including staying in the same state. */
export const allowed: { readonly sources: readonly State[]; readonly targets: readonly State[] } = {
  sources: states.flatMap((source) => [source, ...transitions[source]].map(() => source)),
  targets: states.flatMap((source) => [source, ...transitions[source]]),
}
