import { checkLedger } from '../../packages/server/src/ledger/check/check.ts'
import { isOutgoing } from '../../packages/server/src/payments/model/outgoing.ts'
import { sql } from '../../packages/server/src/platform/db.ts'
import { entriesOf } from './actors.ts'
import type { Life } from './lives.ts'
import { type Entry, netOf } from './provider-book.ts'
import type { World } from './world.ts'

/** A payment after its end, with its amounts in the books, in minor units. */
interface Ended {
  readonly id: string
  readonly merchant_id: string
  readonly type: 'deposit' | 'withdrew' | 'refund'
  readonly method: string
  readonly state: string
  readonly external_reference: string
  readonly adjusted: bigint
  readonly adjusted_fee: bigint
  /** Amount in suspense by the payment's row. */
  readonly suspended: bigint
  readonly adjustments: readonly string[]
  readonly failure: { readonly code: string } | null
  readonly amount: bigint
  readonly fee: bigint
  readonly received: bigint
  readonly events: number
  readonly notified: number
  /** Change of our float with providers, and amount in suspense, by the books. */
  readonly floated: bigint
  readonly kept: bigint
  readonly costs: bigint
  readonly holds: number
  readonly posts: number
  readonly voids: number
  readonly attempts: number
  readonly receipts: bigint
  readonly event_count: number
  readonly event_max: number
  readonly notified_count: number
  readonly sequence_max: number
  readonly records: number
  readonly has_mismatch: boolean
  readonly is_operator_resolved: boolean
}

/** Every invariant after all payments have ended. */
export async function checkWorld(world: World): Promise<void> {
  const ended = await readEnded(world)
  const complain = (id: string, what: string) => world.violations.push(`${id}: ${what}`)
  for (const payment of ended) {
    const entries = entriesOf(world, payment.id)
    for (const what of [...moneyOf(payment, entries), ...booksOf(payment), ...eventsOf(world, payment)])
      complain(
        payment.id,
        `${what} (${payment.type} ${payment.method} ${payment.state}, adjusted ${payment.adjusted}, suspended ${payment.suspended})`,
      )
  }
  for (const life of world.lives) for (const what of responsesOf(life, ended)) complain(`life ${life.place}`, what)
  world.violations.push(...world.books.complaints, ...(await refunds(world)))
  world.violations.push(...strangers(world, ended), ...(await feeds(world)), ...(await steps(world)))
  world.violations.push(...(await wallets(world, ended)), ...(await approvals(world, ended)))
  for (const line of world.ground.alerts())
    if (/resolution refused|payment not processed/.test(line)) world.violations.push(line)
  await checkLedger(world.ground.base.db.write, { isFull: false, sealLines: [] }).catch((error: Error) =>
    world.violations.push(String(error)),
  )
}

function readEnded({ ground, owners }: World): Promise<Ended[]> {
  return ground.base.db.write.query<Ended>(sql`
    select t.id, t.merchant_id, t.type, t.method, t.state, t.external_reference, t.adjusted, t.adjusted_fee, t.suspended, t.adjustments, t.failure, t.amount, t.fee,
      t.received, t.events, t.notified, booked.*, e.*,
      (select count(*)::int from attempts a where a.transaction_id = t.id) as attempts,
      (select coalesce(sum(r.amount), 0)::bigint from receipts r
        where r.transaction_id = t.id and not r.is_late and not r.is_reversed) as receipts,
      (select count(*)::int from webhook_records w where w.transaction_id = t.id) as records
    from transactions t
    cross join lateral (
      select coalesce(sum(case when d.kind = 'float' then x.amount when c.kind = 'float' then -x.amount end), 0)::bigint as floated,
        coalesce(sum(case when c.kind = 'suspense' then x.amount when d.kind = 'suspense' then -x.amount end), 0)::bigint
          as kept,
        coalesce(sum(x.amount) filter (where x.event = 'provider_fee_reported'), 0)::bigint as costs,
        (count(*) filter (where x.kind = 'hold'))::int as holds,
        (count(*) filter (where x.kind = 'post'))::int as posts,
        (count(*) filter (where x.kind = 'void'))::int as voids
      from transfers x
      left join platform_accounts d on d.id = x.debit_account
      left join platform_accounts c on c.id = x.credit_account
      where x.transaction_id = t.id or x.transaction_id = any(t.adjustments)
    ) booked
    cross join lateral (
      select count(*)::int as event_count, max(number)::int as event_max, count(sequence)::int as notified_count,
        coalesce(max(sequence), 0)::int as sequence_max,
        bool_or(message like '%another amount%') as has_mismatch, bool_or(cause = 'operator') as is_operator_resolved
      from events
      where transaction_id = t.id
    ) e
    where t.merchant_id = any(${owners.map(({ merchant_id }) => merchant_id)}::uuid[])
      and t.type <> 'adjustment'
    order by t.id`)
}

