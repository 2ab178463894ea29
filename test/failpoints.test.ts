import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { messagesOf } from '../packages/server/src/dev-stack/nats.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { failpoints } from '../packages/server/src/platform/failpoints.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { type Cell, type CellMerchant, openCell } from './support/cluster/cell.ts'
import { type OwnServers, startOwnServers } from './support/cluster/own-servers.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom } from './support/cluster/random.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { openPost, type Post } from './support/cluster/struck-processes.ts'
import { type Strike, struckWords } from './support/faults/armed-failpoints.ts'
import { planStrikes, type Target } from './support/faults/strike-plan.ts'
import { startCrowd } from './support/load/crowd.ts'
import type { Market, Ordered } from './support/load/market.ts'
import { createNudges } from './support/load/nudges.ts'
import { openOperators } from './support/load/operating.ts'
import { openReceiver, type Receiver } from './support/load/webhook-receiver.ts'
import {
  assertFeeds,
  assertMovedOnce,
  complaintsIn,
  letTimePass,
  type Row,
  readAll,
  tally,
} from './support/oracles/payment-books.ts'
import { storedWebhook } from './support/oracles/stored-webhook.ts'

const times = proofSize('STRIKES', 1)
const seed = proofSize('SEED', 1)
const [minute, hour] = [60_000, 3_600_000]
/** 26 hours: past the expiry of the last account that may receive money. */
const stepsMs = [
  ...Array<number>(10).fill(minute),
  ...Array<number>(3).fill(20 * minute),
  ...Array<number>(4).fill(8 * hour),
]

/** Responses get lost, so that requests are continued and lanes query. */
async function breakProvider({ fault }: SimulatorControl): Promise<void> {
  for (const mode of ['drop_before_processing', 'drop_after_processing']) {
    await fault({ operation: 'charge', provider: 'flutterwave', mode, probability: 0.1 })
    for (const operation of ['payout', 'charge', 'authorise']) await fault({ operation, mode, probability: 0.02 })
  }
}

async function openMerchant(cell: Cell, url: string, receiver: Receiver): Promise<CellMerchant> {
  const merchant = await cell.merchant()
  const { status } = await merchant.call(url, 'PUT', '/users', { sandboxWebhookUrl: receiver.url })
  assert.equal(status, 200)
  return merchant
}

type Wallets = ReadonlyMap<string, bigint>

async function readWallets(cell: Cell): Promise<Wallets> {
  const rows = await cell.ask<{ name: string; balance: string }>(`
    select merchant_id || ' ' || currency as name, sum(credits_posted - debits_posted) as balance
    from wallets where env = 'sandbox' group by merchant_id, currency`)
  return new Map(rows.map(({ name, balance }) => [name, BigInt(balance)]))
}

/** Strikes every process by its plan, all at the same time. */
async function strikeAll(
  cell: Cell,
  servers: OwnServers,
  plan: ReadonlyMap<Target, readonly Strike[]>,
  posts: ReadonlyMap<Target, Post>,
  orders: readonly Ordered[],
): Promise<void> {
  const operators = openOperators(cell, orders)
  const nudges = createNudges(cell, servers)
  const follow = async ([target, strikes]: readonly [Target, readonly Strike[]]) => {
    const post = posts.get(target)
    for (const strike of strikes)
      await (post ? post.strike(strike, nudges.towards(strike.place)) : operators.endOne(strike))
  }
  await Promise.all([...plan].map(follow))
  await nudges.close()
}

