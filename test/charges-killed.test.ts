import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { readId } from '../packages/server/src/platform/ids.ts'
import { cards } from '../packages/server/src/testing/charging.ts'
import { type Cell, type CellMerchant, openCell } from './support/cluster/cell.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom, type Random } from './support/cluster/random.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { moments, startVictims, workMs } from './support/faults/victims.ts'
import { keyOf } from './support/load/payments.ts'
import {
  anyCard,
  ask,
  authorise,
  nextAnswer,
  openTill,
  press,
  read,
  type Sale,
  sellByCard,
  sellByTransfer,
} from './support/load/sales.ts'
import { type BookedCharge, readCharges, wrongCharges } from './support/oracles/charge-books.ts'
import { show } from './support/oracles/ledger-results.ts'

const kills = proofSize('KILLS', 10)
const seed = proofSize('SEED', 1)
const [minute, hour] = [60_000, 3_600_000]
/** This many die before their work is continued. */
const killsInARow = 10

/** Past the deadline for the response to a customer's answer: the worker queries the provider now. */
const pastAnswering = 51_000
/** Cards expire after an hour; accounts take money for two, and are watched for a day longer. */
const untilTheEnd = [61 * minute, ...Array<number>(5).fill(5 * hour), hour]

interface Bench {
  readonly random: Random
  readonly cell: Cell
  readonly simulator: SimulatorControl
  readonly merchants: readonly CellMerchant[]
  /** The api that is not killed. */
  readonly url: string
}

/** A request during which a process dies: a charge, or a customer's answer. */
interface DoomedRequest {
  readonly sale: Sale
  run(url: string): Promise<unknown>
}

const requestMakers: readonly ((bench: Bench) => Promise<DoomedRequest>)[] = [
  async ({ random, merchants }) => charging(sellByCard(random, random.pick(merchants), anyCard(random))),
  async ({ random, merchants }) => charging(sellByTransfer(random, random.pick(merchants))),
  (bench) => answering(bench, cards.asksPin, 0),
  (bench) => answering(bench, cards.asksPin, 1),
  (bench) => answering(bench, cards.asksAddress, 0),
]

const charging = (sale: Sale): DoomedRequest => ({ sale, run: (url) => ask(sale, url) })

/** A card charge with an open question, after this many answers. */
async function answering({ random, merchants, url }: Bench, number: string, answered: number): Promise<DoomedRequest> {
  const sale = sellByCard(random, random.pick(merchants), number)
  assert.equal((await ask(sale, url))?.status, 200)
  const next = async (isRight: boolean) => {
    const answer = await nextAnswer(sale, url, isRight)
    assert.ok(answer)
    return answer
  }
  for (let count = 0; count < answered; count += 1)
    assert.equal((await authorise(sale, url, await next(true)))?.status, 200)
  const answer = await next(random.below(4) > 0)
  return { sale, run: (victim) => authorise(sale, victim, answer) }
}

async function openBench(t: TestContext) {
  const ground = await startOwnServers(t)
  const simulator = await startControlledSimulator(t, { SIMULATOR_SEED: String(seed) })
  const cell = openCell(t, ground, simulator.settings)
  const [api, merchants] = [await cell.start('api', 'api'), [await cell.merchant(), await cell.merchant()]]
  await cell.start('worker', 'worker')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  for (const operation of ['charge', 'authorise'])
    await simulator.fault({ operation, mode: 'latency', delayMs: workMs })
  const random = createRandom(seed)
  const victims = await startVictims(t, { cell, ground, providerUrl: simulator.url, random })
  return { bench: { random, cell, simulator, merchants, url: api.url } satisfies Bench, victims }
}

const open = (cell: Cell, which: string) =>
  cell.ask(`select from transactions where state not in ('successful', 'failed') and (${which})`)

/** Moves both clocks, and waits until nothing is due. */
async function forward({ cell, simulator }: Bench, ms: number): Promise<void> {
  await simulator.advance(ms)
  await cell.forward(ms)
  const isIdle = async () => (await open(cell, `state = 'sending' or wake_at <= record_time()`)).length === 0
  await until('everything due to be done', isIdle, { timeoutMs: 120_000 })
}

const pay = ({ simulator }: Bench, { id = '' }: Sale, amount: number, account: string) =>
  simulator.pay(keyOf(readId('transaction', id) ?? ''), amount.toFixed(2), account)

/**
 * Late customers. A card charge is still open at its provider, and is paid now; an account has expired, and money into it is
 * credited by an adjustment.
 */
async function comeLate(bench: Bench, sales: readonly Sale[]): Promise<number> {
  const late = sales.filter(({ place }) => place !== undefined)
  for (const sale of late) {
    if (sale.place && 'page' in sale.place) await press(sale.place.page, 'approve')
    else if (sale.place) await pay(bench, sale, sale.body.amount, sale.place.account)
  }
  for (const { id = '', body } of late)
    await until(`late money of ${body.externalReference} to be credited`, async () => {
      const found = await bench.cell.ask(
        `select from transactions
         where id = $1 and case state when 'successful' then amount else 0 end + adjusted = amount`,
        [readId('transaction', id)],
      )
      return found.length > 0
    })
  return late.length
}

