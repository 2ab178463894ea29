import type { Context } from '../../packages/server/src/context.ts'
import type { App } from '../../packages/server/src/http/app.ts'
import { registerCallbacks } from '../../packages/server/src/http/callbacks.ts'
import { createWriter } from '../../packages/server/src/ledger/chain.ts'
import {
  createPostings,
  type OperatorContext,
  performAtOnce,
} from '../../packages/server/src/operate/operator-context.ts'
import { createRecentOutcomes } from '../../packages/server/src/operate/recent-outcomes.ts'
import { createAcceptor } from '../../packages/server/src/payments/accept/accept.ts'
import { createLaneHealth } from '../../packages/server/src/payments/dispatch/lane-health.ts'
import { createCallbackLog } from '../../packages/server/src/payments/resolve/callback-log.ts'
import { createResolver } from '../../packages/server/src/payments/resolve/resolve.ts'
import { breakGlass } from '../../packages/server/src/people/principal.ts'
import type { Wakeups } from '../../packages/server/src/platform/wakeups.ts'
import { createRouting } from '../../packages/server/src/providers/routing.ts'
import { startLanes } from '../../packages/server/src/workers/lanes.ts'
import { type Codec, createCodec, createProvider } from './connectors.ts'
import { gatedDatabase } from './database.ts'
import type { Callback, ProviderBooks } from './provider-book.ts'
import type { Process, Schedule } from './schedule.ts'

/** A poller that runs on a wakeup, or after its interval. */
export interface Watcher {
  readonly topic: string
  readonly everyMs: number
  readonly process: Process
  isWoken: boolean
  isPolling: boolean
  polledAt: number
  poll(): void
}

/** A process of the service: the real use cases, on a database, wakeups and providers that the schedule controls. */
export interface SimulatedProcess extends Process {
  readonly ctx: Context
  readonly context: OperatorContext
  readonly watchers: Watcher[]
  receive(callback: Callback): Promise<unknown>
}

export interface ProcessOptions {
  readonly base: Context
  readonly schedule: Schedule
  readonly books: ProviderBooks
  /** Rate limit of each provider. */
  readonly requestsPerSecond: number
  /** Wakes every process. */
  readonly wake: (topic: string) => void
}

const routes = [
  { operation: 'payout.momo', providers: ['pawapay', 'house'] },
  { operation: 'payout.bank', providers: ['flutterwave', 'house'] },
  { operation: 'charge.momo', providers: ['pawapay', 'house'] },
  { operation: 'charge.card', providers: ['flutterwave'] },
  { operation: 'charge.bank-transfer', providers: ['house'] },
  { operation: 'refund.momo', providers: ['pawapay', 'house'] },
  { operation: 'refund.card', providers: ['flutterwave'] },
  { operation: 'refund.bank-transfer', providers: ['house'] },
] as const

export function startProcess(name: string, around: ProcessOptions): SimulatedProcess {
  const { base, schedule, books, requestsPerSecond, wake } = around
  const self: Process = { name, pausedUntil: 0, isDead: false }
  const codec = createCodec()
  const watchers: Watcher[] = []
  const wakeups = createWakeups(schedule, self, watchers, wake)
  const providers = (['pawapay', 'house', 'flutterwave'] as const).map((id) =>
    createProvider({ id, schedule, books, codec, isProof: id !== 'flutterwave', requestsPerSecond }),
  )
  const connectors = { live: new Map(), sandbox: new Map(providers.map((each) => [each.id, each])) }
  const dbFor = (purpose?: string) => gatedDatabase(base.db, schedule, self, purpose)
  const health = createLaneHealth(dbFor().write, wakeups, base.log)
  const anywhere = { country: '*', currency: '*', target: '*' }
  const routing = createRouting(
    routes.map((route) => ({ ...anywhere, ...route })),
    connectors,
    health.isUsable,
  )
  const onMerchantEvents = () => wakeups.wake('webhooks')
  const { vault, config, accounts, log } = base
  const { cell } = config
  const common = { cell, onMerchantEvents, log, accounts }
  const ctx: Context = {
    ...base,
    db: dbFor(),
    wakeups,
    connectors,
    routing,
    health,
    callbackLog: createCallbackLog({ db: dbFor('callback').write, vault, cell }),
    acceptor: createAcceptor({ db: dbFor('accept').write, vault, cell, onMerchantEvents }),
    resolver: createResolver({ ...common, db: dbFor('settle').write, connectors, routing }),
  }
  const context: OperatorContext = {
    db: dbFor('operator'),
    wakeups,
    vault,
    cell,
    publicUrl: config.publicUrl,
    callbackDays: config.callbackDays,
    principal: breakGlass('simulation'),
    perform: performAtOnce,
    platformAccounts: accounts,
    writer: createWriter(),
    postings: createPostings(dbFor('operator').write),
    recent: createRecentOutcomes(dbFor('operator').write),
    resolving: {
      ...common,
      connectors: { live: new Map(), sandbox: new Map() },
      routing: { providersOf: () => [], isUsable: () => false },
    },
  }
  schedule.as(self, 'start', () => [...startLanes(ctx), health.watch()])
  return Object.assign(self, { ctx, context, watchers, receive: receiver(ctx, codec) })
}

/** Wakeups reach the watchers, and now and then get lost. */
function createWakeups(
  schedule: Schedule,
  process: Process,
  watchers: Watcher[],
  wake: ProcessOptions['wake'],
): Wakeups {
  return {
    wake: (topic) => (schedule.hasChance(0.2) ? schedule.note(`  the wakeup of ${topic} is lost`) : wake(topic)),
    isConnected: () => true,
    close: async () => undefined,
    onWake: (topic, everyMs, poll) => {
      const watcher: Watcher = {
        topic,
        everyMs,
        process,
        isWoken: true,
        isPolling: false,
        polledAt: 0,
        poll: () => {
          Object.assign(watcher, { isWoken: false, isPolling: true, polledAt: schedule.nowMs() })
          const end = () => Object.assign(watcher, { isPolling: false })
          schedule.as(process, `${process.name} polls ${topic}`, () => void poll().then(end, end))
        },
      }
      if (!topic.startsWith('live/')) watchers.push(watcher)
      return { wake: () => Object.assign(watcher, { isWoken: true }), stop: async () => undefined }
    },
  }
}

type Handler = (request: object) => Promise<unknown>

/** The callback route, without the server around it. */
function receiver(ctx: Context, codec: Codec): SimulatedProcess['receive'] {
  const handlers = new Map<string, Handler>()
  const scope = {
    removeAllContentTypeParsers: () => undefined,
    addContentTypeParser: () => undefined,
    post: (path: string, _: object, handler: Handler) => handlers.set(path, handler),
  }
  const app = {
    register: (plugin: (inner: typeof scope, options: object, done: () => void) => void) =>
      plugin(scope, {}, () => undefined),
  }
  registerCallbacks(app as unknown as App, ctx)
  const handler = handlers.get('/callbacks/sandbox/:provider')
  return async (callback) => {
    const { provider } = callback
    const request = { params: { provider }, method: 'POST', url: '/', host: 'malipo', headers: {} }
    await handler?.({ ...request, body: codec.encode(callback) })
  }
}