test(`with every failpoint struck ${times} times, every payment is made once or not at all`, {
  timeout: 90 * minute,
}, async (t) => {
  const startedAt = performance.now()
  const random = createRandom(seed)
  const servers = await startOwnServers(t)
  const simulator = await startControlledSimulator(t, { SIMULATOR_SEED: String(seed) })
  const receiver = await openReceiver(t, () => (random.below(20) === 0 ? 'reset' : { status: 200 }))
  const cell = openCell(t, servers, { ...simulator.settings, MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' })
  const names = ['api-1', 'api-2', 'worker-1', 'worker-2'] as const
  const started = names.map((name) => openPost(cell, name.startsWith('api') ? 'api' : 'worker', name))
  const posts = await Promise.all(started)
  const urls = posts.slice(0, 2).map(({ url }) => url)
  await simulator.tune({ callbackBase: `${urls[0]}/callbacks/sandbox` })
  const merchants = [
    await openMerchant(cell, urls[0] ?? '', receiver),
    await openMerchant(cell, urls[0] ?? '', receiver),
  ]
  const before = await readWallets(cell)
  await cell.operator.providers.pause('house', { env: 'sandbox', reason: 'tills are to be cancelled' })
  await breakProvider(simulator)
  const market: Market = { random, merchants, urls, simulator, orders: [], refusals: [], setbacks: new Map() }
  const plan = planStrikes(random, times)

  const crowd = startCrowd(market)
  const byName = new Map<Target, Post>(names.map((name, index) => [name, posts[index] as Post]))
  await strikeAll(cell, servers, plan, byName, market.orders)
  const struckMs = performance.now() - startedAt
  await crowd.stop()
  await simulator.clearFaults()
  await cell.operator.providers.resume('house', { env: 'sandbox', reason: 'the end' })
  await letTimePass(t, cell, simulator, stepsMs, openOperators(cell, market.orders).endAll)
  await letWebhooksArrive(cell)

  const rows = await readAll(cell)
  reportOf(t, { plan, market, rows, struckMs, totalMs: performance.now() - startedAt })
  assert.deepEqual(market.refusals, [])
  assertOrdersAreKept(market.orders, rows)
  await assertMovedOnce(cell, rows, await simulator.moved())
  assert.deepEqual(await readWallets(cell), walletsAfter(before, rows))
  await assertApiAgrees(market, rows)
  await assertFeeds(cell)
  await assertWebhooks(cell, receiver)
  await assertRelayed(cell, servers)
  const checked = await cell.operator.ledger.check({ isFull: true })
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers`)
  assert.deepEqual(complaintsIn(cell, isOfStrike), [])
})

/**
 * Errors that a strike explains. A process paused for long finds its connections gone; outside a batch that gives a 500 and an
 * error log. A short pause must not cause this.
 */
const isOfStrike = (line: string) => line.includes(struckWords) || (times > 1 && lostMeanwhile.test(line))
const lostMeanwhile =
  /timeout exceeded when trying to connect|Query read timeout|not queryable|idle-in-transaction timeout/

interface Reported {
  readonly plan: ReadonlyMap<Target, readonly Strike[]>
  readonly market: Market
  readonly rows: readonly Row[]
  readonly struckMs: number
  readonly totalMs: number
}

function reportOf(t: TestContext, { plan, market, rows, struckMs, totalMs }: Reported): void {
  const strikes = [...plan.values()].flat()
  const kinds = [...Map.groupBy(strikes, ({ kind }) => kind)].map(([kind, all]) => `${all.length} by ${kind}`)
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  t.diagnostic(`${Object.keys(failpoints).length} failpoints, ${strikes.length} strikes: ${kinds.join(', ')}`)
  t.diagnostic(`seed ${seed}: struck in ${seconds(struckMs)} s, done in ${seconds(totalMs)} s`)
  t.diagnostic(`${rows.length} payments: ${JSON.stringify(tally(rows))}`)
  t.diagnostic(`retryable responses: ${JSON.stringify(Object.fromEntries(market.setbacks))}`)
}

/** Every accepted order is stored once, as requested, and nothing else is; every payout reported as cancelled is cancelled. */
function assertOrdersAreKept(orders: readonly Ordered[], rows: readonly Row[]): void {
  const asked = orders.map(({ id, reference, merchant }) => [id, reference, merchant.id].join(' '))
  const kept = rows.map((row) => [row.id, row.external_reference, row.merchant_id].join(' '))
  assert.deepEqual(new Set(kept), new Set(asked))
  assert.equal(kept.length, asked.length)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const codes = orders.flatMap(({ id = '', isCancelled }) => (isCancelled ? [byId.get(id)?.failure?.code] : []))
  assert.deepEqual(new Set(codes), new Set(codes.length > 0 ? ['MANUALLY_CANCELLED'] : []))
}

/** The expected wallets, from the outcome of each payment. */
function walletsAfter(before: Wallets, rows: readonly Row[]): Wallets {
  const after = new Map(before)
  for (const { merchant_id, currency, type, method, state, amount, received, fee } of rows) {
    if (state !== 'successful') continue
    const name = `${merchant_id} ${currency}`
    const came = BigInt(method === 'bank-transfer' ? received : amount) - BigInt(fee)
    const change = type === 'withdrew' ? -(BigInt(amount) + BigInt(fee)) : came
    after.set(name, (after.get(name) ?? 0n) + change)
  }
  return after
}

async function assertApiAgrees({ orders, urls }: Market, rows: readonly Row[]): Promise<void> {
  const states = new Map(rows.map(({ external_reference, state }) => [external_reference, state]))
  for (const { merchant, reference } of orders.slice(0, 100)) {
    const { body } = await merchant.call(urls[0] ?? '', 'GET', `/transactions/${reference}`)
    const { chargeStatus } = body['data'] as { chargeStatus: string }
    assert.equal(chargeStatus, states.get(reference))
  }
}

/** An endpoint that rests after failures in a row gets its records later, however long they have been due. */
const deliverable = `next_attempt_at <= record_time() and (merchant_id, env, endpoint_id) not in (
  select merchant_id, env, id from webhook_endpoints where rests_until > record_time())`

/** Receivers that reset connections get a retry later. */
async function letWebhooksArrive(cell: Cell): Promise<void> {
  const pending = async (when: string) => {
    const [row] = await cell.ask<{ count: number }>(`select count(*)::int from webhook_records where ${when}`)
    return row?.count ?? 0
  }
  for (let passed = 0; passed < 60 && (await pending(`status <> 'SUCCESS'`)) > 0; passed += 1) {
    await until('due webhooks to be delivered', async () => (await pending(deliverable)) === 0).catch(async (cause) => {
      throw new Error(JSON.stringify(await overdue(cell)), { cause })
    })
    await cell.forward(minute)
  }
}

/** What may keep a due record from its endpoint. */
const overdue = (cell: Cell) =>
  cell.ask(`
    select record_time(), w.id, w.status, w.attempts, w.next_attempt_at, w.leased_until, e.failures, e.rests_until, e.next_due,
      e.due_from, e.disabled_at
    from webhook_records w
    join webhook_endpoints e on (e.merchant_id, e.env, e.id) = (w.merchant_id, w.env, w.endpoint_id)
    where w.next_attempt_at <= record_time()
    order by w.next_attempt_at
    limit 3`)

/** Every event has a webhook, and every webhook arrived at least once, with the same body each time. */
async function assertWebhooks(cell: Cell, { got }: Receiver): Promise<void> {
  const records = await cell.ask<{ id: string; status: string; body: string }>(`
    select e.id, coalesce(w.status, 'missing') as status, w.body
    from events e left join webhook_records w on w.id = e.id where e.name is not null`)
  const arrived = Map.groupBy(got, ({ id }) => id)
  const wrong = records.filter(({ id, status, body }) => {
    const found = arrived.get(showId('webhook', id)) ?? []
    return status !== 'SUCCESS' || found.length === 0 || found.some((each) => storedWebhook(each.body) !== body)
  })
  assert.deepEqual(wrong.slice(0, 5), [])
}

/** Every event was relayed to the operator's other systems at least once. */
async function assertRelayed(cell: Cell, { natsUrl }: OwnServers): Promise<void> {
  const behind = `select from relays where relayed_below <= (select max(batch) from events where name is not null)`
  await until('the relay to be done', async () => (await cell.ask(behind)).length === 0)
  const reported = await messagesOf<{ transactionId: string; sequence: number }>(natsUrl, 'EVENTS', 'malipo.0.events.')
  const seen = new Set(reported.map(({ transactionId, sequence }) => `${transactionId} ${sequence}`))
  const events = await cell.ask<{ transaction_id: string; number: number }>(
    `select transaction_id, number from events where name is not null`,
  )
  const unreported = events.filter(
    (event) => !seen.has(`${showId('transaction', event.transaction_id)} ${event.number}`),
  )
  assert.deepEqual(unreported.slice(0, 5), [])
}
