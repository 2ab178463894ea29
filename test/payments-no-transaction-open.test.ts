import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { machineTime, until } from '../packages/server/src/dev-stack/until.ts'
import { readId } from '../packages/server/src/platform/ids.ts'
import { openCell } from './support/cluster/cell.ts'
import { startSimulatorDesk } from './support/cluster/simulator-desk.ts'
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
  const look = () => void seen.push({ at: performance.now(), machine: machineTime() })
  look()
  return {
    look,
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
  let looks = 0
  let connections = 0
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      const all = await ask(
        `select state, coalesce((extract(epoch from clock_timestamp() - xact_start) * 1000)::int, 0) as age_ms, query
         from pg_stat_activity
         where datname = $1 and usename = 'malipo'`,
        [database],
      )
      ages.look()
      found.push(...all.filter(({ age_ms }) => ages.ofMachine(age_ms) > longMs))
      connections = Math.max(connections, all.length)
      looks += 1
    }
  })()
  const stop = async () => {
    isOver = true
    await looking
    return { found, looks, connections }
  }
  t.after(stop)
  return { stop }
}

test('no transaction is open while a worker or an api waits for a provider', async (t) => {
  const ground = await testDatabase()
  const simulator = await startSimulatorDesk(t)
  const cell = openCell(t, ground, simulator.settings)
  const [api, merchant] = [await cell.start('api', 'api'), await cell.merchant()]
  await cell.start('worker', 'worker')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  for (const operation of ['payout', 'charge', 'payout_status', 'charge_status'])
    await simulator.fault({ operation, mode: 'latency', delayMs: slowMs })
  await simulator.fault({ operation: 'payout', mode: 'callback_never' })
  const started = async (path: string, body: object) => {
    const sentAt = performance.now()
    const answer = await merchant.call(api.url, 'POST', path, body)
    const id = readId('transaction', String(answer.body['transactionId']))
    assert.ok(id, JSON.stringify(answer.body))
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
  await until('the payout to be taken', async () => (await stateOf(payout.id)) === 'submitted')
  await cell.forward(20_000) // Now the worker queries it.
  await until('the payout to succeed', async () => (await stateOf(payout.id)) === 'successful')
  const { found, looks, connections } = await watching.stop()

  assert.ok(payout.tookMs < slowMs && prompt.tookMs < slowMs, 'a worker sends these, and nobody waits')
  assert.ok(code.tookMs >= slowMs && page.tookMs >= slowMs, 'these are sent while the caller waits')
  assert.deepEqual(found, [])
  assert.ok(looks > 20 && connections > 2, 'somebody looked, and there was something to see')
  t.diagnostic(`looked ${looks} times at up to ${connections} connections`)
})
