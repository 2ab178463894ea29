import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLog } from '../../../packages/server/src/platform/log.ts'
import { openWakeups } from '../../../packages/server/src/platform/wakeups.ts'
import type { ApiResponse } from '../../../packages/server/src/testing/malipo.ts'
import { payoutBody } from '../load/payments.ts'
import { type Cell, type CellMerchant, openCell, type Role } from './cell.ts'
import { type OwnServers, startOwnServers } from './own-servers.ts'
import { type Prometheus, type RuleDurations, startPrometheus } from './prometheus.ts'
import { openRunbook } from './runbook.ts'
import { type SimulatorControl, simulatorToken, startControlledSimulator } from './simulator-control.ts'

/** A cell of real processes, watched by a Prometheus with the rules that operators use. */
export interface WatchedCell {
  readonly servers: OwnServers
  readonly cell: Cell
  readonly simulator: SimulatorControl
  readonly api: Role
  readonly worker: Role
  readonly prometheus: Prometheus
  readonly sandbox: CellMerchant
  readonly live: CellMerchant
  payOut(over?: Record<string, unknown>, merchant?: CellMerchant): Promise<ApiResponse>
  /** Waits until all of these alerts fire. Meanwhile the worker reads the state of the cell, and polls these topics, often. */
  fires(names: readonly string[], ...topics: string[]): Promise<void>
  ends(names: readonly string[], ...topics: string[]): Promise<void>
  /** Scrapes the api, the worker and these. */
  scrapes(...urls: string[]): void
  /** Runs the commands of an alert, as its runbook has them, and returns their output. */
  follow(page: string, alert: string, variables?: Readonly<Record<string, string>>): Promise<string>
  /** The same as the merchant of the sandbox, with its keys. */
  followAsMerchant(page: string, alert: string, variables?: Readonly<Record<string, string>>): Promise<string>
  /** Ends the sessions that the SQL of a runbook finds. */
  endSessions(page: string): Promise<void>
  recordBackup(ago: string): Promise<unknown>
}

interface WatchedCellOptions {
  /** Of the processes. */
  readonly settings?: Readonly<Record<string, string>>
  /** Of PostgreSQL. */
  readonly postgres?: Readonly<Record<string, string | undefined>>
  readonly durations: RuleDurations
}

const token = 'a-token-of-metrics'
const reason = 'a rehearsal'
const nudgeEveryMs = 500

/** Payments of the sandbox and of live go to the simulator. Everything ends with the test. */
export async function openWatchedCell(
  t: { after(end: () => unknown): void },
  { settings = {}, postgres = {}, durations }: WatchedCellOptions,
): Promise<WatchedCell> {
  const servers = await startOwnServers(t, { settings: postgres })
  const simulator = await startControlledSimulator(t)
  const cell = openCell(t, servers, {
    ...simulator.settings,
    MALIPO_METRICS_TOKEN: token,
    MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
    MALIPO_RATE_LIMIT_LIVE: '1000000',
    MALIPO_PAWAPAY_URL: await openLiveProvider(t, `${simulator.url}/pawapay`),
    MALIPO_PAWAPAY_TOKEN: simulatorToken,
    MALIPO_PAWAPAY_CALLBACKS: 'unsigned',
    ...settings,
  })
  await cell.operator.fees.set({ env: 'live', basisPoints: 0, reason })
  const api = await cell.start('api', 'api')
  const worker = await cell.start('worker', 'worker')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  const [sandbox, live] = [await cell.merchant(), await openLive(cell)]
  const wake = openWake(t, servers)
  const targetsOf = (urls: readonly string[]) => urls.map((url) => new URL(url).host)
  const prometheus = await startPrometheus(t, {
    ...{ folder: cell.folder, token, durations },
    targets: targetsOf([api.url, worker.url]),
  })
  return {
    ...{ servers, cell, simulator, api, worker, prometheus, sandbox, live },
    payOut: (over, merchant = sandbox) => merchant.call(api.url, 'POST', '/fiat/payout', payoutBody(over)),
    fires: (names, ...topics) => prometheus.fires(names, () => wake(['metrics', ...topics])),
    ends: (names, ...topics) => prometheus.ends(names, () => wake(['metrics', ...topics])),
    scrapes: (...urls) => prometheus.scrape(targetsOf([api.url, worker.url, ...urls])),
    follow: (page, alert, variables = {}) =>
      openRunbook(`runbooks/${page}`, '').run(
        alert,
        { ...cell.operatorSettings, ...variables },
        { isBreakGlass: true },
      ),
    followAsMerchant: (page, alert, variables = {}) => {
      const { publicKey, apiKey } = sandbox.pair
      const access = { MALIPO_URL: api.url, MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey }
      return openRunbook(`runbooks/${page}`, '').run(alert, { ...access, ...variables })
    },
    endSessions: (page) => endSessions(cell, openRunbook(`runbooks/${page}`, '').block('sql')),
    recordBackup: (ago) => recordBackup(cell, ago),
  }
}

/** The provider of live: the simulator at a URL of its own, since a live provider has no path. */
async function openLiveProvider(t: { after(end: () => unknown): void }, url: string): Promise<string> {
  const server = createServer((request, response) => {
    const passed = forward(url + (request.url ?? ''), { method: request.method ?? 'GET', headers: request.headers })
    passed.on('response', (reply) => reply.pipe(response.writeHead(reply.statusCode ?? 502, reply.headers)))
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A merchant of live with money, and a float to pay it from. */
async function openLive({ operator, merchant }: Cell): Promise<CellMerchant> {
  const live = await merchant('live')
  const money = { env: 'live', currency: 'KES', country: 'KE', amount: '1000000', reason } as const
  await operator.wallets.fund(live.shownId, { ...money, evidence: 'a transfer' })
  await operator.floats.adjust({ ...money, provider: 'pawapay', evidence: 'a statement' })
  return live
}

/** Wakes polls of the processes, all at most twice a second. */
function openWake(t: { after(end: () => unknown): void }, { natsUrl }: OwnServers) {
  const wakeups = openWakeups({ url: natsUrl, cell: 0, log: createLog({ level: 'fatal' }) })
  t.after(() => wakeups.close())
  let nextAt = 0
  return (topics: readonly string[]) => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + nudgeEveryMs
    for (const topic of topics) wakeups.wake(topic)
  }
}

async function endSessions({ ask }: Cell, statement: string): Promise<void> {
  const sessions = await ask<{ pid: number }>(statement)
  assert.ok(sessions.length > 0, 'the runbook finds no session')
  for (const { pid } of sessions) await ask('select pg_terminate_backend($1)', [pid])
}

const recordBackup = ({ ask }: Cell, ago: string) =>
  ask(
    `insert into command_results (name, ended_at, is_good) values ('backup', now() - $1::interval, true)
     on conflict (name) do update set ended_at = excluded.ended_at`,
    [ago],
  )
