import { randomUUID } from 'node:crypto'
import { type Db, sql } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import type { Stream } from '../platform/stream.ts'

interface RelayedEvent {
  readonly transaction_id: string
  readonly number: number
  readonly batch: bigint
  readonly merchant_id: string
  readonly env: string
  readonly at: Date
  readonly name: string
  readonly feed_number: bigint
  readonly state: string
  readonly stage: string
}

/** Publishes events to the stream for subscribers, from where the last relay stopped. The stream deduplicates repeated events. */
export interface Relay {
  poll(): Promise<void>
}

const holdMs = 10_000
const pageMax = 1000

export function createRelay(db: Db, stream: Stream): Relay {
  const self = randomUUID()
  /** Publishes a page and returns where the next one starts, if there is one. */
  const relayPage = async (after: Place, below: bigint): Promise<Place | undefined> => {
    const page = await eventsBetween(db, after, below)
    if (page.length === 0) return undefined
    await stream.publish(page.map(messageOf))
    reach('relay.published')
    const last = page.length < pageMax ? undefined : page.at(-1)
    const isHeld = await advance(db, self, last?.batch ?? below)
    return isHeld ? last : undefined
  }
  return {
    poll: async () => {
      const held = await hold(db, self)
      if (!held) return
      reach('relay.held')
      let next: Place | undefined = { batch: held.relayed_below, transaction_id: firstId, number: 0 }
      while (next) next = await relayPage(next, held.settled_below)
    },
  }
}

/**
 * Returns where the last relay stopped, unless another process holds the relay, and the bound below which every transaction has
 * ended, so that no event can still appear there.
 */
async function hold(db: Db, self: string): Promise<{ relayed_below: bigint; settled_below: bigint } | undefined> {
  const [held] = await db.query<{ relayed_below: bigint; settled_below: bigint }>(sql`
    update relays
    set held_by = ${self}, held_until = now() + ${`${holdMs} milliseconds`}::interval
    where name = 'events'
      and (held_by = ${self} or held_until < now())
    returning relayed_below, settled_below() as settled_below`)
  return held
}

async function advance(db: Db, self: string, below: bigint): Promise<boolean> {
  const moved = await db.query(sql`
    update relays
    set relayed_below = greatest(relayed_below, ${below}), held_until = now() + ${`${holdMs} milliseconds`}::interval
    where name = 'events'
      and held_by = ${self}
    returning name`)
  reach('relay.advanced')
  return moved.length > 0
}

/** The position where a page ended. */
type Place = Pick<RelayedEvent, 'batch' | 'transaction_id' | 'number'>
const firstId = '00000000-0000-0000-0000-000000000000'

function eventsBetween(db: Db, { batch, transaction_id, number }: Place, below: bigint): Promise<RelayedEvent[]> {
  return db.query<RelayedEvent>(sql`
    select transaction_id, number, batch, merchant_id, env, at, name, feed_number, state, stage
    from events
    where (batch, transaction_id, number) > (${batch}, ${transaction_id}::uuid, ${number}::smallint)
      and batch < ${below}
      and name is not null
    order by batch, transaction_id, number
    limit ${pageMax}`)
}

const idOf = ({ transaction_id, number }: RelayedEvent) => `${transaction_id}-${number}`

function messageOf(event: RelayedEvent) {
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
