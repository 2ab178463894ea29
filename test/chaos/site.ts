import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createDatabase, login } from '../../packages/server/src/dev-stack/database.ts'
import { type Postgres, startPostgres } from '../../packages/server/src/dev-stack/postgres.ts'
import { freePort, guardFolder, makeFolder, type Service } from '../../packages/server/src/dev-stack/processes.ts'
import {
  publicHost,
  type SimulatorService,
  simulatorAccess,
  startSimulatorIn,
} from '../../packages/server/src/dev-stack/simulator.ts'
import { makeSecrets, type Operator, openOperator } from '../../packages/server/src/operate/operator.ts'
import { ask } from '../../packages/server/src/testing/malipo.ts'
import { startNatsAt } from '../support/cluster/own-servers.ts'
import {
  controlOf,
  type FaultRequest,
  type SimulatorControl,
  simulatorToken,
} from '../support/cluster/simulator-control.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { createSeats, type Seat, type Seats } from './seats.ts'
import { mountVolume, type Volume } from './volume.ts'

/** Where the network can fail. A side of the cell is one api and one worker. */
export const places = ['database-1', 'database-2', 'nats', 'providers', 'callbacks'] as const
export type Place = (typeof places)[number]

/** The whole stack. Each part is a process that can be killed, paused and restarted, with a faulty network between them. */
export interface Site {
  readonly folder: string
  /** Runs operator work on its own connection. */
  operate<Value>(work: (operator: Operator) => Promise<Value>): Promise<Value>
  readonly seats: Seats
  readonly volume: Volume | string
  readonly proxies: Readonly<Record<Place, FaultProxy>>
  readonly postgres: Part
  readonly nats: Part & { wipe(): void }
  readonly simulator: Provider
  simulatorControl(): SimulatorControl
  ask<Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>
  /** Lines that the service logged as errors, with counts. */
  complaints(): Readonly<Record<string, number>>
  stop(): Promise<void>
}

/** A server that can be down. */
export interface Part {
  pid(): number
  kill(): Promise<void>
  /** Starts it on its stored data, if it is not running. */
  revive(): Promise<void>
}

/** The providers. Steady faults survive a restart. */
interface Provider extends Part {
  /** Sets faults that last until `recover`. */
  disturb(faults: readonly FaultRequest[]): Promise<void>
  /** Ends every fault. Returns how often each steady kind struck. */
  recover(): Promise<Readonly<Record<string, number>>>
}

const slowMs = 120
const database = 'malipo'
const run = promisify(execFile)

interface SiteOptions {
  readonly isKept: boolean
  readonly seed: number
}

export async function startSite({ isKept, seed }: SiteOptions): Promise<Site> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-chaos-')))
  const guard = guardFolder(folder, { isKept })
  const password = randomBytes(24).toString('hex')
  const volume = await mountVolume(folder)
  const postgres = await startDatabase(folder, volume, password)
  const nats = await startNats(folder)
  const seats: Seat[] = []
  const proxies = await startProxies({ postgres, nats, seats, simulatorPort: () => simulator.port() })
  const simulator = await startSimulator(folder, proxies.callbacks.port, seed)
  const secrets = makeSecrets(new Date())
  const direct = () => postgres.urlOf({ name: 'postgres', password: postgres.password })
  const env = {
    ...secrets,
    ...settings,
    NATS_URL: `nats://127.0.0.1:${proxies.nats.port}`,
    MALIPO_SIMULATOR_URL: `http://127.0.0.1:${proxies.providers.port}`,
    MALIPO_SEALS_PATH: join(folder, 'seals'),
    PATH: programs,
  }
  const databaseUrl = (side: 1 | 2) =>
    `postgres://${login}:${password}@127.0.0.1:${proxies[`database-${side}`].port}/${database}`
  const crew = await createSeats(folder, seats, (side) => ({ ...env, DATABASE_URL: databaseUrl(side) }))
  return {
    folder,
    operate: async (work) => {
      const operator = openOperator(
        { ...env, NATS_URL: `nats://127.0.0.1:${nats.port}`, DATABASE_URL: direct() },
        'chaos',
      )
      return work(operator).finally(() => operator.close())
    },
    seats: crew,
    volume,
    proxies,
    postgres,
    nats,
    simulator,
    simulatorControl: () => simulator.simulatorControl(),
    ask: (text, values) => ask(direct(), text, values),
    complaints: () => complaintsIn(folder),
    stop: async () => {
      await crew.stop()
      for (const proxy of Object.values(proxies)) await proxy.close()
      for (const part of [simulator, nats, postgres]) await part.kill()
      if (typeof volume !== 'string') await volume.remove()
      await guard.dismiss()
    },
  }
}

const programs = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const settings = {
  MALIPO_SIMULATOR_TOKEN: simulatorToken,
  MALIPO_PUBLIC_URL: 'http://127.0.0.1:8080',
  MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
  MALIPO_RATE_LIMIT_SANDBOX: '1000000',
  MALIPO_RATE_LIMIT_ADDRESS: '1000000',
  MALIPO_CARD_TRIES_SANDBOX: '1000000',
  MALIPO_DRAIN_SECONDS: '0',
  NODE_COMPILE_CACHE: join(tmpdir(), 'malipo-compiled'), // Processes start in a third of the time.
}

type Database = Part & {
  readonly password: string
  port(): number
  urlOf(user: { name: string; password: string }): string
}

