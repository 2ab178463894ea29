import { emit, type NewEvent } from '../../events/emit.ts'
import { available, type PlatformAccounts } from '../../ledger/accounts.ts'
import { openBooks, type Refusal } from '../../ledger/books.ts'
import { createWriter, type Writer } from '../../ledger/chain.ts'
import { type Batcher, createBatcher, type Decided } from '../../platform/batch.ts'
import type { BatchTx, Environment, Tx, WriteDb } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { showId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { nameMerchants } from '../../platform/named-merchants.ts'
import type { Connectors, Routing } from '../../providers/routing.ts'
import { errandOf, railOf } from '../dispatch/operation.ts'
import { watchAccounts } from '../dispatch/paid-accounts.ts'
import { type Alarm, laneOf, setAlarms } from '../dispatch/timers.ts'
import { type Adjustment, adjustmentEvent, adjustmentMovements, adjustmentOf } from '../late-money/adjustments.ts'
import { movedOf, withLate } from '../late-money/late-money.ts'
import type { CaseChange } from '../late-money/suspense-cases.ts'
import { writeLate } from '../late-money/write-late.ts'
import { isAllowed, stageOf } from '../model/state.ts'
import {
  type Attempt,
  type BookedReceipt,
  type FullPayment,
  freshAttempt,
  insertAttempts,
  insertReceipts,
  lock,
  move,
  type Transaction,
  updateAttempts,
  walletOf,
} from '../model/store.ts'
import { tell } from '../notify/webhook-body.ts'
import { decide } from './decide.ts'
import { earlierPaying, isPaidBefore } from './decide-earlier.ts'
import { decideLate } from './decide-late.ts'
import type { Decision, Observation, Surroundings } from './decision.ts'
import {
  accountsAt,
  accountsOf,
  creditedBy,
  endingsOf,
  latePostings,
  mayMoveMoney,
  movementsFor,
} from './payment-postings.ts'

/** News of one payment. An attempt may be named; one that was given up is heard only when it moved money. */
interface Settlement extends Observation {
  readonly transaction_id: string
  readonly attempt: number | undefined
  /** Who says so, where it came from outside: nobody tells of another's payments. */
  readonly from?: { readonly env: Environment; readonly provider: string }
  /** Written in the same transaction, if the news changes anything. */
  readonly alongside?: ((tx: Tx) => Promise<void>) | undefined
  /** For the event: who judged, and on what evidence. */
  readonly note?: Readonly<Record<string, unknown>>
}

/** Where a payment stands after its news. */
export interface Standing {
  readonly isChanged: boolean
  readonly transaction: Transaction
  readonly attempts: readonly Attempt[]
  readonly receipts: readonly BookedReceipt[]
}

/** Nothing when there is no such payment. */
export type Settler = Batcher<Settlement, Standing | undefined>

/** What settling must know beside the payments themselves. */
export interface Surrounded {
  /** Called once merchants have something to be told. */
  readonly onTold: () => void
  readonly cell: number
  readonly log: Log
  readonly accounts: PlatformAccounts
  readonly connectors: Connectors
  readonly routing: Routing
}

export interface SettlerOptions extends Surrounded {
  readonly db: WriteDb
}

/**
 * The one place where an answer, a callback, a query or an operator changes a payment: state, money, event and next alarm
 * in one transaction, many payments at a time. News of one payment in one batch is taken one after another.
 */
export function createSettler(options: SettlerOptions): Settler {
  const writer = createWriter()
  return createBatcher({
    db: options.db,
    decide: (tx, settlements) => settleBatch(options, writer, tx, settlements),
    keyOf: ({ transaction_id }) => walletOf(options.db, transaction_id),
  })
}

/** A payment as a batch goes through its news. */
interface Course {
  readonly before: FullPayment
  transaction: Transaction
  attempt: Attempt
  givenUp: readonly Attempt[]
  receipts: readonly BookedReceipt[]
  /** Why money of it is in suspense and where it moved, where that changed. */
  suspense: Pick<CaseChange, 'kind' | 'provider'> | undefined
  readonly adjustments: Adjustment[]
  ended: readonly Attempt[]
  readonly begun: Attempt[]
  readonly events: NewEvent[]
  readonly alarms: Alarm[]
}

/**
 * Settles what it is given inside somebody's batch, and tells when that counts. What an operator does uses it directly, so
 * that the audit row is in the same transaction.
 */
export async function settleBatch(
  options: Surrounded,
  writer: Writer,
  tx: BatchTx,
  settlements: readonly Settlement[],
): Promise<Decided<Standing | undefined>> {
  const at = new Date(Number(tx.atUs / 1000n))
  const payments = await lock(
    tx,
    settlements.map((settlement) => settlement.transaction_id),
  )
  const courses = new Map([...payments].map(([id, payment]) => [id, begin(payment)]))
  const moving = settlements.flatMap(({ transaction_id, news }) => {
    const payment = payments.get(transaction_id)
    return payment && (mayMoveMoney(news) || isPaidBefore(payment)) ? [payment] : []
  })
  const merchants = [...payments.values()].map(({ transaction }) => transaction.merchant_id)
  const [accounts] = await Promise.all([accountsOf(options.accounts, moving), nameMerchants(tx, merchants)])
  const wallets = moving.map(({ transaction }) => transaction.wallet_id)
  const books = await openBooks(tx, writer, moving.flatMap(endingsOf), wallets)
  reach('settle.locked')
  const alerts: (() => void)[] = []
  const answers = settlements.map((settlement): Standing | undefined => {
    const course = courses.get(settlement.transaction_id)
    if (!course || !isEntitled(settlement, course)) return undefined
    const { isChanged, alert } = take(options, course, settlement, at, (provider, decision, adjustments) => {
      const { transaction } = course
      const accountOf = accountsAt(transaction, provider, accounts)
      const wallet = books.wallets.get(transaction.wallet_id)
      const there = (wallet ? available(wallet) : 0n) + creditedBy(transaction, decision)
      return books.apply([
        ...movementsFor(transaction, provider, decision, accounts),
        ...adjustments.flatMap((each) => adjustmentMovements(each, transaction, there, accountOf)),
      ])
    })
    if (alert) alerts.push(alert)
    const { transaction, attempt, givenUp, ended, receipts } = course
    return { isChanged, transaction, attempts: [attempt, ...givenUp, ...ended], receipts }
  })
  const changed = [...courses.values()].filter(({ before, transaction }) => transaction !== before.transaction)
  for (const [index, { alongside }] of settlements.entries()) if (answers[index]?.isChanged) await alongside?.(tx)
  const [{ committed, ...written }] = await Promise.all([books.write(), write(tx, at, options.cell, changed)])
  reach('settle.written')
  const tellAll = () => {
    reach('settle.committed')
    committed?.()
    for (const alert of alerts) alert()
    const isTold = ({ before, transaction, adjustments }: Course) =>
      transaction.told > before.transaction.told || adjustments.length > 0
    if (changed.some(isTold)) options.onTold()
  }
  return { answers, ...written, committed: tellAll }
}

/** Nobody tells of a payment in another environment, or of an attempt that was made through somebody else. */
function isEntitled({ from, attempt: number }: Settlement, { before }: Course): boolean {
  if (from === undefined) return true
  const named = [before.attempt, ...before.givenUp].find((attempt) => attempt.number === number)
  return from.env === before.transaction.env && from.provider === named?.provider
}

function begin(payment: FullPayment): Course {
  return {
    before: payment,
    ...payment,
    suspense: undefined,
    adjustments: [],
    ended: [],
    begun: [],
    events: [],
    alarms: [],
  }
}

type Post = (provider: string, decision: Decision, adjustments: readonly Adjustment[]) => Refusal | undefined

interface Taken {
  readonly isChanged: boolean
  readonly alert?: () => void
}

/** Takes one piece of news. What the ledger or the table refuses leaves the payment as it was: it stops no other. */
function take(options: Surrounded, course: Course, settlement: Settlement, at: Date, post: Post): Taken {
  const { transaction, attempt, receipts, givenUp } = course
  // News before it in this batch may have given up the attempt that this news is about.
  const abandoned = [...givenUp, ...course.ended].find(({ number }) => number === settlement.attempt)
  const around = surroundings(options, course, settlement, at)
  const decision = abandoned
    ? decideLate({ transaction, attempt: abandoned, movedElsewhere: around.movedElsewhere }, settlement)
    : decide({ transaction, attempt, receipts }, settlement, around)
  if (!decision) return { isChanged: false }
  const { provider } = [...givenUp, ...course.ended].find(isOf(decision.late)) ?? abandoned ?? attempt
  const facts = { transactionId: showId('transaction', transaction.id), provider, news: settlement.news.kind }
  const made = (decision.late?.adjustments ?? []).map((draft) => adjustmentOf(transaction, draft, at, options.cell))
  const refusal = refusalOf(course, decision) ?? post(provider, decision, made)
  if (refusal)
    return { isChanged: false, alert: () => options.log.error({ ...facts, refusal }, 'a settlement is refused') }
  apply(course, settlement, decision, { at, cell: options.cell })
  applyLate(course, settlement, decision, made, { at, cell: options.cell, provider })
  const { alert } = decision
  return { isChanged: true, ...(alert !== undefined && { alert: () => options.log.error(facts, alert) }) }
}

/** Whether money moved through an attempt. */
const isOf =
  (late: Decision['late']) =>
  ({ number }: Attempt) =>
    number === late?.attempt

/** A step that the table does not know, from where the payment stands in the database. */
function refusalOf({ before }: Course, { progress }: Decision): string | undefined {
  const { state: source } = before.transaction
  const target = progress.state ?? source
  return isAllowed(source, target) ? undefined : `${source} to ${target}`
}

interface Moment {
  readonly at: Date
  readonly cell: number
}

function apply(course: Course, settlement: Settlement, decision: Decision, moment: Moment): void {
  const { progress, attempt: change, reroute, event } = decision
  const before = course.transaction
  const number = before.events + (event ? 1 : 0)
  const moved = { ...before, ...progress, events: number, told: before.told + (event?.isTold ? 1 : 0) }
  course.attempt = { ...course.attempt, ...change }
  course.receipts = [...course.receipts, ...(decision.receipts ?? [])]
  if (reroute !== undefined) {
    course.ended = [...course.ended, course.attempt]
    course.attempt = {
      ...freshAttempt,
      transaction_id: before.id,
      number: course.attempt.number + 1,
      provider: reroute,
    }
    course.begun.push(course.attempt)
  } else if (course.begun.length > 0) course.begun.splice(-1, 1, course.attempt)
  course.transaction = { ...moved, attempt: course.attempt.number, provider: course.attempt.provider }
  const { wake_at, env, provider, id } = course.transaction
  if (wake_at && wake_at !== before.wake_at)
    course.alarms.push({ due: wake_at, lane: laneOf(env, provider), transaction_id: id })
  if (event) course.events.push(eventOf(course.transaction, settlement, event, moment))
}

/** What moved outside the ordinary course of the payment, and the adjustments that were made for it. */
function applyLate(
  course: Course,
  { cause }: Settlement,
  { late = {}, changedReceipts = [] }: Decision,
  made: readonly Adjustment[],
  { at, cell, provider }: Moment & { readonly provider: string },
): void {
  const before = course.transaction
  const { attempt: number, suspend } = late
  const report = (attempt: Attempt): Attempt => {
    const { moved = attempt.moved, returned = attempt.returned } = late
    return attempt.number === number ? { ...attempt, moved, returned } : attempt
  }
  course.attempt = report(course.attempt)
  course.givenUp = course.givenUp.map(report)
  course.ended = course.ended.map(report)
  course.receipts = course.receipts.map(
    (receipt) => changedReceipts.find(({ receipt_id }) => receipt_id === receipt.receipt_id) ?? receipt,
  )
  if (suspend) course.suspense = { kind: suspend.kind, provider }
  course.adjustments.push(...made)
  course.events.push(...made.map(({ transaction }) => adjustmentEvent(transaction, cause, at, cell)))
  course.transaction = {
    ...withLate(before, late),
    adjustments: [...before.adjustments, ...made.map(({ transaction }) => transaction.id)],
    late_postings: before.late_postings + latePostings(late).length,
  }
}

function eventOf(
  transaction: Transaction,
  { cause, note }: Settlement,
  { message, isTold, detail = {} }: NonNullable<Decision['event']>,
  { at, cell }: Moment,
): NewEvent {
  const { id, merchant_id, env, state, failure, events: number, told } = transaction
  return {
    transaction_id: id,
    number,
    merchant_id,
    env,
    cause,
    told: isTold ? tell(transaction, nameOf(transaction), told, at, cell) : null,
    state,
    stage: stageOf(state, failure?.code),
    message,
    detail: { ...detail, ...note },
  }
}

const nameOf = ({ type }: Transaction) => (type === 'adjustment' ? 'adjustment_created' : 'transaction_updated')

/** An answer to a question may have been on its way for so long, even where nobody looked at the watch. */
const questionMs = 20_000

function surroundings(
  { connectors, routing }: Surrounded,
  course: Course,
  { askedMsAgo, attempt: named = course.attempt.number }: Settlement,
  at: Date,
): Surroundings {
  const { transaction, attempt, givenUp } = course
  const others = [attempt, ...givenUp, ...course.ended].filter(({ number }) => number !== named)
  const connector = connectors[transaction.env].get(attempt.provider)
  const rail = connector && railOf(connector, transaction)
  return {
    nowMs: at.getTime(),
    askedMsAgo: Math.max(questionMs, askedMsAgo?.() ?? 0),
    notFoundWindowMs: rail?.notFoundWindowMs ?? Number.POSITIVE_INFINITY,
    deadAfterMs: rail?.deadAfterMs,
    movedElsewhere: others.reduce((sum, other) => sum + movedOf(transaction, other), 0n),
    paidBy: earlierPaying(course, others),
    ...providersAfter(routing, course),
    jitter: Math.random(),
  }
}

/** Usable providers beside the current one: those that were not tried, and those that may take it now. */
function providersAfter(
  routing: Routing,
  { transaction, attempt, givenUp, ended }: Course,
): Pick<Surroundings, 'alternatives' | 'returns'> {
  const { env, type } = transaction
  if (type === 'adjustment') return { alternatives: [] }
  const tried = new Map([...givenUp, ...ended].map(({ provider, outcome }) => [provider, outcome]))
  const others = routing
    .providersOf(env, errandOf(transaction))
    .map(({ id }) => id)
    .filter((id) => id !== attempt.provider && routing.isUsable(env, id))
  return {
    alternatives: others.filter((id) => !tried.has(id)),
    returns: others.filter((id) => tried.get(id) === 'not_submitted'),
  }
}

const isJustPaid = ({ before, transaction: { state, method, type } }: Course) =>
  type === 'deposit' && method === 'bank-transfer' && state === 'successful' && before.transaction.state !== state

async function write(tx: BatchTx, at: Date, cell: number, changed: readonly Course[]): Promise<void> {
  const transactions = changed.map(({ transaction }) => transaction)
  const attempts = changed.flatMap(({ before, attempt, ended }) =>
    ended.length > 0 ? ended : attempt === before.attempt ? [] : [attempt],
  )
  const begun = changed.flatMap((course) => course.begun)
  const receipts = changed.flatMap((course) => course.receipts.slice(course.before.receipts.length))
  const paid = changed.filter(isJustPaid).map(({ transaction }) => transaction)
  const alarms = changed.flatMap((course) => course.alarms)
  const events = changed.flatMap((course) => course.events)
  await Promise.all([
    move(tx, at, transactions),
    updateAttempts(tx, attempts),
    insertAttempts(tx, begun),
    insertReceipts(tx, at, receipts),
    watchAccounts(tx, paid),
    setAlarms(tx, alarms),
    writeLate(tx, at, cell, changed),
    emit(tx, at, events),
  ])
}
