import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Bench, inPairs, median, rounded } from './bench.ts'
import type { JourneyOrder, JourneyReport } from './journey-load.ts'
import { plainPayouts } from './plain-payouts.ts'
import { merchantsOf, onSite, percentile, tokensOf } from './site.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 10)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const merchantCount = 100
const underWay = Number(process.env['BENCH_UNDER_WAY'] ?? 300)
const steadyShare = 0.7

/**
 * The whole way of a payout, with every process on this machine: accepted, sent to the simulator, which settles it 50 to 150 ms
 * later and calls back, asked about, settled, and its end told by webhook (as was its beginning). So many payouts are kept under
 * way, a new one beginning when the end of another was told, so nothing queues up however long it runs. Against payouts of the
 * same merchants that pgbench accepts one in a transaction, which is the first of those steps alone.
 *
 * steady: at 70 % of that rate, whatever becomes of those before, the time from the answer to the webhook of the end.
 */
export const journey: Bench = async (print) =>
  onSite(
    { simulator: { SIMULATOR_SETTLE_MS: '50-150' }, cell: { MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' } },
    async (site) => {
      const { cell, simulator } = site
      const load = fork(join(import.meta.dirname, 'journey-load.ts'), { serialization: 'advanced' })
      try {
        const [{ port }] = (await once(load, 'message')) as [{ port: number }]
        const merchants = await merchantsOf(cell, merchantCount, `http://127.0.0.1:${port}/`)
        const { url } = await cell.start('api', 'api')
        await cell.start('worker', 'worker')
        await simulator.tune({ callbackBase: `${url}/callbacks/sandbox` })
        await simulator.setFloat('1000000000000', { country: 'KEN', currency: 'KES' })
        const tokens = await tokensOf(merchants, url)
        const run = async (order: Pick<JourneyOrder, 'underWay' | 'perSecond' | 'seconds'>) => {
          load.send({ url, tokens, ...order })
          const [report] = (await once(load, 'message')) as [JourneyReport]
          if (report.untold > 0) throw new Error(`the end of ${report.untold} payouts was not told`)
          return report
        }
        await run({ underWay, seconds: 3 })
        const [{ id = '' } = {}] = await cell.ask<{ id: string }>('select id from transactions limit 1')
        const plain = await plainPayouts(site, id)
        const shares: number[] = []
        const ours = async () => {
          const { ended, tookMs, cpuShare } = await run({ underWay, seconds })
          shares.push(cpuShare)
          return (ended / tookMs) * 1000
        }
        const result = await inPairs(rounds, ours, () => plain.accept(merchantCount, 5, 'pipelined'), print)
        const perSecond = Math.round(result.ours * steadyShare)
        const { waitsMs } = await run({ perSecond, seconds: 2 * seconds })
        const [p50, p99] = [percentile(waitsMs, 0.5), percentile(waitsMs, 0.99)]
        print(`[steady] at ${perSecond}/s from answer to webhook: median ${rounded(p50)} ms, p99 ${rounded(p99)} ms`)
        return {
          figures: {
            journeysPerSecond: rounded(result.ours),
            plainPerSecond: rounded(result.theirs),
            loadShareOfCore: rounded(median(shares)),
            steadyPerSecond: perSecond,
            steadyMedianMs: rounded(p50),
            steadyP99Ms: rounded(p99),
          },
          ratios: { bare: rounded(result.ratio) },
        }
      } finally {
        load.kill()
      }
    },
  )