/** The books know what the provider moved, and at most one attempt moved money, unless it is flagged. */
function moneyOf(payment: Ended, entries: readonly Entry[]): string[] {
  const { state, type, suspended, adjustments, floated, costs, has_mismatch, is_operator_resolved } = payment
  // Money returned before the service learned of it does not count.
  const moving = entries.filter((entry) => entry.moved > 0n && netOf(entry) !== 0n)
  const complaints: string[] = []
  const isStray = suspended !== 0n || adjustments.length > 0
  if (moving.length > 1 && !(isStray && moving.some(({ isDenied }) => isDenied)))
    complaints.push(`${moving.length} attempts moved money: ${moving.map(({ key }) => key)}`)
  const moved = entries.reduce((sum, entry) => sum + netOf(entry), 0n)
  if (floated + costs !== moved && !has_mismatch)
    complaints.push(`the provider moved ${moved}, the books say ${floated + costs}`)
  const mayHaveFailed = is_operator_resolved || entries.some(({ hasReportedFailure }) => hasReportedFailure)
  const isPaid = moving.some((entry) => !entry.isDenied)
  if (isOutgoing({ type }) && state === 'failed' && isPaid && !mayHaveFailed)
    complaints.push('failed without a report, although its money has left')
  if (state === 'successful' && entries.every((entry) => netOf(entry) === 0n && entry.state !== 'reversed'))
    complaints.push('successful, but its provider moved nothing')
  return complaints
}

/** Holds end once, receipts are booked once, and the amount in suspense matches the payment and its case. */
function booksOf(payment: Ended): string[] {
  const { type, state, holds, posts, voids, receipts, received, method, suspended, kept } = payment
  const complaints: string[] = []
  if (isOutgoing({ type }) && (holds === 0 || posts + voids !== holds || (posts > 0 && voids > 0)))
    complaints.push(`${holds} holds, ${posts} posts, ${voids} voids`)
  if (isOutgoing({ type }) && posts > 0 !== (state === 'successful')) complaints.push('its holds contradict its state')
  if (method === 'bank-transfer' && state !== 'successful' && receipts !== received)
    complaints.push(`received ${receipts}, reported ${received}`)
  if (suspended !== kept) complaints.push(`${kept} in suspense, but its row has ${suspended}`)
  return complaints
}

/** Events are numbered without a gap, and a merchant with a URL has a record of every notification. */
function eventsOf({ owners }: World, payment: Ended): string[] {
  const { events, notified, event_count, event_max, notified_count, sequence_max, records, merchant_id } = payment
  const complaints: string[] = []
  if (event_count !== events || event_max !== events)
    complaints.push(`${events} events, ${event_count} up to ${event_max}`)
  if (notified_count !== notified || sequence_max !== notified)
    complaints.push(`${notified} notifications, ${notified_count} up to ${sequence_max}`)
  const wanted = owners[0]?.merchant_id === merchant_id ? 0 : notified
  if (records !== wanted) complaints.push(`${records} webhook records for ${wanted} notifications`)
  return complaints
}

/** Responses to a merchant are true and stay true: one payment for one request, the requested one. */
function responsesOf(life: Life, ended: readonly Ended[]): string[] {
  const { acceptedIds, reference, owner, isCancelled, refusals } = life
  const complaints: string[] = []
  const own = ended.filter((each) => each.external_reference === reference && each.merchant_id === owner.merchant_id)
  const [payment] = own
  if (own.length > 1) complaints.push(`${own.length} payments for one reference`)
  for (const id of acceptedIds)
    if (id !== payment?.id) complaints.push(`the response named ${id}, but ${payment?.id ?? 'no payment'} exists`)
  if (isCancelled && payment?.state !== 'failed')
    complaints.push(`the response reports cancelled, but it is ${payment?.state}`)
  if (refusals.includes('REFERENCE_USED') && !payment) complaints.push('its reference is used without a payment')
  return complaints
}

/** What the provider keys of a payment have in common. */
const keyStart = (id: string) => `${id.slice(0, 14)}4${id.slice(15, -2)}`

/** Providers know no payment that the service did not write down before. */
function strangers({ books }: World, ended: readonly Ended[]): string[] {
  const known = new Map(ended.map(({ id, attempts }) => [keyStart(id), attempts]))
  return [...books.entries.keys()]
    .filter((key) => Number.parseInt(key.slice(-2), 16) > (known.get(key.slice(0, -2)) ?? 0))
    .map((key) => `a provider received ${key}, but no attempt with this key is stored`)
}

interface RefundedCharge {
  readonly id: string
  readonly collected: bigint
  readonly refunded: bigint
  readonly taken: bigint
  readonly covered: bigint
}

/**
 * What went back of a charge or is on its way, and what its provider took back from the merchant, is never more than it brought, late
 * money included. The provider's part is in suspense only as far as refunds cover it.
 */
