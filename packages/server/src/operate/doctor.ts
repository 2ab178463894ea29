import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { type Config, ConfigError, loadConfig } from '../config.ts'
import { liveFeesProblem } from '../ledger/fee-table.ts'
import { skewMs } from '../platform/clock.ts'
import { DatabaseMoved, DatabaseOfAnotherCell } from '../platform/connections.ts'
import { type Db, openDatabase, sql } from '../platform/db.ts'
import { pendingMigrations } from '../platform/migrate.ts'
import { connectNats, parseNatsServers } from '../platform/nats.ts'
import { partitionsLeft, shortage } from '../platform/partitions.ts'
import { createVault } from '../platform/seal.ts'
import { missingKeys } from '../platform/secret-keys.ts'
import { openConnectors } from '../providers/registry.ts'
import { loadReferenceData } from '../reference/data.ts'

/** A check and its result. `poor` is worth knowing and does not stop the service. */
export interface Finding {
  readonly what: string
  readonly health: 'ok' | 'poor' | 'bad'
  readonly message: string
  /** What to do about it; empty when nothing is needed. */
  readonly remedy: string
}

const responseMs = 5000
const skewMaxMs = 2000
const versionMin = 150_000
const gibibyte = 1024 ** 3

/** Checks everything that an installation needs, with the settings of its processes. Changes nothing. */
export async function examine(variables: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const { config, finding } = settingsFinding(variables)
  if (!config) return [finding]
  const checks = [database(config), nats(config, variables), port(config), simulator(config), disk(config)]
  return [finding, ...(await Promise.all(checks)).flat()]
}

const ok = (what: string, message: string): Finding => ({ what, health: 'ok', message, remedy: '' })
const bad = (what: string, message: string, remedy: string): Finding => ({ what, health: 'bad', message, remedy })
const poor = (what: string, message: string, remedy: string): Finding => ({ what, health: 'poor', message, remedy })

function settingsFinding(variables: Readonly<Record<string, string | undefined>>) {
  try {
    return { config: loadConfig(variables), finding: ok('settings', 'all valid') }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.message.split('\n').slice(1).join(';').trim()
    const remedy =
      'set them in the environment; docs/reference/config.md describes each, malipo secrets generates the keys'
    return { config: undefined, finding: bad('settings', problems, remedy) }
  }
}

async function database(config: Config): Promise<Finding[]> {
  const { databaseUrl } = config
  const { hostname, port: given, pathname } = new URL(databaseUrl.reveal())
  const where = `${hostname || 'localhost'}:${given || '5432'}${pathname}`
  const db = openDatabase({
    url: databaseUrl,
    cell: config.cell,
    connectionsMax: 1,
    statementTimeoutMs: responseMs,
    onError: () => undefined,
  })
  try {
    const [row] = await db.write.query<{ number: string; name: string }>(
      sql`select current_setting('server_version_num') as number, current_setting('server_version') as name`,
    )
    const { number = '0', name = '' } = row ?? {}
    const version =
      Number(number) >= versionMin
        ? ok('database', `PostgreSQL ${name} responds at ${where}`)
        : bad('database', `PostgreSQL ${name} is too old`, 'use PostgreSQL 15 or later')
    return [
      version,
      ...(await schema(db.write)),
      ...(await secretKeys(db.write, config)),
      ...(await liveFees(db.write, config)),
    ]
  } catch (error) {
    if (error instanceof DatabaseOfAnotherCell)
      return [bad('cell', error.message, 'compare DATABASE_URL and MALIPO_CELL with those of the other processes')]
    if (error instanceof DatabaseMoved) return [bad('database', error.message, 'run malipo migrate')]
    const { message, code } = error as Error & { code?: string }
    const remedy =
      'check that it runs, and compare DATABASE_URL and the rights of its login with docs/operating/install.md'
    return [bad('database', `does not respond at ${where}: ${message || code}`, remedy)]
  } finally {
    await db.close()
  }
}

/** A database older than this code cannot run the other checks. */
async function schema(db: Db): Promise<Finding[]> {
  const pending = await pendingMigrations(db).catch(() => undefined)
  if (pending === undefined) return [bad('migrations', 'none applied', 'run malipo migrate')]
  if (pending.length > 0) return [bad('migrations', `not applied: ${pending.join(', ')}`, 'run malipo migrate')]
  const [skew, left] = [await skewMs(db), await partitionsLeft(db)]
  const clock =
    Math.abs(skew) <= skewMaxMs
      ? ok('clock', `${Math.abs(skew)} ms off the database clock`)
      : bad('clock', `${Math.abs(skew)} ms off the database clock`, 'use the same time server on both machines')
  const short = shortage(left)
  const partitions =
    short === undefined
      ? ok('partitions', `${left.hours} hours and ${left.fewestMonths} months ahead`)
      : bad('partitions', short, 'start an api or a worker, which attaches them')
  return [ok('migrations', 'all applied'), clock, partitions]
}

