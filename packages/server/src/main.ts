import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError, loadConfig } from './config.ts'
import { type Context, openContext } from './context.ts'
import { developmentProblem } from './http/development.ts'
import { createApiServer, createWorkerServer } from './http/server.ts'
import { liveFeesProblem } from './ledger/fee-table.ts'
import { windowProblems } from './payments/resolve/timing.ts'
import { DatabaseOfAnotherCell } from './platform/connections.ts'
import { sql } from './platform/db.ts'
import { exportTraces } from './platform/trace-export.ts'
import { findUrlFlaws } from './providers/url-check.ts'
import { DataError } from './reference/table.ts'
import { startPartitionKeeper } from './workers/partition-keeper.ts'
import { startWorker } from './workers/worker.ts'

/** Connections that are still sending or reading after this are closed. */
const closeMs = 10_000

/** Connections that may queue while the process is busy. The kernel drops any more, and its own limit applies too. */
const backlog = 4096

const roles = ['api', 'worker', 'all'] as const
type Role = (typeof roles)[number]

const role = roles.find((word) => word === process.argv[2])
if (role) await start(role)
else refuseToStart(`usage: node packages/server/src/main.ts ${roles.join('|')}`)

/** Runs a role until a signal stops it. It stops in order: report not ready, wait, finish work under way, close. */
async function start(role: Role): Promise<void> {
  const ctx = tryOpenContext(role)
  if (!ctx) return
  const problem = await startProblem(ctx)
  if (problem !== undefined) {
    refuseToStart(problem)
    return ctx.close()
  }
  const { config } = ctx
  const traces = await startTraces(ctx)
  const watches = [
    startPartitionKeeper(ctx),
    ctx.health.watch(),
    ...(role === 'worker' ? [] : [ctx.revocations.watch(), ctx.failedExchanges.watch(), ctx.requestLog.watch()]),
    ...(role === 'api' ? [] : startWorker(ctx)),
  ]
  const { app, health } = role === 'worker' ? createWorkerServer(ctx) : createApiServer(ctx)
  await app.listen({ host: config.host, port: config.port, backlog })
  ctx.log.info({ address: app.server.address() }, 'started')

  const signal = await nextSignal()
  ctx.log.info({ signal, drainSeconds: config.drainSeconds }, 'stopping')
  health.drain()
  await pause(config.drainSeconds * 1000)
  const patience = setTimeout(() => app.server.closeAllConnections(), closeMs)
  await app.close()
  clearTimeout(patience)
  await Promise.all(watches.map((watch) => watch.stop()))
  await traces?.close()
  await ctx.close()
  ctx.log.info('stopped')
  process.exit() // A connection that a hung server never closes must not keep the process alive.
}

/** Before the first request and the first claim. Without a receiver the SDK is not loaded. */
async function startTraces({ config, identity, log, metrics }: Context) {
  const { traceUrl: url, traceHeaders: headers, traceShare: share } = config
  if (url === undefined) return undefined
  return exportTraces({ url, headers, share, identity, log, onDropped: (count) => metrics.spansDropped.inc(count) })
}

/** Undefined, with the reason on standard error, when the configuration or the data is invalid. */
function tryOpenContext(role: Role) {
  try {
    return openContext(loadConfig(process.env), { role })
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof DataError)) throw error
    refuseToStart(error.message)
    return undefined
  }
}

/** Why the process must not start although the configuration is valid. */
async function startProblem(ctx: Context): Promise<string | undefined> {
  const exposed = developmentProblem(ctx)
  if (exposed !== undefined) return exposed
  const unsafe = windowProblems(ctx.connectors)
  if (unsafe.length > 0) return unsafe.join('\n')
  const flaws = await findUrlFlaws(ctx.connectors.live.values())
  if (flaws.length > 0) return flaws.join('\n')
  return databaseProblem(ctx)
}

/** A database that does not respond yet does not stop the start: the process reports that it is not ready, and why. */
async function databaseProblem({ db, connectors, log }: Context): Promise<string | undefined> {
  try {
    await db.write.query(sql`select`)
    const problem = connectors.live.size > 0 ? await liveFeesProblem(db.write) : undefined
    return problem === undefined ? undefined : `Live providers are configured, but ${problem}`
  } catch (err) {
    if (err instanceof DatabaseOfAnotherCell) return err.message
    log.warn({ err }, 'cell and live fees not checked: the database did not respond')
    return undefined
  }
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(signal))
  })
}

function refuseToStart(reason: string): void {
  process.stderr.write(`${reason}\n`)
  process.exitCode = 2
}
