import assert from 'node:assert/strict'
import { type Alarm, laneOf, setAlarms } from '../alarms/alarms.ts'
import { type Owner, sql, type Tx, type WriteDb } from '../platform/db.ts'
import type { VirtualAccount } from '../providers/contract.ts'
import type { Transaction } from './store.ts'

/** As much of an open payment as time can pass for. */
export type Pullable = Pick<
  Transaction,
  'id' | 'type' | 'provider' | 'attempt' | 'state' | 'wake_at' | 'expires_at' | 'action'
>

/** Few at a time, so that nobody else's batch waits long for their locks. */
const pageMax = 500
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Lets time pass for the open payments of one merchant of the sandbox: when they are looked at next and when they end comes that
 * much sooner, as if the clock had moved. What was written about the past stays, and so does all that belongs to others. Tells
 * how many there were, and the lanes to ring.
 */
export async function pullPayments(
  db: WriteDb,
  owner: Owner,
  aheadMs: number,
): Promise<{ readonly payments: number; readonly lanes: ReadonlySet<string> }> {
  assert.equal(owner.env, 'sandbox', 'time passes in live by itself')
  const lanes = new Set<string>()
  let payments = 0
  let page: readonly Pullable[]
  let after = firstId
  do {
    page = await db.transaction((tx) => pullPage(tx, owner, after, aheadMs))
    for (const { provider } of page) lanes.add(laneOf(owner.env, provider))
    payments += page.length
    after = page.at(-1)?.id ?? after
  } while (page.length === pageMax)
  return { payments, lanes }
}

/** In the order of their ids, as everybody locks them. Each gets an alarm for its new time: the old one rings for nothing. */
async function pullPage(
  tx: Tx,
  { merchant_id, env }: Owner,
  after: string,
  aheadMs: number,
): Promise<readonly Pullable[]> {
  const open = await tx.query<Pullable>(sql`
    select id, type, provider, attempt, state, wake_at, expires_at, action
    from transactions
    where merchant_id = ${merchant_id}
      and env = ${env}
      and state not in ('successful', 'failed')
      and id > ${after}
    order by id
    limit ${pageMax}
    for no key update`)
  if (open.length === 0) return []
  const [clock] = await tx.query<{ now: Date }>(sql`select record_time() as now`)
  assert(clock)
  const page = open.map((payment) => pulled(payment, aheadMs, clock.now))
  const ids = page.map(({ id }) => id)
  const alarms = page.flatMap(({ id, provider, wake_at }): Alarm[] =>
    wake_at
      ? [{ due: wake_at > clock.now ? wake_at : clock.now, lane: laneOf(env, provider), transaction_id: id }]
      : [],
  )
  await Promise.all([
    keep(tx, page),
    pullContinuations(tx, ids, aheadMs),
    pullWindows(tx, page.filter(isKnownThere), aheadMs),
    setAlarms(tx, alarms),
  ])
  return page
}

/**
 * A payment after so much time. One that is being sent is in somebody's hands by real clocks: it is asked about when its time to
 * be sent is over and not before, but it may end sooner.
 */
export function pulled(payment: Pullable, aheadMs: number, now: Date): Pullable {
  const { state, wake_at, expires_at, action } = payment
  const sooner = (at: Date) => new Date(at.getTime() - aheadMs)
  const isWaiting = state !== 'sending' && wake_at !== null && wake_at > now
  return {
    ...payment,
    wake_at: isWaiting ? new Date(Math.max(now.getTime(), sooner(wake_at).getTime())) : wake_at,
    expires_at: expires_at && sooner(expires_at),
    action: action?.kind === 'pay_to_account' ? { ...action, account: endingAt(action.account, sooner) } : action,
  }
}

function endingAt(account: VirtualAccount, sooner: (at: Date) => Date): VirtualAccount {
  return { ...account, expiresAt: sooner(new Date(account.expiresAt)).toISOString() }
}

async function keep(tx: Tx, page: readonly Pullable[]): Promise<void> {
  await tx.query(sql`
    update transactions as t
    set wake_at = n.wake_at, expires_at = n.expires_at, action = n.action
    from unnest(${page.map(({ id }) => id)}::uuid[], ${page.map(({ wake_at }) => wake_at)}::timestamptz[],
      ${page.map(({ expires_at }) => expires_at)}::timestamptz[],
      ${page.map(({ action }) => (action ? JSON.stringify(action) : null))}::jsonb[])
      as n(id, wake_at, expires_at, action)
    where t.id = n.id`)
}

/** What a card charge goes on with is kept for so long and no longer. */
async function pullContinuations(tx: Tx, ids: readonly string[], aheadMs: number): Promise<void> {
  await tx.query(sql`
    update card_continuations
    set expires_at = expires_at - make_interval(secs => ${aheadMs / 1000})
    where transaction_id = any(${ids}::uuid[])`)
}

/**
 * A charge that its provider has spoken of is not being sent any more, so the time in which its provider might not know it yet
 * may be over sooner: else a charge that is asked about at its end could not end. Of a payout that time stays: it guards money.
 */
const isKnownThere = ({ type, state }: Pullable) => type === 'deposit' && (state === 'waiting' || state === 'submitted')

async function pullWindows(tx: Tx, charges: readonly Pullable[], aheadMs: number): Promise<void> {
  await tx.query(sql`
    update attempts as a
    set send_by = a.send_by - make_interval(secs => ${aheadMs / 1000})
    from unnest(${charges.map(({ id }) => id)}::uuid[], ${charges.map(({ attempt }) => attempt)}::smallint[])
      as n(transaction_id, number)
    where (a.transaction_id, a.number) = (n.transaction_id, n.number)`)
}
