import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Operator } from '../operate/operator.ts'
import { endThePast, startInThePast } from './clock.ts'
import { startNatsIfThere } from './nats.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { freePort, guardFolder, makeFolder, type Service, startService } from './processes.ts'
import { simulatorAccess, startSimulatorIn } from './simulator.ts'

type Variables = Readonly<Record<string, string>>

export interface Stack {
  /** The address of its api. */
  readonly url: string
  /** The variables that a program needs to use the stack; see the README. */
  readonly exports: Variables
  /** Anything unusual, one line each. */
  readonly notes: readonly string[]
  stop(): Promise<void>
}

/** What a kept stack must store between starts, since the database does not reveal it. */
interface Memory {
  readonly loginPassword: string
  readonly secrets: Variables
  readonly keys: Variables
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const database = 'malipo'
/** The order in which a stack stops: a process before what it uses. */
const stopOrder = ['worker', 'api', 'simulator', 'nats', 'postgres']

export interface StackOptions {
  readonly isKept: boolean
  /** Adds sign-in links and the handset: see `MALIPO_DEVELOPMENT`. */
  readonly isDevelopment?: boolean
  readonly port?: number
  /** The address on which the api listens; the loopback address unless set. */
  readonly host?: string
  /** The number of its cell; 0 unless set. */
  readonly cell?: number
  /** The URL of a router in front of it, which providers call back. */
  readonly router?: string
  /** Public keys of the other cells behind that router. */
  readonly otherTokenKeys?: string
  /** A new stack starts this many days ago, until its clock is released: see `clock.ts`. */
  readonly daysAgo?: number
  /** The host name of the pages for people; passkeys work with a name only, not with an address. */
  readonly publicHost?: string
  /** Called with what the stack does next, for a person who waits. */
  readonly onStep?: (step: string) => void
}

/** The whole service on loopback ports: PostgreSQL, NATS, every role as a separate process, and the first merchants. */
export async function startStack(folder: string, options: StackOptions): Promise<Stack> {
  const { isKept, isDevelopment = false, port, publicHost = '127.0.0.1', cell = 0, onStep } = options
  const { router, otherTokenKeys } = options
  makeFolder(folder)
  const guard = guardFolder(folder, { isKept })
  const running: Service[] = []
  const started = async <Kind extends Service | undefined>(starting: Promise<Kind>): Promise<Kind> => {
    const service = await starting
    if (service) running.push(service)
    return service
  }
  const stop = async () => {
    for (const service of running.toSorted((one, other) => stopOrder.indexOf(one.name) - stopOrder.indexOf(other.name)))
      await service.stop()
    await guard.dismiss()
  }
  try {
    onStep?.('starting PostgreSQL, NATS and the provider simulator')
    const apiPort = port ?? (await freePort())
    const url = `http://127.0.0.1:${apiPort}`
    const publicUrl = router ?? `http://${publicHost}:${apiPort}`
    const [postgres, nats, simulator] = await together(
      started(startPostgres(folder)),
      started(startNatsIfThere(folder)),
      started(startSimulatorIn(folder, simulatorSettings(folder, router ?? url, publicUrl))),
      loadServer(), // While the others start: its modules take longer to load than PostgreSQL takes to start.
    )
    const place = { DATABASE_URL: postgres.urlOf(database), NATS_URL: nats?.url ?? '', MALIPO_CELL: String(cell) }
    onStep?.('migrating the database')
    const memory = await prepare(folder, postgres, place, options.daysAgo ?? 0)
    const env = {
      ...place,
      ...memory.secrets,
      ...processSettings,
      ...(router !== undefined && { MALIPO_TRUSTED_PROXIES: '127.0.0.1' }),
      ...(otherTokenKeys !== undefined && { MALIPO_OTHER_TOKEN_KEYS: otherTokenKeys }),
      MALIPO_SIMULATOR_URL: simulator.url,
      MALIPO_PUBLIC_URL: publicUrl,
      MALIPO_SEALS_PATH: join(folder, 'seals'),
      MALIPO_DEVELOPMENT: isDevelopment ? 'on' : 'off',
    }
    const { login } = await loadServer()
    const loginUrl = postgres.urlOf(database, { name: login, password: memory.loginPassword })
    const startRole = async (role: string, rolePort: number, host = '127.0.0.1') => {
      const own = { DATABASE_URL: loginUrl, MALIPO_PORT: String(rolePort), MALIPO_HOST: host }
      return started(startRoleProcess(folder, role, { ...env, ...own }))
    }
    onStep?.('starting api and worker')
    await together(startRole('api', apiPort, options.host), startRole('worker', await freePort()))
    return {
      url,
      exports: {
        ...place,
        MALIPO_URL: url,
        ...memory.secrets,
        ...memory.keys,
        MALIPO_PUBLIC_URL: publicUrl,
        MALIPO_SEALS_PATH: env.MALIPO_SEALS_PATH,
        MALIPO_METRICS_TOKEN: env.MALIPO_METRICS_TOKEN,
        MALIPO_SIMULATOR_URL: env.MALIPO_SIMULATOR_URL,
        MALIPO_SIMULATOR_TOKEN: env.MALIPO_SIMULATOR_TOKEN,
      },
      notes: nats ? [] : [withoutNats],
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** All results, or the first failure once the others have ended: what has started by then can be stopped. */
async function together<Results extends readonly Promise<unknown>[]>(
  ...work: Results
): Promise<{ -readonly [Key in keyof Results]: Awaited<Results[Key]> }> {
  await Promise.allSettled(work)
  return (await Promise.all(work)) as { -readonly [Key in keyof Results]: Awaited<Results[Key]> }
}

const loadServer = async () => ({
  ...(await import('../operate/operator.ts')),
  ...(await import('../people/roles.ts')),
  ...(await import('./database.ts')),
})

const withoutNats =
  'nats-server is not installed: processes poll for work, a quarter of a second later. Nothing else changes.'

/** Limits are high, because a stack has one user; draining is short, because it has no load balancer. */
const processSettings = {
  MALIPO_METRICS_TOKEN: 'metrics-of-a-local-stack',
  MALIPO_SIMULATOR_TOKEN: 'simulator-of-a-local-stack',
  MALIPO_WEBHOOK_RANGES: '127.0.0.0/8,::1/128',
  MALIPO_RATE_LIMIT_LIVE: '100000',
  MALIPO_RATE_LIMIT_SANDBOX: '100000',
  MALIPO_RATE_LIMIT_ADDRESS: '100000',
  MALIPO_CARD_TRIES_SANDBOX: '1000000',
  MALIPO_DRAIN_SECONDS: '0',
}

/** The simulator acts as every provider, knows the service by one token, and keeps its state across restarts. */
function simulatorSettings(folder: string, url: string, publicUrl: string): Variables {
  const token = processSettings.MALIPO_SIMULATOR_TOKEN
  return {
    SIMULATOR_CALLBACK_BASE: `${url}/callbacks/sandbox`,
    SIMULATOR_CALLBACK_HOST: new URL(publicUrl).host,
    ...simulatorAccess(token),
    SIMULATOR_JOURNAL: join(folder, 'simulator.journal'),
  }
}

async function prepare(folder: string, postgres: Postgres, place: Variables, daysAgo: number): Promise<Memory> {
  const path = join(folder, 'memory.json')
  const { makeSecrets, openOperator, createDatabase } = await loadServer()
  const loginPassword = randomBytes(24).toString('hex')
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Memory) : undefined
  const secrets = known?.secrets ?? makeSecrets(new Date())
  if (known) await endThePast(postgres.urlOf(database))
  else await createDatabase(postgres, database, loginPassword, Number(place['MALIPO_CELL']))
  if (!known && daysAgo > 0) await startInThePast(postgres.urlOf(database), daysAgo)
  const operator = openOperator({ ...secrets, ...place }, 'stack')
  try {
    await operator.database.migrate()
    if (known?.keys[operatorKey]) return known
    const keys = known?.keys ?? (await createMerchants(operator))
    const memory = { loginPassword, secrets, ...known, keys: { ...keys, ...(await createMachine(operator)) } }
    writeFileSync(path, JSON.stringify(memory), { mode: 0o600 })
    return memory
  } finally {
    await operator.close()
  }
}

const operatorKey = 'MALIPO_OPERATOR_PUBLIC_KEY'

/** Operator commands act as this machine, which may propose everything. Live money still needs a person who approves. */
async function createMachine(operator: Operator): Promise<Variables> {
  const { operatorPermissions } = await loadServer()
  const name = `npm run dev ${new Date().toISOString()}` // A start that is interrupted here leaves its machine behind.
  const { publicKey, apiKey } = await operator.machines.create({ name, permissions: Object.keys(operatorPermissions) })
  return { [operatorKey]: publicKey, MALIPO_OPERATOR_API_KEY: apiKey }
}

async function createMerchants(operator: Operator): Promise<Variables> {
  const [first, second] = [
    await createMerchant(operator, { name: 'Duka Moja', firstName: 'Amina', lastName: 'Otieno' }),
    await createMerchant(operator, { name: 'Duka Mbili', firstName: 'Baraka', lastName: 'Mushi' }),
  ]
  return {
    MALIPO_PUBLIC_KEY: first.sandbox.publicKey,
    MALIPO_API_KEY: first.sandbox.apiKey,
    MALIPO_PUBLIC_KEY_2: second.sandbox.publicKey,
    MALIPO_API_KEY_2: second.sandbox.apiKey,
    MALIPO_PUBLIC_KEY_LIVE: first.live.publicKey,
    MALIPO_API_KEY_LIVE: first.live.apiKey,
  }
}

async function createMerchant(operator: Operator, who: { name: string; firstName: string; lastName: string }) {
  const email = `${who.firstName.toLowerCase()}@example.com`
  const { id } = await operator.merchants.create({ ...who, email, country: 'KE' })
  return {
    sandbox: await operator.keys.create(id, { env: 'sandbox' }),
    live: await operator.keys.create(id, { env: 'live' }),
  }
}

function startRoleProcess(folder: string, role: string, env: Variables): Promise<Service> {
  const isReady = () =>
    fetch(`http://127.0.0.1:${env['MALIPO_PORT']}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  return startService({ name: role, command: process.execPath, args: [main, role], env, folder, isReady })
}