/** A database without the table is reported as not migrated. */
async function secretKeys(db: Db, { secretKeys: keys }: Config): Promise<Finding[]> {
  const what = 'secret keys'
  try {
    const missing = await missingKeys(db, createVault(keys))
    if (missing !== undefined)
      return [bad(what, missing, 'add them to MALIPO_SECRET_KEYS, run malipo secrets reseal, then remove them')]
  } catch {
    return []
  }
  const remedy = 'once every process runs this release, write name:v2:… in MALIPO_SECRET_KEYS'
  if (keys[0].version === 1) return [poor(what, `${keys[0].id} encrypts every value with one data key`, remedy)]
  return [ok(what, `${keys[0].id} encrypts new values; all keys in use are configured`)]
}

/** Only for live money. A database without the table is reported as not migrated. */
async function liveFees(db: Db, config: Config): Promise<Finding[]> {
  const connectors = openConnectors(config, loadReferenceData(), undefined)
  const isLive = connectors.live.size > 0
  await connectors.close()
  if (!isLive) return []
  try {
    const problem = await liveFeesProblem(db)
    return [
      problem === undefined
        ? ok('live fees', 'set')
        : bad('live fees', problem, 'set them; no live process starts without them'),
    ]
  } catch {
    return []
  }
}

/** Every guarantee holds without NATS, so an unreachable one is bad only where it is configured. */
async function nats(config: Config, variables: Readonly<Record<string, string | undefined>>): Promise<Finding> {
  if (config.natsUrl === undefined) return ok('NATS', 'not configured: processes poll for work')
  const url = config.natsUrl.reveal()
  const hosts = parseNatsServers(url).servers.map(({ host }) => host)
  try {
    const connection = await connectNats(url, config)
    await connection.close()
    return ok('NATS', `responds at ${hosts.join(' or ')}`)
  } catch {
    const isSet = variables['NATS_URL'] ?? variables['NATS_URL_FILE']
    const remedy = 'start it, or correct NATS_URL; without it processes poll for work'
    return (isSet ? bad : poor)('NATS', `does not respond at ${hosts.join(' or ')}`, remedy)
  }
}

async function port({ host, port: number }: Config): Promise<Finding> {
  const where = `${host}:${number}`
  if (number === 0 || (await isFree(host, number))) return ok('port', `${where} is free`)
  const isMalipo = await responds(`http://${host.includes(':') ? `[${host}]` : host}:${number}/health/live`)
  if (isMalipo) return ok('port', `Malipo listens at ${where}`)
  return bad(
    'port',
    `${where} is used by another program, or is not an address of this machine`,
    'change MALIPO_PORT or MALIPO_HOST',
  )
}

function isFree(host: string, number: number): Promise<boolean> {
  const { promise, resolve: settle } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.on('error', () => settle(false))
  server.listen(number, host, () => server.close(() => settle(true)))
  return promise
}

const responds = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(responseMs) }).then(
    ({ status }) => status < 500,
    () => false,
  )

async function simulator({ simulatorUrl }: Config): Promise<Finding[]> {
  if (simulatorUrl === undefined) return []
  const isThere = await responds(simulatorUrl)
  if (isThere) return [ok('simulator', `responds at ${simulatorUrl}`)]
  const remedy = 'start it, or set MALIPO_SIMULATOR_URL to empty; without it no sandbox payment is processed'
  return [bad('simulator', `does not respond at ${simulatorUrl}`, remedy)]
}

/** Checks the disk of the seals file, or of the working directory without one. */
async function disk({ sealsPath }: Config): Promise<Finding> {
  const folder = resolve(sealsPath === undefined ? '.' : dirname(sealsPath))
  try {
    const { bavail, bsize } = await statfs(folder)
    const free = (bavail * bsize) / gibibyte
    const message = `${free.toFixed(free < 10 ? 1 : 0)} GiB free at ${folder}`
    return free >= 1 ? ok('disk', message) : bad('disk', message, 'free up space: at least 1 GiB is needed')
  } catch (error) {
    return bad(
      'disk',
      `${folder} cannot be read: ${(error as Error).message}`,
      'create the folder of MALIPO_SEALS_PATH',
    )
  }
}
