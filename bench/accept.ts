import { type Bench, inPairs, type Measured, median, merged, rounded } from './bench.ts'
import { type PlainPayouts, plainPayouts } from './plain-payouts.ts'
import { type Asked, merchantsOf, onSite, percentile, putLoad, rateOf, settleDown, tokensOf } from './site.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const merchantCount = Number(process.env['BENCH_MERCHANTS'] ?? 1000)
/** As many as one process handles at a time. */
const connections = 128
const steadyShare = 0.7

/**
 * Payouts accepted over HTTP by one api process: a bearer token, everything validated, priced and written, a webhook included.
 * Compared with the same rows written by pgbench, one payout in a transaction, with 16 clients, prepared and pipelined.
 *
 * spread: the wallets of 1,000 merchants in turn. hot: one wallet. bulk: calls of 1,000 payouts, of 1,000 merchants in turn, two
 * at a time. steady: response time at 70 % of the peak of `spread`, open loop; the remains of earlier rounds are vacuumed first.
 */
export const accept: Bench = async (print) =>
  onSite({}, async (site) => {
    const { cell, servers } = site
    await servers.postgres.run('postgres', `alter system set max_wal_size = '8GB'`, 'select pg_reload_conf()')
    const merchants = await merchantsOf(cell, merchantCount, 'https://shop.example.com/webhooks')
    const [hot] = merchants
    if (!hot) throw new Error('no merchant was created')
    const { url, pid } = await cell.start('api', 'api')
    const tokens = await tokensOf(merchants, url)
    const [sample = ''] = (await putLoad(url, { tokens, seconds: 2, connections })).ids
    const plain = await plainPayouts(site, sample)
    await cell.operator.wallets.fund(`mer_${hot.id.replaceAll('-', '')}`, {
      env: 'sandbox',
      currency: 'KES',
      country: 'KE',
      amount: '1000000000',
      reason: 'bench',
      evidence: 'bench',
    })
    const rig = { url, pid, plain, print }
    const spread = await against('spread', { tokens, connections }, merchantCount, rig)
    const { spreadPerSecond = 0 } = spread.figures
    const parts = [
      spread,
      await settleDown(site).then(() => steady(spreadPerSecond, tokens, rig)),
      await against('hot', { tokens: tokens.slice(0, 1), connections }, 1, rig),
      await against('bulk', { tokens, connections: 2, bulk: 1000 }, merchantCount, rig),
    ]
    await cell.operator.ledger.check({ isFull: true })
    return merged(parts)
  })

interface Rig {
  readonly url: string
  readonly pid: number
  readonly plain: PlainPayouts
  readonly print: (line: string) => void
}

async function against(
  name: string,
  asked: Omit<Asked, 'seconds'>,
  merchants: number,
  { url, plain, print }: Rig,
): Promise<Measured> {
  print(`[${name}] payouts a second over HTTP, against one in a transaction by pgbench`)
  const shares: number[] = []
  const ours = async () => {
    const report = await putLoad(url, { ...asked, seconds })
    shares.push(report.cpuShare)
    return rateOf(report)
  }
  const theirs = () => plain.accept(merchants, seconds, 'pipelined')
  const result = await inPairs(rounds, ours, theirs, print)
  const oneByOne = await plain.accept(merchants, seconds, 'one by one')
  print(`[${name}] the load took ${Math.round(median(shares) * 100)} % of a core; unpipelined ${rounded(oneByOne)}/s`)
  return {
    figures: {
      [`${name}PerSecond`]: rounded(result.ours),
      [`${name}PlainPerSecond`]: rounded(result.theirs),
      [`${name}UnpipelinedPerSecond`]: rounded(oneByOne),
      [`${name}LoadShareOfCore`]: rounded(median(shares)),
    },
    ratios: { [name]: rounded(result.ratio) },
  }
}

async function steady(peak: number, tokens: readonly string[], { url, print }: Rig): Promise<Measured> {
  const perSecond = Math.round(peak * steadyShare)
  const report = await putLoad(url, { tokens, connections: 2 * connections, seconds: 4 * seconds, perSecond })
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(report.latencies['200'] ?? [], share)) as [number, number]
  print(`[steady] at ${perSecond}/s: median ${rounded(p50)} ms, p99 ${rounded(p99)} ms, ${report.unsent} not sent`)
  return {
    figures: {
      steadyPerSecond: perSecond,
      steadyMedianMs: rounded(p50),
      steadyP99Ms: rounded(p99),
      steadyUnsent: report.unsent,
    },
    ratios: {},
  }
}
