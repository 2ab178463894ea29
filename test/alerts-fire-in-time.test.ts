/**
 * Alerts on rates and shares fire by their real cause, and end with it: real processes, a real Prometheus with the rules of
 * deploy/prometheus. An hour of the rules is a minute here: every range and every `for` is 60 times shorter, so a cause must last
 * as long as its range. No threshold, expression or metric is changed. alerts-fire.test.ts has the alerts on a state.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { call } from '../packages/server/src/testing/malipo.ts'
import { openTransactionAt } from '../packages/server/src/testing/open-transaction.ts'
import { reload } from '../packages/server/src/testing/server-settings.ts'
import { openWatchedCell, type WatchedCell } from './support/cluster/watched-cell.ts'
import { minutes } from './support/load/payments.ts'
import { openReceiver } from './support/load/webhook-receiver.ts'

const timesShorter = 60
const reason = 'a rehearsal'
/** The labels of alerts here, as the commands of runbooks take them. */
const purse = { provider: 'pawapay', env: 'sandbox', country: 'KE', currency: 'KES', reason } as const

const ends: (() => unknown)[] = []
const t = { after: (end: () => unknown) => void ends.push(end) }
let watched: WatchedCell

before(async () => {
  watched = await openWatchedCell(t, {
    durations: { timesShorter },
    settings: { MALIPO_REQUESTS_AT_ONCE_SANDBOX: '40' },
  })
  await watched.recordBackup('1 minute')
  await watched.cell.operator.ledger.check({ isFull: false })
})

after(async () => {
  for (const end of ends.toReversed()) await end()
})

/** Repeats something ten times a second, at most, until the wait is over. */
async function during<Result>(work: () => Promise<unknown>, wait: () => Promise<Result>): Promise<Result> {
  let isOver = false
  const waiting = wait().finally(() => {
    isOver = true
  })
  while (!isOver) await Promise.all([work(), pause(100)])
  return waiting
}

const payLive = (over = {}) => watched.payOut(over, watched.live)

const run = (...statements: string[]) => watched.servers.postgres.run('story', ...statements)

const hasEnded = (env: 'live' | 'sandbox') => async () => {
  const open = await watched.cell.ask(
    `select from transactions where env = $1 and state not in ('successful', 'failed')`,
    [env],
  )
  return open.length === 0
}

test('a cell that works fires no alert', async () => {
  await watched.live.call(watched.api.url, 'PUT', '/users', { webhookUrl: 'https://receiver.invalid/hooks' })
  await during(
    () => Promise.all([watched.payOut(), payLive()]),
    () => watched.ends(['MalipoStateUnknown', 'MalipoCellDown']),
  )

  assert.deepEqual(await watched.prometheus.firing(), [])
})

test('live payouts that a read-only database refuses burn the budget of accept', async () => {
  await readOnly('on')

  await during(payLive, () => watched.fires(['MalipoSloAcceptFast']))

  await readOnly('off')
})

const readOnly = (value: 'on' | 'off') => reload(watched.servers.superuserUrl, { default_transaction_read_only: value })

suite('causes that do not disturb one another', { concurrency: true }, () => {
  test('strangers who try credentials and send callbacks fire, and so do requests that cannot be logged', async () => {
    const release = await openTransactionAt(
      watched.servers.superuserUrl,
      t,
      'lock table request_log in access exclusive mode',
    )
    const { api, sandbox } = watched
    const read = () => sandbox.call(api.url, 'GET', '/users')
    for (let sent = 0; sent < 1200; sent += 100) await Promise.all(Array.from({ length: 100 }, read))
    const stranger = () => call(api.url, 'GET', '/api/sandbox/b2b/users', { authorization: 'Bearer nothing' })
    const forged = () => call(api.url, 'POST', '/callbacks/sandbox/pawapay', {}, { payoutId: 'a payout' })

    await during(
      () => Promise.all([read(), stranger(), stranger(), forged()]),
      () => watched.fires(['MalipoAuthFailures', 'MalipoCallbacksRefused', 'MalipoRequestLogIncomplete']),
    )

    const leaked = await watched.cell.operator.keys.create(sandbox.shownId, { env: 'sandbox' })
    const known = { key: leaked.publicKey, merchant: sandbox.shownId, env: 'sandbox', reason }
    await watched.follow('processes.md', 'MalipoAuthFailures', known)
    await watched.follow('providers.md', 'MalipoCallbacksRefused', purse)
    await release()
    await watched.ends(['MalipoAuthFailures', 'MalipoCallbacksRefused', 'MalipoRequestLogIncomplete'])
  })

  test('batches that wait for a locked wallet are retried until the lock is released', async () => {
    const lock = `select from wallets where merchant_id = '${watched.sandbox.id}' for update`
    const release = await openTransactionAt(watched.servers.superuserUrl, t, lock)

    await during(
      () => watched.payOut(),
      () => watched.fires(['MalipoBatchesRetried']),
    )

    await release()
    await watched.ends(['MalipoBatchesRetried'])
  })

  test('live webhooks whose delivery the database refuses are late, and their job fails', async () => {
    await run('revoke update on webhook_records from malipo_write')
    const startedAt = performance.now()

    await during(payLive, () => watched.fires(['MalipoJobFailing'], 'webhooks'))
    await until('the first event to be late', () => performance.now() - startedAt > 12_000)
    await run('grant update on webhook_records to malipo_write')

    await watched.fires(['MalipoSloWebhookFast'], 'webhooks')
    await watched.ends(['MalipoJobFailing'], 'webhooks')
  })
})

