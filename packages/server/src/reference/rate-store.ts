import { formatRate, type Pair, type QuotedPair } from '../money/rates.ts'
import { type Db, type Environment, sql, type Tx } from '../platform/db.ts'
import type { PairRow } from './data.ts'
import { rateAgeMaxMs, ratesKeptDays } from './rates.ts'

/** Each worker polls once a minute at its own time. A pair sampled longer ago than this is due. */
const sampleEveryMs = 45_000

/** Pairs that are due for a sample. A pair that an operator has just confirmed is due at once. */
export function duePairs(db: Db, env: Environment, pairs: readonly PairRow[]): Promise<PairRow[]> {
  const since = `${sampleEveryMs} milliseconds`
  return db.query<PairRow>(sql`
    select pair.base, pair.quote
    from unnest(${pairs.map(({ base }) => base)}::text[], ${pairs.map(({ quote }) => quote)}::text[]) as pair(base, quote)
    where not exists (
      select from rates
      where env = ${env} and (base, quote) = (pair.base, pair.quote) and at > record_time() - ${since}::interval
    ) and not exists (
      select from held_rates
      where env = ${env} and (base, quote) = (pair.base, pair.quote) and at > record_time() - ${since}::interval
        and state <> 'confirmed'
    )`)
}

/** Provider rates that a sample is measured against: the last accepted ones, and those held since. */
export interface Level {
  readonly state: 'accepted' | 'held' | 'confirmed' | 'rejected'
  readonly buy: string
  readonly sell: string
  readonly at: Date
  /** When it was accepted, confirmed or rejected; while it is held, when it was sampled. */
  readonly decided_at: Date
  readonly decided_by: string
  readonly reason: string
}

/** The newest of each state by time of decision, the last accepted one first. */
export function levelsOf(db: Db, env: Environment, { base, quote }: PairRow): Promise<Level[]> {
  return db.query<Level>(sql`
    with accepted as (
      select coalesce(provider_buy, buy) as buy, coalesce(provider_sell, sell) as sell, at
      from rates
      where env = ${env} and base = ${base} and quote = ${quote}
      order by at desc
      limit 1
    ), held as (
      select distinct on (state) state, buy, sell, at, coalesce(decided_at, at) as decided_at, decided_by, reason
      from held_rates
      where env = ${env} and base = ${base} and quote = ${quote} and at > (select at from accepted)
      order by state, coalesce(decided_at, at) desc
    )
    select 'accepted' as state, buy::text, sell::text, at, at as decided_at, '' as decided_by, '' as reason from accepted
    union all
    select state, buy::text, sell::text, at, decided_at, coalesce(decided_by, ''), coalesce(reason, '') from held`)
}

interface Sampled {
  readonly env: Environment
  readonly provider: string
}

export async function insertRate(
  db: Db,
  { env, provider }: Sampled,
  pair: QuotedPair,
  confirmedBy: string,
): Promise<void> {
  const [buy, sell] = [formatRate(pair.provider.buy), formatRate(pair.provider.sell)]
  await db.query(sql`
    insert into rates (env, base, quote, at, buy, sell, provider, provider_buy, provider_sell, confirmed_by)
    values (${env}, ${pair.base}, ${pair.quote}, record_time(), ${formatRate(pair.buy)}, ${formatRate(pair.sell)},
      ${provider}, ${buy}, ${sell}, ${confirmedBy})
    on conflict do nothing`)
}

/** Stores a rate that is not used. A rate that an operator rejected is rejected again when it is quoted again. */
export async function insertHeld(
  db: Db,
  { env, provider }: Sampled,
  { base, quote, buy, sell }: Pair,
  last: Level,
  rejected: Level | undefined,
): Promise<void> {
  const decided = rejected ? [rejected.decided_by, rejected.reason] : [null, null]
  await db.query(sql`
    insert into held_rates (env, base, quote, at, buy, sell, provider, last_buy, last_sell, last_at, state, decided_at,
      decided_by, reason)
    values (${env}, ${base}, ${quote}, record_time(), ${formatRate(buy)}, ${formatRate(sell)}, ${provider}, ${last.buy},
      ${last.sell}, ${last.at}, ${rejected ? 'rejected' : 'held'}, case when ${rejected !== undefined} then record_time() end,
      ${decided[0]}, ${decided[1]})`)
}

