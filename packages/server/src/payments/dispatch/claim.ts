import assert from 'node:assert/strict'
import { type Db, sql, type Tx, type WriteDb } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import type { DoubtOrNone } from '../model/doubts.ts'
import { lock, lockDue } from '../model/lock-payments.ts'
import type { State } from '../model/state.ts'
import { type Attempt, type FullPayment, move, type Payment, type Transaction, updateAttempts } from '../model/store.ts'
import { isPaidBefore } from '../resolve/decide-paid-before.ts'
import { timing } from '../resolve/timing.ts'
import { type Budget, type LaneOperation, type LaneRates, openLane, spend, spentOf } from './lane-budget.ts'
import { laneOf, setTimers, type Work, type WorkKind } from './timers.ts'

/** Work that belongs to its claimer: send what was never sent, query what may have been sent, or end the payment. */
export interface Claimed extends Payment {
  readonly todo: 'send' | 'ask' | 'end'
}

/** The work to claim of one kind: the first due payments in this order, at most `limit`. */
export interface Wanted {
  readonly kind: WorkKind
  readonly work: readonly Work[]
  readonly limit: number
}

/** The result for one kind: the claimed payments, and all that were examined on the way. The rest may still be due. */
interface Taken {
  readonly kind: WorkKind
  readonly claimed: readonly Claimed[]
  readonly examined: readonly Work[]
}

export interface Claim {
  readonly taken: readonly Taken[]
  /** More may be due, but the provider's rate limit is used up for now. */
  readonly isSpent: boolean
}

export interface ClaimOrder {
  readonly lane: string
  readonly rates: LaneRates
  /** Chooses the work within the provider's current rate limit. */
  readonly choose: (budget: Budget) => readonly Wanted[]
}

/**
 * Claims what is due in a lane, within the provider's rate limit. The same transaction marks the claimed payments, with a
 * deadline to start and a timer in case the claimer dies.
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

/** Rows are examined in the requested order until there are enough. */
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

/**
 * A payment that ends without a request counts in the total only. It needs a turn so that such payments cannot take all turns.
 */
function operationOf({ todo, transaction: { type } }: Claimed): LaneOperation | undefined {
  if (todo === 'end') return undefined
  return todo === 'ask' ? 'query' : type === 'deposit' ? 'charge' : 'payout'
}

/** Throws when a payment must not be claimed, as it is under its lock. */
type Refuse = (payment: Payment, at: Date) => void

/** Claims one payment for a request that sends it at once. `refuse` throws when that is not allowed. */
export function claimToSend(db: WriteDb, id: string, refuse: Refuse): Promise<Payment> {
  return claimNow(db, id, refuse, toSend)
}

/** Claims one payment for a request that sends its customer's answer. This does not count as a send of the payment. */
export function claimToAnswer(db: WriteDb, id: string, refuse: Refuse): Promise<Payment> {
  return claimNow(db, id, refuse, ({ transaction, attempt }, at) => ({
    transaction: { ...transaction, state: 'sending', wake_at: new Date(at.getTime() + timing.answerClaimMs) },
    attempt: { ...attempt, polls: 0, send_deadline: sendDeadline(at), is_hinted: false },
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
  const timers = transactions.map((transaction) => timerOf(transaction, at))
  await Promise.all([move(tx, at, transactions), updateAttempts(tx, attempts), setTimers(tx, timers)])
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
  const isTooLate = expires_at !== null && expires_at.getTime() - at.getTime() < timing.promptLeftMinMs
  return isTooLate || isTooLateToOpen(transaction, at)
    ? later('end', transaction, attempt, at)
    : { todo: 'send', ...toSend({ transaction, attempt }, at) }
}

/** The account of a bank transfer charge ends two hours after acceptance. An account opened later would outlive the charge. */
export function isTooLateToOpen({ method, created_at }: Transaction, at: Date): boolean {
  return (
    method === 'bank-transfer' && at.getTime() - created_at.getTime() > timing.accountOpenMs - timing.accountOpenMinMs
  )
}

const sendDeadline = (at: Date) => new Date(at.getTime() + timing.sendDeadlineMs)

function toSend({ transaction, attempt }: Payment, at: Date): Payment {
  const send_deadline = sendDeadline(at)
  return {
    transaction: {
      ...transaction,
      state: 'sending' satisfies State,
      doubt: begun(transaction),
      wake_at: send_deadline,
    },
    attempt: { ...attempt, sends: attempt.sends + 1, polls: 0, send_deadline, is_lost: false, is_hinted: false },
  }
}

/** Its turn has come. Every other doubt stays until the outcome of this send. */
const begun = ({ doubt }: Transaction): DoubtOrNone => (doubt === 'earlier_refund' ? '' : doubt)

function later(todo: 'ask' | 'end', transaction: Transaction, attempt: Attempt, at: Date): Claimed {
  const wake_at = new Date(at.getTime() + timing.queryClaimMs)
  return { todo, transaction: { ...transaction, wake_at }, attempt: { ...attempt, is_hinted: false } }
}

function timerOf({ id, env, provider, wake_at }: Transaction, at: Date) {
  return { due: wake_at ?? at, lane: laneOf(env, provider), transaction_id: id }
}
