import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { type Cell, openCell, type Role } from './support/cluster/cell.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom, type Random } from './support/cluster/random.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { makeOrder, type Order, sendAll } from './support/load/shopper.ts'
import {
  assertFeeds,
  assertMovedOnce,
  complaintsIn,
  letTimePass,
  type Row,
  readAll,
  tally,
} from './support/oracles/payment-books.ts'
import { assertOrdersAreKept, assertWallet } from './support/oracles/shop-books.ts'

const payoutsMax = proofSize('PAYOUTS', 100)
const chargesMax = proofSize('CHARGES', 100)
const seed = proofSize('SEED', 1)
const minKills = proofSize('KILLS', 3)
const killEveryMs = 1000

/** Every provider fault, each for one request or payment in twenty. */
async function breakProvider({ fault }: SimulatorControl): Promise<void> {
  const probability = 0.05
  for (const operation of ['payout', 'charge', 'payout_status', 'charge_status'])
    for (const request of [
      { mode: 'drop_before_processing' },
      { mode: 'drop_after_processing' },
      { mode: 'html_503', moment: 'before' },
      { mode: 'html_503', moment: 'after' },
    ])
      await fault({ operation, probability, ...request })
  for (const operation of ['payout', 'charge'])
    for (const request of [
      { mode: 'callback_duplicate', count: 3 },
      { mode: 'callback_never' },
      { mode: 'callback_late', delayMs: 4000 },
      { mode: 'callback_reorder' },
    ])
      await fault({ operation, probability, ...request })
}

/** Ends every database connection of the service, whatever it is doing. */
async function cutConnections(cell: Cell): Promise<void> {
  await cell.ask(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'malipo'`)
}

/** Two workers, of which one is killed and restarted every second, until stopped. */
async function killWorkers(t: TestContext, cell: Cell, random: Random) {
  let starts = 0
  const start = () => {
    starts += 1
    return cell.start('worker', `worker-${starts}`)
  }
  const workers: Role[] = [await start(), await start()]
  let isOver = false
  let kills = 0
  const end = async () => {
    while (!isOver) {
      const killAt = performance.now() + killEveryMs
      await until('the time of the next kill', () => performance.now() > killAt)
      const place = random.below(2)
      await workers[place]?.stop('SIGKILL')
      kills += 1
      workers[place] = await start()
    }
  }
  const ended = end()
  return {
    kills: () => kills,
    stop: async () => {
      isOver = true
      await ended
      t.diagnostic(`${kills} workers were killed`)
    },
  }
}

test(`${payoutsMax} payouts and ${chargesMax} charges under every fault are each paid once or not at all`, {
  timeout: 540_000,
}, async (t) => {
  const random = createRandom(seed)
  const servers = await startOwnServers(t)
  const simulator = await startControlledSimulator(t, { SIMULATOR_SEED: String(seed) })
  const cell = openCell(t, servers, simulator.settings)
  const api = await cell.start('api', 'api')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  const merchants = [await cell.merchant(), await cell.merchant()]
  const make = (count: number, kind: Order['kind']) =>
    Array.from({ length: count }, () => makeOrder(random, random.pick(merchants), kind))
  const orders = [...make(payoutsMax, 'payout'), ...make(chargesMax, 'charge')].sort(() => random() - 0.5)
  await breakProvider(simulator)

  const startedAt = performance.now()
  const killing = await killWorkers(t, cell, random)
  const part = (from: number, to: number) => orders.slice(orders.length * from, orders.length * to)
  await sendAll(part(0, 0.5), api.url, 30)
  await servers.wipeNats()
  await Promise.all([sendAll(part(0.5, 0.75), api.url, 30), cutConnections(cell)])
  await sendAll(part(0.75, 1), api.url, 30)
  const sentMs = performance.now() - startedAt
  await until('enough kills', () => killing.kills() >= minKills, { timeoutMs: 300_000 })
  await killing.stop()
  await simulator.clearFaults()
  const brokenMs = performance.now() - startedAt
  await letTimePass(t, cell, simulator, Array<number>(40).fill(60_000))

  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  const totalMs = performance.now() - startedAt
  t.diagnostic(
    `seed ${seed}: sent in ${seconds(sentMs)} s, faults ended after ${seconds(brokenMs)} s, done in ${seconds(totalMs)} s`,
  )
  const rows = await readAll(cell)
  const moved = await simulator.moved()
  t.diagnostic(JSON.stringify(tally(rows)))
  t.diagnostic(`retryable responses: ${JSON.stringify(orders.flatMap(({ setbacks }) => setbacks))}`)
  assertOrdersAreKept(orders, rows)
  await assertMovedOnce(cell, rows, moved)
  for (const merchant of merchants) await assertWallet(cell, merchant.id, rows)
  await assertApiAgrees(orders, rows, api.url)
  await assertFeeds(cell)
  assert.deepEqual(complaintsIn(cell), [])
  const checked = await cell.operator.ledger.check({ isFull: true })
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers`)
})

async function assertApiAgrees(orders: readonly Order[], rows: readonly Row[], url: string): Promise<void> {
  const states = new Map(rows.map(({ external_reference, state }) => [external_reference, state]))
  for (const { merchant, reference, amount } of orders.slice(0, 100)) {
    const { body } = await merchant.call(url, 'GET', `/transactions/${reference}`)
    const { chargeStatus, amount: reported } = body['data'] as { chargeStatus: string; amount: number }
    assert.deepEqual([chargeStatus, reported], [states.get(reference), amount])
  }
}
