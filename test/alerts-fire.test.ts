/**
 * Alerts fire by their real cause: real processes, a real Prometheus with the rules of deploy/prometheus. Only how long a condition
 * must last is shorter. The tests run one after another on one cell; each ends its cause, except those that kill the
 * simulator and the worker.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { createLog } from '../packages/server/src/platform/log.ts'
import { openWakeups } from '../packages/server/src/platform/wakeups.ts'
import { reload } from '../packages/server/src/testing/server-settings.ts'
import { type Cell, type CellMerchant, openCell, type Role } from './support/cluster/cell.ts'
import { type OwnServers, startNatsAt, startOwnServers } from './support/cluster/own-servers.ts'
import { type Prometheus, startPrometheus } from './support/cluster/prometheus.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { chargeBody, minutes, payoutBody } from './support/load/payments.ts'

const token = 'a-token-of-metrics'
const float = { provider: 'pawapay', env: 'sandbox', country: 'KE', currency: 'KES' } as const
const reason = 'a rehearsal'

const ends: (() => unknown)[] = []
const t = { after: (end: () => unknown) => void ends.push(end) }
let servers: OwnServers
let cell: Cell
let simulator: SimulatorControl
let api: Role
let worker: Role
let merchant: CellMerchant
let prometheus: Prometheus
/** The worker reads the state of the cell now, not in 15 s. */
let nudge: () => void

before(async () => {
  servers = await startOwnServers(t)
  simulator = await startControlledSimulator(t as Parameters<typeof startControlledSimulator>[0])
  cell = openCell(t, servers, {
    ...simulator.settings,
    MALIPO_METRICS_TOKEN: token,
    MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
    // Low, so that a lane can fall behind.
    MALIPO_SANDBOX_REQUESTS_PER_SECOND: '2',
  })
  api = await cell.start('api', 'api')
  worker = await cell.start('worker', 'worker')
  merchant = await cell.merchant()
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  const wakeups = openWakeups({ url: servers.natsUrl, cell: 0, log: createLog({ level: 'fatal' }) })
  t.after(() => wakeups.close())
  let nextAt = 0
  nudge = () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + 500
    wakeups.wake('metrics')
  }
  await cell.operator.ledger.check({ isFull: false })
  await recordBackup('1 minute')
  const targets = [api, worker].map(({ url }) => new URL(url).host)
  prometheus = await startPrometheus(t, { folder: cell.folder, token, targets, lasting: '1s' })
})

after(async () => {
  for (const end of ends.toReversed()) await end()
})

const payOut = (over = {}) => merchant.call(api.url, 'POST', '/fiat/payout', payoutBody(over))

test('a healthy cell fires no alert', async () => {
  const early = ['MalipoStateUnknown', 'MalipoLedgerCheckOld', 'MalipoProcessDown', 'MalipoNotReady', 'MalipoCellDown']
  await prometheus.ends(early, nudge)

  assert.deepEqual(await prometheus.firing(), [])
})

test('the alert on a float below its mark fires until the mark is removed', async () => {
  await cell.operator.floats.mark({ ...float, amount: '5000.00', reason })

  await prometheus.fires(['MalipoFloatLow'], nudge)

  await cell.operator.floats.mark({ ...float, amount: '0', reason })
  await prometheus.ends(['MalipoFloatLow'], nudge)
})

test('the alert on a paused provider fires until it is resumed', async () => {
  await payOut()
  await cell.operator.providers.pause('pawapay', { env: 'sandbox', reason })

  await prometheus.fires(['MalipoProviderPaused'], nudge)

  await cell.operator.providers.resume('pawapay', { env: 'sandbox', reason })
  await prometheus.ends(['MalipoProviderPaused'], nudge)
})

test('a lane that its rate limit holds back fires until the backlog is gone', async () => {
  const requests = await Promise.all(Array.from({ length: 40 }, () => payOut()))
  assert.ok(requests.every(({ status }) => status === 200))
  await cell.forward(minutes(5))

  await prometheus.fires(['MalipoLaneBacklog'], nudge)

  await prometheus.ends(['MalipoLaneBacklog'], nudge)
})

