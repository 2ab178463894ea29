import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Bench, inPairs, median, rounded } from './bench.ts'
import type { JourneyOrder, JourneyReport } from './journey-load.ts'
import { plainPayouts } from './plain-payouts.ts'
import { usedByFamilyMs, usedMs } from './processes.ts'
import { merchantsOf, onSite, percentile, putLoad, type Site, settleDown, tokensOf } from './site.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 10)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const merchantCount = 100
const underWay = Number(process.env['BENCH_UNDER_WAY'] ?? 300)
const steadyShare = 0.7

/**
 * A whole payout, with every process on this machine: accepted, sent to the simulator, which completes it 50 to 150 ms later and
 * calls back with a signature, resolved, and its end notified by webhook (as was its start). A fixed number of payouts is in
 * progress: a new one starts after the final webhook of another, so no queue builds up however long it runs. Compared with
 * payouts of the same merchants that pgbench accepts one in a transaction, which is only the first of those steps.
 *
 * steady: at 70 % of that rate, open loop, the time from the response to the final webhook, and the cost of a payment. The
 * remains of pgbench are vacuumed first.
 */
export const journey: Bench = async (print) =>
  onSite(journeySettings, async (site) => {
    const journeys = await openJourneys(site)
    try {
      const plain = await plainPayouts(site, journeys.sample)
      await journeys.begin()
      const shares: number[] = []
      const ours = async () => {
        const report = await journeys.run({ underWay, seconds })
        shares.push(report.cpuShare)
        return rateOf(report)
      }
      const result = await inPairs(rounds, ours, () => plain.accept(merchantCount, 5, 'pipelined'), print)
      const perSecond = Math.round(result.ours * steadyShare)
      await settleDown(site)
      const costs = await openCosts(site, journeys)
      const { waitsMs } = await journeys.run({ perSecond, seconds: 2 * seconds })
      const [p50, p99] = [percentile(waitsMs, 0.5), percentile(waitsMs, 0.99)]
      print(`[steady] at ${perSecond}/s from response to webhook: median ${rounded(p50)} ms, p99 ${rounded(p99)} ms`)
      return {
        figures: {
          journeysPerSecond: rounded(result.ours),
          plainPerSecond: rounded(result.theirs),
          loadShareOfCore: rounded(median(shares)),
          steadyPerSecond: perSecond,
          steadyMedianMs: rounded(p50),
          steadyP99Ms: rounded(p99),
          ...(await costs()),
        },
        ratios: { bare: rounded(result.ratio) },
      }
    } finally {
      journeys.stop()
    }
  })

export const journeySettings = {
  simulator: { SIMULATOR_SETTLE_MS: '50-150' },
  cell: { MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' },
}

/** Journeys that ended in a second. */
export const rateOf = ({ ended, tookMs }: JourneyReport) => (ended / tookMs) * 1000

export interface Journeys {
  /** A payout that is accepted and not sent until they start. */
  readonly sample: string
  readonly api: number
  worker(): number
  /** Starts the worker, and warms everything up. */
  begin(): Promise<void>
  /** Applies this load, and waits for the final webhook of every payout. */
  run(order: Pick<JourneyOrder, 'underWay' | 'perSecond' | 'seconds'>): Promise<JourneyReport>
  stop(): void
}

/** An api process, merchants, and a process that sends requests and receives webhooks. */
export async function openJourneys({ cell, simulator }: Site): Promise<Journeys> {
  const load = fork(join(import.meta.dirname, 'journey-load.ts'), { serialization: 'advanced' })
  const [{ port }] = (await once(load, 'message')) as [{ port: number }]
  const merchants = await merchantsOf(cell, merchantCount, `http://127.0.0.1:${port}/`)
  const { url, pid: api } = await cell.start('api', 'journey-api')
  const tokens = await tokensOf(merchants, url)
  const [sample = ''] = (await putLoad(url, { tokens, seconds: 1, connections: 1, perSecond: 5 })).ids
  let worker = 0
  const run: Journeys['run'] = async (order) => {
    load.send({ url, tokens, ...order })
    const [report] = (await once(load, 'message')) as [JourneyReport]
    if (report.unreported > 0) throw new Error(`${report.unreported} payouts got no final webhook`)
    return report
  }
  return {
    sample,
    api,
    worker: () => worker,
    begin: async () => {
      worker = (await cell.start('worker', 'journey-worker')).pid
      await simulator.tune({ callbackBase: `${url}/callbacks/sandbox` })
      await simulator.setFloat('1000000000000', { country: 'KEN', currency: 'KES' })
      await run({ underWay, seconds: 3 })
    },
    run,
    stop: () => void load.kill(),
  }
}

/** Cost of a whole payment from here on: processor time of each part, log, flushes and stored bytes. */
async function openCosts({ cell, servers, simulator }: Site, roles: Journeys) {
  const read = async () => {
    const [row] = await cell.ask<{ payments: number; bytes: number; wal: number; flushes: number }>(`
      select (select count(*)::int from transactions where state = 'successful') as payments,
        pg_database_size(current_database())::float8 as bytes, wal_bytes::float8 as wal, wal_sync::float8 as flushes
      from pg_stat_wal`)
    return {
      ...{ payments: 0, bytes: 0, wal: 0, flushes: 0, ...row },
      api: usedMs(roles.api),
      worker: usedMs(roles.worker()),
      postgres: usedByFamilyMs(servers.postgres.pid),
      simulator: usedMs(simulator.pid),
    }
  }
  const before = await read()
  return async () => {
    const after = await read()
    const each = (name: keyof typeof after) =>
      rounded((after[name] - before[name]) / (after.payments - before.payments))
    return {
      apiMsPerPayment: each('api'),
      workerMsPerPayment: each('worker'),
      postgresMsPerPayment: each('postgres'),
      simulatorMsPerPayment: each('simulator'),
      bytesPerPayment: each('bytes'),
      walBytesPerPayment: each('wal'),
      flushesPerPayment: each('flushes'),
    }
  }
}
