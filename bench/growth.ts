import { readId } from '../packages/server/src/platform/ids.ts'
import { type Bench, inPairs, type Measured, merged, rounded } from './bench.ts'
import { deliverSettings, openDeliveries } from './deliver.ts'
import { grow, largestTables, wholeTables } from './grow.ts'
import { journeySettings, rateOf as journeysPerSecond, openJourneys } from './journey.ts'
import { merchantsOf, onSite, putLoad, rateOf, type Site, tokensOf } from './site.ts'
import { requestsPerSecond } from './wrk.ts'

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4)
const scale = Number(process.env['BENCH_SCALE'] ?? 1)
const million = 1_000_000 * scale
const merchantCount = 1000
const connections = 128
const underWay = 300

/** Size of the database at each measurement: whole payments, and beyond those only their largest tables. */
const sizes = [
  { name: '1M', whole: million, largest: million },
  { name: '5M', whole: 5 * million, largest: 5 * million },
  { name: '50M', whole: 5 * million, largest: 50 * million },
] as const

/**
 * The workloads accept, journey, deliver and read on a full database, compared with an empty one of the same server, in pairs.
 * The database holds copies of a completed payment: 1 and 5 million whole ones, then 50 million payments in transactions, with a
 * row in transfers for each of those that are not whole. Also reports bytes for each payment, and how many dead rows vacuum has
 * left.
 */
export const growth: Bench = async (print) =>
  onSite({ ...journeySettings, ...deliverSettings }, async (site) => {
    const { postgres } = site.servers
    await postgres.run(
      'postgres',
      `alter system set max_wal_size = '4GB'`,
      `alter system set maintenance_work_mem = '2GB'`,
      'select pg_reload_conf()',
    )
    const grown = await site.beside('grown')
    const [empty, full] = [await openAll(site), await openAll(grown)]
    const parts: Measured[] = []
    let held: Held = { whole: 0, largest: 0 }
    for (const { name, ...wanted } of sizes) {
      full.halt() // It has no indexes during the load.
      parts.push(await load(grown, full.sampleId, name, held, wanted, print))
      full.resume()
      parts.push(...(await measure(name, { empty, full }, print)))
      parts.push({ figures: { [`deadShare${name}`]: await deadShare(grown) }, ratios: {} })
      for (const each of [empty, full]) {
        await each.clear()
        each.resume()
      }
      held = wanted
    }
    for (const each of [empty, full]) await each.stop()
    return merged(parts)
  })

interface Held {
  readonly whole: number
  readonly largest: number
}

async function load(
  grown: Site,
  sampleId: string,
  name: string,
  held: Held,
  wanted: Held,
  print: (line: string) => void,
): Promise<Measured> {
  const [startedAt, bytesBefore] = [performance.now(), await bytesOf(grown)]
  const isWhole = wanted.whole > held.whole
  const tables = isWhole ? wholeTables : largestTables
  const rowsMax = isWhole ? Number.POSITIVE_INFINITY : 1
  await grow(grown.cell, sampleId, { from: held.largest, to: wanted.largest, tables, rowsMax })
  const bytes = Math.round(((await bytesOf(grown)) - bytesBefore) / (wanted.largest - held.largest))
  print(`[${name}] loaded in ${Math.round((performance.now() - startedAt) / 1000)} s, ${bytes} bytes for each`)
  return { figures: { [`bytesPerPayment${name}`]: bytes }, ratios: {} }
}

async function measure(
  name: string,
  { empty, full }: { readonly empty: Measures; readonly full: Measures },
  print: (line: string) => void,
): Promise<Measured[]> {
  const parts: Measured[] = []
  for (const workload of workloads) {
    if (workload === 'accept') for (const each of [empty, full]) each.halt()
    print(`[${name}] ${workload}, against an empty database`)
    const { ours, ratio } = await inPairs(rounds, full[workload], empty[workload], print)
    parts.push({
      figures: { [`${workload}${name}PerSecond`]: rounded(ours) },
      ratios: { [`${workload}${name}`]: rounded(ratio) },
    })
  }
  return parts
}

/** Accepting comes last, since no worker may process its payouts. */
const workloads = ['journey', 'deliver', 'list', 'single', 'users', 'accept'] as const
type Workload = (typeof workloads)[number]

/** All measurements in one cell, as rates. */
type Measures = Readonly<Record<Workload, () => Promise<number>>> & {
  /** A completed payment. */
  readonly sampleId: string
  /** From here on nothing is sent or delivered. */
  halt(): void
  resume(): void
  /** Deletes the payouts accepted while it was halted. */
  clear(): Promise<void>
  stop(): Promise<void>
}

async function openAll(site: Site): Promise<Measures> {
  const { cell } = site
  const merchants = await merchantsOf(cell, merchantCount, 'https://shop.example.com/webhooks')
  const { url } = await cell.start('api', 'api')
  const tokens = await tokensOf(merchants, url)
  const journeys = await openJourneys(site)
  const deliveries = await openDeliveries(site)
  await journeys.begin()
  const authorization = tokens[0] ?? ''
  const { ids } = await putLoad(url, { tokens: [authorization], seconds: 1, connections: 32 })
  const signal = (name: NodeJS.Signals) => () => {
    for (const pid of [journeys.worker(), deliveries.worker]) process.kill(pid, name)
  }
  const read = (path: string) => () =>
    requestsPerSecond(`${url}/api/sandbox/b2b${path}`, { seconds, connections: 32, authorization })
  return {
    sampleId: readId('transaction', journeys.sample) ?? '',
    accept: async () => rateOf(await putLoad(url, { tokens, connections, seconds })),
    journey: async () => journeysPerSecond(await journeys.run({ underWay, seconds: 2 * seconds })),
    deliver: deliveries.run,
    list: read('/transactions?limit=10'),
    single: read(`/transactions/${ids[0]}`),
    users: read('/users'),
    halt: signal('SIGSTOP'),
    resume: signal('SIGCONT'),
    clear: async () => {
      await cell.ask(`update transactions set state = 'successful', wake_at = null where state = 'accepted'`)
      await cell.ask(`update webhook_records set next_attempt_at = null where next_attempt_at is not null`)
      await cell.ask('update webhook_endpoints set next_due = null')
      await cell.ask('vacuum transactions, webhook_records, webhook_endpoints')
    },
    stop: async () => {
      journeys.stop()
      await deliveries.stop()
    },
  }
}

async function bytesOf({ cell }: Site): Promise<number> {
  const [row] = await cell.ask<{ bytes: number }>('select pg_database_size(current_database())::float8 as bytes')
  return row?.bytes ?? 0
}

/** Share of dead rows that vacuum has not reached yet. */
async function deadShare({ cell }: Site): Promise<number> {
  const [row] = await cell.ask<{ share: number }>(
    'select sum(n_dead_tup)::float8 / greatest(1, sum(n_live_tup)) as share from pg_stat_user_tables',
  )
  return rounded(row?.share ?? 0)
}
