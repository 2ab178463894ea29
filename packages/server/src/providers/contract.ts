import type { Currency } from '../money/currencies.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import type { FailureCode } from './failure-codes.ts'
import type { Refunds } from './refund-contract.ts'

/** What a provider can do and report, in Malipo's terms. A connector translates its protocol, and never sees the database. */
export interface Connector {
  readonly id: string
  /** What may be routed to it. Routing skips the connector for anything else. */
  readonly capabilities: readonly Capability[]
  /** The provider's rate limit in requests per second, shared by all our processes. */
  readonly requestsPerSecond: number
  /** Lower limits for single operations, where the provider has them. */
  readonly operationsPerSecond?: OperationRates
  readonly momoCharges?: MomoCharges
  readonly cardCharges?: CardCharges
  readonly transferCharges?: TransferCharges
  readonly payouts?: Payouts
  readonly refunds?: Refunds
  readonly callbacks?: Callbacks
  readonly names?: Names
  readonly rates?: Rates
  /** What is wrong with the configured URL, as a sentence. Only when the server there responds with HTTP 404. */
  findUrlFlaw?(signal: AbortSignal): Promise<string | undefined>
  close(): Promise<void>
}

/** Requests per second by operation. An operation without an entry has only the provider's total limit. */
export type OperationRates = Readonly<Partial<Record<'charge' | 'payout' | 'query', number>>>

/** Every operation a provider can support. */
export const operations = [
  'charge.momo',
  'charge.card',
  'charge.bank-transfer',
  'payout.momo',
  'payout.bank',
  'payout.paybill',
  'payout.till',
  'refund.momo',
  'refund.card',
  'refund.bank-transfer',
  'resolve.momo',
  'resolve.bank',
  'rates',
] as const

export type Operation = (typeof operations)[number]

/** `*` means any. */
export interface Capability {
  readonly operation: Operation
  readonly country: string
  readonly currency: Currency | '*'
  /** An operator's id, one of our bank codes, or `*` for any. */
  readonly target: string
}

/** A connector may offer payouts only if submitting one key twice moves money once. */
interface Payouts extends Money<PayoutAttempt> {}
interface MomoCharges extends Money<MomoChargeAttempt> {}
/** The customer pays into an account that the provider opens for this one charge. */
interface TransferCharges extends Money<TransferChargeAttempt> {}

interface CardCharges extends Money<CardChargeAttempt> {
  /**
   * Sends the customer's answer to the provider, with the continuation that came with the question. One answer at a
   * time is in progress, and no answer is sent twice.
   */
  authorise(
    attempt: AttemptRef,
    answer: CustomerAnswer,
    continuation: Continuation,
    signal: AbortSignal,
  ): Promise<AuthoriseOutcome>
}

interface Money<Attempt> {
  /** How long after the last send the provider may still report a key it received as not found. */
  readonly notFoundWindowMs: number
  /**
   * How long after its expiry a charge that the provider still reports as in progress can no longer be paid. Set only
   * where the provider documents it; the connector names the source. Without it such a charge stays open.
   */
  readonly deadAfterMs?: number
  submit(attempt: Attempt, signal: AbortSignal): Promise<SubmitOutcome>
  query(attempt: AttemptKey, signal: AbortSignal): Promise<QueryOutcome>
}

/** The key is committed before the first byte is sent. It is the only reference that the provider and Malipo share. */
export interface AttemptKey {
  /** In the form of a version 4 UUID. A payment unknown here: letters, digits, `-` and `_`. */
  readonly key: string
}

export interface AttemptRef extends AttemptKey {
  readonly country: string
  readonly currency: Currency
  /** Minor units. */
  readonly amount: bigint
  /** The sandbox scenario for this attempt (sandbox/fault-injection.ts). Connectors never receive it, and live has none. */
  readonly scenario?: Scenario
  /** The merchant, when a scenario runs: the simulator can move time for one merchant's payments alone. */
  readonly owner?: string
}

export interface MomoChargeAttempt extends AttemptRef {
  readonly operator: string
  /** E.164 with the plus. */
  readonly phone: string
  /** The code that the operator gave the customer beforehand. */
  readonly otpCode?: string
  readonly voucherPin?: string
  readonly successUrl?: string
  readonly failureUrl?: string
}

export interface CardChargeAttempt extends AttemptRef {
  readonly card: Card
  readonly customer: CardCustomer
  readonly address?: BillingAddress
  /** The customer's browser, where the currency requires it. */
  readonly device?: Device
  /** Where the bank's page sends the customer's browser back to. */
  readonly returnUrl?: string
}

/** Held in clear only in memory and only during the request. */
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
  /** How long the account accepts money. */
  readonly lifeSeconds: number
}

/** The customer's answer to a question of a card charge. */
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

