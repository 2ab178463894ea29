import type { DrawnFault } from './faults.ts'

export type Operation = 'charge' | 'payout'

/**
 * The whole life of a payment. An end is left only by what comes after it: a failure that turns out to be a success, a
 * success that is taken back, at once or in parts, and a chargeback that is won.
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

/** What a payment will come to when nobody interferes. */
export type Verdict =
  | { readonly kind: 'completes' }
  | { readonly kind: 'fails'; readonly failure: Failure }
  | { readonly kind: 'stays' }

/** A bank account that exists for one charge. It expires, and money may come in later all the same. */
export interface Account {
  readonly number: string
  readonly bankName: string
  readonly expiresAt: number
}

/** Money that came into an account. */
export interface Receipt {
  /** Digits only; no other receipt or payment of any run has the same. */
  readonly id: string
  /** The number of the account it came into. */
  readonly account: string
  readonly amount: string
  readonly at: number
  /** The same in the payment's own time. */
  readonly moment: number
  /** The bank took it back then. */
  reversedAt?: number
  /** How often it was taken back. */
  reversals?: number
  /** A callback about it as it stands was answered 200. */
  isTold?: boolean
}

/** Where a payment of several steps stands, in the dialect's own words. Never a code or a number of a card. */
export type Progress = Readonly<Record<string, string | number>>

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
  /**
   * Who must act before it can end: nobody, the payer on a page, the payer in steps of the dialect's own, or anybody who
   * pays into its account.
   */
  readonly waitsFor: 'time' | 'payer' | 'steps' | 'money'
  /** What else the dialect finds it by. */
  readonly names?: readonly string[]
  readonly faults: readonly DrawnFault[]
  readonly acceptedAt: number
  readonly settleMs: number
  state: State
  failure?: Failure
  receipt?: string
  endedAt?: number
  /** When it ended in its own time, which is ahead of the clock where time passed for it alone. */
  endedMoment?: number
  aheadMs?: number
  /** What was taken back of it in all so far, and in how many parts. */
  returned?: string
  reversals?: number
  authorizationUrl?: string
  progress?: Progress
  /** Oldest first; a dialect may open another for the same charge. */
  accounts?: readonly Account[]
  /** In the order they came. */
  receipts?: readonly Receipt[]
  /** The last state a callback was answered 200 for. */
  told?: State
}

export interface Movement {
  readonly number: number
  readonly provider: string
  readonly operation: Operation
  readonly key: string
  /** A chargeback that is won is reinstated. */
  readonly kind: 'collected' | 'paid' | 'reversed' | 'reinstated'
  readonly amount: string
  readonly currency: string
  readonly country: string
  /** Which receipt of a charge with an account it is. */
  readonly receipt?: string
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
      /** Left out when it was given back again. */
      readonly reversedAt?: number
      readonly movement: Movement
    })
  | (PaymentRef & { readonly entry: 'forwarded'; readonly ms: number })
  | (PaymentRef & { readonly entry: 'progressed'; readonly progress: Progress })
  | (PaymentRef & { readonly entry: 'told'; readonly state: State; readonly receipt?: string })
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
