import type { Currency } from '../money/currencies.ts'
import type { Scenario } from '../scenarios/catalogue.ts'

/**
 * What a provider can do for us and what it can say, in our words. A connector turns these into its provider's protocol
 * and back; it knows nothing of the database, and the rest of the service knows nothing of its protocol.
 */
export interface Connector {
  readonly id: string
  /** What may be routed to it. Routes that ask for more stop the start. */
  readonly capabilities: readonly Capability[]
  /** Most requests a second that the provider takes from all our processes together. */
  readonly requestsPerSecond: number
  /** Lower limits of single operations, where the provider has them. */
  readonly operationsPerSecond?: OperationRates
  readonly momoCharges?: MomoCharges
  readonly cardCharges?: CardCharges
  readonly transferCharges?: TransferCharges
  readonly payouts?: Payouts
  readonly callbacks?: Callbacks
  readonly names?: Names
  readonly rates?: Rates
  /** What is wrong with the URL it was given, in a sentence: only when it is reached and serves something else (HTTP 404). */
  findUrlFlaw?(signal: AbortSignal): Promise<string | undefined>
  close(): Promise<void>
}

/** Requests a second by what is requested; an operation without an entry has only the provider's total. */
export type OperationRates = Readonly<Partial<Record<'charge' | 'payout' | 'query', number>>>

/** Everything a provider may be asked to do. */
export const operations = [
  'charge.momo',
  'charge.card',
  'charge.bank-transfer',
  'payout.momo',
  'payout.bank',
  'payout.paybill',
  'payout.till',
  'resolve.momo',
  'resolve.bank',
  'rates',
] as const

export type Operation = (typeof operations)[number]

/** `*` stands for any. */
export interface Capability {
  readonly operation: Operation
  readonly country: string
  readonly currency: Currency | '*'
  /** An operator's id, a bank's code of ours, or `*` for any. */
  readonly target: string
}

/** Submitting twice under one key must move money once, or the connector may not have these. */
interface Payouts extends Money<PayoutAttempt> {}
interface MomoCharges extends Money<MomoChargeAttempt> {}
/** The customer pays into an account that is opened for this one charge. */
interface TransferCharges extends Money<TransferChargeAttempt> {}

interface CardCharges extends Money<CardChargeAttempt> {
  /**
   * Gives the provider what it asked the customer for, with the continuation that came with the question. One answer at a
   * time is under way, and none is given twice.
   */
  authorise(
    attempt: AttemptRef,
    answer: CustomerAnswer,
    continuation: Continuation,
    signal: AbortSignal,
  ): Promise<AuthoriseOutcome>
}

interface Money<Attempt> {
  /** How long after the last moment of sending the provider may still say it does not know a key it was given. */
  readonly notFoundWindowMs: number
  /**
   * How long after its expiry a charge that the provider still reports as under way can no longer be paid, where the
   * provider documents that; a connector that says so names its source. Without it such a charge stays open.
   */
  readonly deadAfterMs?: number
  submit(attempt: Attempt, signal: AbortSignal): Promise<SubmitOutcome>
  query(attempt: AttemptKey, signal: AbortSignal): Promise<QueryOutcome>
}

/** The key is committed before the first byte is sent, and it is the only name the provider and we share. */
export interface AttemptKey {
  /** A UUID of version 4 in form. Of a payment that is not known here: letters, digits, `-` and `_`. */
  readonly key: string
}

export interface AttemptRef extends AttemptKey {
  readonly country: string
  readonly currency: Currency
  /** Minor units. */
  readonly amount: bigint
  /** For the simulator, which plays it to this attempt (playing.ts). Connectors know nothing of it, and live has none. */
  readonly scenario?: Scenario
  /** The merchant, where a scenario is played: time can pass at the simulator for one merchant's payments alone. */
  readonly owner?: string
}

export interface MomoChargeAttempt extends AttemptRef {
  readonly operator: string
  /** E.164 with its plus. */
  readonly phone: string
  /** The code a customer got from the operator beforehand. */
  readonly otpCode?: string
  readonly voucherPin?: string
  readonly successUrl?: string
  readonly failureUrl?: string
}

export interface CardChargeAttempt extends AttemptRef {
  readonly card: Card
  readonly customer: CardCustomer
  readonly address?: BillingAddress
  /** The customer's browser, where the currency wants it. */
  readonly device?: Device
  /** Where the customer's browser goes back to from their bank's page. */
  readonly returnUrl?: string
}

/** In memory for as long as the request lasts, and nowhere else in clear. */
export interface Card {
  readonly number: string
  readonly cvv: string
  /** Two digits. */
  readonly expMonth: string
  /** Four digits. */
  readonly expYear: string
}

interface CardCustomer {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly ipAddress: string
}

