import { createRandom } from '../support/cluster/random.ts'
import { type Aftermath, letTimePass, waitForPayments } from './aftermath.ts'
import type { Violation } from './books.ts'
import { type Checked, checkEverything, tally, watchFinalStates } from './check.ts'
import { type Client, type ClientRequest, createClient } from './client.ts'
import { type Fault, listFaults, steadyFaults } from './faults.ts'
import { historyOf } from './history.ts'
import { type LoadReport, runLoad } from './load.ts'
import { type Market, openMarket } from './merchants.ts'
import { type Recovery, recoveries } from './recovery.ts'
import { type Site, startSite } from './site.ts'
import { runStorm, type Struck } from './storm.ts'
import { dueBeforeMs, forgottenIn, type Sample, watchPayments } from './watch.ts'

export interface ChaosOptions {
  readonly seconds: number
  readonly seed: number
  /** Arrivals a second. */
  readonly rate: number
  /** Parts of fault names; empty means all. */
  readonly faults: readonly string[]
  /** Faults a minute. */
  readonly pace: number
  readonly isKept: boolean
  readonly say: (line: string) => void
}

export interface ChaosReport {
  readonly seed: number
  readonly seconds: number
  readonly load: LoadReport
  /** Tries by kind and class of response. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly refusals: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  /** Requests and payments that the steady faults of the provider struck, by kind; 0 for a kind that struck none. */
  readonly steadyFaults: Readonly<Record<string, number>>
  /** Every fault, in milliseconds of the run's own clock. */
  readonly struck: readonly Struck[]
  readonly faultErrors: readonly string[]
  readonly skipped: readonly string[]
  readonly recovery: Readonly<Record<string, Recovery>>
  readonly aftermath: Aftermath
  readonly checked: Omit<Checked, 'violations'>
  readonly lost: number
  readonly doubled: number
  readonly stuck: number
  /** Details of some payments still in doubt. */
  readonly doubts: readonly string[]
  readonly complaints: Readonly<Record<string, number>>
  readonly violations: readonly (Violation & { readonly history: readonly string[] })[]
}

const atOnceMax = 200
const shortRunSeconds = 120
/** Real time for payments that are not in doubt to end; the longer run has time for four queries. */
const [shortQuietMs, quietMs] = [12_000, 60_000]

/** Starts a whole stack, runs load and faults on it, and compares the books at the end. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, isKept } = options
  const startedAt = performance.now()
  const say = (line: string) => options.say(`${Math.round((performance.now() - startedAt) / 1000)} s: ${line}`)
  const site = await startSite({ isKept, seed })
  if (isKept) say(`data kept in ${site.folder}`)
  let market: Market | undefined
  try {
    market = await openMarket(site, createRandom(seed + 1))
    await watchFinalStates(site)
    return await suffer({ ...options, say }, site, market)
  } finally {
    await market?.stop()
    await site.stop().catch((error: Error) => say(`cleanup failed: ${error.message}`))
    say('all processes have ended')
  }
}

async function suffer(options: ChaosOptions, site: Site, market: Market): Promise<ChaosReport> {
  const { seconds, seed, rate, pace, say } = options
  const { merchants } = market
  let turn = 0
  const apiUrl = () => {
    turn += 1
    return site.seats.api(turn)
  }
  const client = createClient({ random: createRandom(seed + 2), apiUrl })
  const { faults, skipped } = chosenFaults(options, site)
  for (const reason of skipped) say(`skipped: ${reason}`)
  say(`${faults.length} kinds of faults; ${rate} arrivals a second for ${seconds} s, seed ${seed}`)
  const steady = steadyFaults.filter(({ mode }) => isWanted(options, mode))
  await site.simulator.disturb(steady)
  const watch = watchPayments(site)
  const floor = { client, random: createRandom(seed + 3), merchants, simulatorControl: site.simulatorControl }
  const scene = { site, merchants, random: createRandom(seed + 4) }
  const [load, struck] = await Promise.all([
    runLoad(floor, { seconds, rate, atOnceMax }),
    runStorm(scene, { faults, seconds, pace }),
  ])
  say(`the load has ended: ${load.arrivals} arrivals, ${struck.length} faults`)
  for (const { name, error } of struck) if (error) say(`fault ${name} failed: ${error}`)
  market.behave()
  const record = [...client.record]
  await reviveAll(site)
  const counted = await site.simulator.recover()
  const steadyCounts = Object.fromEntries(steady.map(({ mode }) => [mode, counted[mode] ?? 0]))
  const waited = await waitForPayments(site, seconds <= shortRunSeconds ? shortQuietMs : quietMs)
  await watch.stop()
  const passed = await letTimePass(site)
  const aftermath = { ...passed, realSeconds: passed.realSeconds + waited }
  say(`${Math.round(aftermath.realSeconds)} s, and ${aftermath.movedSeconds} s of moved clocks, until everything ended`)
  client.giveUpAt(Number.POSITIVE_INFINITY)
  const checked = await checkEverything({ site, client, merchants })
  say('all checks are done')
  return report({
    options,
    site,
    client,
    load,
    struck,
    samples: watch.samples,
    aftermath,
    checked,
    skipped,
    record,
    steadyCounts,
  })
}

function chosenFaults({ faults: wanted, seconds }: ChaosOptions, site: Site): { faults: Fault[]; skipped: string[] } {
  const { faults, skipped } = listFaults(site, seconds <= shortRunSeconds ? 4000 : 20_000)
  return { faults: faults.filter(({ name }) => isWanted({ faults: wanted }, name)), skipped }
}

const isWanted = ({ faults }: Pick<ChaosOptions, 'faults'>, name: string) =>
  faults.length === 0 || faults.some((word) => name.includes(word))

/** Ends every fault that could not be ended in its turn; if one cannot be ended, the run is void. */
async function reviveAll(site: Site): Promise<void> {
  for (const proxy of Object.values(site.proxies)) proxy.change('clear')
  for (const part of [site.postgres, site.nats, site.simulator, ...site.seats.all]) await part.revive()
}

