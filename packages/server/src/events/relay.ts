import { randomUUID } from 'node:crypto'
import { type Db, sql } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import type { Stream } from '../platform/stream.ts'

interface Told {
  readonly transaction_id: string
  readonly number: number
  readonly merchant_id: string
  readonly env: string
  readonly at: Date
  readonly name: string
  readonly feed_number: bigint
  readonly state: string
  readonly stage: string
}

/** Tells events to the stream for subscribers, from where the last relay stopped. */
export interface Relay {
  look(): Promise<void>
}

const holdMs = 10_000
const pageMax = 1000
/** A transaction takes a while to commit, so a look begins before where the last ended; what it told already it skips. */
const overlapMs = 1000
/** Once in a while a look goes back further, for transactions that took longer than that. */
const deepEveryMs = 5000
const deepMs = 30_000
const rememberedMax = 100_000

export function createRelay(db: Db, stream: Stream): Relay {
  const self = randomUUID()
  const told = new Set<string>()
  const overlap = createOverlap()
  return {
    look: async () => {
      const since = await hold(db, self, overlap())
      if (since === undefined) return
      reach('relay.held')
      let after: Place = { at: since, transaction_id: firstId, number: 0 }
      for (;;) {
        const page = await eventsAfter(db, after)
        const fresh = page.filter((event) => !told.has(idOf(event)))
        await stream.publish(fresh.map(messageOf))
        if (fresh.length > 0) reach('relay.published')
        remember(told, fresh.map(idOf))
        const last = page.at(-1)
        if (!last || !(await advance(db, self, last.at)) || page.length < pageMax) return
        after = last
      }
    },
  }
}

function createOverlap(): () => number {
  let lookedDeepAt = Number.NEGATIVE_INFINITY
  return () => {
    const isDeep = performance.now() - lookedDeepAt > deepEveryMs
    if (isDeep) lookedDeepAt = performance.now()
    return isDeep ? deepMs : overlapMs
  }
}

/** Where to go on from, so much before where it was left, if nobody else is at it. */
async function hold(db: Db, self: string, beforeMs: number): Promise<Date | undefined> {
  const [held] = await db.query<{ since: Date }>(sql`
    update relays
    set held_by = ${self}, held_until = now() + ${`${holdMs} milliseconds`}::interval
    where name = 'events'
      and (held_by = ${self} or held_until < now())
    returning greatest(told_until - ${`${beforeMs} milliseconds`}::interval, '1970-01-01') as since`)
  return held?.since
}

async function advance(db: Db, self: string, until: Date): Promise<boolean> {
  const moved = await db.query(sql`
    update relays
    set told_until = greatest(told_until, ${until}), held_until = now() + ${`${holdMs} milliseconds`}::interval
    where name = 'events'
      and held_by = ${self}
    returning name`)
  reach('relay.advanced')
  return moved.length > 0
}

/** Where a page ended: a batch gives all its events one time, so the time alone is no place. */
type Place = Pick<Told, 'at' | 'transaction_id' | 'number'>
const firstId = '00000000-0000-0000-0000-000000000000'

function eventsAfter(db: Db, { at, transaction_id, number }: Place): Promise<Told[]> {
  return db.query<Told>(sql`
    select transaction_id, number, merchant_id, env, at, name, feed_number, state, stage
    from events
    where at >= ${at}
      and (at, transaction_id, number) > (${at}, ${transaction_id}::uuid, ${number}::smallint)
      and name is not null
    order by at, transaction_id, number
    limit ${pageMax}`)
}

const idOf = ({ transaction_id, number }: Told) => `${transaction_id}-${number}`

function messageOf(event: Told) {
  const { transaction_id, merchant_id, env, at, name, feed_number, number, state, stage } = event
  const body = {
    transactionId: showId('transaction', transaction_id),
    merchantId: showId('merchant', merchant_id),
    env,
    event: name,
    sequence: number,
    feedNumber: Number(feed_number),
    state,
    stage,
    at: at.toISOString(),
  }
  return { id: idOf(event), subject: `${env}.${name}`, body }
}

/** Forgets the oldest: what is told again is kept once by the stream. */
function remember(told: Set<string>, ids: readonly string[]): void {
  for (const id of ids) told.add(id)
  for (const id of told) {
    if (told.size <= rememberedMax) return
    told.delete(id)
  }
}
