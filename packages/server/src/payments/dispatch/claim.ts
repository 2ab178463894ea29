import assert from 'node:assert/strict'
import { type Db, sql, type Tx, type WriteDb } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { accountMinMs, accountMs, sendWithinMs } from '../accept/accept.ts'
import type { State } from '../model/state.ts'
import {
  type Attempt,
  type FullPayment,
  lock,
  lockDue,
  move,
  type Payment,
  type Transaction,
  updateAttempts,
} from '../model/store.ts'
import { isPaidBefore } from '../resolve/decide-earlier.ts'
import { type Budget, type LaneOperation, type LaneRates, openLane, spend, spentOf } from './lane-budget.ts'
import { laneOf, setAlarms, type Work, type WorkKind } from './timers.ts'

/** Work that now belongs to whoever claimed it: to send what was never sent, to ask about what may have been, or to end. */
export interface Claimed extends Payment {
  readonly todo: 'send' | 'ask' | 'end'
}

/** What is wanted of one kind: the first of these that are due, no more than `limit`. */
export interface Wanted {
  readonly kind: WorkKind
  readonly work: readonly Work[]
  readonly limit: number
}

/** What came of it: those that are claimed, and all that were looked at on the way. The rest may still be due. */
interface Taken {
  readonly kind: WorkKind
  readonly claimed: readonly Claimed[]
  readonly examined: readonly Work[]
}

export interface Claim {
  readonly taken: readonly Taken[]
  /** There may be more that is due, but the provider takes no more now. */
  readonly isSpent: boolean
}

export interface ClaimOrder {
  readonly lane: string
  readonly rates: LaneRates
  /** Chooses by what the provider takes now. */
  readonly choose: (budget: Budget) => readonly Wanted[]
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
    const budget = await openLane(tx, order.lane, order.rates)
    if (!budget || budget.total < 1) return { taken: [], isSpent: true }
    const wanted = order.choose(budget).filter(({ limit }) => limit > 0)
    if (wanted.length === 0) return { taken: [], isSpent: false }
    const [at, ...due] = await Promise.all([
      timeOf(tx),
      ...wanted.map(({ work, limit }) => lockDue(tx, { lane: order.lane, ids: work.map(idOf), limit })),
    ])
    const taken = wanted.map((each, index) => takenOf(each, due[index] ?? [], at))
    const claimed = taken.flatMap((each) => each.claimed)
    if (claimed.length > 0) {
      await Promise.all([keepClaims(tx, claimed, at), spendAll(tx, order.lane, claimed)])
      reach('claim.written')
    }
    return { taken, isSpent: claimed.length >= budget.total }
  })
}

const idOf = ({ id }: Work) => id

/** Rows are looked at in the order they were asked for, until there are enough. */
function takenOf({ kind, work, limit }: Wanted, due: readonly FullPayment[], at: Date): Taken {
  const last = due.at(-1)?.transaction.id
  const examined = due.length < limit ? work : work.slice(0, work.findIndex(({ id }) => id === last) + 1)
  return { kind, examined, claimed: due.map((payment) => claimOne(payment, at)) }
}

function spendAll(tx: Tx, lane: string, claimed: readonly Claimed[]): Promise<void> {
  const made = Map.groupBy(claimed, operationOf)
  const spent = [...made].flatMap(([operation, { length }]) => (operation ? [spentOf(lane, operation, length)] : []))
  return spend(tx, [{ lane, requests: claimed.length }, ...spent], 'lane')
}

/** What ends without a request counts in the total alone: it needs a turn so that it does not take all the turns. */
function operationOf({ todo, transaction: { type } }: Claimed): LaneOperation | undefined {
  if (todo === 'end') return undefined
  return todo === 'ask' ? 'query' : type === 'deposit' ? 'charge' : 'payout'
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

async function timeOf(tx: Db): Promise<Date> {
  const [row] = await tx.query<{ at: Date }>(sql`select record_time() as at`)
  return row?.at ?? new Date()
}

function claimOne(payment: FullPayment, at: Date): Claimed {
  const { transaction, attempt } = payment
  const { state, expires_at } = transaction
  const isToSend = state === 'accepted' || (state === 'unknown' && attempt.is_lost)
  if (!isToSend) return later('ask', transaction, attempt, at)
  if (isPaidBefore(payment)) return later(state === 'accepted' ? 'end' : 'ask', transaction, attempt, at)
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
