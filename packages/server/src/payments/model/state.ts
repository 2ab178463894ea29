export const states = ['accepted', 'sending', 'waiting', 'submitted', 'unknown', 'successful', 'failed'] as const
export type State = (typeof states)[number]

/** The whole life of a payment. A state with no way out is final. */
export const transitions = {
  /** Promised, and nothing of its current attempt sent, as far as we know: should the provider know better, it is believed. */
  accepted: ['sending', 'waiting', 'submitted', 'unknown', 'successful', 'failed'],
  /** Being sent; back to accepted when it is certain that nothing was. */
  sending: ['accepted', 'waiting', 'submitted', 'unknown', 'successful', 'failed'],
  /** The customer must act; what they answer is sent. */
  waiting: ['sending', 'submitted', 'unknown', 'successful', 'failed'],
  /** The provider has it; back to accepted, as a new attempt, when it ended this one unpaid for want of our money. */
  submitted: ['accepted', 'waiting', 'unknown', 'successful', 'failed'],
  /** It may have been sent, and nobody has said what became of it. */
  unknown: ['accepted', 'sending', 'waiting', 'submitted', 'successful', 'failed'],
  successful: [],
  failed: [],
} as const satisfies Record<State, readonly State[]>

export function isFinal(state: State): boolean {
  return transitions[state].length === 0
}

export type PublicStatus = 'pending' | 'failed' | 'successful'

/** What the API shows for each state. */
export const publicStatus = {
  accepted: 'pending',
  sending: 'pending',
  waiting: 'pending',
  submitted: 'pending',
  unknown: 'pending',
  successful: 'successful',
  failed: 'failed',
} as const satisfies Record<State, PublicStatus>

/** A little more than the status, for people, and what each means; docs/reference/states.md is made from this. */
export const stageMeanings = {
  PROCESSING: 'Accepted here, or with the provider. Nobody has to do anything.',
  AWAITING_CUSTOMER: 'The customer must act; `nextAction` says how.',
  UNCONFIRMED: 'It may have been sent, and nobody has said what became of it. The provider is being asked.',
  COMPLETED: 'The money has moved. Final.',
  FAILED: 'It did not happen; `failureReason` says why. What was held for a payout is back in the wallet. Final.',
  EXPIRED: 'It was not completed in time. Final.',
} as const

export type Stage = keyof typeof stageMeanings

const stages = {
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

/** Every step that may be taken; staying where it is always may. */
export const allowed: { readonly sources: readonly State[]; readonly targets: readonly State[] } = {
  sources: states.flatMap((source) => [source, ...transitions[source]].map(() => source)),
  targets: states.flatMap((source) => [source, ...transitions[source]]),
}
