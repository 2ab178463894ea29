import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { machineTime } from '../packages/server/src/dev-stack/until.ts'
import { readId } from '../packages/server/src/platform/ids.ts'
import { type Cell, openCell, type Role } from './support/cluster/cell.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { proofSize } from './support/cluster/proof.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import type { LoadOrder, LoadReport } from './support/load/payout-load.ts'
import { complaintsIn } from './support/oracles/payment-books.ts'

const seconds = proofSize('SECONDS', 10)
const times = 10
const merchantCount = 8
/** Refusals are paced, since refusing a thousand connections at full speed leaves a fifth of the capacity for payments. */
const refusedWithinMs = 500
/** Share of what was accepted at capacity. */
const keptShare = 0.4
const normalWithinMs = 10_000
const growthMaxMiB = 300
const commitEveryMs = 50

test(`overloaded tenfold for ${seconds} s, an api refuses the rest, keeps most capacity, stays correct`, {
  timeout: (seconds + 240) * 1000,
}, async (t) => {
  const servers = await startOwnServers(t)
  const simulator = await startControlledSimulator(t)
  const cell = openCell(t, servers, { ...simulator.settings, MALIPO_CONNECTIONS_PER_ADDRESS: '2000' })
  const api = await cell.start('api', 'api')
  const merchants = await Promise.all(Array.from({ length: merchantCount }, () => cell.merchant()))
  const tokens = await Promise.all(merchants.map((merchant) => merchant.authorization(api.url)))
  const reports: LoadReport[] = []
  const load = async (name: string, order: Omit<LoadOrder, 'port' | 'tokens'>) => {
    const watch = watchProcess(api)
    const [startedAt, startedAtMachine] = [performance.now(), machineTime()]
    const report = await run({ port: Number(new URL(api.url).port), tokens, ...order })
    const seen = watch.stop()
    /** Share of the time in which the machine ran for this test. */
    const share = (machineTime() - startedAtMachine) / (performance.now() - startedAt)
    notify(t, name, report, seen)
    reports.push(report)
    return { report, seen, share }
  }
  const calmLoad = async (name: string, seconds: number) => {
    const commits = watchCommits(cell)
    const { report } = await load(name, { seconds, connections: 4, perSecond: 20 })
    const commitMs = await commits.stop()
    t.diagnostic(`  a plain commit took ${commitMs.toFixed(1)} ms`)
    return { report, commitMs }
  }

  await load('warming up', { seconds: 2, connections: 32 })
  const full = await load('at capacity', { seconds: 3, connections: 64 })
  const capacity = perSecond(full.report, '200')
  const calm = await calmLoad('calm before', 2)
  const over = await load('overload', { seconds, connections: 1000, perSecond: capacity * times })
  const endedAt = performance.now()
  /** On a machine that got slower meanwhile, as plain commits show, normal is slower too. */
  const isNormal = ({ report, commitMs }: typeof calm) =>
    countOf(report, '503') === 0 &&
    median(report) <= (2 * median(calm.report) + 5) * Math.max(1, commitMs / calm.commitMs)
  let after = await calmLoad('right after', 1)
  while (!isNormal(after) && performance.now() - endedAt < normalWithinMs) after = await calmLoad('after', 1)

  await assertKept(
    cell,
    reports.flatMap(({ ids }) => ids),
  )
  assert.deepEqual(complaintsIn(cell), [])
  const checked = await cell.operator.ledger.check({ isFull: true })
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers`)
  assert.ok(isNormal(after), 'response times did not recover')
  const refused = over.report.latencies['503'] ?? []
  const statuses = Object.keys(over.report.latencies)
  assert.deepEqual(statuses, ['200', '503'])
  assert.ok(refused.length > countOf(over.report, '200'), 'too few were refused')
  assert.ok(percentile(refused, 0.5) * over.share < refusedWithinMs, 'refusals took too long')
  assert.ok(perSecond(over.report, '200') >= keptShare * capacity, 'refusals used up the capacity for payments')
  assert.match(over.report.samples['503'] ?? '', /\r\nretry-after: 1\r\n[\s\S]+"errorCode":"OVERLOADED"/)
  assert.ok(over.seen.mostMiB - over.seen.beforeMiB < growthMaxMiB, 'memory grew')
})

/** The load runs in a separate process, or its work would count as the server's delay. */
async function run(order: LoadOrder): Promise<LoadReport> {
  const child = fork(join(import.meta.dirname, 'support/load/payout-load.ts'), { serialization: 'advanced' })
  child.send(order)
  const [report] = (await once(child, 'message')) as [LoadReport]
  return report
}

/** Every accepted payout is stored once with its hold; refused ones left nothing. */
async function assertKept(cell: Cell, shown: readonly string[]): Promise<void> {
  const rows = await cell.ask<{ id: string }>('select id from transactions order by id')
  assert.deepEqual(
    rows.map(({ id }) => id),
    shown.map((id) => readId('transaction', id)).sort(),
  )
  const [held] = await cell.ask<{ held: string }>(`select sum(debits_pending) as held from wallets`)
  assert.equal(Number(held?.held), shown.length * 1010) // 10 KES and the fee.
}

const countOf = ({ latencies }: LoadReport, status: string) => latencies[status]?.length ?? 0
const perSecond = (report: LoadReport, status: string) => Math.round(countOf(report, status) / (report.tookMs / 1000))
const percentile = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
const median = ({ latencies }: LoadReport) => percentile(latencies['200'] ?? [], 0.5)

function notify(t: TestContext, name: string, report: LoadReport, seen: Seen): void {
  const words = Object.entries(report.latencies).map(([status, all]) => {
    const [p50, p99] = [percentile(all, 0.5), percentile(all, 0.99)]
    return `${perSecond(report, status)}/s ${status} in ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  })
  const percent = (share: number) => `${Math.round(share * 100)} %`
  t.diagnostic(`${name}: ${words.join('; ')}; ${report.unsent} not sent because all connections were busy`)
  t.diagnostic(
    `  the load used ${percent(report.cpuShare)} of a core, the api ${percent(seen.cpuShare)}; the api ran ${seen.stretch.toFixed(1)} times slower than on its own core; RSS ${seen.beforeMiB} to ${seen.mostMiB} MiB`,
  )
}

