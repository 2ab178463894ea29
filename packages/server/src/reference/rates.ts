import { AppError } from '../errors.ts'
import { type Currency, isCurrency } from '../money/currencies.ts'
import { type Pair, parseRate, type QuotedPair } from '../money/rates.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import type { ReferenceData } from './data.ts'

export interface SampledPair {
  readonly base: string
  readonly quote: string
  readonly buy: string
  readonly sell: string
  readonly at: Date
}

interface RateRow extends SampledPair {
  readonly provider_buy: string
  readonly provider_sell: string
}

/** A rate older than this is not used for money. Rates are sampled every minute. */
export const rateAgeMaxMs = 5 * 60_000
/** How long rates are shown. */
export const ratesKeptDays = 30

/** A pair with its rates at a point in time. */
interface TimedPair extends QuotedPair {
  readonly at: Date
}

/** The pair of two currencies at its current rates. Undefined where it is not quoted; throws while its rates are too old. */
export type RateOf = (one: Currency, other: Currency) => Promise<TimedPair | undefined>

/** The rates for one request. Each pair is read once, so all payments of the request get the same rate. */
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

/** The newest rate between two currencies, in either direction, if it is fresh. */
export async function freshRate(
  db: ReadDb,
  owner: Owner,
  one: Currency,
  other: Currency,
): Promise<TimedPair | undefined> {
  const [row] = await db.query<RateRow>(
    owner,
    sql`
      select base, quote, buy::text, sell::text, at, coalesce(provider_buy, buy)::text as provider_buy,
        coalesce(provider_sell, sell)::text as provider_sell
      from rates
      where env = ${owner.env}
        and (base, quote) in ((${one}, ${other}), (${other}, ${one}))
        and at > now() - ${`${rateAgeMaxMs} milliseconds`}::interval
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

/** The samples of the last thirty days, newest first. */
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
        and at >= greatest(${startDate}::date::timestamp at time zone 'UTC', now() - ${`${ratesKeptDays} days`}::interval)
        and at < (${endDate}::date + 1)::timestamp at time zone 'UTC'
      order by at desc, base, quote
      limit ${limit}`,
  )
}

function pairOf({ base, quote, buy, sell, at, provider_buy, provider_sell }: RateRow): TimedPair | undefined {
  const [shown, provider] = [ratesOf(buy, sell), ratesOf(provider_buy, provider_sell)]
  if (!isCurrency(base) || !isCurrency(quote) || !shown || !provider) return undefined
  return { base, quote, ...shown, provider, at }
}

function ratesOf(buy: string, sell: string): Pick<Pair, 'buy' | 'sell'> | undefined {
  const [low, high] = [parseRate(buy), parseRate(sell)]
  return low && high && { buy: low, sell: high }
}
