import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { attemptOfKey } from '../../packages/server/src/platform/ids.ts'
import { type Cell, openCell } from '../support/cluster/cell.ts'
import { type SimulatorControl, startControlledSimulator } from '../support/cluster/simulator-control.ts'
import { cases, strike } from './cases.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Load, startLoad, type Writable, watchWritable } from './load.ts'

export interface Result {
  readonly name: string
  readonly acknowledged: number
  readonly lost: number
  readonly doubled: number
  readonly statuses: string
  /** The longest time without a success, in seconds. */
  readonly gap: number
  /** From the database's first write after that outage to the first success; undefined where it always took writes. */
  readonly afterWritable: number | undefined
  /** Seconds in which the database took no write. */
  readonly unwritable: number
}

type Times = Pick<Result, 'gap' | 'afterWritable' | 'unwritable'>

export interface FailoverReport {
  readonly results: readonly Result[]
  readonly ledger: string
}

const warmUpMs = 5000

/** Runs the cases one after another on one cluster, each under load, and checks the books at the end. */
export async function runFailover(
  wanted: readonly string[],
  perSecond: number,
  say: (line: string) => void,
): Promise<FailoverReport> {
  const endings: (() => Promise<unknown>)[] = []
  const t = { after: (work: () => unknown) => void endings.push(async () => work()) }
  try {
    const cluster = await startCluster()
    endings.push(() => cluster.close())
    const simulator = await startControlledSimulator(t)
    const cell = openCell(t, cluster, {
      ...simulator.settings,
      MALIPO_NATS_REPLICAS: '3',
      MALIPO_TRUSTED_PROXIES: '127.0.0.1',
    })
    await startProcesses(cell, cluster)
    say('three PostgreSQL under Patroni, HAProxy, three NATS, two api and two workers are up')
    const results: Result[] = []
    for (const name of wanted.length > 0 ? wanted : Object.keys(cases)) {
      const result = await runCase({ cluster, cell, simulator, name, perSecond })
      results.push(result)
      say(show(result))
    }
    await settled(cell)
    await cell.operator.ledger.check({ isFull: true })
    return { results, ledger: 'clean' }
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

async function startProcesses(cell: Cell, cluster: Cluster): Promise<void> {
  for (const [place, port] of cluster.apiPorts.entries()) {
    await cell.start('api', `api-${place}`, { MALIPO_PORT: String(port) })
    await cell.start('worker', `worker-${place}`)
  }
  await until('HAProxy to find an api', () =>
    fetch(`${cluster.apiUrl}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
}

interface Order {
  readonly cluster: Cluster
  readonly cell: Cell
  readonly simulator: SimulatorControl
  readonly name: string
  readonly perSecond: number
}

async function runCase({ cluster, cell, simulator, name, perSecond }: Order): Promise<Result> {
  const merchants = await Promise.all(Array.from({ length: 4 }, () => cell.merchant()))
  for (const merchant of merchants) await merchant.authorization(cluster.apiUrl)
  const watch = watchWritable(cluster.loginUrl)
  const load = startLoad(cluster.apiUrl, merchants, perSecond, `${name}-${Date.now()}`)
  await pause(warmUpMs)
  const struckAt = performance.now()
  await strike(cluster, name)
  await pause(warmUpMs)
  await load.stop()
  await watch.stop()
  await settled(cell)
  return {
    name,
    acknowledged: load.acknowledged.length,
    statuses: [...load.statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
    lost: await countLost(cell, load),
    doubled: await countDoubled(cell, simulator, load),
    ...timesOf(load, watch, struckAt),
  }
}

/** The longest gap between two successes, and how much of it came after the database took writes again. */
function timesOf(load: Load, { samples }: Writable, struckAt: number): Times {
  const times = load.acknowledged.map(({ at }) => at).sort((left, right) => left - right)
  const gaps = times.slice(1).map((at, index) => ({ from: times[index] ?? at, to: at }))
  const longest = gaps
    .filter(({ to }) => to > struckAt)
    .reduce((most, gap) => (gap.to - gap.from > most.to - most.from ? gap : most), { from: 0, to: 0 })
  const failed = samples.filter(({ isWritable, to }) => !isWritable && to > longest.from)
  const brokeAt = Math.min(...failed.map(({ from }) => from))
  const written = samples.filter(({ isWritable, from }) => isWritable && from > brokeAt)
  const writableAt = Math.min(...written.map(({ to }) => to))
  const isOut = Number.isFinite(brokeAt) && Number.isFinite(writableAt) && brokeAt < longest.to
  return {
    gap: seconds(longest.to - longest.from),
    afterWritable: isOut ? seconds(Math.max(0, longest.to - writableAt)) : undefined,
    unwritable: isOut ? seconds(writableAt - brokeAt) : 0,
  }
}

const seconds = (ms: number) => Math.round(ms / 100) / 10

async function countLost(cell: Cell, { acknowledged }: Load): Promise<number> {
  const found = await cell.ask<{ id: string }>('select id from transactions where id = any($1)', [
    acknowledged.map(({ id }) => id),
  ])
  return acknowledged.length - found.length
}

/** Payments stored twice under one reference, and payouts that the provider paid twice. */
async function countDoubled(cell: Cell, simulator: SimulatorControl, { acknowledged }: Load): Promise<number> {
  const references = acknowledged.map(({ reference }) => reference)
  const twice = await cell.ask(
    'select external_reference from transactions where external_reference = any($1) group by 1 having count(*) > 1',
    [references],
  )
  const paid = (await simulator.moved()).flatMap(({ key, kind }) => (kind === 'paid' ? (attemptOfKey(key) ?? []) : []))
  const ids = paid.map(({ transactionId }) => transactionId)
  return twice.length + ids.length - new Set(ids).size
}

/** Every payment has ended. One with a lost response is queried after a while, so the database's clock runs ahead. */
async function settled(cell: Cell): Promise<void> {
  const isOver = async () => {
    const open = await cell.ask(`select state from transactions where state not in ('successful', 'failed')`)
    if (open.length > 0) await cell.forward(300_000).then(() => pause(2000))
    return open.length === 0
  }
  await until('every payment to end', isOver, { timeoutMs: 180_000 })
}

export function show({ name, ...of }: Result): string {
  const after = of.afterWritable === undefined ? '–' : `${of.afterWritable} s`
  return `| ${name} | ${of.acknowledged} | ${of.lost} | ${of.doubled} | ${of.statuses} | ${of.unwritable} s | ${of.gap} s | ${after} |`
}

export const heading = [
  '| case | acknowledged | lost | doubled | responses | database not writable for | no success for | first success after writable |',
  '|---|---|---|---|---|---|---|---|',
]

export const isGood = ({ lost, doubled, statuses, afterWritable }: Result) =>
  lost + doubled === 0 && !/ 500/.test(statuses) && (afterWritable ?? 0) <= 3
