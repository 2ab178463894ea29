import type { DrawnFault } from './faults.ts'

export type Operation = 'charge' | 'payout' | 'refund'

/** What names its own counterparty. A refund names its charge instead. */
export type OrderOperation = Exclude<Operation, 'refund'>

/**
 * The life cycle of a payment. A payment leaves an end only by a failure that turns into a success, a success that is
 * reversed, in full or in parts, or a chargeback that is won.
 */
export const transitions = {
  accepted: ['enqueued', 'processing', 'completed', 'failed'],
  enqueued: ['accepted', 'completed', 'failed'],
  processing: ['completed', 'failed'],
  completed: ['reversed'],
  failed: ['completed'],
  reversed: ['reversed', 'completed'],
} as const satisfies Record<State, readonly State[]>

export type State = 'accepted' | 'enqueued' | 'processing' | 'completed' | 'failed' | 'reversed'

export const isEnd = (state: State): boolean => state === 'completed' || state === 'failed' || state === 'reversed'

export interface Failure {
  readonly code: string
  readonly message: string
}

/** The outcome of a payment without intervention. */
export type PlannedOutcome =
  | { readonly kind: 'completes' }
  | { readonly kind: 'fails'; readonly failure: Failure }
  | { readonly kind: 'stays' }

/** A bank account for one charge. It expires, but money may still arrive later. */
export interface Account {
  readonly number: string
  readonly bankName: string
  readonly expiresAt: number
}

/** Money that arrived in an account. */
export interface Receipt {
  /** Digits only. No other receipt or payment of any run has the same id. */
  readonly id: string
  /** The number of the account. */
  readonly account: string
  readonly amount: string
  readonly at: number
  /** The same in the payment's own time. */
  readonly moment: number
  /** When the bank reversed it. */
  reversedAt?: number
  /** How many times it was reversed. */
  reversals?: number
  /** A callback about its current state got a 200. */
  isDelivered?: boolean
}

/** The progress of a payment with several steps, in the dialect's terms. Never a code or a card number. */
export type Progress = Readonly<Record<string, string | number>>

/** A payment as accepted, and its current state. Amounts are the text that the caller sent. */
export interface Payment {
  readonly provider: string
  readonly operation: Operation
  readonly key: string
  readonly operator: string
  readonly country: string
  readonly currency: string
  readonly amount: string
  /** Digits whose end chose the outcome: a phone, a bank account number, a till. For a refund, that of its charge. */
  readonly account: string
  /** Distinguishes a repeat of the same request from another request under the same key. */
  readonly fingerprint: string
  /** Other data that the dialect shows again. Never a one-time code or a voucher. */
  readonly details: Readonly<Record<string, unknown>>
  readonly plannedOutcome: PlannedOutcome
  /**
   * What must happen before the payment can end: time passes, the payer acts on a page, the payer completes the
   * dialect's steps, or money arrives in its account.
   */
  readonly waitsFor: 'time' | 'payer' | 'steps' | 'money'
  /** Other names by which the dialect finds it. */
  readonly names?: readonly string[]
  /** For a refund, the key of its charge. */
  readonly refundOf?: string
  readonly faults: readonly DrawnFault[]
  readonly acceptedAt: number
  readonly settleMs: number
  state: State
  failure?: Failure
  receipt?: string
  endedAt?: number
  /** When it ended in its own time, which is ahead of the clock when time passed for it alone. */
  endedMoment?: number
  aheadMs?: number
  /** The total reversed so far, and in how many parts. */
  returned?: string
  reversals?: number
  authorizationUrl?: string
  progress?: Progress
  /** Oldest first. A dialect may open another for the same charge. */
  accounts?: readonly Account[]
  /** In order of arrival. */
  receipts?: readonly Receipt[]
  /** The last state for which a callback got a 200. */
  deliveredState?: State
}

export interface Movement {
  readonly number: number
  readonly provider: string
  readonly operation: Operation
  readonly key: string
  /** A chargeback that is won is `reinstated`. */
  readonly kind: 'collected' | 'paid' | 'refunded' | 'reversed' | 'reinstated'
  readonly amount: string
  readonly currency: string
  readonly country: string
  /** The receipt, for a charge with an account. */
  readonly receipt?: string
  /** For a refund, the key of its charge. */
  readonly refundOf?: string
  readonly at: string
}

export interface PaymentRef {
  readonly provider: string
  readonly operation: Operation
  readonly key: string
}

/** Everything the simulator must keep when it is killed. The same entries give the same books. */
export type Entry =
  | { readonly entry: 'accepted'; readonly payment: Payment }
  | (PaymentRef & {
      readonly entry: 'changed'
      readonly state: State
      readonly at: number
      readonly moment: number
      readonly failure?: Failure
      readonly receipt?: string
      readonly returned?: string
      readonly authorizationUrl?: string
      readonly movement?: Movement
    })
  | (PaymentRef & { readonly entry: 'opened'; readonly account: Account })
  | (PaymentRef & { readonly entry: 'received'; readonly receipt: Receipt; readonly movement: Movement })
  | (PaymentRef & {
      readonly entry: 'receipt_changed'
      readonly receipt: string
      /** Undefined when it was reinstated. */
      readonly reversedAt?: number
      readonly movement: Movement
    })
  | (PaymentRef & { readonly entry: 'forwarded'; readonly ms: number })
  | (PaymentRef & { readonly entry: 'progressed'; readonly progress: Progress })
  | (PaymentRef & { readonly entry: 'delivered'; readonly state: State; readonly receipt?: string })
  | {
      readonly entry: 'float'
      readonly provider: string
      readonly country: string
      readonly currency: string
      readonly amount: string
    }
  | { readonly entry: 'secret'; readonly name: string; readonly value: string }
  | { readonly entry: 'clock'; readonly offset: number }
  | { readonly entry: 'reset' }
