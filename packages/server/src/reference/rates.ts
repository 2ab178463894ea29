import { AppError } from '../errors.ts'
import { type Currency, isCurrency } from '../money/currencies.ts'
import { type Pair, parseRate } from '../money/rates.ts'
import { type Environment, type Owner, type ReadDb, sql, type WriteDb } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { Connector } from '../providers/contract.ts'
import type { PairRow, ReferenceData } from './data.ts'

/** A pair as it was sampled. */
export interface SampledPair {
  readonly base: string
  readonly quote: string
  readonly buy: string
  readonly sell: string
  readonly at: Date
}

/** A rate older than this is not used for money. */
const freshMs = 30 * 60_000
const sampleEveryMs = 10 * 60_000
const askMs = 10_000
const atOnce = 8
const keptDays = 30

/**
 * Asks for every pair whose newest rate is due, and forgets what is older than the window that is shown. Any number of
 * workers may do this: two that meet ask once too often, and nothing else.
 */
export async function sampleRates(
  { db, log }: { readonly db: WriteDb; readonly log: Log },
  env: Environment,
  connector: Connector,
  pairs: readonly PairRow[],
): Promise<void> {
  const due = await duePairs(db, env, pairs)
  for (let start = 0; start < due.length; start += atOnce)
    await Promise.all(due.slice(start, start + atOnce).map((pair) => samplePair({ db, log }, env, connector, pair)))
  await db.query(sql`delete from rates where env = ${env} and at < now() - ${`${keptDays + 1} days`}::interval`)
}

function duePairs(db: WriteDb, env: Environment, pairs: readonly PairRow[]): Promise<PairRow[]> {
  return db.query<PairRow>(sql`
    select pair.base, pair.quote
    from unnest(${pairs.map(({ base }) => base)}::text[], ${pairs.map(({ quote }) => quote)}::text[]) as pair(base, quote)
    where not exists (
      select
      from rates
      where rates.env = ${env}
        and rates.base = pair.base
        and rates.quote = pair.quote
        and rates.at > now() - ${`${sampleEveryMs} milliseconds`}::interval
    )`)
}

/** A pair that cannot be had, or makes no sense, is left as it was: it grows old, and then it is not used. */
async function samplePair(
  { db, log }: { readonly db: WriteDb; readonly log: Log },
  env: Environment,
  { id, rates }: Connector,
  { base, quote }: PairRow,
): Promise<void> {
  try {
    const sampled = await rates?.quote(base, quote, AbortSignal.timeout(askMs))
    if (!sampled || !isSound(sampled)) throw new Error('the provider gave no sound rate')
    await db.query(sql`
      insert into rates (env, base, quote, at, buy, sell, provider)
      values (${env}, ${base}, ${quote}, now(), ${sampled.buy}, ${sampled.sell}, ${id})
      on conflict do nothing`)
  } catch (err) {
    log.warn({ err, env, base, quote, provider: id }, 'a rate could not be sampled')
  }
}

function isSound({ buy, sell }: { readonly buy: string; readonly sell: string }): boolean {
  const [low, high] = [parseRate(buy), parseRate(sell)]
  return (
    low !== undefined &&
    high !== undefined &&
    low.digits * 10n ** BigInt(high.scale) <= high.digits * 10n ** BigInt(low.scale)
  )
}

/** A pair with its rates as they were at a time. */
interface TimedPair extends Pair {
  readonly at: Date
}

/** The pair two currencies make, at its rates of now. Nothing where they are not quoted; refuses while its rates are old. */
export type RateOf = (one: Currency, other: Currency) => Promise<TimedPair | undefined>

/** The rates for one request. Each pair is read once, so all its payments are priced alike, however many they are. */
export function createRateOf(
  { db, reference }: { readonly db: { readonly read: ReadDb }; readonly reference: ReferenceData },
  owner: Owner,
): RateOf {
  const known = new Map<string, Promise<TimedPair>>()
  return async (one, other) => {
    const pair = reference.pairs.find(
      ({ base, quote }) => (base === one && quote === other) || (base === other && quote === one),
    )
    if (!pair) return undefined
    const name = `${pair.base}/${pair.quote}`
    const read = known.get(name) ?? currentRate(db.read, owner, one, other)
    known.set(name, read)
    return read
  }
}

async function currentRate(db: ReadDb, owner: Owner, one: Currency, other: Currency): Promise<TimedPair> {
  const rate = await freshRate(db, owner, one, other)
  if (!rate) throw new AppError('FX_RATE_UNAVAILABLE')
  return rate
}

/** The newest rate between two currencies, whichever way they are quoted, if it is fresh. */
export async function freshRate(
  db: ReadDb,
  owner: Owner,
  one: Currency,
  other: Currency,
): Promise<TimedPair | undefined> {
  const [row] = await db.query<SampledPair>(
    owner,
    sql`
      select base, quote, buy::text, sell::text, at
      from rates
      where env = ${owner.env}
        and (base, quote) in ((${one}, ${other}), (${other}, ${one}))
        and at > now() - ${`${freshMs} milliseconds`}::interval
      order by at desc
      limit 1`,
  )
  return row && pairOf(row)
}

export interface RatesWanted {
  readonly pair: readonly [Currency, Currency] | undefined
  /** Both days are included. */
  readonly startDate: string
  readonly endDate: string
  readonly limit: number
}

/** What was sampled in the last thirty days, newest first. */
export function ratesBetween(db: ReadDb, owner: Owner, wanted: RatesWanted): Promise<SampledPair[]> {
  const { pair, startDate, endDate, limit } = wanted
  const [one = null, other = null] = pair ?? []
  return db.query<SampledPair>(
    owner,
    sql`
      select base, quote, buy::text, sell::text, at
      from rates
      where env = ${owner.env}
        and (${one}::text is null or (base, quote) in ((${one}, ${other}), (${other}, ${one})))
        and at >= greatest(${startDate}::date at time zone 'UTC', now() - ${`${keptDays} days`}::interval)
        and at < (${endDate}::date + 1) at time zone 'UTC'
      order by at desc, base, quote
      limit ${limit}`,
  )
}

function pairOf({ base, quote, buy, sell, at }: SampledPair): TimedPair | undefined {
  const [low, high] = [parseRate(buy), parseRate(sell)]
  if (!isCurrency(base) || !isCurrency(quote) || !low || !high) return undefined
  return { base, quote, buy: low, sell: high, at }
}