interface Findings {
  readonly options: ChaosOptions
  readonly site: Site
  readonly client: Client
  readonly load: LoadReport
  readonly struck: readonly Struck[]
  readonly samples: readonly Sample[]
  readonly aftermath: Aftermath
  readonly checked: Checked
  readonly skipped: readonly string[]
  readonly record: readonly ClientRequest[]
  readonly steadyCounts: Readonly<Record<string, number>>
}

const historiesMax = 20
const doubtHistoriesMax = 1

async function report(found: Findings): Promise<ChaosReport> {
  const { options, site, load, struck, samples, aftermath, checked, skipped, record } = found
  const complaints = site.complaints()
  const violations = [...checked.violations, ...stuckOf(samples, struck, aftermath), ...noisyOf(complaints)]
  const histories = violations.slice(0, historiesMax).map(async (violation) => {
    const history = violation.payment ? await historyOf(site, violation.payment, record) : []
    return { ...violation, history }
  })
  const { violations: _, ...rest } = checked
  const countOf = (kind: Violation['kind']) => violations.filter((each) => each.kind === kind).length
  return {
    seed: options.seed,
    seconds: options.seconds,
    load,
    requests: requestsOf(record),
    refusals: tally(record.flatMap(refusalsOf)),
    faults: tally(struck.map(({ name }) => name)),
    steadyFaults: found.steadyCounts,
    struck,
    faultErrors: struck.flatMap(({ name, error }) => (error ? `${name}: ${error}` : [])),
    skipped,
    recovery: recoveries(struck, record, samples),
    aftermath,
    checked: rest,
    lost: countOf('lost'),
    doubled: countOf('doubled'),
    stuck: countOf('stuck'),
    doubts: (
      await Promise.all(aftermath.inDoubt.slice(0, doubtHistoriesMax).map(({ id }) => historyOf(site, id, record)))
    ).flat(),
    complaints,
    violations: [
      ...(await Promise.all(histories)),
      ...violations.slice(historiesMax).map((violation) => ({ ...violation, history: [] })),
    ],
  }
}

/** Payments that no worker polled in time, and payments that never ended. */
function stuckOf(samples: readonly Sample[], struck: readonly Struck[], { unfinished }: Aftermath): Violation[] {
  return [
    ...forgottenIn(samples).map(({ id, from, to }): Violation => {
      const meanwhile = struck.filter(({ struckAt, endedAt }) => endedAt > from - dueBeforeMs && struckAt < to)
      const when = `overdue for ${Math.round((to - from) / 1000)} s; faults since it was due: ${meanwhile.map(({ name }) => name).join(', ')}`
      return { kind: 'stuck', words: `no worker polled it within a minute after it was due (${when})`, payment: id }
    }),
    ...unfinished.map((words): Violation => {
      const [, id] = /^payment (\S+)/.exec(words) ?? []
      return { kind: 'stuck', words, ...(id !== undefined && { payment: id }) }
    }),
  ]
}

/** Faults that the service handles by itself; it logs them below the level of an error. */
const handled = /terminating connection|terminated unexpectedly|NATS/

const noisyOf = (complaints: ChaosReport['complaints']): Violation[] =>
  Object.keys(complaints)
    .filter((words) => handled.test(words))
    .map((words) => ({ kind: 'wrong', words: `logged as an error, although it was handled: ${words}` }))

function requestsOf(record: readonly ClientRequest[]): Record<string, Record<string, number>> {
  const byKind = [...Map.groupBy(record, ({ kind }) => kind)].sort()
  return Object.fromEntries(
    byKind.map(([kind, all]) => [
      kind,
      tally(
        all.flatMap(({ exchanges }) =>
          exchanges.map(({ status, word }) => (status === 0 ? word : `${Math.floor(status / 100)}xx`)),
        ),
      ),
    ]),
  )
}

const refusalsOf = ({ kind, exchanges }: ClientRequest) =>
  exchanges.filter(({ status }) => status >= 400).map(({ status, word }) => `${status} ${word} (${kind})`)
