import type { Context } from '../../packages/server/src/context.ts'
import type { App } from '../../packages/server/src/http/app.ts'
import { registerCallbacks } from '../../packages/server/src/http/callbacks.ts'
import { createWriter } from '../../packages/server/src/ledger/chain.ts'
import { createPostings, type Desk } from '../../packages/server/src/operate/operator-context.ts'
import { createAcceptor } from '../../packages/server/src/payments/accept/accept.ts'
import { createLaneHealth } from '../../packages/server/src/payments/dispatch/lane-health.ts'
import { createCallbackLog } from '../../packages/server/src/payments/resolve/callback-log.ts'
import { createSettler } from '../../packages/server/src/payments/resolve/resolve.ts'
import type { Bell } from '../../packages/server/src/platform/wakeups.ts'
import { createRouting } from '../../packages/server/src/providers/routing.ts'
import { startLanes } from '../../packages/server/src/workers/lanes.ts'
import { type Codec, createCodec, createProvider } from './connectors.ts'
import { gatedDatabase } from './database.ts'
import type { Callback, ProviderBooks } from './provider-book.ts'
import type { Process, Schedule } from './schedule.ts'

/** Somebody who looks when rung, or when they have not looked for a while. */
export interface Watcher {
  readonly topic: string
  readonly everyMs: number
  readonly process: Process
  isRung: boolean
  isLooking: boolean
  lookedAt: number
  look(): void
}

/** A process of the service: the real use cases, on a database, a bell and providers that the schedule rules over. */
export interface SimulatedProcess extends Process {
  readonly ctx: Context
  readonly desk: Desk
  readonly watchers: Watcher[]
  receive(callback: Callback): Promise<unknown>
}

export interface Surroundings {
  readonly base: Context
  readonly schedule: Schedule
  readonly books: ProviderBooks
  /** What each provider takes. */
  readonly requestsPerSecond: number
  /** Rings at every process. */
  readonly ring: (topic: string) => void
}

const routes = [
  { operation: 'payout.momo', providers: ['pawapay', 'house'] },
  { operation: 'payout.bank', providers: ['flutterwave', 'house'] },
  { operation: 'charge.momo', providers: ['pawapay', 'house'] },
  { operation: 'charge.card', providers: ['flutterwave'] },
  { operation: 'charge.bank-transfer', providers: ['house'] },
] as const

export function startProcess(name: string, around: Surroundings): SimulatedProcess {
  const { base, schedule, books, requestsPerSecond, ring } = around
  const self: Process = { name, pausedUntil: 0, isDead: false }
  const codec = createCodec()
  const watchers: Watcher[] = []
  const bell = createBell(schedule, self, watchers, ring)
  const providers = (['pawapay', 'house', 'flutterwave'] as const).map((id) =>
    createProvider({ id, schedule, books, codec, isProof: id !== 'flutterwave', requestsPerSecond }),
  )
  const connectors = { live: new Map(), sandbox: new Map(providers.map((each) => [each.id, each])) }
  const dbFor = (purpose?: string) => gatedDatabase(base.db, schedule, self, purpose)
  const health = createLaneHealth(dbFor().write, bell, base.log)
  const anywhere = { country: '*', currency: '*', target: '*' }
  const routing = createRouting(
    routes.map((route) => ({ ...anywhere, ...route })),
    connectors,
    health.isUsable,
  )
  const onTold = () => bell.ring('webhooks')
  const { vault, config, accounts, log } = base
  const { cell } = config
  const common = { cell, onTold, log, accounts }
  const ctx: Context = {
    ...base,
    db: dbFor(),
    bell,
    connectors,
    routing,
    health,
    callbackLog: createCallbackLog({ db: dbFor('callback').write, vault, cell }),
    acceptor: createAcceptor({ db: dbFor('accept').write, vault, cell, onTold }),
    settler: createSettler({ ...common, db: dbFor('settle').write, connectors, routing }),
  }
  const desk: Desk = {
    db: dbFor('operator'),
    bell,
    vault,
    cell,
    actor: 'simulation',
    platformAccounts: accounts,
    writer: createWriter(),
    postings: createPostings(dbFor('operator').write),
    settling: {
      ...common,
      connectors: { live: new Map(), sandbox: new Map() },
      routing: { providersOf: () => [], isUsable: () => false },
    },
  }
  schedule.as(self, 'start', () => [...startLanes(ctx), health.watch()])
  return Object.assign(self, { ctx, desk, watchers, receive: receiver(ctx, codec) })
}

/** Rings reach whoever looks, and now and then nobody. */
function createBell(schedule: Schedule, process: Process, watchers: Watcher[], ring: Surroundings['ring']): Bell {
  return {
    ring: (topic) => (schedule.hasChance(0.2) ? schedule.note(`  nobody hears ${topic} ring`) : ring(topic)),
    isConnected: () => true,
    close: async () => undefined,
    onRing: (topic, everyMs, look) => {
      const watcher: Watcher = {
        topic,
        everyMs,
        process,
        isRung: true,
        isLooking: false,
        lookedAt: 0,
        look: () => {
          Object.assign(watcher, { isRung: false, isLooking: true, lookedAt: schedule.nowMs() })
          const end = () => Object.assign(watcher, { isLooking: false })
          schedule.as(process, `${process.name} looks at ${topic}`, () => void look().then(end, end))
        },
      }
      if (!topic.startsWith('live/')) watchers.push(watcher)
      return { wake: () => Object.assign(watcher, { isRung: true }), stop: async () => undefined }
    },
  }
}

type Handler = (request: object) => Promise<unknown>

/** The route that providers call, without the server around it. */
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
