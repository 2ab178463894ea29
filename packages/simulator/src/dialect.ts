import type { IncomingHttpHeaders } from 'node:http'
import type { Core } from './core.ts'
import type { Payment, Receipt } from './entries.ts'
import type { Subject } from './faults.ts'

export interface Reply {
  readonly status: number
  /** An object is sent as JSON; a string as it is, with its own content type in `headers`. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One HTTP request, read and routed. */
export interface Call {
  readonly core: Core
  readonly method: string
  /** The whole path, prefix included, as signatures cover it. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  /** The parsed body of a JSON request; undefined when it was not JSON. */
  readonly json: unknown
  /** What stood in the place of each `:name` of the route. */
  readonly parameters: Readonly<Record<string, string | undefined>>
}

export interface Route {
  readonly method: 'GET' | 'POST'
  /** Below the dialect's prefix; `:name` stands for one segment. */
  readonly path: string
  /** The name faults know this request by. */
  readonly operation: string
  /** For a path that does several things: the name of what this call asks for. */
  readonly operationOf?: (call: Call) => string
  /** Answers before a bearer token is asked for: pages that the payer's browser opens. */
  readonly isOpen?: true
  /** Says no before faults are drawn, so that a stranger's request uses none up. */
  readonly check?: (call: Call) => Reply | undefined
  readonly subjects?: (call: Call) => readonly Subject[]
  readonly handle: (call: Call) => Reply | Promise<Reply>
}

/** The same words for the same trouble, each dialect in its own language. */
export interface Words {
  notFound(): Reply
  noToken(): Reply
  wrongToken(): Reply
  tokenExpired(): Reply
  /** The account, or the address it calls from, may not do this. */
  notAllowed(): Reply
  rateLimited(seconds: number): Reply
  unknownWords(code: string): Reply
  broken(): Reply
}

/** One provider: its paths, its words, and how it tells what happened. Its id is also its prefix. */
export interface Dialect {
  readonly id: string
  readonly token: string
  readonly routes: readonly Route[]
  readonly words: Words
  /** The pauses before each retry of a callback; after the last it is given up. Left out, the usual rule holds. */
  readonly retryPausesMs?: readonly number[]
  /** It shows how much was taken back, so that it can be a part. */
  readonly showsReturned?: true
  /** Its charges can have accounts that anybody pays into. */
  readonly hasAccounts?: true
  /**
   * The body of a callback, about a receipt when there is one. The core may hand in a payment with a changed amount or
   * key: that is a fault at work.
   */
  callbackBody(payment: Payment, receipt?: Receipt): unknown
  /** Headers of one attempt; `isForged` asks for a signature that must not verify. */
  callbackHeaders(attempt: CallbackAttempt): Record<string, string>
}

export interface CallbackAttempt {
  readonly url: URL
  /** That the callback is addressed to, as the sender knows it. */
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
  /** Undefined when it is not configured; then its paths do not exist. */
  make(variables: DialectVariables, keep: Keep): Dialect | undefined
}