export interface BillingAddress {
  readonly street1: string
  readonly city: string
  readonly state: string
  readonly zip: string
  /** Two letters. */
  readonly country: string
}

export interface Device {
  readonly colorDepth: number
  readonly screenHeight: number
  readonly screenWidth: number
  readonly userAgent: string
  readonly timeZone: number
  readonly deviceId: string
}

export interface TransferChargeAttempt extends AttemptRef {
  readonly email: string
  /** How long the account takes money. */
  readonly lifeSeconds: number
}

/** What the customer of a card charge was asked for. */
export type CustomerAnswer =
  | { readonly kind: 'pin' | 'otp'; readonly value: string }
  | { readonly kind: 'address'; readonly address: BillingAddress }

export interface PayoutAttempt extends AttemptRef {
  readonly to: PayoutTarget
}

export type PayoutTarget =
  | { readonly kind: 'momo'; readonly operator: string; readonly phone: string; readonly name: string }
  | {
      readonly kind: 'bank'
      readonly bankCode: string
      readonly branchCode: string
      readonly accountNumber: string
      readonly accountName: string
    }
  | {
      readonly kind: 'paybill'
      readonly businessNumber: string
      readonly accountNumber: string
      readonly accountName: string
    }
  | { readonly kind: 'till'; readonly tillNumber: string; readonly accountName: string }

/** What a provider says of a payment. Silence is not among it. */
export type Said =
  /** It has the payment and nothing to ask of anybody. */
  | { readonly state: 'submitted' }
  /** The customer must do something. */
  | { readonly state: 'waiting'; readonly action: CustomerAction }
  /** Money came into the account of a transfer charge: every transfer it knows of, taken back or not, enough or not. */
  | { readonly state: 'received'; readonly receipts: readonly Receipt[] }
  | { readonly state: 'successful'; readonly settled: Settled }
  /**
   * It ended and moved nothing. `isOurShortfall` when our balance with the provider, or a limit of our account there, was
   * the reason: the payee can be paid under another key.
   */
  | { readonly state: 'failed'; readonly failure: Failure; readonly isOurShortfall?: true }
  /** It was successful, and `returned` went back in all so far, or else everything, of `collected`, or else of what was requested. */
  | { readonly state: 'reversed'; readonly failure: Failure; readonly returned?: bigint; readonly collected?: bigint }

export interface Settled {
  /** Minor units that really moved, for comparison with what was asked. */
  readonly amount: bigint
  readonly currency: Currency
  /** The provider's own fee, where it tells it. */
  readonly fee?: bigint
  readonly receipt?: string
}

/** One customer's transfer into the account of a charge. */
export interface Receipt {
  /** The provider's own id, the same every time it tells of it. */
  readonly id: string
  /** Minor units. */
  readonly amount: bigint
  readonly currency: Currency
  /** The provider's own fee, where it tells it. */
  readonly fee?: bigint
  /** The bank took the transfer back after it had arrived. */
  readonly isReversed?: true
}

/** The first three are answered by the merchant for the customer, the others the customer does alone. */
export type CustomerAction =
  | { readonly kind: 'pin' }
  /** The hint says where the code went, in the provider's words. */
  | { readonly kind: 'otp'; readonly hint?: string }
  | { readonly kind: 'address' }
  | { readonly kind: 'pin_prompt' }
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'pay_to_account'; readonly account: VirtualAccount }

export interface VirtualAccount {
  readonly accountNumber: string
  readonly bankName: string
  /** A time as ISO 8601 writes it. */
  readonly expiresAt: string
}

/** Why a payment failed, for the merchant. */
export interface Failure {
  readonly code: FailureCode
  readonly message: string
  /** The provider's own word, kept for support. */
  readonly providerCode?: string
}

/** Each with the sentence a merchant may show. */
export const failureCodes = {
  PAYER_NOT_FOUND: 'The phone number has no account with this operator.',
  PAYER_LIMIT_REACHED: 'The customer has reached a limit of their account.',
  PAYMENT_NOT_APPROVED: 'The customer did not approve the payment.',
  INSUFFICIENT_BALANCE: 'The customer does not have enough money.',
  PAYMENT_IN_PROGRESS: 'The customer has another payment under way.',
  RECIPIENT_NOT_FOUND: 'The recipient has no account there.',
  RECIPIENT_LIMIT_REACHED: 'The recipient has reached a limit of their account.',
  WALLET_LIMIT_REACHED: "The recipient's account cannot hold that much.",
  AMOUNT_NOT_ACCEPTED: 'The operator does not take this amount.',
  DETAILS_NOT_ACCEPTED: 'The provider does not accept these payment details.',
  CARD_DECLINED: "The customer's bank declined the card.",
  CARD_EXPIRED: 'The card has expired.',
  SUSPECTED_FRAUD: 'The payment was refused as suspicious.',
  AUTHENTICATION_FAILED: 'The customer could not prove that the card is theirs.',
  AUTHORISATION_LOST: 'The charge could not be continued after a failure of ours; nothing was taken.',
  UNDERPAID: 'Less than the amount came in before the account expired.',
  MANUALLY_CANCELLED: 'The payment was cancelled before it was sent.',
  EXPIRED: 'The payment was not completed in time.',
  REVERSED: 'The provider took the payment back.',
  PROVIDER_UNAVAILABLE: 'The provider could not be reached in time; nothing was taken.',
  UNSPECIFIED_FAILURE: 'The operator gave no reason.',
  UNKNOWN_ERROR: 'The provider named a reason that we do not know.',
} as const

