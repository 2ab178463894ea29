/**
 * Alerts on a state fire by their real cause, and end when the commands of their runbook have run: real processes, a real Prometheus
 * with the rules of deploy/prometheus. Only how long a condition must last is shorter: one second for every alert. The tests run one
 * after another on one cell; each ends its cause, except for the last two. alerts-fire-in-time.test.ts has the alerts on rates.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { readId, showId } from '../packages/server/src/platform/ids.ts'
import { openTransactionAt } from '../packages/server/src/testing/open-transaction.ts'
import { reload } from '../packages/server/src/testing/server-settings.ts'
import type { Role } from './support/cluster/cell.ts'
import { startNatsAt } from './support/cluster/own-servers.ts'
import { openWatchedCell, type WatchedCell } from './support/cluster/watched-cell.ts'
import { chargeBody, keyOf, minutes } from './support/load/payments.ts'

const reason = 'a rehearsal'
const evidence = 'a statement'
/** The labels of alerts here, as the commands of runbooks take them. */
const lane = { provider: 'pawapay', env: 'sandbox', reason } as const
const float = { ...lane, country: 'KE', currency: 'KES' } as const

const ends: (() => unknown)[] = []
const t = { after: (end: () => unknown) => void ends.push(end) }
let watched: WatchedCell

before(async () => {
  watched = await openWatchedCell(t, {
    durations: { lasting: '1s' },
    // Low, so that a lane can fall behind.
    settings: { MALIPO_SANDBOX_REQUESTS_PER_SECOND: '4' },
    postgres: { archive_mode: 'on' },
  })
  await archive('true')
})

after(async () => {
  for (const end of ends.toReversed()) await end()
})

const archive = (command: string) => reload(watched.servers.superuserUrl, { archive_command: command })

const lock = (statement: string) => openTransactionAt(watched.servers.superuserUrl, t, statement)

const paymentsEnd = () =>
  until('the payments of earlier tests to end', async () => {
    const open = await watched.cell.ask(`select from transactions where state not in ('successful', 'failed')`)
    return open.length === 0
  })

test('a new cell fires until its first backup and its first ledger check, and then no more', async () => {
  await watched.fires(['MalipoBackupOld', 'MalipoLedgerCheckOld'])

  await watched.recordBackup('1 minute')
  await watched.follow('money.md', 'MalipoLedgerCheckOld')
  await watched.ends(['MalipoBackupOld', 'MalipoLedgerCheckOld', 'MalipoStateUnknown', 'MalipoProcessDown'])
  await watched.ends(['MalipoNotReady', 'MalipoCellDown'])
  assert.deepEqual(await watched.prometheus.firing(), [])
})

test('the alert on a float below its mark fires until the top-up is recorded', async () => {
  await watched.cell.operator.floats.mark({ ...float, amount: '5000.00' })

  await watched.fires(['MalipoFloatLow'])

  await watched.follow('money.md', 'MalipoFloatLow', { ...float, evidence, amount: '10000.00' })
  await watched.ends(['MalipoFloatLow'])
})

test('the alert on a paused provider fires until it is resumed', async () => {
  await watched.payOut()
  await watched.cell.operator.providers.pause('pawapay', lane)

  await watched.fires(['MalipoProviderPaused'])

  await watched.follow('providers.md', 'MalipoProviderPaused', lane)
  await watched.ends(['MalipoProviderPaused'])
})

test('a lane that its rate limit holds back fires until the backlog is gone', async () => {
  const requests = await Promise.all(Array.from({ length: 40 }, () => watched.payOut()))
  assert.ok(requests.every(({ status }) => status === 200))
  await watched.cell.forward(minutes(5))

  await watched.fires(['MalipoLaneBacklog'])

  await watched.ends(['MalipoLaneBacklog'])
})

