import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { providerKeyOf } from '../packages/server/src/platform/ids.ts'
import { until } from '../packages/server/src/testing/until.ts'
import { type Cell, openCell, type Role } from './support/cell.ts'
import { startOwnServers } from './support/own-servers.ts'
import { proofSize } from './support/proof.ts'
import { createRandom, type Random } from './support/random.ts'
import { makeOrder, type Order, sendAll } from './support/shopper.ts'
import { type Moved, type SimulatorDesk, startSimulatorDesk } from './support/simulator-desk.ts'

const payoutsMax = proofSize('PAYOUTS', 100)
const chargesMax = proofSize('CHARGES', 100)
const seed = proofSize('SEED', 1)
const minKills = proofSize('KILLS', 3)
const killEveryMs = 1000
const opening = 100_000_000n // 1,000,000 KES, which every merchant finds in its sandbox.

/** Everything a provider does wrong, one request or payment in twenty each. */
async function breakProvider({ fault }: SimulatorDesk): Promise<void> {
  const probability = 0.05
  for (const operation of ['payout', 'charge', 'payout_status', 'charge_status'])
    for (const wish of [
      { mode: 'drop_before_processing' },
      { mode: 'drop_after_processing' },
      { mode: 'html_503', moment: 'before' },
      { mode: 'html_503', moment: 'after' },
    ])
      await fault({ operation, probability, ...wish })
  for (const operation of ['payout', 'charge'])
    for (const wish of [
      { mode: 'callback_duplicate', count: 3 },
      { mode: 'callback_never' },
      { mode: 'callback_late', delayMs: 4000 },
      { mode: 'callback_reorder' },
    ])
      await fault({ operation, probability, ...wish })
}

/** Ends every connection of the service to its database, in whatever it is doing. */
async function cutConnections(cell: Cell): Promise<void> {
  await cell.ask(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'malipo'`)
}

/** Two workers, of which one is killed every second and started again, until it is told to stop. */
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
      await until('the time to kill', () => performance.now() > killAt)
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

interface Row extends Record<string, unknown> {
  readonly id: string
  readonly merchant_id: string
  readonly type: string
  readonly state: string
  readonly doubt: string
  readonly discrepancy: string
  readonly amount: string
  readonly fee: string
  readonly external_reference: string
}

const readAll = (cell: Cell) =>
  cell.ask<Row>(`select id, merchant_id, type, state, doubt, discrepancy, amount, fee, external_reference
    from transactions order by id`)

/** Moves both clocks on, a little at a time and only when nobody has anything to do, until everything is decided. */
async function letTimePass(t: TestContext, cell: Cell, simulator: SimulatorDesk): Promise<void> {
  const countOf = async (text: string) => (await cell.ask<{ count: number }>(text))[0]?.count ?? 0
  const open = () => countOf(`select count(*)::int from transactions where state not in ('successful', 'failed')`)
  const due = () =>
    countOf(`select count(*)::int from transactions
      where state not in ('successful', 'failed') and wake_at <= record_time()`)
  for (let passed = 0; (await open()) > 0; passed += 1) {
    assert.ok(passed < 40, 'after 40 minutes something is still open')
    const startedAt = performance.now()
    await until('everything due to be done', async () => (await due()) === 0, { timeoutMs: 60_000 })
    const took = performance.now() - startedAt
    if (took > 5000) t.diagnostic(`minute ${passed}: what was due took ${Math.round(took)} ms`)
    await simulator.advance(60_000)
    await cell.forward(60_000)
  }
}

test(`${payoutsMax} payouts and ${chargesMax} charges, with everything failing that can, are each paid once or not at all`, {
  timeout: 540_000,
}, async (t) => {
  const random = createRandom(seed)
  const servers = await startOwnServers(t)
  const simulator = await startSimulatorDesk(t, { SIMULATOR_SEED: String(seed) })
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
  await until('enough to be killed', () => killing.kills() >= minKills, { timeoutMs: 300_000 })
  await killing.stop()
  await simulator.clearFaults()
  const brokenMs = performance.now() - startedAt
  await letTimePass(t, cell, simulator)

  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  const totalMs = performance.now() - startedAt
  t.diagnostic(
    `seed ${seed}: sent in ${seconds(sentMs)} s, whole after ${seconds(brokenMs)} s, done in ${seconds(totalMs)} s`,
  )
  const rows = await readAll(cell)
  const moved = await simulator.moved()
  t.diagnostic(JSON.stringify(tally(rows)))
  t.diagnostic(`told to come again: ${JSON.stringify(orders.flatMap(({ setbacks }) => setbacks))}`)
  assertOrdersAreKept(orders, rows)
  assertMovedOnce(rows, moved)
  for (const merchant of merchants) await assertWallet(cell, merchant.id, rows)
  await assertApiAgrees(orders, rows, api.url)
  await assertFeeds(cell)
  assert.deepEqual(complaintsIn(cell), [])
  const checked = await cell.operator.ledger.check({ isFull: true })
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers`)
})