test(`${kills} api processes killed during charges lose, double and strand nothing`, {
  timeout: 900_000,
}, async (t) => {
  const startedAt = performance.now()
  const { bench, victims } = await openBench(t)
  const { random, cell, simulator, merchants, url } = bench
  const opening = await balances(cell)
  const till = openTill(url, (sale, amount, account) => pay(bench, sale, amount, account))
  const sales: Sale[] = []

  for (let count = 0; count < kills; ) {
    const left: Sale[] = []
    for (let inARow = 0; inARow < killsInARow && count < kills; inARow += 1, count += 1) {
      const both = await Promise.all(
        [requestMakers[count % requestMakers.length], random.pick(requestMakers)].map((make) => make?.(bench)),
      )
      const moment = moments[count % moments.length] ?? 'any time'
      await victims.kill(moment, (victim) => Promise.all(both.map((request) => request?.run(victim))))
      left.push(...both.flatMap((request) => request?.sale ?? []))
    }
    await forward(bench, pastAnswering)
    await Promise.all(left.map(till.continueSales))
    sales.push(...left)
  }
  const killedMs = performance.now() - startedAt
  for (const ms of untilTheEnd) await forward(bench, ms)
  await until('the last charge to end', async () => (await open(cell, `doubt <> 'overdue'`)).length === 0)
  const overdue = (await open(cell, 'true')).length
  const late = await comeLate(bench, sales)
  await until('overdue charges to end', async () => (await open(cell, 'true')).length === 0)

  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  t.diagnostic(`seed ${seed}: killed in ${seconds(killedMs)}, done in ${seconds(performance.now() - startedAt)}`)
  t.diagnostic(`deaths: ${show(Object.fromEntries(victims.deaths))}`)
  t.diagnostic(
    `responses afterwards: ${show(Object.fromEntries(till.counts))}; ${late} customers were late, ${overdue} of them for an open charge`,
  )
  const charges = await readCharges(cell)
  t.diagnostic(`charges: ${show(tally(charges))}`)
  assert.deepEqual(wrongCharges(charges, await simulator.moved()), [])
  for (const { id } of merchants) assertWallets(await balances(cell), opening, charges, id)
  await assertReportedAsItIs(sales, charges, url)
  const checked = await cell.operator.ledger.check({ isFull: true })
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers`)
})

const tally = (charges: readonly BookedCharge[]) =>
  Object.fromEntries(
    [
      ...Map.groupBy(charges, ({ method, state, failure, adjustments }) =>
        [method, state, failure ?? '', adjustments > 0 ? 'credited late' : ''].filter((word) => word !== '').join(' '),
      ),
    ].map(([name, found]) => [name, found.length]),
  )

/** Balance of each merchant, by currency; nothing is reserved for a charge. */
async function balances(cell: Cell): Promise<ReadonlyMap<string, bigint>> {
  const rows = await cell.ask<{ name: string; balance: string }>(`
    select merchant_id || ' ' || currency as name, sum(credits_posted - debits_posted) as balance from wallets
    where env = 'sandbox' and debits_pending = 0 and credits_pending = 0 group by 1`)
  return new Map(rows.map(({ name, balance }) => [name, BigInt(balance)]))
}

/** To the minor unit: the balance before, plus what every charge reports. */
function assertWallets(
  now: ReadonlyMap<string, bigint>,
  opening: ReadonlyMap<string, bigint>,
  charges: readonly BookedCharge[],
  merchantId: string,
): void {
  for (const currency of ['NGN', 'KES']) {
    const own = charges.filter((charge) => charge.merchant_id === merchantId && charge.currency === currency)
    const feesOf = ({ state, fee, adjusted_fee }: BookedCharge) => (state === 'successful' ? fee : 0n) + adjusted_fee
    const brought = own.reduce((sum, charge) => sum + charge.credited - feesOf(charge), 0n)
    const name = `${merchantId} ${currency}`
    assert.equal(now.get(name), (opening.get(name) ?? 0n) + brought, name)
  }
}

/** Every sale is one charge, which its merchant reads with its real state; no other charge exists. */
async function assertReportedAsItIs(
  sales: readonly Sale[],
  charges: readonly BookedCharge[],
  url: string,
): Promise<void> {
  const states = new Map(charges.map(({ id, state }) => [id, state.toUpperCase()]))
  for (const sale of sales) {
    const found = await read(sale, url)
    assert.equal(found?.status, states.get(readId('transaction', sale.id ?? '') ?? ''))
  }
  assert.equal(charges.length, sales.length)
}
