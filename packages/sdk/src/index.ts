// biome-ignore-all lint/performance/noBarrelFile: this is the package's only entry point

import {
  type Account,
  accountApi,
  type ExternalAccounts,
  externalAccountsOf,
  type Reference,
  referenceOf,
} from './account.ts'
import { type RequestLog, requestLogOf, type WebhookEndpoints, webhookEndpointsOf } from './endpoints.ts'
import { MalipoError } from './errors.ts'
import { type Exports, exportsOf } from './exports.ts'
import { type Webhooks, webhooksOf } from './handler.ts'
import { type Charges, chargesOf, type Payouts, payoutsOf } from './payments.ts'
import { type Conversions, conversionsOf, type Quotes, quotesOf } from './quotes.ts'
import { type Refunds, refundsOf } from './refunds.ts'
import { type Sandbox, sandboxOf } from './sandbox.ts'
import { type Search, searchOf } from './search.ts'
import { type Transactions, transactionsOf } from './transactions.ts'
import { createTransport, type Environment, type Settings } from './transport.ts'

export interface MalipoOptions {
  /** `pk_test_…` or `pk_live_…`. */
  readonly publicKey: string
  /** `sk_…`: secret, for servers only. */
  readonly apiKey: string
  /** URL of the operator's Malipo, such as https://pay.example. */
  readonly baseUrl: string
  /** Default: the environment of the key pair. */
  readonly environment?: Environment | undefined
  /** For each attempt of a call; default: 30 seconds. */
  readonly timeoutMs?: number | undefined
  /** How often a call is retried if a retry is safe; default: 2. */
  readonly maxRetries?: number | undefined
  readonly fetch?: typeof fetch | undefined
}

/** Client for one key pair. Create one and keep it: its calls share one token. */
export class Malipo {
  readonly environment: Environment
  readonly charges: Charges
  readonly payouts: Payouts
  readonly refunds: Refunds
  readonly quotes: Quotes
  readonly conversions: Conversions
  readonly transactions: Transactions
  readonly search: Search
  readonly exports: Exports
  readonly externalAccounts: ExternalAccounts
  readonly reference: Reference
  readonly account: Account
  readonly webhooks: Webhooks
  readonly webhookEndpoints: WebhookEndpoints
  readonly requestLog: RequestLog
  readonly sandbox: Sandbox

  constructor(options: MalipoOptions) {
    const transport = createTransport(settingsOf(options))
    this.environment = transport.environment
    this.transactions = transactionsOf(transport)
    this.search = searchOf(transport)
    this.exports = exportsOf(transport)
    this.charges = chargesOf(transport, this.transactions.get)
    this.payouts = payoutsOf(transport, this.transactions.get)
    this.refunds = refundsOf(transport, this.transactions.get)
    this.quotes = quotesOf(transport)
    this.conversions = conversionsOf(transport)
    this.externalAccounts = externalAccountsOf(transport)
    this.reference = referenceOf(transport)
    this.account = accountApi(transport)
    this.webhooks = webhooksOf(transport)
    this.webhookEndpoints = webhookEndpointsOf(transport)
    this.requestLog = requestLogOf(transport)
    this.sandbox = sandboxOf(transport)
  }
}

function settingsOf(options: MalipoOptions): Settings {
  const { timeoutMs = 30_000, maxRetries = 2, fetch: given } = options
  const publicKey = textOf('publicKey', options.publicKey)
  const baseUrl = textOf('baseUrl', options.baseUrl).replace(/\/+$/, '')
  if (!/^https?:\/\/./.test(baseUrl) || !URL.canParse(baseUrl))
    throw new MalipoError(`baseUrl must be a URL such as https://pay.example, not ${baseUrl}.`)
  return {
    publicKey,
    apiKey: textOf('apiKey', options.apiKey),
    baseUrl,
    environment: environmentOf(publicKey, options.environment),
    timeoutMs,
    maxRetries,
    // Looked up at each call, so that a later replacement of `globalThis.fetch` (some test tools do this) is used.
    fetch: given ?? ((...args) => globalThis.fetch(...args)),
  }
}

function textOf(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  if (text === '') throw new MalipoError(`${name} is missing.`)
  return text
}

/** The prefix of the public key names its environment. A different `environment` is an error before anything is sent. */
function environmentOf(publicKey: string, wanted: Environment | undefined): Environment {
  const own = publicKey.startsWith('pk_live_') ? 'live' : 'sandbox'
  if (wanted !== undefined && wanted !== own)
    throw new MalipoError(`environment is ${wanted}, but publicKey belongs to ${own}.`)
  return own
}

export type {
  Account,
  AccountToResolve,
  Bank,
  Branch,
  Country,
  ExternalAccount,
  ExternalAccountChange,
  ExternalAccountFilter,
  ExternalAccounts,
  FeedEvent,
  HistoricalRate,
  HistoricalRateQuery,
  MobileMoneyOperator,
  NewExternalAccount,
  PlaceFilter,
  Profile,
  ProfileChange,
  Rate,
  RateQuery,
  Reference,
  ResolvedAccount,
  Statement,
  StatementQuery,
  Wallet,
} from './account.ts'
export type {
  LoggedRequest,
  NewWebhookEndpoint,
  RequestLog,
  RequestLogFilter,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointInput,
  WebhookEndpoints,
} from './endpoints.ts'
export {
  ApiError,
  AuthenticationError,
  AuthorisationError,
  ConflictError,
  DuplicateReferenceError,
  type ErrorDetail,
  InsufficientFundsError,
  MalipoError,
  NetworkError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RefusedError,
  ServiceError,
  TimeoutError,
  ValidationError,
  type WebhookProblem,
  WebhookVerificationError,
} from './errors.ts'
export type { Exports, StatementExport, TransactionExport } from './exports.ts'
export type { ErrorCode } from './generated/api.ts'
export {
  type HandlerOptions,
  type IncomingRequest,
  type OutgoingResponse,
  type SeenIds,
  type WebhookFilter,
  type WebhookRecord,
  type Webhooks,
  webhooks,
} from './handler.ts'
export type { List } from './lists.ts'
export type {
  AcceptedPayout,
  Amount,
  Authorisation,
  BankTransferCharge,
  BulkResult,
  CardCharge,
  Charges,
  FailureReason,
  MobileMoneyCharge,
  NextAction,
  OpenedAccount,
  PaymentOptions,
  Payout,
  Payouts,
  QuotedPayout,
  StartedCharge,
  ValidatedBulk,
  ValidatedPayout,
} from './payments.ts'
export type { Conversion, Conversions, Converted, Quote, QuoteRequest, Quotes } from './quotes.ts'
export type { AcceptedRefund, NewRefund, Refund, RefundFilter, Refunds } from './refunds.ts'
export type {
  AdvancedClock,
  ArmedScenario,
  Sandbox,
  ScenarioName,
  SimulatedEnd,
  TestValues,
} from './sandbox.ts'
export type { FoundTransaction, Search, TransactionSearch } from './search.ts'
export type {
  Explanation,
  Status,
  Transaction,
  TransactionDetails,
  TransactionFilter,
  Transactions,
  VirtualAccount,
  WaitOptions,
} from './transactions.ts'
export type { CallOptions, Environment } from './transport.ts'
export type {
  EventName,
  HeadersLike,
  VerifyOptions,
  WebhookData,
  WebhookEvent,
  WebhookSecret,
} from './webhooks.ts'
