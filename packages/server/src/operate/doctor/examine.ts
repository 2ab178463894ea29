import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { Variables } from '../../config/setting-sources.ts'
import { type Config, readConfig } from '../../config.ts'
import { DatabaseMoved, DatabaseOfAnotherCell } from '../../platform/connections.ts'
import { openDatabase } from '../../platform/db.ts'
import { readServerFacts } from '../../platform/server-facts.ts'
import { openConnectors } from '../../providers/registry.ts'
import { loadReferenceData } from '../../reference/data.ts'
import { type Finding, failed, ok, reasonOf } from './checks.ts'
import { contentFindings } from './contents.ts'
import { natsFindings } from './nats.ts'
import { serverFindings } from './server.ts'
import { settingFindings } from './settings.ts'

const responseMs = 5000
const gibibyte = 1024 ** 3

/** Checks everything that an installation needs, with the settings of its processes. Changes nothing. */
export async function examine(variables: Variables): Promise<Finding[]> {
  const reading = readConfig(variables)
  const { config, problems } = reading
  if (!config) return [failed('settings', problems.join('; '))]
  const live = await findLive(config)
  if (live.problem !== undefined)
    return [failed('settings', live.problem, { remedy: 'correct it, or install the files of this release again' })]
  const isNatsSet = reading.found.get('natsUrl')?.source !== 'default'
  const checks = [
    database(config, live.isLive),
    natsFindings(config, isNatsSet),
    port(config),
    simulator(config),
    disk(config),
  ]
  const settings = [ok('settings', 'all valid'), ...settingFindings(config, reading, variables)]
  return [...settings, ...(await Promise.all(checks)).flat()]
}

/** Whether a live provider is configured, or why no process can open its providers. */
async function findLive(config: Config): Promise<{ readonly isLive: boolean; readonly problem?: string }> {
  try {
    const connectors = openConnectors(config, loadReferenceData(), undefined)
    await connectors.close()
    return { isLive: connectors.live.size > 0 }
  } catch (error) {
    return { isLive: false, problem: (error as Error).message }
  }
}

/** Where processes could not work, only the reason is reported, not what follows from it. */
async function database(config: Config, isLive: boolean): Promise<Finding[]> {
  const { hostname, port: given, pathname } = new URL(config.databaseUrl.reveal())
  const where = `${hostname || 'localhost'}:${given || '5432'}${pathname}`
  const reading = await readServerFacts(config.databaseUrl).catch((error: Error) => error)
  if (reading instanceof Error) return [failed('database', `does not respond at ${where}: ${reasonOf(reading)}`)]
  const { facts, isPooled } = reading
  if (facts.is_in_recovery) return [failed('primary', `${where} is a standby, or in recovery`)]
  if (facts.is_read_only) return [failed('primary', `${where} is read-only`)]
  const server = serverFindings(reading, config, where)
  if (isPooled) return [...server, failed('pooler', `${where} is a pooler that changes sessions between transactions`)]
  const contents = await contentsOf(config, isLive).catch((error: Error) => error)
  if (contents instanceof Error) return [contentFailure(contents, where)]
  return [...server, ok('primary', 'takes writes'), ok('pooler', 'none, or one session per connection'), ...contents]
}

function contentFailure(error: Error, where: string): Finding {
  if (error instanceof DatabaseOfAnotherCell) return failed('cell', error.message)
  if (error instanceof DatabaseMoved) return failed('database', error.message, { remedy: 'run malipo migrate' })
  return failed('database', `responds at ${where}, and a check of its contents failed: ${reasonOf(error)}`)
}

async function contentsOf(config: Config, isLive: boolean): Promise<Finding[]> {
  const db = openDatabase({
    url: config.databaseUrl,
    cell: config.cell,
    connectionsMax: 1,
    statementTimeoutMs: responseMs,
    onError: () => undefined,
  })
  try {
    return await contentFindings(db.write, config, isLive)
  } finally {
    await db.close()
  }
}

async function port({ host, port: number }: Config): Promise<Finding> {
  const where = `${host}:${number}`
  if (number === 0 || (await isFree(host, number))) return ok('port', `${where} is free`)
  const isMalipo = await responds(`http://${host.includes(':') ? `[${host}]` : host}:${number}/health/live`)
  if (isMalipo) return ok('port', `Malipo listens at ${where}`)
  return failed('port', `${where} is used by another program, or is not an address of this machine`)
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
  return [failed('simulator', `does not respond at ${simulatorUrl}`)]
}

/** Checks the disk of the seals file, or of the working directory without one. */
async function disk({ sealsPath }: Config): Promise<Finding> {
  const folder = resolve(sealsPath === undefined ? '.' : dirname(sealsPath))
  try {
    const { bavail, bsize } = await statfs(folder)
    const free = (bavail * bsize) / gibibyte
    const message = `${free.toFixed(free < 10 ? 1 : 0)} GiB free at ${folder}`
    return free >= 1 ? ok('disk', message) : failed('disk', message)
  } catch (error) {
    return failed('disk', `${folder} cannot be read: ${(error as Error).message}`)
  }
}
