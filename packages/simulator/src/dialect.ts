import type { IncomingHttpHeaders } from 'node:http'
import type { Core } from './core.ts'
import type { Payment, Receipt } from './entries.ts'
import type { Subject } from './faults.ts'

export interface Reply {
  readonly status: number
  /** An object is sent as JSON. A string is sent unchanged, with its content type in `headers`. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One HTTP request, read and routed. */
export interface Call {
  readonly core: Core
  readonly method: string
  /** The whole path with its prefix, as signatures cover it. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  /** The parsed body of a JSON request. Undefined when it was not JSON. */
  readonly json: unknown
  /** The path segment for each `:name` of the route. */
  readonly parameters: Readonly<Record<string, string | undefined>>
}

export interface Route {
  readonly method: 'GET' | 'POST'
  /** Below the dialect's prefix. `:name` matches one segment. */
  readonly path: string
  /** The name of this request in faults. */
  readonly operation: string
  /** For a path with several operations: the operation of this call. */
  readonly operationOf?: (call: Call) => string
  /** Served before the token check: pages that the payer's browser opens. */
  readonly isOpen?: true
  /** Refuses before faults are drawn, so that an unauthorised request uses none up. */
  readonly check?: (call: Call) => Reply | undefined
  readonly subjects?: (call: Call) => readonly Subject[]
  readonly handle: (call: Call) => Reply | Promise<Reply>
}

/** The same errors, each dialect in its own format. */
export interface Words {
  notFound(): Reply
  noToken(): Reply
  wrongToken(): Reply
  tokenExpired(): Reply
  /** The account, or its IP address, may not do this. */
  notAllowed(operation: string): Reply
  rateLimited(seconds: number): Reply
  unknownWords(code: string): Reply
  broken(): Reply
}

/** One provider: its paths, its messages and its callbacks. Its id is also its path prefix. */
export interface Dialect {
  readonly id: string
  readonly token: string
  readonly routes: readonly Route[]
  readonly words: Words
  /** The pauses before each retry of a callback. After the last it is given up. Undefined: the default rule applies. */
  readonly retryPausesMs?: readonly number[]
  /** It reports how much was reversed, so a reversal can be partial. */
  readonly showsReturned?: true
  /** Its charges can have accounts that anyone can pay into. */
  readonly hasAccounts?: true
  /**
   * The body of a callback, about a receipt if there is one. Undefined when the provider sends none about this payment.
   * A fault may make the core pass a payment with a changed amount or key.
   */
  callbackBody(payment: Payment, receipt?: Receipt): unknown
  /** Headers of one attempt. `isForged` makes the signature invalid. */
  callbackHeaders(attempt: CallbackAttempt): Record<string, string>
}

export interface CallbackAttempt {
  readonly url: URL
  /** The host that the callback is addressed to, as the sender knows it. */
  readonly host: string
  readonly body: string
  readonly isForged: boolean
}

/** A dialect's own variables without their common prefix: SIMULATOR_PAWAPAY_TOKEN is `TOKEN`. */
export type DialectVariables = Readonly<Record<string, string | undefined>>

/** Keeps what must be the same after a restart, such as a signing key. */
export type Keep = (name: string, make: () => string) => string

export interface DialectMaker {
  readonly id: string
  /** Undefined when it is not configured. Its paths then do not exist. */
  make(variables: DialectVariables, keep: Keep): Dialect | undefined
}
