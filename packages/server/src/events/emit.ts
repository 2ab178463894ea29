import assert from 'node:assert/strict'
import { type BatchTx, type Environment, sql, type Tx } from '../platform/db.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import type { EventName } from './catalogue.ts'

/** What can cause an event of a payment. */
export type Cause = 'request' | 'attempt' | 'callback' | 'query' | 'clock' | 'operator'

export interface NewEvent {
  readonly transaction_id: string
  /** Numbers the events of one payment. */
  readonly number: number
  readonly merchant_id: string
  readonly env: Environment
  readonly cause: Cause
  /** What the merchant receives; null when the event is internal. */
  readonly notification: MerchantEvent | null
  readonly state: string
  readonly stage: string
  readonly message: string
  readonly detail: Readonly<Record<string, unknown>>
}

export interface MerchantEvent {
  readonly name: EventName
  readonly id: string
  /** Numbers the notifications of one payment. */
  readonly sequence: number
  /** The exact bytes of the webhook body. */
  readonly body: string
  /** The sandbox scenario of the payment. */
  readonly scenario: Scenario | null
}

type NotifyingEvent = NewEvent & { readonly notification: MerchantEvent }

const hasNotification = (event: NewEvent): event is NotifyingEvent => event.notification !== null

/**
 * Records events. Those that notify the merchant get the next numbers of its feed, and a webhook record for each of its
 * endpoints. Feed counters and endpoints are locked last, so numbers are dense and in commit order: a missing number is a bug, not a
 * race.
 */
export async function emit(tx: BatchTx, at: Date, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const notifying = events.filter(hasNotification)
  const { last, withAdded } = await countFeeds(tx, notifying)
  const numbers = events.map((event) => (hasNotification(event) ? next(last, feedOf(event)) : null))
  const recorded = tx.query(sql`
    insert into events (transaction_id, number, merchant_id, env, at, cause, name, id, sequence, feed_number, state,
      stage, message, detail, batch)
    select e.transaction_id, e.number, e.merchant_id, e.env, ${at}, e.cause, e.name, e.id, e.sequence, e.feed_number,
      e.state, e.stage, e.message, e.detail, ${tx.batch}
    from unnest(${events.map((event) => event.transaction_id)}::uuid[], ${events.map((event) => event.number)}::smallint[],
      ${events.map((event) => event.merchant_id)}::uuid[], ${events.map((event) => event.env)}::text[],
      ${events.map((event) => event.cause)}::text[], ${events.map((event) => event.notification?.name ?? null)}::text[],
      ${events.map((event) => event.notification?.id ?? null)}::uuid[],
      ${events.map((event) => event.notification?.sequence ?? null)}::smallint[], ${numbers}::bigint[],
      ${events.map((event) => event.state)}::text[], ${events.map((event) => event.stage)}::text[],
      ${events.map((event) => event.message)}::text[], ${events.map((event) => JSON.stringify(event.detail))}::jsonb[])
      as e(transaction_id, number, merchant_id, env, cause, name, id, sequence, feed_number, state, stage, message, detail)`)
  const toAdded = notifying.filter((event) => withAdded.has(feedOf(event)))
  await Promise.all([recorded, keepForDefault(tx, at, notifying), keepForAdded(tx, at, toAdded)])
}

const feedOf = ({ merchant_id, env }: Pick<NewEvent, 'merchant_id' | 'env'>) => `${merchant_id} ${env}`

function next(last: Map<string, bigint>, feed: string): bigint {
  const before = last.get(feed)
  assert(before !== undefined, 'the database returned another feed')
  last.set(feed, before + 1n)
  return before + 1n
}

interface Feeds {
  /** The last number before those that this batch reserves, by feed. */
  readonly last: Map<string, bigint>
  /** Feeds whose merchant has endpoints beside the default. Few have, and the others pay nothing for them. */
  readonly withAdded: ReadonlySet<string>
}

/** Reserves as many numbers as each feed needs. */
async function countFeeds(tx: Tx, notifying: readonly NotifyingEvent[]): Promise<Feeds> {
  const feeds = [...Map.groupBy(notifying, feedOf).entries()].sort(([left], [right]) => (left < right ? -1 : 1))
  if (feeds.length === 0) return { last: new Map(), withAdded: new Set() }
  const firsts = feeds.flatMap(([, events]) => events[0] ?? [])
  const counts = new Map(feeds.map(([feed, events]) => [feed, BigInt(events.length)]))
  const counted = await tx.query<{ merchant_id: string; env: Environment; last: bigint; has_added: boolean }>(sql`
    insert into feed_counters as c (merchant_id, env, last)
    select *
    from unnest(${firsts.map(({ merchant_id }) => merchant_id)}::uuid[], ${firsts.map(({ env }) => env)}::text[],
      ${[...counts.values()]}::bigint[]) as n(merchant_id, env, count)
    order by 1, 2
    on conflict (merchant_id, env) do update set last = c.last + excluded.last
    returning merchant_id, env, last, exists (
      select
      from added_webhook_endpoints a
      where a.merchant_id = c.merchant_id
        and a.env = c.env
    ) as has_added`)
  return {
    last: new Map(counted.map((row) => [feedOf(row), row.last - (counts.get(feedOf(row)) ?? 0n)])),
    withAdded: new Set(counted.filter(({ has_added }) => has_added).map(feedOf)),
  }
}