export type FailureCode = keyof typeof failureCodes

/** The answer to a submission that may move money. Only the first two are news of the payment itself. */
export type SubmitOutcome =
  | {
      readonly certainty: 'accepted'
      readonly said: Said
      readonly continuation?: Continuation
    }
  | { readonly certainty: 'definitely_failed'; readonly failure: Failure }
  /** It cannot have moved money: safe to send again under the same key, or elsewhere if this was the first time. */
  | { readonly certainty: 'definitely_not_submitted'; readonly cause: NotSubmittedCause; readonly detail: string }
  /**
   * The money may have moved. `failure` comes with a refusal whose words leave that open: it counts once the provider
   * turns out not to have the payment.
   */
  | {
      readonly certainty: 'unknown'
      readonly cause: UnknownCause
      readonly detail: string
      readonly failure?: Failure
    }

export type NotSubmittedCause =
  /** No connection, so nothing was sent. */
  | 'not_reached'
  /** Our money with the provider is used up. */
  | 'float_exhausted'
  | 'rate_limited'
  /** The provider or the operator behind it is closed for now. */
  | 'closed'
  /** The provider accepts nothing from us for now: a wrong key, an address it does not list, an account it has not approved. */
  | 'rejected'
  /** This payment has no form that the provider takes. Known here: nothing was sent. */
  | 'unwritable'

export type UnknownCause =
  | 'timeout'
  | 'broken_off'
  | 'server_error'
  | 'unreadable'
  | 'repeated'
  /** A refusal in words that we do not know. */
  | 'refused'

/** The answer to a customer's answer: as to a submission, or that it was wrong and another may be tried. */
export type AuthoriseOutcome = SubmitOutcome | { readonly certainty: 'wrong_value'; readonly detail: string }

/** What a connector must be given with a customer's answer. It may hold the card: it is kept sealed, and briefly. */
type Continuation = string

export type QueryOutcome =
  | {
      readonly found: 'yes'
      readonly said: Said
      readonly continuation?: Continuation
      /** Where the money moved, in two letters, where the provider names it. Needed for payments that are not known here. */
      readonly country?: string
    }
  | { readonly found: 'no' }
  /** The question itself failed. */
  | { readonly found: 'unclear'; readonly detail: string }

interface Callbacks {
  /** Verifies and reads a callback. It may look up the provider's keys, and nothing else. */
  read(request: InboundRequest): Promise<CallbackVerdict>
}

export interface InboundRequest {
  readonly method: string
  /** With the query, as it was asked for. */
  readonly path: string
  /** The host, with its port, of `MALIPO_PUBLIC_URL`: the one a signature must be made for. Never the Host that the sender named. */
  readonly authority: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

export type CallbackVerdict =
  | {
      readonly isGenuine: true
      /** Whether what it says may be believed as it stands, or only hints that the provider should be asked. */
      readonly isProof: boolean
      /** Nothing in it proves who sent it: anyone who knows the address can have. */
      readonly isUnsigned?: true
      readonly news: readonly CallbackNews[]
    }
  | { readonly isGenuine: false; readonly why: string }

export interface CallbackNews {
  readonly key: string
  readonly said: Said
}

interface Names {
  resolve(query: NameQuery, signal: AbortSignal): Promise<NameOutcome>
}

export type NameQuery =
  | { readonly kind: 'momo'; readonly operator: string; readonly phone: string; readonly currency: Currency }
  | {
      readonly kind: 'bank'
      readonly bankCode: string
      readonly branchCode: string
      readonly accountNumber: string
      readonly currency: Currency
    }

export type NameOutcome =
  | { readonly found: 'yes'; readonly accountId: string; readonly accountName: string }
  | { readonly found: 'no' }
  | { readonly found: 'unclear'; readonly detail: string }

interface Rates {
  /** Decimal texts: `buy` is the quote currency given for one base, `sell` what is taken for one. */
  quote(base: Currency, quote: Currency, signal: AbortSignal): Promise<{ readonly buy: string; readonly sell: string }>
}
