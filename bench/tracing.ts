import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { earlierCode } from '../test/support/cluster/earlier-code.ts'
import { type Bench, median, rounded } from './bench.ts'
import { usedMs } from './processes.ts'
import { merchantsOf, onSite, putLoad, rateOf, type Site, settleDown, tokensOf } from './site.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 3)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const merchantCount = Number(process.env['BENCH_MERCHANTS'] ?? 200)
const connections = 128
/** The last commit without traces, on the same schema. */
const before = process.env['BENCH_BEFORE'] ?? 'b3ec707'

const sides = ['without', 'off', 'tenth', 'all'] as const
type Side = (typeof sides)[number]
type Measured = Readonly<Record<'perSecond' | 'processorMs', number>>

/**
 * The cost of traces when payouts are accepted over HTTP by one api process: code from before traces, this code without a receiver,
 * and with one for a tenth of the payments and for all. All sides run in every round, each round starting with another one. The
 * receiver reads and discards, in this process.
 */
export const tracing: Bench = async (print) =>
  onSite({}, async (site) => {
    const closers: (() => unknown)[] = []
    try {
      const apis = await startSides(site, { after: (close) => void closers.push(close as () => unknown) })
      const merchants = await merchantsOf(site.cell, merchantCount, 'https://shop.example.com/webhooks')
      const tokens = await tokensOf(merchants, apis.off.url)
      for (const side of sides) await putLoad(apis[side].url, { tokens, seconds: 2, connections })
      const taken: Record<Side, Measured>[] = []
      for (let round = 0; round < rounds; round += 1) {
        await settleDown(site)
        const results = new Map<Side, Measured>()
        for (const side of sides.map((_, index) => sides[(index + round) % sides.length] as Side))
          results.set(side, await measure(apis[side], tokens))
        const all = Object.fromEntries(results) as Record<Side, Measured>
        print(`round ${round + 1}: ${sides.map((side) => textOf(side, all[side])).join('; ')}`)
        taken.push(all)
      }
      return summary(taken)
    } finally {
      for (const close of closers) await close()
    }
  })

type Api = { readonly url: string; readonly pid: number }

async function startSides({ cell }: Site, life: Pick<TestContext, 'after'>): Promise<Record<Side, Api>> {
  const receiver = createServer((request, response) => request.resume().once('end', () => response.end('{}')))
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  life.after(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  const { main } = await earlierCode(life, before)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const traced = (share: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: share })
  return {
    without: await cell.start('api', 'without', {}, main),
    off: await cell.start('api', 'off'),
    tenth: await cell.start('api', 'tenth', traced('0.1')),
    all: await cell.start('api', 'all', traced('1')),
  }
}

async function measure({ url, pid }: Api, tokens: readonly string[]): Promise<Measured> {
  const usedBefore = usedMs(pid)
  const report = await putLoad(url, { tokens, seconds, connections })
  return { perSecond: rateOf(report), processorMs: (usedMs(pid) - usedBefore) / report.ids.length }
}

const textOf = (side: Side, { perSecond, processorMs }: Measured) =>
  `${side} ${rounded(perSecond)}/s, ${rounded(processorMs)} ms of processor each`

/** Ratios are medians of each round's own: above 1 is cheaper than without traces for the rate, dearer for the processor. */
function summary(taken: readonly Record<Side, Measured>[]) {
  const medianOf = (side: Side, what: keyof Measured) => rounded(median(taken.map((round) => round[side][what])))
  const ratioOf = (side: Side, what: keyof Measured) =>
    rounded(median(taken.map((round) => round[side][what] / round.without[what])))
  const traced = sides.filter((side) => side !== 'without')
  return {
    figures: Object.fromEntries(
      sides.flatMap((side) => [
        [`${side}PerSecond`, medianOf(side, 'perSecond')],
        [`${side}ProcessorMsPerPayout`, medianOf(side, 'processorMs')],
      ]),
    ),
    ratios: Object.fromEntries(
      traced.flatMap((side) => [
        [side, ratioOf(side, 'perSecond')],
        [`${side}Processor`, ratioOf(side, 'processorMs')],
      ]),
    ),
  }
}