test('a charge reported with another amount opens a case, and its alert fires', async () => {
  const fault = await watched.simulator.fault({ operation: '*', mode: 'callback_wrong_amount', amount: '99' })
  await watched.sandbox.call(watched.api.url, 'POST', '/fiat/deposit/momo', chargeBody())

  await watched.fires(['MalipoSuspenseOpen'])

  await watched.simulator.removeFault(fault)
  await watched.cell.forward(minutes(5)) // The provider's response to the next query ends the case.
  await watched.ends(['MalipoSuspenseOpen'])
})

test('a receiver of webhooks that is down fires', async () => {
  const setUrl = (sandboxWebhookUrl: string) =>
    watched.sandbox.call(watched.api.url, 'PUT', '/users', { sandboxWebhookUrl })
  await setUrl('http://127.0.0.1:9/hooks')
  await watched.payOut()

  await watched.fires(['MalipoWebhookEndpointFailing'])

  await setUrl('')
  await watched.ends(['MalipoWebhookEndpointFailing'])
})

test('webhooks that the database does not let a worker take fire until it does', async () => {
  const update = 'update on webhook_records'
  await watched.sandbox.call(watched.api.url, 'PUT', '/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  await watched.servers.postgres.run('story', `revoke ${update} from malipo_write`)
  await watched.payOut()
  await until(
    'a webhook',
    async () => (await watched.cell.ask(`select from webhook_records where attempts = 0`)).length > 0,
  )
  await watched.cell.forward(minutes(6))

  await watched.fires(['MalipoWebhookBacklog'])

  await watched.servers.postgres.run('story', `grant ${update} to malipo_write`)
  await watched.ends(['MalipoWebhookBacklog'], 'webhooks')
  await watched.sandbox.call(watched.api.url, 'PUT', '/users', { sandboxWebhookUrl: '' })
})

test('a ledger that was changed fires when the check finds it, and ends with a good check', async () => {
  const change = (by: number) => watched.cell.ask(`update wallets set credits_posted = credits_posted + $1`, [by])
  // A payment that ends meanwhile would store a balance that no later change corrects.
  await paymentsEnd()
  await change(1)
  await assert.rejects(watched.cell.operator.ledger.check({ isFull: false }), { name: 'LedgerDisagreement' })

  await watched.fires(['MalipoLedgerDifference'])

  await watched.follow('money.md', 'MalipoLedgerDifference', lane)
  await change(-1)
  await watched.follow('money.md', 'MalipoLedgerCheckOld')
  await watched.follow('providers.md', 'MalipoProviderPaused', { ...lane, env: 'live' })
  await watched.ends(['MalipoLedgerDifference'])
})

test('batches of the ledger that an open transaction keeps from being sealed fire until it ends', async () => {
  const release = await lock('select pg_current_xact_id()')
  await watched.payOut()
  await paymentsEnd()
  await watched.cell.forward(minutes(11))

  await watched.fires(['MalipoLedgerUnsealed'], 'seals')

  await watched.endSessions('money.md')
  await watched.ends(['MalipoLedgerUnsealed'], 'seals')
  await release().catch(() => undefined) // Its session has ended.
})

test('a backup that was recorded days ago fires until the next good one', async () => {
  await watched.recordBackup('2 days')

  await watched.fires(['MalipoBackupOld'])

  await watched.recordBackup('1 minute')
  await watched.ends(['MalipoBackupOld'])
})

test('an archive of the log that refuses files fires until it takes them', async () => {
  await archive('false')
  await watched.cell.ask('select pg_switch_wal()')

  await watched.fires(['MalipoWalArchiveFailing'])

  await archive('true')
  await watched.ends(['MalipoWalArchiveFailing'])
})

test('requests that wait for database connections fire until the lock that they wait for is released', async () => {
  const release = await lock('lock table merchants in access exclusive mode')
  let isOver = false
  const reads = Array.from({ length: 60 }, async () => {
    while (!isOver) await watched.sandbox.call(watched.api.url, 'GET', '/users')
  })

  await watched.fires(['MalipoPoolWaiting']).finally(() => {
    isOver = true
  })

  await release()
  await Promise.all(reads)
  await watched.ends(['MalipoPoolWaiting'])
})

test('a rate that jumped fires until it is rejected, and rates that no provider quotes until one does', async () => {
  const jumped = { buy: '0.0001', sell: '0.0002' }
  const rates = { operation: 'rates' } as const
  await watched.simulator.fault({ ...rates, provider: 'flutterwave', mode: 'html_503' })
  await watched.simulator.fault({
    ...rates,
    provider: 'house',
    mode: 'http_status',
    status: 200,
    body: jumped,
    times: 1,
  })
  await watched.cell.forward(minutes(1))

  await watched.fires(['MalipoRatesHeld'], 'rates')

  const [held] = await watched.cell.ask<{ id: string }>(`select id::text from held_rates where state = 'held'`)
  await watched.follow('providers.md', 'MalipoRatesHeld', { number: held?.id ?? '', reason })
  await watched.ends(['MalipoRatesHeld'], 'rates')

  await watched.simulator.clearFaults()
  await watched.simulator.fault({ ...rates, mode: 'html_503' })
  await watched.cell.forward(minutes(6))

  await watched.fires(['MalipoRatesTooOld'], 'rates')

  await watched.follow('providers.md', 'MalipoRatesTooOld', lane)
  await watched.simulator.clearFaults()
  await watched.ends(['MalipoRatesTooOld'], 'rates')
})

test('a payment of a paused provider and a case that wait for days fire until they are handled', async () => {
  const charge = { amount: 2500, currency: 'NGN', email: 'a@example.com', externalReference: 'a-transfer' }
  const { status, body } = await watched.sandbox.call(watched.api.url, 'POST', '/fiat/deposit/bank-transfer', charge)
  assert.equal(status, 200, JSON.stringify(body))
  const { transactionId, virtualAccount } = body['data'] as {
    readonly transactionId: string
    readonly virtualAccount: { readonly accountNumber: string }
  }
  const key = keyOf(readId('transaction', transactionId) ?? '')
  await watched.simulator.pay(key, '1000.00', virtualAccount.accountNumber)
  await until('the transfer to arrive', async () => (await watched.cell.ask(`select from receipts`)).length > 0)
  await watched.cell.forward(minutes(27 * 60))
  await until('the case', async () => (await openCases()).length > 0)
  await watched.cell.operator.providers.pause('pawapay', lane)
  const paid = await watched.payOut()
  await watched.cell.forward(minutes(73 * 60))

  await watched.fires(['MalipoSuspenseOld', 'MalipoSuspenseOpen', 'MalipoOpenPaymentOld'])

  const [open] = await openCases()
  const decided = { case: showId('case', open?.id ?? ''), kind: 'return-to-payer', evidence, reason }
  await watched.follow('money.md', 'MalipoSuspenseOpen', decided)
  await watched.follow('payments.md', 'MalipoOpenPaymentOld', { payment: String(paid.body['transactionId']) })
  await watched.follow('providers.md', 'MalipoProviderPaused', lane)
  await watched.ends(['MalipoSuspenseOld', 'MalipoSuspenseOpen', 'MalipoOpenPaymentOld'])
})

const openCases = () => watched.cell.ask<{ id: string }>(`select id::text from suspense_cases where closed_at is null`)

test('without NATS each process fires, and so does the relay, until it is back', async () => {
  const { servers } = watched
  process.kill(Number(readFileSync(join(servers.folder, 'nats.pid'), 'utf8')), 'SIGKILL')
  await watched.payOut()
  await watched.cell.forward(minutes(10))

  await watched.fires(['MalipoNatsDisconnected', 'MalipoRelayLag'])

  const nats = await startNatsAt(servers.folder, Number(new URL(servers.natsUrl).port))
  t.after(() => nats.stop('SIGKILL'))
  await watched.ends(['MalipoNatsDisconnected', 'MalipoRelayLag'])
})

test('a process of another version fires until it is gone', async () => {
  const other = await watched.cell.start('api', 'other', {}, otherVersion())
  watched.scrapes(other.url)

  await watched.fires(['MalipoVersionsDiffer'])

  await other.stop('SIGKILL')
  watched.scrapes()
  await watched.ends(['MalipoVersionsDiffer'])
})

/** The program of this tree with another number of its version. */
function otherVersion(): string {
  const root = join(import.meta.dirname, '..')
  const folder = mkdtempSync(join(tmpdir(), 'malipo-other-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const isNeeded = (path: string) => !path.endsWith('.test.ts')
  const [from, to] = [root, folder].map((each) => join(each, 'packages/server'))
  cpSync(from ?? '', to ?? '', { recursive: true, filter: isNeeded })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const manifest = join(folder, 'packages/server/package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": ".*"/, '"version": "0.0.1"'))
  return join(folder, 'packages/server/src/main.ts')
}

test('a read-only database fires for every process, and the cell', async () => {
  await readOnly('on')

  await watched.fires(['MalipoCellDown', 'MalipoNotReady'])

  await readOnly('off')
  await watched.follow('processes.md', 'MalipoCellDown')
  await watched.ends(['MalipoCellDown', 'MalipoNotReady'])
})

const readOnly = (value: 'on' | 'off') => reload(watched.servers.superuserUrl, { default_transaction_read_only: value })

test('partitions that a lock keeps from being attached run out, until its session has ended and a process starts', async () => {
  await lock('lock table timers, transactions in share update exclusive mode')
  await watched.cell.ask(`update clock_offset set ahead = ahead + interval '70 days'`)

  await watched.fires(['MalipoHoursRunOut', 'MalipoMonthsRunOut'], 'partitions')

  await watched.endSessions('database.md')
  await (await watched.cell.start('api', 'another')).stop()
  await watched.ends(['MalipoHoursRunOut', 'MalipoMonthsRunOut'])
})

test('a stopped worker fires the alerts on its process, its role and the unread state, until it runs', async () => {
  await watched.worker.stop('SIGTERM') // Killed, it would keep its lease on the state of the cell for 45 seconds.

  await watched.fires(['MalipoProcessDown', 'MalipoNoWorker', 'MalipoStateUnknown'])

  await watched.follow('processes.md', 'MalipoStateUnknown')
  await startAgain(watched.worker, 'worker')
  await watched.ends(['MalipoProcessDown', 'MalipoNoWorker', 'MalipoStateUnknown'])
})

const startAgain = ({ url }: Role, role: 'api' | 'worker') =>
  watched.cell.start(role, role, { MALIPO_PORT: new URL(url).port })

test('a provider that is down fires, and so do its payments in doubt, until they are resolved', async () => {
  process.kill(watched.simulator.pid, 'SIGKILL')
  for (let times = 0; times < 2; times += 1) await watched.payOut()

  await watched.fires(['MalipoProviderUnhealthy'])
  await watched.follow('providers.md', 'MalipoProviderUnhealthy', lane)
  await watched.cell.forward(minutes(20))
  await watched.fires(['MalipoDoubtOld'])

  await watched.follow('payments.md', 'MalipoDoubtMany', lane)
  await watched.cell.forward(minutes(2)) // After it nothing that was sent can still reach the provider.
  const inDoubt = await watched.cell.ask<{ id: string }>(
    `select id::text from transactions where state = 'unknown' or (state not in ('successful', 'failed') and doubt <> '')`,
  )
  for (const { id } of inDoubt)
    await watched.follow('payments.md', 'MalipoDoubtOld', { ...lane, evidence, payment: showId('transaction', id) })
  await watched.ends(['MalipoDoubtOld'])
})

test('without an api, or without a database, no process reports what only they know', async () => {
  await watched.api.stop('SIGKILL')

  await watched.fires(['MalipoNoApi'])

  await startAgain(watched.api, 'api')
  await watched.ends(['MalipoNoApi'])
  await watched.servers.postgres.stop()

  await watched.fires(['MalipoPartitionsUnknown'])
})