/** Median of plain commits, each over its own connection, in milliseconds. */
function watchCommits(cell: Cell): { stop(): Promise<number> } {
  const stopped = new AbortController()
  const watching = commitOften(cell, stopped.signal)
  return {
    stop: async () => {
      stopped.abort()
      return percentile(await watching, 0.5)
    },
  }
}

async function commitOften(cell: Cell, stopped: AbortSignal): Promise<number[]> {
  const took: number[] = []
  while (!stopped.aborted) {
    const startedAt = performance.now()
    await cell.ask(`select pg_logical_emit_message(true, 'watch', '')`)
    took.push(performance.now() - startedAt)
    await setTimeout(commitEveryMs)
  }
  return took.sort((a, b) => a - b)
}

interface Seen {
  readonly beforeMiB: number
  readonly mostMiB: number
  readonly cpuShare: number
  /** Time it ran or waited for a core, divided by time it ran. */
  readonly stretch: number
}

function watchProcess({ pid }: Role): { stop(): Seen } {
  const rss = () => Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  const times = () => readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number)
  const [beforeMiB, [ranBefore = 0, waitedBefore = 0], startedAt] = [rss(), times(), performance.now()]
  let mostMiB = beforeMiB
  const timer = setInterval(() => {
    mostMiB = Math.max(mostMiB, rss())
  }, 100)
  return {
    stop: () => {
      clearInterval(timer)
      const [ranAfter = 0, waitedAfter = 0] = times()
      const [ran, waited] = [ranAfter - ranBefore, waitedAfter - waitedBefore]
      const cpuShare = ran / 1e6 / (performance.now() - startedAt)
      return { beforeMiB, mostMiB, cpuShare, stretch: (ran + waited) / ran }
    },
  }
}