const tally = (rows: readonly Row[]) =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ type, state, discrepancy }) => [type, state, discrepancy].join(' ').trim())].map(
      ([name, found]) => [name, found.length],
    ),
  )

/** What was answered is there as it was asked for, and nothing else is. */
function assertOrdersAreKept(orders: readonly Order[], rows: readonly Row[]): void {
  const asked = orders.map(({ id, reference, amount, kind, merchant }) =>
    [id, reference, amount * 100, kind === 'payout' ? 'withdrew' : 'deposit', merchant.id].join(' '),
  )
  const kept = rows.map((row) => [row.id, row.external_reference, row.amount, row.type, row.merchant_id].join(' '))
  assert.deepEqual(kept.sort(), asked.sort())
}

/** The provider's own books: one movement of the right sum for each success, none for each failure. */
function assertMovedOnce(rows: readonly Row[], moved: readonly Moved[]): void {
  const byKey = Map.groupBy(moved, ({ key }) => key)
  const wrong = rows.flatMap((row) => {
    const found = (byKey.get(providerKeyOf(row.id, 1)) ?? []).map(({ kind, amount }) => `${kind} ${amount}`)
    const kind = row.type === 'withdrew' ? 'paid' : 'collected'
    const wanted = row.state === 'successful' ? [`${kind} ${Number(row.amount) / 100}`] : []
    return found.join() === wanted.join() && row.discrepancy === ''
      ? []
      : [
          `${row.type} ${row.id} is ${row.state} ${row.doubt} ${row.discrepancy}, and the provider moved: ${found.join()}`,
        ]
  })
  assert.deepEqual(wrong, [])
  assert.equal(moved.length, rows.filter(({ state }) => state === 'successful').length)
}

async function assertWallet(cell: Cell, merchantId: string, rows: readonly Row[]): Promise<void> {
  const own = rows.filter((row) => row.merchant_id === merchantId && row.state === 'successful')
  const expected = own.reduce((sum, { type, amount, fee }) => {
    const [moved, cost] = [BigInt(amount), BigInt(fee)]
    return type === 'withdrew' ? sum - moved - cost : sum + moved - cost
  }, opening)
  const wallets = await cell.ask<{ balance: string; pending: string }>(
    `select credits_posted - debits_posted as balance, debits_pending + credits_pending as pending
     from wallets where merchant_id = $1 and currency = 'KES'`,
    [merchantId],
  )
  assert.deepEqual(wallets, [{ balance: String(expected), pending: '0' }])
}

async function assertApiAgrees(orders: readonly Order[], rows: readonly Row[], url: string): Promise<void> {
  const states = new Map(rows.map(({ external_reference, state }) => [external_reference, state]))
  for (const { merchant, reference, amount } of orders.slice(0, 100)) {
    const { body } = await merchant.call(url, 'GET', `/transactions/${reference}`)
    const { chargeStatus, amount: told } = body['data'] as { chargeStatus: string; amount: number }
    assert.deepEqual([chargeStatus, told], [states.get(reference), amount])
  }
}

/** Each feed counts 1, 2, 3 …, and tells of every payment that it was made and how it ended, once. */
async function assertFeeds(cell: Cell): Promise<void> {
  const feeds = await cell.ask(`
    select merchant_id from events where feed_number is not null group by merchant_id, env
    having count(*) <> max(feed_number) or count(distinct feed_number) <> count(*) or min(feed_number) <> 1`)
  assert.deepEqual(feeds, [])
  const untold = await cell.ask(`
    select t.id, count(*) filter (where e.name = 'transaction_created') as created,
      count(*) filter (where e.name is not null and e.state = t.state) as ended
    from transactions t left join events e on e.transaction_id = t.id group by t.id, t.state
    having count(*) filter (where e.name = 'transaction_created') <> 1
      or count(*) filter (where e.name is not null and e.state = t.state) <> 1`)
  assert.deepEqual(untold, [])
}

/** What the processes logged as an error: nothing that was done to them is one. */
function complaintsIn({ folder }: Cell): string[] {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'))
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  return lines.filter((line) => /"level":(50|60|"error"|"fatal")/.test(line)).slice(0, 5)
}
