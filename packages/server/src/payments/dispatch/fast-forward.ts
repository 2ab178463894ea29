import assert from 'node:assert/strict'
import { type Owner, sql, type Tx, type WriteDb } from '../../platform/db.ts'
import { nameMerchants } from '../../platform/named-merchants.ts'
import type { VirtualAccount } from '../../providers/contract.ts'
import { fastForwardApprovals } from '../controls/approvals.ts'
import type { Transaction } from '../model/store.ts'
import { laneOf, setTimers, type Timer } from './timers.ts'

/** The fields of an open payment that a fast-forward reads or changes. */
export type Pullable = Pick<
  Transaction,
  'id' | 'type' | 'provider' | 'attempt' | 'state' | 'wake_at' | 'expires_at' | 'action'
>

/** Small pages, so that other batches do not wait long for these locks. */
const pageMax = 500
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Fast-forwards the open payments of one sandbox merchant: they expire that much sooner, as if the clock had moved. Records of
 * the past and other merchants' payments do not change. {@link fastForwardTimers} moves their next poll, so that time can pass at
 * the provider in between. Returns how many payments there were, and their lanes.
 */
export async function fastForwardEnds(
  db: WriteDb,
  owner: Owner,
  aheadMs: number,
): Promise<{ readonly payments: number; readonly lanes: ReadonlySet<string> }> {
  const lanes = new Set<string>()
  let payments = 0
  await eachPage(db, owner, async (tx, open) => {
    const page = open.map((payment) => endingSooner(payment, aheadMs))
    const ids = page.map(({ id }) => id)
    await Promise.all([
      keepEnds(tx, page),
      fastForwardContinuations(tx, ids, aheadMs),
      fastForwardWindows(tx, page.filter(isKnownThere), aheadMs),
      fastForwardApprovals(
        tx,
        page.filter(isUnapproved).map(({ id }) => id),
        aheadMs,
      ),
    ])
    for (const { provider } of page) lanes.add(laneOf(owner.env, provider))
    payments += page.length
  })
  return { payments, lanes }
}

/** Makes the open payments of one sandbox merchant due that much sooner. The old timer of each has no effect. */
export async function fastForwardTimers(db: WriteDb, owner: Owner, aheadMs: number): Promise<void> {
  await eachPage(db, owner, async (tx, open) => {
    const [clock] = await tx.query<{ now: Date }>(sql`select record_time() as now`)
    assert(clock)
    const page = open.map((payment) => wakingSooner(payment, aheadMs, clock.now))
    const timers = page.flatMap(({ id, provider, wake_at }): Timer[] =>
      wake_at
        ? [{ due: wake_at > clock.now ? wake_at : clock.now, lane: laneOf(owner.env, provider), transaction_id: id }]
        : [],
    )
    await Promise.all([keepWakes(tx, page), setTimers(tx, timers), hintAt(tx, page.filter(isWithProvider))])
  })
}

/** Whether payments of this merchant are being sent to their provider, which does not know them yet. */
export async function areBeingSent(db: WriteDb, { merchant_id, env }: Owner): Promise<boolean> {
  const found = await db.query(sql`
    select
    from transactions
    where merchant_id = ${merchant_id}
      and env = ${env}
      and state not in ('successful', 'failed')
      and (state = 'sending' or (state = 'accepted' and doubt = '' and wake_at <= record_time()))
    limit 1`)
  return found.length > 0
}

/** In the order of their ids, as every process locks them. */
async function eachPage(
  db: WriteDb,
  { merchant_id, env }: Owner,
  work: (tx: Tx, open: readonly Pullable[]) => Promise<void>,
): Promise<void> {
  assert.equal(env, 'sandbox', 'time cannot be advanced in live')
  let page: readonly Pullable[]
  let after = firstId
  do {
    page = await db.transaction(async (tx) => {
      await nameMerchants(tx, [merchant_id])
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
      if (open.length > 0) await work(tx, open)
      return open
    })
    after = page.at(-1)?.id ?? after
  } while (page.length === pageMax)
}

