import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '../packages/server/src/config.ts'
import { type Context, openContext } from '../packages/server/src/context.ts'
import { createDatabase, login } from '../packages/server/src/dev-stack/database.ts'
import { startNats } from '../packages/server/src/dev-stack/nats.ts'
import { startPostgres } from '../packages/server/src/dev-stack/postgres.ts'
import { guardFolder, makeFolder } from '../packages/server/src/dev-stack/processes.ts'
import { createMerchant } from '../packages/server/src/merchants/create.ts'
import { setDefaultUrl } from '../packages/server/src/merchants/endpoints.ts'
import { makeSecrets } from '../packages/server/src/operate/operator.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { notifyMerchants } from '../packages/server/src/testing/notifying.ts'
import { type Bench, inPairs, median, rounded } from './bench.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 30)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const endpoints = Number(process.env['BENCH_ENDPOINTS'] ?? 1000)
const perSecond = Number(process.env['BENCH_EVENTS'] ?? 300)
/** Events before the worker is warm are delivered and not counted. */
const warmSeconds = 3
/** Events are written in as many transactions a second as there are payment batches under load. */
const batchesPerSecond = 50

/**
 * Time from commit to the first attempt at healthy endpoints, while one in twenty hangs and three in twenty fail, compared with
 * the same events without those. Every round has its own merchants; one process delivers, another receives and this one writes
 * the events.
 */
export const deliverFairness: Bench = async (print) => {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-bench-')))
  const guard = guardFolder(folder, { isKept: false })
  const [postgres, nats] = [await startPostgres(folder), await startNats(folder)]
  await createDatabase(postgres, 'bench', 'bench')
  const env = {
    ...makeSecrets(new Date()),
    DATABASE_URL: postgres.urlOf('bench', { name: login, password: 'bench' }),
    NATS_URL: nats.url,
    MALIPO_PORT: '0',
    MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
    MALIPO_LOG_LEVEL: 'warn',
  }
  const ctx = openContext(loadConfig(env))
  try {
    const reset = () => postgres.run('bench', `update webhook_endpoints set url = '', next_due = null`)
    const medians: Record<'bad' | 'healthy', number[]> = { bad: [], healthy: [] }
    const measure = (kind: 'bad' | 'healthy') => async () => {
      await reset()
      const { p99, p50, late } = await oneRun(ctx, env, { hasBad: kind === 'bad', print })
      medians[kind].push(p50)
      if (late > 0) print(`${late} healthy deliveries were never received`)
      return p99
    }
    const result = await inPairs(rounds, measure('bad'), measure('healthy'), print)
    const figures = {
      withBadP99Ms: rounded(result.ours),
      withoutP99Ms: rounded(result.theirs),
      withBadMedianMs: rounded(median(medians.bad)),
      withoutMedianMs: rounded(median(medians.healthy)),
    }
    print(
      `p99 ${figures.withBadP99Ms} ms with bad endpoints, ${figures.withoutP99Ms} ms without: ${rounded(result.ratio)}`,
    )
    return { figures, ratios: { withBad: rounded(result.ratio) } }
  } finally {
    await ctx.close()
    await nats.stop()
    await postgres.stop()
    await guard.dismiss()
  }
}

interface RunOptions {
  readonly hasBad: boolean
  readonly print: (line: string) => void
}

async function oneRun(ctx: Context, env: Record<string, string>, { hasBad, print }: RunOptions) {
  const receivers = start('./webhook-receivers.ts', {})
  const [{ port }] = (await once(receivers, 'message')) as [{ port: number }]
  const merchants = await openEndpoints(ctx, `http://127.0.0.1:${port}`, hasBad)
  const worker = start('./webhook-worker.ts', env)
  await once(worker, 'message')
  const committedAt = await notifySteadily(ctx, merchants)
  await pause(2000) // Without an attempt two seconds after the last event, an event is certainly late.
  receivers.send('report')
  const [report] = (await once(receivers, 'message')) as [{ requests: number; firsts: [string, number][] }]
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  receivers.kill()
  const firsts = new Map(report.firsts)
  const healthy = [...committedAt].filter(([, { isHealthy }]) => isHealthy)
  const waits = healthy.map(([id, { at }]) => (firsts.get(id) ?? Number.POSITIVE_INFINITY) - at)
  const sorted = waits.toSorted((left, right) => left - right)
  const late = sorted.filter((wait) => wait === Number.POSITIVE_INFINITY).length
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  print(
    `  ${hasBad ? 'with bad' : 'without'}: ${committedAt.size} events, ${report.requests} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(0.99999)} ms`,
  )
  return { p50: at(0.5), p99: at(0.99), late }
}

function start(program: string, env: Record<string, string>): ChildProcess {
  return fork(fileURLToPath(import.meta.resolve(program)), { env: { PATH: process.env['PATH'], ...env } })
}

interface Bearer {
  readonly id: string
  readonly isHealthy: boolean
}

/** As the operator creates merchants and merchants set their URLs, in one transaction. */
async function openEndpoints(ctx: Context, url: string, hasBad: boolean): Promise<Bearer[]> {
  return ctx.db.write.transaction(async (tx) => {
    const made: Bearer[] = []
    for (let index = 0; index < endpoints; index += 1) {
      const place = hasBad ? index % 20 : 19
      const kind = place < 1 ? 'hanging' : place < 4 ? 'failing' : 'healthy'
      const id = newId(Date.now(), 0)
      const names = { name: 'Bench', email: 'bench@example.com', first_name: 'B', last_name: 'B' }
      await createMerchant(tx, ctx.vault, { id, ...names, home_country: 'KE' })
      await setDefaultUrl(tx, { merchant_id: id, env: 'sandbox' }, `${url}/${kind}/${index}`)
      made.push({ id, isHealthy: index % 20 >= 4 })
    }
    return made
  })
}

interface Committed {
  readonly at: number
  /** Healthy in both kinds of run. */
  readonly isHealthy: boolean
}

/** Every batch leaves at its own time, measured from the start, to merchants in turn. */
async function notifySteadily(ctx: Context, merchants: readonly Bearer[]): Promise<Map<string, Committed>> {
  const committedAt = new Map<string, Committed>()
  const size = Math.round(perSecond / batchesPerSecond)
  const startedAt = performance.now()
  const notifying: Promise<void>[] = []
  let turn = 0
  const notifyBatch = async (batch: readonly Bearer[], notes: Map<string, Committed>) => {
    const reported = await notifyMerchants(
      ctx.db.write,
      batch.map(({ id }) => id),
    )
    const at = Date.now()
    ctx.wakeups.wake('webhooks')
    for (const [index, { id }] of reported.entries()) notes.set(id, { at, isHealthy: batch[index]?.isHealthy ?? false })
  }
  for (let index = 0; index < batchesPerSecond * (warmSeconds + seconds); index += 1) {
    const wait = startedAt + (index * 1000) / batchesPerSecond - performance.now()
    if (wait > 0) await pause(wait)
    const batch = Array.from({ length: size }, (_, offset) => merchants[(turn + offset) % merchants.length] as Bearer)
    turn += size
    const isCounted = index >= batchesPerSecond * warmSeconds
    notifying.push(notifyBatch(batch, isCounted ? committedAt : new Map()))
  }
  await Promise.all(notifying)
  return committedAt
}
