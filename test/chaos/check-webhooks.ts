import { showId } from '../../packages/server/src/platform/ids.ts'
import type { Got } from '../support/load/webhook-receiver.ts'
import { storedWebhook } from '../support/oracles/stored-webhook.ts'
import { type Books, isFinal, type Kept, type KeptAdjustment, type Violation } from './books.ts'
import type { Merchant } from './merchants.ts'
import type { Site } from './site.ts'

/** An event in the feed. */
interface FeedEvent {
  readonly number: number
  readonly id: string
  readonly event: string
  readonly sequence: number
  readonly data: {
    readonly transactionId: string
    readonly status: string
    readonly relatedTransactionId?: string
    readonly direction?: string
    readonly reason?: string
  }
}

type Read = (path: string) => Promise<Readonly<Record<string, unknown>>>

const pageMax = 200
const isTaken = ({ status = 0 }: Got) => status >= 200 && status < 300

/** Each event reached the merchant's server, with the same bytes every time, and the feed is dense and in order. */
export async function checkWebhooks(
  site: Site,
  merchant: Merchant,
  { payments, adjustments }: Books,
  read: Read,
): Promise<Violation[]> {
  const feed = await readFeed(read)
  const records = await site.ask<{ id: string; body: string }>(
    `select 'wh_' || replace(id::text, '-', '') as id, body from webhook_records where merchant_id = $1`,
    [merchant.id],
  )
  const bodies = new Map(records.map(({ id, body }) => [id, body]))
  const got = Map.groupBy(merchant.receiver.got, ({ id }) => id)
  const wrong = (words: string): Violation => ({ kind: 'wrong', words: `${merchant.name}: ${words}` })
  const lost = (words: string): Violation => ({ kind: 'lost', words: `${merchant.name}: ${words}` })
  return [
    ...feed
      .filter(({ number }, at) => number !== at + 1)
      .slice(0, 1)
      .map(({ number }) => wrong(`the feed has a gap before ${number}`)),
    ...feed
      .filter(({ id }) => !got.get(id)?.some(isTaken))
      .map(({ id, event }) => lost(`event ${id} (${event}) was never received`)),
    ...[...got.keys()].filter((id) => !bodies.has(id)).map((id) => wrong(`webhook ${id} belongs to no stored event`)),
    ...merchant.receiver.got
      .filter(({ id, body }) => bodies.has(id) && bodies.get(id) !== storedWebhook(body))
      .map(({ id }) => wrong(`webhook ${id} was received with different bytes`)),
    ...(feed.length === records.length
      ? []
      : [wrong(`the feed has ${feed.length} events, but ${records.length} webhook records exist`)]),
    ...checkStories(merchant, payments, feed),
    ...checkAdjusting(merchant, adjustments, feed),
    ...checkKnown(merchant, [...payments, ...adjustments], feed),
  ]
}

/** The events of each payment are in order, without a gap, and the last one reports the outcome. */
function checkStories(merchant: Merchant, payments: readonly Kept[], feed: readonly FeedEvent[]): Violation[] {
  const byPayment = Map.groupBy(feed, ({ data }) => data.transactionId)
  return payments
    .filter(({ merchant_id }) => merchant_id === merchant.id)
    .flatMap((kept): Violation[] => {
      const events = byPayment.get(showId('transaction', kept.id)) ?? []
      const isOwn = events.every(({ event }) => event !== 'adjustment_created')
      const isDense =
        isOwn && events.length === kept.notified && events.every(({ sequence }, at) => sequence === at + 1)
      const last = events.at(-1)
      const isEnded = !isFinal(kept) || last?.data.status === kept.state
      const isBegun = events[0]?.event === 'transaction_created'
      if (isDense && isEnded && isBegun) return []
      const words = `it is ${kept.state} but was reported as ${events.map(({ sequence, event, data }) => `${sequence} ${event} ${data.status}`).join(', ')}`
      return [{ kind: 'wrong', words, payment: kept.id }]
    })
}

/** Each adjustment has one event, which names its payment. */
function checkAdjusting(
  merchant: Merchant,
  adjustments: readonly KeptAdjustment[],
  feed: readonly FeedEvent[],
): Violation[] {
  const byId = Map.groupBy(feed, ({ data }) => data.transactionId)
  return adjustments
    .filter(({ merchant_id }) => merchant_id === merchant.id)
    .flatMap(({ id, related_transaction_id, direction, reason }): Violation[] => {
      const events = byId.get(showId('transaction', id)) ?? []
      const wanted = `adjustment_created 1 ${showId('transaction', related_transaction_id)} ${direction} ${reason} successful`
      const shown = events.map(({ event, sequence, data }) =>
        [event, sequence, data.relatedTransactionId, data.direction, data.reason, data.status].join(' '),
      )
      const words = `the adjustment has the events ${shown.join(', ') || 'none'}, not ${wanted}`
      return shown.join(', ') === wanted ? [] : [{ kind: 'wrong', words, payment: id }]
    })
}

/** Events name the merchant's own transactions only. */
function checkKnown(
  merchant: Merchant,
  transactions: readonly Pick<Kept, 'id' | 'merchant_id'>[],
  feed: readonly FeedEvent[],
): Violation[] {
  const own = transactions.filter(({ merchant_id }) => merchant_id === merchant.id)
  const known = new Set(own.map(({ id }) => showId('transaction', id)))
  return feed
    .filter(({ data }) => !known.has(data.transactionId))
    .map(({ id, event, data }): Violation => {
      return {
        kind: 'wrong',
        words: `${merchant.name}: event ${id} (${event}) names ${data.transactionId} of another merchant`,
      }
    })
}

async function readFeed(read: Read): Promise<FeedEvent[]> {
  const events: FeedEvent[] = []
  for (;;) {
    const page = (await read(`/events?after=${events.at(-1)?.number ?? 0}&limit=${pageMax}`))['data'] as FeedEvent[]
    events.push(...page)
    if (page.length < pageMax) return events
  }
}