export function endingSooner(payment: Pullable, aheadMs: number): Pullable {
  const { expires_at, action } = payment
  const sooner = (at: Date) => new Date(at.getTime() - aheadMs)
  return {
    ...payment,
    expires_at: expires_at && sooner(expires_at),
    action: action?.kind === 'pay_to_account' ? { ...action, account: endingAt(action.account, sooner) } : action,
  }
}

/**
 * A payment that is polled that much sooner. One that is being sent is bound to its sender's real clock: it is queried after its
 * send deadline and not before.
 */
export function wakingSooner(payment: Pullable, aheadMs: number, now: Date): Pullable {
  const { state, wake_at } = payment
  if (state === 'sending' || wake_at === null || wake_at <= now) return payment
  return { ...payment, wake_at: new Date(Math.max(now.getTime(), wake_at.getTime() - aheadMs)) }
}

function endingAt(account: VirtualAccount, sooner: (at: Date) => Date): VirtualAccount {
  return { ...account, expiresAt: sooner(new Date(account.expiresAt)).toISOString() }
}

async function keepEnds(tx: Tx, page: readonly Pullable[]): Promise<void> {
  await tx.query(sql`
    update transactions as t
    set expires_at = n.expires_at, action = n.action
    from unnest(${page.map(({ id }) => id)}::uuid[], ${page.map(({ expires_at }) => expires_at)}::timestamptz[],
      ${page.map(({ action }) => (action ? JSON.stringify(action) : null))}::jsonb[])
      as n(id, expires_at, action)
    where t.id = n.id`)
}

async function keepWakes(tx: Tx, page: readonly Pullable[]): Promise<void> {
  await tx.query(sql`
    update transactions as t
    set wake_at = n.wake_at
    from unnest(${page.map(({ id }) => id)}::uuid[], ${page.map(({ wake_at }) => wake_at)}::timestamptz[])
      as n(id, wake_at)
    where t.id = n.id`)
}

const isUnapproved = ({ state }: Pullable) => state === 'unapproved'
const isWithProvider = ({ state }: Pullable) => state === 'waiting' || state === 'submitted' || state === 'unknown'

/** A query that was in flight during the fast-forward returns the state from before it, so the provider is queried once more. */
async function hintAt(tx: Tx, page: readonly Pullable[]): Promise<void> {
  await tx.query(sql`
    update attempts as a
    set is_hinted = true
    from unnest(${page.map(({ id }) => id)}::uuid[], ${page.map(({ attempt }) => attempt)}::smallint[])
      as n(transaction_id, number)
    where (a.transaction_id, a.number) = (n.transaction_id, n.number)`)
}

/** The continuation of a card charge expires that much sooner. */
async function fastForwardContinuations(tx: Tx, ids: readonly string[], aheadMs: number): Promise<void> {
  await tx.query(sql`
    update card_continuations
    set expires_at = expires_at - make_interval(secs => ${aheadMs / 1000})
    where transaction_id = any(${ids}::uuid[])`)
}

/**
 * A charge that its provider has reported on has been sent, so its not-found window may end sooner. Otherwise a charge queried at
 * its expiry could not end. A payout keeps its window, because it guards money.
 */
const isKnownThere = ({ type, state }: Pullable) => type === 'deposit' && (state === 'waiting' || state === 'submitted')

async function fastForwardWindows(tx: Tx, charges: readonly Pullable[], aheadMs: number): Promise<void> {
  await tx.query(sql`
    update attempts as a
    set send_deadline = a.send_deadline - make_interval(secs => ${aheadMs / 1000})
    from unnest(${charges.map(({ id }) => id)}::uuid[], ${charges.map(({ attempt }) => attempt)}::smallint[])
      as n(transaction_id, number)
    where (a.transaction_id, a.number) = (n.transaction_id, n.number)`)
}
