import { createFailedExchanges, type FailedExchanges } from './auth/failed-exchanges.ts'
import { createFailedLogins, type FailedLogins } from './auth/failed-logins.ts'
import { createRevocations, type Revocations } from './auth/revocations.ts'
import { createTokenCache, type TokenCache } from './auth/token-cache.ts'
import { createTokenSigner, type TokenSigner } from './auth/token-signer.ts'
import { createTokens, type Tokens } from './auth/tokens.ts'
import type { Config } from './config.ts'
import { createPlatformAccounts, type PlatformAccounts } from './ledger/accounts.ts'
import { createFees, type Fees } from './ledger/fee-rules.ts'
import { createEnabledCurrencies, type EnabledCurrencies } from './merchants/enabled-currencies.ts'
import { type Acceptor, createAcceptor } from './payments/accept/accept.ts'
import { createLaneHealth, type LaneHealth } from './payments/dispatch/lane-health.ts'
import { createQueryUnknown, type QueryUnknown } from './payments/late-money/query-unknown.ts'
import { createUnknownPayments } from './payments/late-money/unknown-payments.ts'
import { observePayments } from './payments/model/payment-metrics.ts'
import { type CallbackLog, createCallbackLog } from './payments/resolve/callback-log.ts'
import { createResolver, type Resolver } from './payments/resolve/resolve.ts'
import { timing } from './payments/resolve/timing.ts'
import { createSignInServices, type SignInServices } from './people/services.ts'
import { type ConcurrencyLimiter, createConcurrencyLimiter } from './platform/concurrency-limiter.ts'
import { type Database, type Environment, openDatabase } from './platform/db.ts'
import { createFairSemaphore, type FairSemaphore } from './platform/fair-semaphore.ts'
import { createLog, type Log, type LogIdentity } from './platform/log.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { countRun, readProcess } from './platform/process-metrics.ts'
import { createVault, type Vault } from './platform/seal.ts'
import { createSlots, type Slots } from './platform/slots.ts'
import { version } from './platform/version.ts'
import { openWakeups, type Wakeups } from './platform/wakeups.ts'
import { withoutWorkIds } from './platform/work-ids.ts'
import { observeConnectors } from './providers/observe-connectors.ts'
import { openConnectors } from './providers/registry.ts'
import { type Connectors, createRouting, type Routing } from './providers/routing.ts'
import { openSimulator, type Simulator } from './providers/sandbox/simulator.ts'
import { loadReferenceData, type ReferenceData } from './reference/data.ts'
import { createRequestLog, type RequestLog } from './request-log/write.ts'

/** Requests with their own budget. */
export type RequestKind = keyof ReturnType<typeof budgetsOf>

/**
 * How many requests of each kind run at a time, the most urgent kind first. The sandbox may use as much as live while there is no
 * live traffic, and a quarter of it otherwise. Each token exchange and each request of a person or the operator's machine uses a
 * write connection that live payments need, so few run at a time. Requests without a session have their own places, so that no
 * stranger delays staff.
 */
const budgetsOf = ({ liveRequests, callbackRequests, sandboxRequests }: Config) => ({
  live: { atOnce: liveRequests, queueMax: 512 },
  callback: { atOnce: callbackRequests, queueMax: 1024 },
  exchange: { atOnce: 4, queueMax: 256 },
  people: { atOnce: 4, queueMax: 256 },
  sign_in: { atOnce: 2, queueMax: 256 },
  sandbox: { atOnce: sandboxRequests, queueMax: 512, beside: { live: Math.floor(sandboxRequests / 4) } },
})

/** In each environment. An export keeps its place for as long as its client reads, so there are many more than pages at once. */
const exportsMax = { perKey: 2, total: 64 }
/** Each takes tens of milliseconds of the process. A page that waits longer than this ends its export. */
const exportPages = { atOnce: 4, waitMaxMs: 60_000 }

/** The dependencies of a process. Created once, in `main.ts` or in a test, and passed down. */
export interface Context {
  readonly config: Config
  readonly identity: LogIdentity
  readonly log: Log
  readonly db: Database
  readonly wakeups: Wakeups
  readonly vault: Vault
  readonly metrics: Metrics
  readonly tokens: Tokens
  /** Signs and verifies the tokens of the operator's machines. */
  readonly signer: TokenSigner
  readonly failedLogins: FailedLogins
  /** Writes refused token exchanges to the audit trail. */
  readonly failedExchanges: FailedExchanges
  /** Of people, in this process. */
  readonly signIn: SignInServices
  /** Limits concurrent requests. */
  readonly limiter: ConcurrencyLimiter<RequestKind>
  readonly revocations: Revocations
  readonly tokenCache: TokenCache
  /** Limits how many exports are open, by merchant, and how many of their pages are made at once. */
  readonly exports: Readonly<Record<Environment, Slots>> & { readonly pages: FairSemaphore }
  readonly reference: ReferenceData
  readonly connectors: Connectors
  readonly routing: Routing
  /** Decides which providers get new payments. */
  readonly health: LaneHealth
  /** Of the sandbox; undefined without a simulator. */
  readonly simulator: Simulator | undefined
  readonly accounts: PlatformAccounts
  readonly fees: Fees
  readonly currencies: EnabledCurrencies
  /** Accepts payments, and resolves their outcomes. */
  readonly acceptor: Acceptor
  readonly resolver: Resolver
  /** Stores callbacks exactly as providers sent them. */
  readonly callbackLog: CallbackLog
  /** Queries money of unknown payments and books it into suspense. */
  readonly queryUnknown: QueryUnknown
  /** Shows merchants their own requests. */
  readonly requestLog: RequestLog
  close(): Promise<void>
}