test('live payouts that no worker sends for minutes end late', async () => {
  process.kill(watched.worker.pid, 'SIGSTOP')
  await Promise.all(Array.from({ length: 60 }, () => payLive()))
  await watched.cell.forward(minutes(6))
  process.kill(watched.worker.pid, 'SIGCONT')

  await watched.fires(['MalipoSloPayoutFinalFast'])
  await until('the payouts to end', hasEnded('live'))
})

test('requests that wait for a locked database are refused, until the lock is released', async () => {
  const release = await openTransactionAt(
    watched.servers.superuserUrl,
    t,
    'lock table wallets in access exclusive mode',
  )
  const flood = () => Promise.all(Array.from({ length: 120 }, () => watched.payOut()))

  await during(flood, () => watched.fires(['MalipoRequestsRejected']))

  await release()
  await watched.ends(['MalipoRequestsRejected'])
})

suite('more such causes', { concurrency: true }, () => {
  test('commits that wait for a standby are slow until it is back', async () => {
    const { superuserUrl } = watched.servers
    const paySlowly = async () => {
      await reload(superuserUrl, { synchronous_standby_names: 'absent' })
      const paid = Promise.all(Array.from({ length: 3 }, () => watched.payOut()))
      await until('a commit to have waited', async () => {
        const waiting = await watched.cell.ask(
          `select from pg_stat_activity where wait_event = 'SyncRep' and clock_timestamp() - state_change > '600ms'`,
        )
        return waiting.length > 0
      })
      await reload(superuserUrl, { synchronous_standby_names: '' })
      await paid
    }

    await during(paySlowly, () => watched.fires(['MalipoCommitSlow']))

    await during(
      () => watched.payOut(),
      () => watched.ends(['MalipoCommitSlow']),
    )
  })

  test('payouts that a provider cannot make fail, and those that it makes drain its float', async () => {
    const failing = { phone: '+254712345119' }
    const orders = [failing, failing, failing, failing, { amount: 10_000 }]

    await during(
      () => Promise.all(orders.map((order) => watched.payOut(order))),
      () => watched.fires(['MalipoFloatRunwayShort', 'MalipoPaymentsFailing']),
    )

    await watched.follow('payments.md', 'MalipoPaymentsFailing', purse)
    await watched.follow('money.md', 'MalipoFloatLow', { ...purse, amount: '100000000', evidence: 'a statement' })
    await watched.ends(['MalipoFloatRunwayShort'])
    await watched.follow('providers.md', 'MalipoProviderPaused', purse)
  })

  test('an endpoint that responds that it is gone is disabled', async () => {
    const receiver = await openReceiver(t, () => ({ status: 410 }))
    await watched.sandbox.call(watched.api.url, 'PUT', '/users', { sandboxWebhookUrl: receiver.url })
    await watched.payOut()

    await watched.fires(['MalipoWebhookEndpointDisabled'], 'webhooks')

    receiver.react = () => ({ status: 200 })
    await watched.followAsMerchant('webhooks.md', 'MalipoWebhookEndpointDisabled', { url: receiver.url })
  })
})

test('a provider that responds with errors fires until it responds again', async () => {
  await watched.simulator.fault({ operation: 'payout', mode: 'html_503' })

  await during(
    () => watched.payOut(),
    () => watched.fires(['MalipoProviderFailing']),
  )

  await watched.simulator.clearFaults()
  await during(
    () => watched.payOut(),
    () => watched.ends(['MalipoProviderFailing']),
  )
})

test('payouts that find no money at the provider are in doubt, until the float is topped up', async () => {
  const ours = { country: 'KEN', currency: 'KES' }
  await watched.simulator.setFloat('0', ours)
  for (let paid = 0; paid < 110; paid += 10) await Promise.all(Array.from({ length: 10 }, () => watched.payOut()))

  await watched.fires(['MalipoDoubtMany'])

  await watched.follow('payments.md', 'MalipoDoubtMany', purse)
  await watched.simulator.setFloat('1000000', ours)
  await watched.follow('money.md', 'MalipoFloatLow', { ...purse, amount: '1000000', evidence: 'another statement' })
  await watched.follow('providers.md', 'MalipoProviderPaused', purse)
  await watched.cell.forward(minutes(5))
  await watched.ends(['MalipoDoubtMany'])
})

test('a worker that is killed again and again fires', async () => {
  let { worker } = watched
  const { host, port } = new URL(worker.url)
  const starts = `changes(process_start_time_seconds{instance="${host}"}[1m])`
  for (let kills = 1; kills <= 4; kills += 1) {
    await worker.stop('SIGKILL')
    worker = await watched.cell.start('worker', 'worker', { MALIPO_PORT: port })
    await until('the start to be scraped', async () => ((await watched.prometheus.query(starts)) ?? 0) >= kills)
  }

  await watched.fires(['MalipoRestarts'])
})

test('slow burn alerts fire, and what is over has ended', async () => {
  await watched.fires(['MalipoSloAcceptSlow', 'MalipoSloPayoutFinalSlow', 'MalipoSloWebhookSlow'])
  await watched.ends(['MalipoPaymentsFailing', 'MalipoRestarts', 'MalipoSloPayoutFinalFast'])
})
