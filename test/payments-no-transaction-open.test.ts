import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { machineTime, until } from '../packages/server/src/dev-stack/until.ts'
import { readId } from '../packages/server/src/platform/ids.ts'
import { openCell } from './support/cluster/cell.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { chargeBody, payoutBody } from './support/load/payments.ts'

const slowMs = 2000
/** No transaction of the service takes this long, whatever else runs. */
const longMs = 1000

interface Backend extends Record<string, unknown> {
  readonly state: string
  readonly age_ms: number
  readonly query: string
}

/** Share of the last milliseconds in which this machine ran: a process without a processor holds nothing up. */
function watchMachineTime() {
  const seen: { readonly at: number; readonly machine: number }[] = []
  const sample = () => void seen.push({ at: performance.now(), machine: machineTime() })
  sample()
  return {
    sample,
    ofMachine: (ms: number): number => {
      const before = seen.findLast(({ at }) => at <= performance.now() - ms) ?? seen[0]
      return Math.min(ms, machineTime() - (before?.machine ?? 0))
    },
  }
}

/** Polls the service's connections, and keeps those in a transaction that should not be. */
function watch(t: TestContext, ask: (text: string, values: unknown[]) => Promise<Backend[]>, database: string) {
  const found: Backend[] = []
  const ages = watchMachineTime()
  let samples = 0
  let connections = 0
  let isOver = false
  const sampling = (async () => {
    while (!isOver) {
      const all = await ask(
        `select state, coalesce((extract(epoch from clock_timestamp() - xact_start) * 1000)::int, 0) as age_ms, query
         from pg_stat_activity
         where datname = $1 and usename = 'malipo'`,
        [database],
      )
      ages.sample()
      found.push(...all.filter(({ age_ms }) => ages.ofMachine(age_ms) > longMs))
      connections = Math.max(connections, all.length)
      samples += 1
    }
  })()
  const stop = async () => {
    isOver = true
    await sampling
    return { found, samples, connections }
  }
  t.after(stop)
  return { stop }
}

test('no transaction is open while a worker or an api waits for a provider', async (t) => {
  const ground = await testDatabase()
  const simulator = await startControlledSimulator(t)
  const cell = openCell(t, ground, simulator.settings)
  const [api, merchant] = [await cell.start('api', 'api'), await cell.merchant()]
  await cell.start('worker', 'worker')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  for (const operation of ['payout', 'charge', 'payout_status', 'charge_status'])
    await simulator.fault({ operation, mode: 'latency', delayMs: slowMs })
  await simulator.fault({ operation: 'payout', mode: 'callback_never' })
  const started = async (path: string, body: object) => {
    const sentAt = performance.now()
    const response = await merchant.call(api.url, 'POST', path, body)
    const id = readId('transaction', String(response.body['transactionId']))
    assert.ok(id, JSON.stringify(response.body))
    return { id, tookMs: performance.now() - sentAt }
  }
  const ivory = { currency: 'XOF', phoneNumber: '+2250701234567' }
  const links = { successRedirectUrl: 'https://shop.example/yes', failureRedirectUrl: 'https://shop.example/no' }

  const watching = watch(
    t,
    (text, values) => cell.ask<Backend>(text, values),
    new URL(ground.loginUrl).pathname.slice(1),
  )
  const [payout, prompt, code, page] = await Promise.all([
    started('/fiat/payout', payoutBody()),
    started('/fiat/deposit/momo', chargeBody()),
    started('/fiat/deposit/momo', chargeBody({ ...ivory, momoOperatorId: 'ORANGE_CI', otpCode: '123456' })),
    started('/fiat/deposit/momo', chargeBody({ ...ivory, ...links, momoOperatorId: 'WAVE_CI' })),
  ])
  const stateOf = async (id: string) =>
    (await cell.ask<{ state: string }>(`select state from transactions where id = $1`, [id]))[0]?.state
  for (const { id } of [prompt, code]) await until(`${id} to succeed`, async () => (await stateOf(id)) === 'successful')
  await until('the payout to be accepted', async () => (await stateOf(payout.id)) === 'submitted')
  await cell.forward(20_000) // Now the worker queries it.
  await until('the payout to succeed', async () => (await stateOf(payout.id)) === 'successful')
  const { found, samples, connections } = await watching.stop()

  assert.ok(payout.tookMs < slowMs && prompt.tookMs < slowMs, 'a worker sends these, and no caller waits')
  assert.ok(code.tookMs >= slowMs && page.tookMs >= slowMs, 'these are sent while the caller waits')
  assert.deepEqual(found, [])
  assert.ok(samples > 20 && connections > 2, 'enough samples were taken, and connections were seen')
  t.diagnostic(`${samples} samples of up to ${connections} connections`)
})
