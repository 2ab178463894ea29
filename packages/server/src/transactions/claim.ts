import assert from 'node:assert/strict'
import { laneOf, setAlarms } from '../alarms/alarms.ts'
import { type Db, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { accountMinMs, accountMs, sendWithinMs } from './accept.ts'
import type { State } from './state.ts'
import { type Attempt, lock, lockDue, move, type Payment, type Transaction, updateAttempts } from './store.ts'

/** Work that now belongs to whoever claimed it: to send what was never sent, to ask about what may have been, or to end. */
export interface Claimed extends Payment {
  readonly todo: 'send' | 'ask' | 'end'
}

export interface Claim {
  readonly claimed: readonly Claimed[]
  /** There may be more that is due, but no more may be taken now. */
  readonly isLimited: boolean
}

export interface ClaimOrder {
  readonly lane: string
  /** Payments whose alarms rang; those that need nothing are passed over. */
  readonly ids: readonly string[]
  readonly limit: number
  readonly requestsPerSecond: number
}

/** If nobody reports back by then, the question is asked again. */
const askWithinMs = 20_000
/** What a customer answered is sent, and the provider has answered it, by then; or else the provider is asked. */
const answeredWithinMs = 50_000
/** A customer who has less than this to approve is not bothered any more. */
const promptMinMs = 60_000

/**
 * Claims what is due in a lane, at most as much as the provider takes. What is claimed is marked in the same transaction,
 * with a time by which it must be begun and an alarm for the case that its claimer dies.
 */
export function claim(db: WriteDb, order: ClaimOrder): Promise<Claim> {
  return db.transaction(async (tx) => {
    const budget = await openLane(tx, order)
    const limit = Math.min(order.limit, budget ?? 0)
    if (limit < 1) return { claimed: [], isLimited: true }
    const [due, at] = await Promise.all([lockDue(tx, order.ids, limit), timeOf(tx)])
    if (due.size === 0) return { claimed: [], isLimited: false }
    const claimed = [...due.values()].map((payment) => claimOne(payment, at))
    await Promise.all([keepClaims(tx, claimed, at), spend(tx, order.lane, claimed.length)])
    reach('claim.written')
    return { claimed, isLimited: claimed.length === limit }
  })
}

/** What speaks against claiming a payment, as it stands under its lock. */
type Refuse = (payment: Payment, at: Date) => void

/** Claims one payment for a request that sends it at once. `refuse` throws when that must not be. */
export function claimToSend(db: WriteDb, id: string, refuse: Refuse): Promise<Payment> {
  return claimNow(db, id, refuse, toSend)
}

/** Claims one payment for a request that sends what its customer answered; that is no sending of the payment itself. */
export function claimToAnswer(db: WriteDb, id: string, refuse: Refuse): Promise<Payment> {
  return claimNow(db, id, refuse, ({ transaction, attempt }, at) => ({
    transaction: { ...transaction, state: 'sending', wake_at: new Date(at.getTime() + answeredWithinMs) },
    attempt: { ...attempt, polls: 0, send_by: sendBy(at), is_hinted: false },
  }))
}

function claimNow(
  db: WriteDb,
  id: string,
  refuse: Refuse,
  claimed: (payment: Payment, at: Date) => Payment,
): Promise<Payment> {
  return db.transaction(async (tx) => {
    const payment = (await lock(tx, [id])).get(id)
    assert(payment, 'a payment is never deleted')
    const at = await timeOf(tx)
    refuse(payment, at)
    const { transaction, attempt } = claimed(payment, at)
    await keepClaims(tx, [{ transaction, attempt }], at)
    reach('claim_one.written')
    return { transaction, attempt }
  })
}

async function keepClaims(tx: Tx, claimed: readonly Payment[], at: Date): Promise<void> {
  const transactions = claimed.map(({ transaction }) => transaction)
  const attempts = claimed.map(({ attempt }) => attempt)
  const alarms = transactions.map((transaction) => alarmOf(transaction, at))
  await Promise.all([move(tx, at, transactions), updateAttempts(tx, attempts), setAlarms(tx, alarms)])
}

/** What the lane may still ask of its provider; not even nothing while it is paused. Claims of one lane take turns by its row. */
async function openLane(
  tx: Db,
  { lane, requestsPerSecond }: Pick<ClaimOrder, 'lane' | 'requestsPerSecond'>,
): Promise<number | undefined> {
  const [row] = await tx.query<{ budget: number | null }>(sql`
    insert into lanes as l (lane, budget)
    values (${lane}, ${requestsPerSecond})
    on conflict (lane) do update
    set budget = least(
        ${requestsPerSecond}::float8,
        l.budget + ${requestsPerSecond}::float8 * greatest(0, extract(epoch from record_time() - l.budget_at))
      ),
      budget_at = record_time()
    returning case when paused_at is null then budget end as budget`)
  return row?.budget === null || row === undefined ? undefined : Math.floor(row.budget)
}

/** Takes a turn in a lane for a request that does not wait in it. False when the lane is paused, or owes a second's turns. */
export async function takeTurn(db: WriteDb, lane: string, requestsPerSecond: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const budget = await openLane(tx, { lane, requestsPerSecond })
    const isOpen = budget !== undefined && budget > -requestsPerSecond
    if (isOpen) await spend(tx, lane, 1)
    return isOpen
  })
}

async function spend(tx: Db, lane: string, count: number): Promise<void> {
  await tx.query(sql`update lanes set budget = budget - ${count} where lane = ${lane}`)
}

async function timeOf(tx: Db): Promise<Date> {
  const [row] = await tx.query<{ at: Date }>(sql`select record_time() as at`)
  return row?.at ?? new Date()
}

function claimOne({ transaction, attempt }: Payment, at: Date): Claimed {
  const { state, expires_at } = transaction
  const isToSend = state === 'accepted' || (state === 'unknown' && attempt.is_lost)
  if (!isToSend) return later('ask', transaction, attempt, at)
  const isTooLate = expires_at !== null && expires_at.getTime() - at.getTime() < promptMinMs
  return isTooLate || isTooLateToOpen(transaction, at)
    ? later('end', transaction, attempt, at)
    : { todo: 'send', ...toSend({ transaction, attempt }, at) }
}

/** An account of a charge by transfer ends with the charge's first two hours: one opened later would outlive the charge. */
export function isTooLateToOpen({ method, created_at }: Transaction, at: Date): boolean {
  return method === 'bank-transfer' && at.getTime() - created_at.getTime() > accountMs - accountMinMs
}

const sendBy = (at: Date) => new Date(at.getTime() + sendWithinMs)

function toSend({ transaction, attempt }: Payment, at: Date): Payment {
  const send_by = sendBy(at)
  return {
    transaction: { ...transaction, state: 'sending' satisfies State, wake_at: send_by },
    attempt: { ...attempt, sends: attempt.sends + 1, polls: 0, send_by, is_lost: false, is_hinted: false },
  }
}

function later(todo: 'ask' | 'end', transaction: Transaction, attempt: Attempt, at: Date): Claimed {
  const wake_at = new Date(at.getTime() + askWithinMs)
  return { todo, transaction: { ...transaction, wake_at }, attempt: { ...attempt, is_hinted: false } }
}

function alarmOf({ id, env, provider, wake_at }: Transaction, at: Date) {
  return { due: wake_at ?? at, lane: laneOf(env, provider), transaction_id: id }
}