/**
 * Inserts a record for each event that its merchant's default endpoint gets, and makes the endpoint due. The endpoint is locked
 * even when it is due already: a claim that started before this commit does not see the record, and would mark the endpoint idle.
 * Claims read records from `due_from` and `waiting_from` on, so neither is later than a record. An event that is sent out of order
 * is not due until the final event is delivered (webhooks/fault-injection.ts).
 */
async function keepForDefault(tx: Tx, at: Date, notifying: readonly NotifyingEvent[]): Promise<void> {
  if (notifying.length === 0) return
  await tx.query(sql`
    with kept as (
      insert into webhook_records (id, merchant_id, env, transaction_id, event, body, scenario, created_at, next_attempt_at)
      select r.id, r.merchant_id, r.env, r.transaction_id, r.event, r.body, r.scenario, ${at}, r.due
      from unnest(${notifying.map((event) => event.notification.id)}::uuid[], ${notifying.map((event) => event.merchant_id)}::uuid[],
        ${notifying.map((event) => event.env)}::text[], ${notifying.map((event) => event.transaction_id)}::uuid[],
        ${notifying.map((event) => event.notification.name)}::text[], ${notifying.map((event) => event.notification.body)}::text[],
        ${notifying.map((event) => event.notification.scenario)}::text[],
        ${notifying.map((event) => (isHeldBack(event.notification) ? null : at))}::timestamptz[])
        as r(id, merchant_id, env, transaction_id, event, body, scenario, due)
      join webhook_endpoints e on e.merchant_id = r.merchant_id and e.env = r.env and e.url <> ''
      where e.is_enabled
        and (e.events = '{}' or r.event = any(e.events))
      returning merchant_id, env
    ), woken as (
      select e.merchant_id, e.env, e.next_due, e.rests_until, e.due_from, e.waiting_from
      from webhook_endpoints e
      where (e.merchant_id, e.env) in (select merchant_id, env from kept)
      order by e.merchant_id, e.env
      for no key update
    )
    update webhook_endpoints e
    set next_due = least(e.next_due, greatest(${at}, e.rests_until)), due_from = least(e.due_from, ${at}),
      waiting_from = least(e.waiting_from, id_at(${at}))
    from woken
    where (e.merchant_id, e.env) = (woken.merchant_id, woken.env)
      and (coalesce(woken.next_due, 'infinity') > greatest(${at}, woken.rests_until) or woken.due_from > ${at}
        or woken.waiting_from > id_at(${at}))`)
}

/**
 * The same for all added endpoints of the merchants, in one statement. These are locked before the records are inserted: an
 * endpoint that was deleted or disabled meanwhile gets none.
 */
async function keepForAdded(tx: Tx, at: Date, notifying: readonly NotifyingEvent[]): Promise<void> {
  if (notifying.length === 0) return
  await tx.query(sql`
    with notified as materialized (
      select *
      from unnest(${notifying.map((event) => event.notification.id)}::uuid[], ${notifying.map((event) => event.merchant_id)}::uuid[],
        ${notifying.map((event) => event.env)}::text[], ${notifying.map((event) => event.transaction_id)}::uuid[],
        ${notifying.map((event) => event.notification.name)}::text[], ${notifying.map((event) => event.notification.body)}::text[],
        ${notifying.map((event) => event.notification.scenario)}::text[],
        ${notifying.map((event) => (isHeldBack(event.notification) ? null : at))}::timestamptz[])
        as r(id, merchant_id, env, transaction_id, event, body, scenario, due)
    ), added as materialized (
      select e.*
      from (select distinct merchant_id, env from notified order by merchant_id, env) as o
      cross join lateral (
        select a.merchant_id, a.env, a.id, a.events, a.next_due, a.rests_until, a.due_from, a.waiting_from
        from added_webhook_endpoints a
        where a.merchant_id = o.merchant_id
          and a.env = o.env
          and a.is_enabled
        order by a.id
        for no key update
      ) as e
    ), kept as (
      insert into added_webhook_records (id, merchant_id, env, endpoint_id, event_id, transaction_id, event, body, scenario,
        created_at, next_attempt_at)
      select record_id_of(r.id, e.id), r.merchant_id, r.env, e.id, r.id, r.transaction_id, r.event, r.body, r.scenario, ${at},
        r.due
      from notified r
      join added e on e.merchant_id = r.merchant_id and e.env = r.env
      where e.events = '{}'
        or r.event = any(e.events)
      returning endpoint_id
    )
    update added_webhook_endpoints e
    set next_due = least(e.next_due, greatest(${at}, e.rests_until)), due_from = least(e.due_from, ${at}),
      waiting_from = least(e.waiting_from, id_at(${at}))
    from added
    where e.id = added.id
      and e.id in (select endpoint_id from kept)
      and (coalesce(added.next_due, 'infinity') > greatest(${at}, added.rests_until) or added.due_from > ${at}
        or added.waiting_from > id_at(${at}))`)
}

const isHeldBack = ({ name, scenario }: MerchantEvent) =>
  scenario === 'out-of-order-webhook' && name === 'transaction_created'