export async function refunds({ ground, owners }: World): Promise<string[]> {
  const rows = await ground.base.db.write.query<RefundedCharge>(sql`
    select c.id,
      ((case when c.method = 'bank-transfer' then c.received else c.amount end) + greatest(c.adjusted, 0))::bigint as collected,
      coalesce(sum(r.amount) filter (where r.state <> 'failed'), 0)::bigint as refunded,
      greatest(-c.adjusted, 0)::bigint as taken, greatest(-c.suspended, 0)::bigint as covered
    from transactions r
    join transactions c on c.id = r.related_transaction_id
    where r.merchant_id = any(${owners.map(({ merchant_id }) => merchant_id)}::uuid[])
      and r.type = 'refund'
    group by c.id`)
  return rows
    .filter(({ collected, refunded, taken, covered }) => refunded + taken > collected || covered > refunded)
    .map(
      ({ id, collected, refunded, taken, covered }) =>
        `${refunded} of ${id} was refunded, ${taken} taken back and ${covered} covered: it was ${collected}`,
    )
}

interface Decided {
  readonly id: string
  readonly decision: string | null
}

/** A payout that needs approval reaches a provider only when a person has approved it; responses to people are true. */
async function approvals({ ground, owners, books, decisions }: World, ended: readonly Ended[]): Promise<string[]> {
  const rows = await ground.base.db.write.query<Decided>(sql`
    select transaction_id as id, decision
    from controlled_payouts
    where merchant_id = any(${owners.map(({ merchant_id }) => merchant_id)}::uuid[])
      and approval_expires_at is not null`)
  const sent = new Set([...books.entries.keys()].map((key) => key.slice(0, -2)))
  const stateOf = new Map(ended.map(({ id, state }) => [id, state]))
  const complaints: string[] = []
  for (const { id, decision } of rows) {
    if (decision !== 'approved' && sent.has(keyStart(id)))
      complaints.push(`${id} was sent, its decision is ${decision}`)
    if (decision !== 'approved' && stateOf.get(id) !== 'failed')
      complaints.push(`${id} is ${stateOf.get(id)}, its decision is ${decision}`)
    const response = decisions.get(id)
    if (response !== undefined && response !== decision)
      complaints.push(`${id}: a person was answered ${response}, the decision is ${decision}`)
  }
  return complaints
}

/** Feeds have every number once. */
async function feeds({ ground, owners }: World): Promise<string[]> {
  const rows = await ground.base.db.write.query<{ merchant_id: string; last: bigint; count: bigint; max: bigint }>(sql`
    select c.merchant_id, c.last, count(distinct e.feed_number) as count, max(e.feed_number) as max
    from feed_counters c
    left join events e on e.merchant_id = c.merchant_id and e.env = c.env and e.feed_number is not null
    where c.merchant_id = any(${owners.map(({ merchant_id }) => merchant_id)}::uuid[])
    group by c.merchant_id, c.env, c.last`)
  return rows
    .filter(({ last, count, max }) => last !== count || last !== max)
    .map(
      ({ merchant_id, last, count, max }) =>
        `the feed of ${merchant_id} ends at ${last}, but has ${count} events up to ${max}`,
    )
}

/** The allowed transitions of a payment, written separately from the code that makes them. */
const mayFollow: Readonly<Record<string, string>> = {
  unapproved: 'accepted failed',
  accepted: 'sending waiting submitted unknown successful failed',
  sending: 'accepted waiting submitted unknown successful failed',
  waiting: 'sending submitted unknown successful failed',
  submitted: 'accepted waiting unknown successful failed',
  unknown: 'accepted sending waiting submitted successful failed',
}

async function steps({ ground }: World): Promise<string[]> {
  const taken = await ground.base.db.write.query<{ id: string; source: string; target: string }>(sql`
    select id, source, target from steps order by place`)
  return taken
    .filter(({ source, target }) => !mayFollow[source]?.split(' ').includes(target))
    .map(({ id, source, target }) => `${id} went from ${source} to ${target}`)
}

/** A wallet equals its opening balance plus credits less debits; nothing is reserved any more. */
async function wallets({ ground, owners, funds }: World, ended: readonly Ended[]): Promise<string[]> {
  const rows = await ground.base.db.write.query<{ merchant_id: string; balance: bigint; pending: bigint }>(sql`
    select merchant_id, sum(credits_posted - debits_posted - owed)::bigint as balance, sum(debits_pending)::bigint as pending
    from wallets
    where merchant_id = any(${owners.map(({ merchant_id }) => merchant_id)}::uuid[])
    group by merchant_id`)
  return rows.flatMap(({ merchant_id, balance, pending }) => {
    const begun = funds[owners.findIndex((owner) => owner.merchant_id === merchant_id)] ?? 0n
    const own = ended.filter((each) => each.merchant_id === merchant_id)
    const expected = own.reduce((sum, each) => sum + changeOf(each) + adjustedOf(each), begun)
    if (balance === expected && pending === 0n) return []
    return [`the wallets of ${merchant_id} have ${balance} and ${pending} reserved; expected ${expected}`]
  })
}

/** Adjustments after the end: the fee of a returned payout comes back with it. */
const adjustedOf = ({ adjusted, adjusted_fee }: Ended) => adjusted - adjusted_fee

function changeOf({ type, method, state, amount, fee, received }: Ended): bigint {
  if (state !== 'successful') return 0n
  if (isOutgoing({ type })) return -amount - fee
  return (method === 'bank-transfer' ? received : amount) - fee
}