/** What a provider reports about a payment. Silence is not a status. */
export type ProviderStatus =
  /** The provider has the payment and needs nothing from the customer. */
  | { readonly state: 'submitted' }
  /** The customer must act. */
  | { readonly state: 'waiting'; readonly action: CustomerAction }
  /** Money arrived in the account of a transfer charge. Lists every known transfer, reversed or not, whatever the total. */
  | { readonly state: 'received'; readonly receipts: readonly Receipt[] }
  | { readonly state: 'successful'; readonly settled: Settled }
  /**
   * The payment ended and moved no money. `isOurShortfall`: the reason was our balance or our account limit at the
   * provider, so the payee can be paid under another key. `receipt`: the provider's own id of the failed payment.
   */
  | { readonly state: 'failed'; readonly failure: Failure; readonly isOurShortfall?: true; readonly receipt?: string }
  /**
   * A success that was reversed. `returned` is the total so far (default: all) of `collected` (default: the requested
   * amount).
   */
  | { readonly state: 'reversed'; readonly failure: Failure; readonly returned?: bigint; readonly collected?: bigint }

export interface Settled {
  /** Minor units that actually moved, to compare with the requested amount. */
  readonly amount: bigint
  readonly currency: Currency
  /** The provider's fee, where it reports one. */
  readonly fee?: bigint
  readonly receipt?: string
}

/** One customer transfer into the account of a charge. */
export interface Receipt {
  /** The provider's own id, stable across reports. */
  readonly id: string
  /** Minor units. */
  readonly amount: bigint
  readonly currency: Currency
  /** The provider's fee, where it reports one. */
  readonly fee?: bigint
  /** The bank reversed the transfer after it arrived. */
  readonly isReversed?: true
}

/** The merchant sends the customer's answer for the first three. The customer does the others alone. */
export type CustomerAction =
  | { readonly kind: 'pin' }
  /** The hint says where the code was sent, in the provider's words. */
  | { readonly kind: 'otp'; readonly hint?: string }
  | { readonly kind: 'address' }
  | { readonly kind: 'pin_prompt' }
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'pay_to_account'; readonly account: VirtualAccount }

export interface VirtualAccount {
  readonly accountNumber: string
  readonly bankName: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** Why a payment failed, for the merchant. */
export interface Failure {
  readonly code: FailureCode
  readonly message: string
  /** The provider's own code, kept for support. */
  readonly providerCode?: string
}

/** The outcome of a submission that may move money. Only the first two report on the payment itself. */
export type SubmitOutcome =
  | {
      readonly certainty: 'accepted'
      readonly providerStatus: ProviderStatus
      readonly continuation?: Continuation
    }
  | { readonly certainty: 'definitely_failed'; readonly failure: Failure }
  /** No money can have moved. The same key may be sent again, or to another provider if this was the first send. */
  | { readonly certainty: 'definitely_not_submitted'; readonly cause: NotSubmittedCause; readonly detail: string }
  /** The money may have moved. The `failure` of an ambiguous refusal counts once the provider proves not to have it. */
  | {
      readonly certainty: 'unknown'
      readonly cause: UnknownCause
      readonly detail: string
      readonly failure?: Failure
    }

export type NotSubmittedCause =
  /** No connection, so nothing was sent. */
  | 'not_reached'
  /** Our float at the provider is empty. */
  | 'float_exhausted'
  | 'rate_limited'
  /** The provider, or the operator behind it, is closed for now. */
  | 'closed'
  /** The provider rejects all our requests for now: wrong key, unlisted IP address, or unapproved account. */
  | 'rejected'
  /** The provider's protocol cannot express this payment. The connector detects this before it sends anything. */
  | 'unwritable'

export type UnknownCause =
  | 'timeout'
  | 'broken_off'
  | 'server_error'
  | 'unreadable'
  | 'repeated'
  /** A refusal with a reason that we do not know. */
  | 'refused'

/** The outcome of a customer's answer: as for a submission, or the answer was wrong and the customer may retry. */
export type AuthoriseOutcome = SubmitOutcome | { readonly certainty: 'wrong_value'; readonly detail: string }

/** What a connector needs to send a customer's answer. It may hold the card, so it is stored sealed and briefly. */
type Continuation = string

export type QueryOutcome =
  | {
      readonly found: 'yes'
      readonly providerStatus: ProviderStatus
      readonly continuation?: Continuation
      /** The country where money moved, two letters, where the provider reports it. Needed for payments unknown here. */
      readonly country?: string
    }
  | { readonly found: 'no' }
  /** The query itself failed. */
  | { readonly found: 'unclear'; readonly detail: string }

interface Callbacks {
  /** Verifies and reads a callback. It may fetch the provider's keys and nothing else. */
  read(request: InboundRequest): Promise<CallbackReading>
}

export interface InboundRequest {
  readonly method: string
  /** With the query string, as requested. */
  readonly path: string
  /** Host and port of `MALIPO_PUBLIC_URL`, which a signature must cover. Never the Host header from the sender. */
  readonly authority: string
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

export type CallbackReading =
  | {
      readonly isGenuine: true
      /** Whether the report is proof, or only a hint to query the provider. */
      readonly isProof: boolean
      /** Nothing proves the sender: anyone who knows the address can send it. */
      readonly isUnsigned?: true
      readonly observations: readonly CallbackObservation[]
    }
  | { readonly isGenuine: false; readonly why: string }

export interface CallbackObservation {
  readonly key: string
  readonly providerStatus: ProviderStatus
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
  /** Decimal texts in the quote currency: `buy` is what the provider gives for one base, `sell` what it takes for one. */
  quote(base: Currency, quote: Currency, signal: AbortSignal): Promise<{ readonly buy: string; readonly sell: string }>
}
