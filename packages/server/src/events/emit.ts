import { type Environment, sql, type Tx } from '../platform/db.ts'

/** What may make something happen to a payment. */
export type Cause = 'request' | 'attempt' | 'callback' | 'query' | 'clock' | 'operator'

/** What merchants are told. */
type EventName = 'transaction_created' | 'transaction_updated'

export interface NewEvent {
  readonly transaction_id: string
  /** Counts the events of one payment. */
  readonly number: number
  readonly merchant_id: string
  readonly env: Environment
  readonly cause: Cause
  /** Nothing where the merchant is not told. */
  readonly name: EventName | null
  readonly state: string
  readonly stage: string
  readonly message: string
  readonly detail: Readonly<Record<string, unknown>>
}

/**
 * Records what happened. Events that merchants are told of get the next numbers of their feed; the counters are locked
 * last of all, so numbers are dense and in the order of commit: a missing number is a bug, not a race.
 */
export async function emit(tx: Tx, at: Date, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const told = events.filter(({ name }) => name !== null)
  const last = await countFeeds(tx, told)
  const numbers = events.map((event) => (event.name === null ? null : next(last, feedOf(event))))
  await tx.query(sql`
    insert into events (transaction_id, number, merchant_id, env, at, cause, name, feed_number, state, stage, message, detail)
    select e.transaction_id, e.number, e.merchant_id, e.env, ${at}, e.cause, e.name, e.feed_number, e.state, e.stage,
      e.message, e.detail
    from unnest(${events.map((event) => event.transaction_id)}::uuid[], ${events.map((event) => event.number)}::smallint[],
      ${events.map((event) => event.merchant_id)}::uuid[], ${events.map((event) => event.env)}::text[],
      ${events.map((event) => event.cause)}::text[], ${events.map((event) => event.name)}::text[], ${numbers}::bigint[],
      ${events.map((event) => event.state)}::text[], ${events.map((event) => event.stage)}::text[],
      ${events.map((event) => event.message)}::text[], ${events.map((event) => JSON.stringify(event.detail))}::jsonb[])
      as e(transaction_id, number, merchant_id, env, cause, name, feed_number, state, stage, message, detail)`)
}

const feedOf = ({ merchant_id, env }: Pick<NewEvent, 'merchant_id' | 'env'>) => `${merchant_id} ${env}`

function next(last: Map<string, bigint>, feed: string): bigint {
  const number = (last.get(feed) ?? 0n) + 1n
  last.set(feed, number)
  return number
}

/** Takes as many numbers as each feed needs, and tells the last one taken before. */
async function countFeeds(tx: Tx, told: readonly NewEvent[]): Promise<Map<string, bigint>> {
  const feeds = [...Map.groupBy(told, feedOf).entries()].sort(([left], [right]) => (left < right ? -1 : 1))
  if (feeds.length === 0) return new Map()
  const firsts = feeds.flatMap(([, events]) => events[0] ?? [])
  const counted = await tx.query<{ merchant_id: string; env: Environment; before: bigint }>(sql`
    insert into feed_counters as c (merchant_id, env, last)
    select *
    from unnest(${firsts.map(({ merchant_id }) => merchant_id)}::uuid[], ${firsts.map(({ env }) => env)}::text[],
      ${feeds.map(([, events]) => BigInt(events.length))}::bigint[]) as n(merchant_id, env, count)
    order by 1, 2
    on conflict (merchant_id, env) do update set last = c.last + excluded.last
    returning merchant_id, env, last - (
      select count
      from unnest(${firsts.map(({ merchant_id }) => merchant_id)}::uuid[], ${firsts.map(({ env }) => env)}::text[],
        ${feeds.map(([, events]) => BigInt(events.length))}::bigint[]) as n(merchant_id, env, count)
      where (n.merchant_id, n.env) = (c.merchant_id, c.env)
    ) as before`)
  return new Map(counted.map((row) => [feedOf(row), row.before]))
}
