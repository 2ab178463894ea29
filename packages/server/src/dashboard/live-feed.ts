import { setTimeout as pause } from 'node:timers/promises'
import type { State } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import { type Owner, type ReadDb, sql, type WriteDb } from '../platform/db.ts'
import { allMonths, monthsOf } from '../platform/months.ts'
import type { Wakeups } from '../platform/wakeups.ts'

type PaymentFacts = Pick<Transaction, 'type' | 'method' | 'amount' | 'currency'>

/** A change of a payment, without anything about a person. */
export interface LiveEvent extends PaymentFacts {
  /** Its number in the merchant's feed: without gaps, and in commit order. */
  readonly feed_number: bigint
  readonly transaction_id: string
  readonly state: State
  readonly stage: string
  readonly at: Date
}

/** A client that gets events after its position, in order. */
interface LiveReader {
  readonly owner: Owner
  /** The number of the last event that it got. */
  position: bigint
  /** False while it has not read what it got. */
  isReady(): boolean
  send(events: readonly LiveEvent[]): void
}

export interface LiveFeed {
  /** Returns how to leave. */
  join(reader: LiveReader): () => void
  /** A reader is ready again. */
  wake(): void
}

interface Needs {
  readonly db: { readonly write: WriteDb; readonly read: ReadDb }
  readonly wakeups: Wakeups
}

/** Woken with the delivery of webhooks, which notify of the same events. */
const topic = 'webhooks'
/** Without a wakeup, events are found by then. */
const pollEveryMs = 1000
/** A process with many payments is woken for each of them. */
const leastMsBetweenPolls = 100
const pageEvents = 200

/** Follows the feeds of all merchants that have a reader in this process: one watch, however many readers there are. */
export function createLiveFeed({ db, wakeups }: Needs): LiveFeed {
  const readers = new Set<LiveReader>()
  let watch: ReturnType<Wakeups['onWake']> | undefined
  const poll = async () => {
    const isMore = await sendNext(
      db,
      [...readers].filter((reader) => reader.isReady()),
    )
    if (isMore) watch?.wake()
    else await pause(leastMsBetweenPolls)
  }
  return {
    wake: () => watch?.wake(),
    join: (reader) => {
      readers.add(reader)
      if (watch) watch.wake()
      else watch = wakeups.onWake(topic, pollEveryMs, poll)
      return () => {
        readers.delete(reader)
        if (readers.size > 0) return
        void watch?.stop()
        watch = undefined
      }
    },
  }
}

/** Sends each reader its next page. Returns whether there may be more. */
async function sendNext({ write, read }: Needs['db'], readers: readonly LiveReader[]): Promise<boolean> {
  const byOwner = Map.groupBy(readers, ({ owner }) => keyOf(owner))
  const last = await lastNumbers(
    write,
    [...byOwner.values()].flatMap(([first]) => first?.owner ?? []),
  )
  const behind = readers.filter(({ owner, position }) => position < (last.get(keyOf(owner)) ?? 0n))
  const pages = Map.groupBy(behind, ({ owner, position }) => `${keyOf(owner)} ${position}`)
  let isMore = false
  for (const some of pages.values()) {
    const [first] = some
    if (!first) continue
    const events = await eventsAfter(read, first.owner, first.position)
    const newest = events[events.length - 1]
    if (!newest) continue
    isMore ||= events.length === pageEvents
    for (const reader of some) {
      reader.position = newest.feed_number
      reader.send(events)
    }
  }
  return isMore
}

const keyOf = ({ merchant_id, env }: Owner) => `${merchant_id} ${env}`

async function lastNumbers(db: WriteDb, owners: readonly Owner[]): Promise<ReadonlyMap<string, bigint>> {
  if (owners.length === 0) return new Map()
  const rows = await db.query<Owner & { last: bigint }>(sql`
    select c.merchant_id, c.env, c.last
    from unnest(${owners.map(({ merchant_id }) => merchant_id)}::uuid[], ${owners.map(({ env }) => env)}::text[]) as o(merchant_id, env)
    join feed_counters c on c.merchant_id = o.merchant_id and c.env = o.env`)
  return new Map(rows.map((row) => [keyOf(row), row.last]))
}

/** The number of the newest event of a feed. */
export async function lastNumberOf(db: ReadDb, owner: Owner): Promise<bigint> {
  const [row] = await db.find<{ last: bigint }>(
    owner,
    sql`select last from feed_counters where merchant_id = ${owner.merchant_id} and env = ${owner.env}`,
  )
  return row?.last ?? 0n
}

export async function eventsAfter(db: ReadDb, owner: Owner, position: bigint): Promise<LiveEvent[]> {
  const events = await db.within<Omit<LiveEvent, keyof PaymentFacts>>(
    owner,
    allMonths,
    sql`
      select feed_number, transaction_id, state, stage, at
      from events
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and feed_number > ${position}
      order by feed_number
      limit ${pageEvents}`,
  )
  const ids = [...new Set(events.map(({ transaction_id }) => transaction_id))]
  const payments = events.length === 0 ? [] : await factsOf(db, owner, ids)
  const byId = new Map(payments.map(({ id, ...facts }) => [id, facts]))
  return events.flatMap((event) => {
    const facts = byId.get(event.transaction_id)
    return facts ? [{ ...event, ...facts }] : []
  })
}

function factsOf(db: ReadDb, owner: Owner, ids: readonly string[]): Promise<(PaymentFacts & { id: string })[]> {
  const months = monthsOf(ids)
  return db.within(
    owner,
    months,
    sql`
      select id, type, method, amount, currency
      from transactions
      where id = any(${ids}::uuid[])
        and id >= ${months.from}
        and id < ${months.below}`,
  )
}