/**
 * Deletes rates that are not shown any more, but never the last rate of a pair: the next one is measured against it. All rates
 * are kept for an hour, then one per ten minutes.
 */
export async function forgetRates(db: Db, env: Environment): Promise<void> {
  const kept = `${ratesKeptDays + 1} days`
  await db.query(sql`
    delete from rates old
    where env = ${env}
      and at < record_time() - ${kept}::interval
      and exists (select from rates r where (r.env, r.base, r.quote) = (old.env, old.base, old.quote) and r.at > old.at)`)
  await db.query(sql`
    delete from rates old
    where env = ${env}
      and at between record_time() - interval '1 day' and record_time() - interval '1 hour'
      and exists (
        select from rates r
        where (r.env, r.base, r.quote) = (old.env, old.base, old.quote)
          and r.at < old.at
          and r.at >= date_bin('10 minutes', old.at, 'epoch')
      )`)
  await db.query(sql`delete from held_rates where env = ${env} and at < record_time() - ${kept}::interval`)
}

/** The status of a pair: its last accepted rate, and the rate that waits for confirmation. */
export interface PairStatus extends PairRow {
  readonly buy: string | null
  readonly sell: string | null
  readonly provider_buy: string | null
  readonly provider_sell: string | null
  readonly provider: string | null
  readonly at: Date | null
  readonly confirmed_by: string | null
  readonly is_too_old: boolean
  readonly held_id: bigint | null
  readonly held_buy: string | null
  readonly held_sell: string | null
  readonly held_provider: string | null
  readonly held_at: Date | null
}

export function pairStatuses(db: Db, env: Environment, pairs: readonly PairRow[]): Promise<PairStatus[]> {
  return db.query<PairStatus>(sql`
    select pair.base, pair.quote, r.buy::text, r.sell::text, coalesce(r.provider_buy, r.buy)::text as provider_buy,
      coalesce(r.provider_sell, r.sell)::text as provider_sell, r.provider, r.at, r.confirmed_by,
      coalesce(r.at < record_time() - ${`${rateAgeMaxMs} milliseconds`}::interval, true) as is_too_old,
      h.id as held_id, h.buy::text as held_buy, h.sell::text as held_sell, h.provider as held_provider, h.at as held_at
    from unnest(${pairs.map(({ base }) => base)}::text[], ${pairs.map(({ quote }) => quote)}::text[]) as pair(base, quote)
    left join lateral (
      select * from rates
      where env = ${env} and base = pair.base and quote = pair.quote
      order by at desc
      limit 1
    ) r on true
    left join lateral (
      select * from held_rates
      where env = ${env} and base = pair.base and quote = pair.quote and at > r.at
      order by at desc
      limit 1
    ) h on h.state = 'held'
    order by pair.base, pair.quote`)
}

export interface HeldRate {
  readonly id: bigint
  readonly env: Environment
  readonly base: string
  readonly quote: string
  readonly buy: string
  readonly sell: string
  readonly at: Date
  readonly state: 'held' | 'confirmed' | 'rejected'
  readonly decided_by: string | null
  /** A later rate was accepted, so this one needs no decision. */
  readonly is_passed: boolean
}

/** The held rate, locked until the transaction ends. */
export async function lockHeld(tx: Tx, id: bigint): Promise<HeldRate | undefined> {
  const [held] = await tx.query<HeldRate>(sql`
    select id, env, base, quote, buy::text, sell::text, at, state, decided_by, exists (
      select from rates r where (r.env, r.base, r.quote) = (h.env, h.base, h.quote) and r.at > h.at
    ) as is_passed
    from held_rates h
    where id = ${id}
    for no key update`)
  return held
}

export interface HeldDecision {
  readonly state: 'confirmed' | 'rejected'
  readonly decided_by: string
  readonly reason: string
}

export async function decideHeld(tx: Tx, id: bigint, { state, decided_by, reason }: HeldDecision): Promise<void> {
  await tx.query(sql`
    update held_rates
    set state = ${state}, decided_at = record_time(), decided_by = ${decided_by}, reason = ${reason}
    where id = ${id}`)
}
