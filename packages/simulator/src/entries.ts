import type { DrawnFault } from './faults.ts'

export type Operation = 'charge' | 'payout'

/** The whole life of a payment. Leaving an end is for two faults only: `flap` and `reversal_after_success`. */
export const transitions = {
  accepted: ['enqueued', 'processing', 'completed', 'failed'],
  enqueued: ['accepted', 'completed', 'failed'],
  processing: ['completed', 'failed'],
  completed: ['reversed'],
  failed: ['completed'],
  reversed: [],
} as const satisfies Record<State, readonly State[]>

export type State = 'accepted' | 'enqueued' | 'processing' | 'completed' | 'failed' | 'reversed'

export const isEnd = (state: State): boolean => state === 'completed' || state === 'failed' || state === 'reversed'

export interface Failure {
  readonly code: string
  readonly message: string
}

/** What a payment will come to when nobody interferes. */
export type Verdict =
  | { readonly kind: 'completes' }
  | { readonly kind: 'fails'; readonly failure: Failure }
  | { readonly kind: 'stays' }

/** A payment as it was accepted, and where it stands. Amounts are the text the caller sent. */
export interface Payment {
  readonly provider: string
  readonly operation: Operation
  readonly key: string
  readonly operator: string
  readonly country: string
  readonly currency: string
  readonly amount: string
  /** Digits whose end chose the outcome: a phone, a bank account number, a till. */
  readonly account: string
  /** Tells a repeat of the same request from another request under the same key. */
  readonly fingerprint: string
  /** Whatever else the dialect shows again; never a one-time code or a voucher. */
  readonly details: Readonly<Record<string, unknown>>
  readonly verdict: Verdict
  /** Who must act before it can end by itself. */
  readonly waitsFor: 'time' | 'payer'
  readonly faults: readonly DrawnFault[]
  readonly acceptedAt: number
  readonly settleMs: number
  state: State
  failure?: Failure
  receipt?: string
  endedAt?: number
  authorizationUrl?: string
  /** The last state a callback was answered 200 for. */
  told?: State
}

export interface Movement {
  readonly number: number
  readonly provider: string
  readonly operation: Operation
  readonly key: string
  readonly kind: 'collected' | 'paid' | 'reversed'
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly at: string
}

export interface PaymentRef {
  readonly provider: string
  readonly operation: Operation
  readonly key: string
}

/** Everything the simulator must still know after it was killed. Applying the same entries gives the same books. */
export type Entry =
  | { readonly entry: 'accepted'; readonly payment: Payment }
  | (PaymentRef & {
      readonly entry: 'changed'
      readonly state: State
      readonly at: number
      readonly failure?: Failure
      readonly receipt?: string
      readonly authorizationUrl?: string
      readonly movement?: Movement
    })
  | (PaymentRef & { readonly entry: 'told'; readonly state: State })
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