const databaseOptions = (config: Config, log: Log, metrics: Metrics): Parameters<typeof openDatabase>[0] => ({
  onCommit: (seconds) => metrics.commitDuration.observe(seconds),
  url: config.databaseUrl,
  cell: config.cell,
  connectionsMax: config.databaseConnections,
  statementTimeoutMs: timing.statementTimeoutMs,
  onError: (err) => withoutWorkIds(() => log.warn({ err }, 'idle database connection failed')),
})

interface ContextOptions {
  readonly role?: string
  readonly log?: Log
  readonly open?: typeof openDatabase
}

/** What everything else of a process needs: its log and metrics, the database, wakeups, and the limit of requests. */
function openGround(config: Config, { role = 'all', open = openDatabase, ...given }: ContextOptions) {
  const identity = { role, cell: config.cell, version }
  const { log = createLog({ level: config.logLevel, identity }) } = given
  const metrics = createMetrics()
  const db = open(databaseOptions(config, log, metrics))
  const wakeups = openWakeups({
    ...{ url: config.natsUrl?.reveal(), access: config, log, cell: config.cell },
    onPolled: (task, hasFailed) => countRun(metrics, task, hasFailed),
  })
  const limiter = createConcurrencyLimiter<RequestKind>({ budgets: budgetsOf(config), perTurn: 32 })
  readProcess(metrics, { identity, db, limiter, wakeups: config.natsUrl === undefined ? undefined : wakeups })
  return { identity, log, metrics, db, wakeups, limiter }
}

export function openContext(config: Config, options: ContextOptions = {}): Context {
  const reference = loadReferenceData()
  const ground = openGround(config, options)
  const { log, metrics, db, wakeups } = ground
  const simulator = openSimulator(config)
  const opened = openConnectors(config, reference, simulator)
  const connectors = observeConnectors(opened, metrics)
  const health = createLaneHealth(db.write, wakeups, log)
  const routing = createRouting(reference.routes, connectors, health.isUsable)
  const tokens = createTokens(config.publicUrl, config.tokenKeys, config.otherTokenKeys)
  const revocations = createRevocations(db.write, wakeups)
  const vault = createVault(config.secretKeys)
  const accounts = createPlatformAccounts(db.write, config.cell)
  const signIn = createSignInServices({ db: db.write, config, log })
  const onMerchantEvents = () => wakeups.wake('webhooks')
  return {
    ...ground,
    config,
    vault,
    tokens,
    signer: createTokenSigner(config.publicUrl, config.tokenKeys),
    failedLogins: createFailedLogins(),
    failedExchanges: createFailedExchanges(db.write, { cell: config.cell, wakeups }),
    signIn,
    exports: {
      live: createSlots(exportsMax),
      sandbox: createSlots(exportsMax),
      pages: createFairSemaphore(exportPages.atOnce, exportPages.waitMaxMs),
    },
    revocations,
    tokenCache: createTokenCache(tokens, db.write, revocations),
    reference,
    connectors,
    health,
    routing,
    simulator,
    accounts,
    fees: createFees(db.write),
    currencies: createEnabledCurrencies(db.write),
    acceptor: createAcceptor({
      ...{ db: db.write, vault, cell: config.cell, onMerchantEvents },
      ...observePayments(metrics, 'accept'),
    }),
    resolver: createResolver({
      ...{ db: db.write, cell: config.cell, onMerchantEvents, log, accounts, connectors, routing },
      ...observePayments(metrics, 'resolve'),
    }),
    callbackLog: createCallbackLog({ db: db.write, vault, cell: config.cell }),
    queryUnknown: createQueryUnknown({
      ...{ connectors, cell: config.cell, log },
      unknownPayments: createUnknownPayments({ db: db.write, cell: config.cell, accounts }),
    }),
    requestLog: createRequestLog({
      ...{ db: db.write, cell: config.cell, wakeups, log },
      onDropped: (env, count) => metrics.requestsNotLogged.inc({ env }, count),
    }),
    close: async () => {
      await opened.close()
      await simulator?.close()
      await wakeups.close()
      await signIn.failures.flush().catch((err) => log.error({ err }, 'failed sign-ins not audited'))
      await db.close()
    },
  }
}
