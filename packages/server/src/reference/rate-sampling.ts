import { formatRate, isFarFrom, type Pair, parseRate, withMarkup } from '../money/rates.ts'
import type { Environment, WriteDb } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { Connector } from '../providers/contract.ts'
import type { PairRow } from './data.ts'
import { insertHeld, insertRate, type Level, levelsOf } from './rate-store.ts'

export interface RateSampler {
  readonly env: Environment
  readonly db: WriteDb
  readonly log: Log
  /** Our markup on every exchange, in hundredths of a percent. */
  readonly markupBasisPoints: number
  /** A rate that moved by more than this from the last accepted one is held until it is confirmed. */
  readonly jumpPercent: number
}

/** A pair as one provider quotes it. */
interface Quote {
  readonly provider: string
  readonly pair: Pair
}

const askMs = 10_000
const atOnce = 8

/**
 * Samples these pairs from the first source that quotes them; later sources may confirm a rate that jumped. Any number of workers
 * may do this: two at once cost one extra query and nothing else.
 */
export async function sampleRates(
  sampler: RateSampler,
  sources: readonly Connector[],
  pairs: readonly PairRow[],
): Promise<void> {
  for (let start = 0; start < pairs.length; start += atOnce)
    await Promise.all(pairs.slice(start, start + atOnce).map((pair) => samplePair(sampler, sources, pair)))
}

/** A pair that no source quotes keeps its rate, which ages until it is not used. */
async function samplePair(sampler: RateSampler, sources: readonly Connector[], row: PairRow): Promise<void> {
  try {
    await takeSample(sampler, sources, row)
  } catch (err) {
    sampler.log.warn({ err, env: sampler.env, ...row }, 'rate not stored') // The other pairs must not wait for this one.
  }
}

async function takeSample(sampler: RateSampler, sources: readonly Connector[], row: PairRow): Promise<void> {
  const { db, env, jumpPercent, markupBasisPoints } = sampler
  const quotes = quotesOf(sampler, sources, row)
  const { value: sample } = await quotes.next()
  if (!sample) return
  const { provider, pair } = sample
  const levels = await levelsOf(db, env, row)
  const decision = decide(pair, levels, jumpPercent)
  const accept = (by: string) => insertRate(db, { env, provider }, withMarkup(pair, markupBasisPoints), by)
  if (decision.kind === 'accept') return accept(decision.confirmedBy)
  for await (const other of quotes)
    if (!isFarFrom(pair, other.pair, jumpPercent)) {
      sampler.log.warn(factsOf(sampler, sample, decision.last), 'rate jumped, confirmed by a second source')
      return accept(other.provider)
    }
  await insertHeld(db, { env, provider }, pair, decision.last, decision.rejected)
  if (decision.isChange) sampler.log.error(factsOf(sampler, sample, decision.last), 'rate jumped and is held')
}

type RateDecision =
  | { readonly kind: 'accept'; readonly confirmedBy: string }
  | { readonly kind: 'hold'; readonly last: Level; readonly rejected: Level | undefined; readonly isChange: boolean }

/** Decides on a sample: accepts the first rate of a pair, and any rate near the last accepted or confirmed one. */
function decide(pair: Pair, levels: readonly Level[], jumpPercent: number): RateDecision {
  const last = levels.find(({ state }) => state === 'accepted')
  const near = levels.filter((level) => isNear(pair, level, jumpPercent))
  if (!last || near.includes(last)) return { kind: 'accept', confirmedBy: '' }
  const [decision] = near
    .filter(({ state }) => state !== 'held')
    .toSorted((one, other) => other.decided_at.getTime() - one.decided_at.getTime())
  if (decision?.state === 'confirmed') return { kind: 'accept', confirmedBy: decision.decided_by }
  return { kind: 'hold', last, rejected: decision, isChange: near.length === 0 }
}

function isNear(pair: Pair, { buy, sell }: Level, percent: number): boolean {
  const level = ratesOf(buy, sell)
  return level !== undefined && !isFarFrom(pair, level, percent)
}

/** The sources' quotes, one after another, fetched on demand. */
async function* quotesOf(
  { env, log }: RateSampler,
  sources: readonly Connector[],
  { base, quote }: PairRow,
): AsyncGenerator<Quote, undefined> {
  for (const { id: provider, rates } of sources) {
    const quoted = await rates?.quote(base, quote, AbortSignal.timeout(askMs)).catch((err: unknown) => {
      log.warn({ err, env, base, quote, provider }, 'rate not quoted')
    })
    const sound = quoted && ratesOf(quoted.buy, quoted.sell)
    if (quoted && !sound) log.warn({ env, base, quote, provider, ...quoted }, 'quoted rate invalid')
    if (sound) yield { provider, pair: { base, quote, ...sound } }
  }
  return undefined
}

/** Both rates, if they are valid and the buy rate is not above the sell rate. */
function ratesOf(buy: string, sell: string): Pick<Pair, 'buy' | 'sell'> | undefined {
  const [low, high] = [parseRate(buy), parseRate(sell)]
  const isSound = low && high && low.digits * 10n ** BigInt(high.scale) <= high.digits * 10n ** BigInt(low.scale)
  return isSound ? { buy: low, sell: high } : undefined
}

const factsOf = ({ env }: RateSampler, { provider, pair }: Quote, last: Level) => ({
  env,
  pair: `${pair.base}/${pair.quote}`,
  provider,
  buy: formatRate(pair.buy),
  sell: formatRate(pair.sell),
  last: { buy: last.buy, sell: last.sell, at: last.at },
})
