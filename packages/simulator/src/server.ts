import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Books } from './books.ts'
import { Callbacks } from './callbacks.ts'
import { Clock } from './clock.ts'
import { createControl } from './control/routes.ts'
import type { Core, Tuning } from './core.ts'
import type { Dialect, Keep } from './dialect.ts'
import type { Entry } from './entries.ts'
import { startFaults } from './faults.ts'
import { startHandsets } from './handsets.ts'
import { createHandler } from './http.ts'
import { type Journal, openJournal } from './journal.ts'
import { resume } from './life.ts'
import { startNumbers } from './numbers.ts'
import { startPlans } from './plans.ts'
import { startRandom } from './random.ts'
import { registry } from './registry.ts'
import { startRequestLog } from './requests.ts'
import type { Settings } from './settings.ts'

export interface Simulator {
  readonly url: string
  close(): void
}

/** Restores the journal, listens, and continues open payments. */
export async function startSimulator(settings: Settings): Promise<Simulator> {
  const { core, journal } = openCore(settings)
  const control = createControl(core, journal, settings.controlToken)
  const server = createServer(createHandler(core, control))
  // Longer than any client keeps a connection idle, so that none is closed while a client starts to use it.
  server.keepAliveTimeout = 120_000
  server.requestTimeout = 0
  server.listen(settings.port, settings.host)
  await once(server, 'listening')
  resume(core)
  const { port } = server.address() as AddressInfo
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  const close = () => {
    server.close()
    server.closeAllConnections()
    core.clock.clear()
    core.callbacks.close()
    journal.close()
  }
  return { url: `http://${host}:${port}`, close }
}

function openCore(settings: Settings): { core: Core; journal: Journal } {
  const clock = new Clock()
  const random = startRandom(settings.seed)
  const secrets = new Map<string, string>()
  const books = new Books((entry) => journal.append(entry))
  const journal = openJournal(settings.journal, (entry: Entry) => {
    if (entry.entry === 'secret') secrets.set(entry.name, entry.value)
    else if (entry.entry === 'clock') clock.restore(entry.offset)
    else books.replay(entry)
  })
  const keep: Keep = (name, make) => {
    const known = secrets.get(name)
    if (known !== undefined) return known
    const value = make()
    journal.append({ entry: 'secret', name, value })
    return value
  }
  const dialects = new Map<string, Dialect>()
  for (const maker of registry) {
    const dialect = maker.make(settings.dialect(maker.id), keep)
    if (dialect) dialects.set(dialect.id, dialect)
  }
  const callbacks = new Callbacks({
    clock,
    host: settings.callbackHost,
    headers: (provider, attempt) => dialects.get(provider)?.callbackHeaders(attempt) ?? {},
    pauses: (provider) => dialects.get(provider)?.retryPausesMs,
    delivered: (callback) => {
      const payment = books.find(callback.provider, callback.operation, callback.key)
      if (payment) books.delivered(payment, callback)
    },
  })
  const { callbackBase, settleMs, seed, publicUrl } = settings
  const tuning: Tuning = { callbackBase, settleMs, seed, publicUrl }
  const faults = startFaults(random)
  const plans = startPlans(clock)
  const numbers = startNumbers()
  const handsets = startHandsets(clock)
  const requests = startRequestLog()
  const core = { tuning, clock, plans, random, numbers, faults, handsets, books, callbacks, requests, dialects }
  return { core, journal }
}