test('a charge reported with another amount opens a case, and its alert fires', async () => {
  const fault = await simulator.fault({ operation: '*', mode: 'callback_wrong_amount', amount: '99' })
  await merchant.call(api.url, 'POST', '/fiat/deposit/momo', chargeBody())

  await prometheus.fires(['MalipoSuspenseOpen'], nudge)

  await simulator.removeFault(fault)
  await cell.forward(minutes(5)) // The provider's response to the next query ends the case.
  await prometheus.ends(['MalipoSuspenseOpen'], nudge)
})

test('a receiver of webhooks that is down fires', async () => {
  await merchant.call(api.url, 'PUT', '/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  await payOut()

  await prometheus.fires(['MalipoWebhookEndpointFailing'], nudge)

  await merchant.call(api.url, 'PUT', '/users', { sandboxWebhookUrl: '' })
  await prometheus.ends(['MalipoWebhookEndpointFailing'], nudge)
})

test('a ledger that was changed fires when the check finds it, and ends with a good check', async () => {
  const change = (by: number) => cell.ask(`update wallets set credits_posted = credits_posted + $1`, [by])
  const open = () => cell.ask(`select from transactions where state not in ('successful', 'failed')`)
  // A payment that ends meanwhile would store a balance that no later change corrects.
  await until('the payments of earlier tests to end', async () => (await open()).length === 0)
  await change(1)
  await assert.rejects(cell.operator.ledger.check({ isFull: false }), { name: 'LedgerDisagreement' })

  await prometheus.fires(['MalipoLedgerDifference'], nudge)

  await change(-1)
  await cell.operator.ledger.check({ isFull: false })
  await prometheus.ends(['MalipoLedgerDifference'], nudge)
})

test('a backup that was recorded days ago fires until the next good one', async () => {
  await recordBackup('2 days')

  await prometheus.fires(['MalipoBackupOld'], nudge)

  await recordBackup('1 minute')
  await prometheus.ends(['MalipoBackupOld'], nudge)
})

const recordBackup = (ago: string) =>
  cell.ask(
    `insert into command_results (name, ended_at, is_good) values ('backup', now() - $1::interval, true)
     on conflict (name) do update set ended_at = excluded.ended_at`,
    [ago],
  )

test('without NATS each process fires, and so does the relay, until it is back', async () => {
  process.kill(Number(readFileSync(join(servers.folder, 'nats.pid'), 'utf8')), 'SIGKILL')
  await payOut()
  await cell.forward(minutes(10))

  await prometheus.fires(['MalipoNatsDisconnected', 'MalipoRelayLag'])

  const nats = await startNatsAt(servers.folder, Number(new URL(servers.natsUrl).port))
  t.after(() => nats.stop('SIGKILL'))
  await prometheus.ends(['MalipoNatsDisconnected', 'MalipoRelayLag'], nudge)
})

test('a provider that is down fires, and so do its payments in doubt', async () => {
  process.kill(simulator.pid, 'SIGKILL')
  for (let times = 0; times < 12; times += 1) await payOut()

  await prometheus.fires(['MalipoProviderUnhealthy', 'MalipoProviderFailing'], nudge)
  await cell.forward(minutes(20))
  await prometheus.fires(['MalipoDoubtOld'], nudge)
})

test('a read-only database fires for every process, and the cell', async () => {
  await readOnly('on')

  await prometheus.fires(['MalipoCellDown', 'MalipoNotReady'])

  await readOnly('off')
  await prometheus.ends(['MalipoCellDown', 'MalipoNotReady'])
})

const readOnly = (value: 'on' | 'off') => reload(servers.superuserUrl, { default_transaction_read_only: value })

test('a killed worker fires the alerts on its process, its role and the unread state', async () => {
  await worker.stop('SIGKILL')

  await prometheus.fires(['MalipoProcessDown', 'MalipoNoWorker', 'MalipoStateUnknown'])
})