/** Its data is moved to the volume, if there is one, after initialisation. */
async function startDatabase(folder: string, volume: Volume | string, password: string): Promise<Database> {
  let server: Postgres | undefined = await startPostgres(folder)
  await createDatabase(server, database, password)
  await server.run('postgres', `alter system set max_wal_size = '256MB'`)
  await server.stop()
  if (typeof volume !== 'string') {
    const [plain, moved] = [join(folder, 'postgres'), join(volume.path, 'postgres')]
    await run('cp', ['-a', plain, moved])
    await run('sync', ['-f', volume.path]) // A power cut must not take what the server believes is safe.
    renameSync(plain, `${plain}.first`)
    rmSync(`${plain}.first`, { recursive: true })
    symlinkSync(moved, plain)
  }
  server = await startPostgres(folder)
  const portOf = (found: Postgres) => Number(new URL(found.urlOf(database)).port)
  let port = portOf(server)
  return {
    password: readFileSync(join(folder, 'postgres.password'), 'utf8'),
    port: () => port,
    pid: () => server?.pid ?? 0,
    urlOf: (user) => `postgres://${user.name}:${user.password}@127.0.0.1:${port}/${database}`,
    kill: async () => {
      await server?.stop('SIGKILL')
      server = undefined
    },
    revive: async () => {
      if (server && isAlive(server.pid)) return
      server = await insist(() => startPostgres(folder))
      port = portOf(server)
    },
  }
}

/** Backends of the killed server may hold its memory for a moment. */
async function insist<Value>(start: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start()
    } catch (error) {
      if (tries === 20) throw error
    }
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return pid > 0
  } catch {
    return false
  }
}

async function startNats(folder: string): Promise<Part & { readonly port: number; wipe(): void }> {
  const port = await freePort()
  let server: Service | undefined = await startNatsAt(folder, port)
  return {
    port,
    pid: () => server?.pid ?? 0,
    kill: async () => {
      await server?.stop('SIGKILL')
      server = undefined
    },
    revive: async () => {
      server ??= await startNatsAt(folder, port)
    },
    wipe: () => rmSync(join(folder, 'nats'), { recursive: true, force: true }),
  }
}

async function startSimulator(folder: string, callbackPort: number, seed: number) {
  const begin = () =>
    startSimulatorIn(folder, {
      ...simulatorAccess(simulatorToken),
      ...publicHost,
      SIMULATOR_CALLBACK_BASE: `http://127.0.0.1:${callbackPort}/callbacks/sandbox`,
      SIMULATOR_JOURNAL: join(folder, 'simulator.journal'),
      SIMULATOR_SETTLE_MS: '100-900',
      SIMULATOR_SEED: String(seed),
    })
  let last: SimulatorService = await begin()
  let isUp = true
  let steady: readonly FaultRequest[] = []
  const counts: Record<string, number> = {}
  const simulatorControl = () => controlOf(last, folder)
  const arm = async () => {
    for (const fault of steady) await simulatorControl().fault(fault)
  }
  const count = async () => {
    const kinds = new Set(steady.map(({ mode }) => mode))
    for (const { mode, struck } of await simulatorControl().faults())
      if (kinds.has(mode)) counts[mode] = (counts[mode] ?? 0) + struck
  }
  return {
    port: () => Number(new URL(last.url).port),
    pid: () => last.pid,
    simulatorControl,
    disturb: async (faults: readonly FaultRequest[]) => {
      steady = faults
      await arm()
    },
    recover: async () => {
      await count()
      steady = []
      await simulatorControl().clearFaults()
      return counts
    },
    kill: async () => {
      if (isUp && steady.length > 0) await count()
      isUp = false
      await last.stop('SIGKILL')
    },
    revive: async () => {
      if (isUp) return
      last = await begin()
      isUp = true
      await arm()
    },
  }
}

interface Ends {
  readonly postgres: { port(): number }
  readonly nats: { readonly port: number }
  readonly seats: readonly Seat[]
  readonly simulatorPort: () => number
}

/** Callbacks go to any healthy api, as through a load balancer. */
async function startProxies({ postgres, nats, seats, simulatorPort }: Ends): Promise<Record<Place, FaultProxy>> {
  let turn = 0
  const anyApi = () => {
    turn += 1
    const apis = seats.filter(({ role }) => role === 'api')
    const healthy = apis.filter(({ isReady }) => isReady)
    const [from, count] = healthy.length > 0 ? [healthy, healthy.length] : [apis, apis.length]
    return from[turn % count]?.port ?? 0
  }
  return {
    'database-1': await startFaultProxy(() => postgres.port(), slowMs),
    'database-2': await startFaultProxy(() => postgres.port(), slowMs),
    nats: await startFaultProxy(() => nats.port, slowMs),
    providers: await startFaultProxy(simulatorPort, slowMs),
    callbacks: await startFaultProxy(anyApi, slowMs),
  }
}

function complaintsIn(folder: string): Record<string, number> {
  const logs = readdirSync(folder).filter((name) => /^(api|worker).*\.log$/.test(name))
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  const errors = lines.filter((line) => /"level":(50|60|"error"|"fatal")/.test(line)).map(wordsOf)
  return Object.fromEntries([...Map.groupBy(errors, String)].map(([words, all]) => [words, all.length]))
}

function wordsOf(line: string): string {
  const { msg = '', err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
  return [msg, err?.message].filter((word) => word).join(': ')
}
