import { type AuditEntry, recordAudit } from '../../audit/record.ts'
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
import { endControls } from '../controls/end-controls.ts'
import { watchAccounts } from '../dispatch/paid-accounts.ts'
import { laneOf, setTimers, type Timer } from '../dispatch/timers.ts'
import { type Adjustment, adjustmentEvent, adjustmentMovements, adjustmentOf } from '../late-money/adjustments.ts'
import { withLate } from '../late-money/late-money.ts'
import type { CaseChange } from '../late-money/suspense-cases.ts'
import { writeLate } from '../late-money/write-late.ts'
import { insertAddedLookups } from '../model/lookups.ts'
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
import { merchantEventOf } from '../notify/webhook-body.ts'
import { openEndingRefunds } from '../refunds/end-refunds.ts'
import { sumsOf } from '../refunds/refund-totals.ts'
import { noRefunds, takenOf } from '../refunds/refundable.ts'
import { decide, pastOf } from './decide.ts'
import { decideLate } from './decide-late.ts'
import { isPaidBefore } from './decide-paid-before.ts'
import type { Decision, Observed } from './decision.ts'
import { decisionInputs } from './decision-inputs.ts'
import {
  accountsAt,
  accountsOf,
  creditedBy,
  endingsOf,
  latePostings,
  mayMoveMoney,
  movementsFor,
} from './payment-postings.ts'

/** An observation of one payment. It may name an attempt; an abandoned one counts only if it moved money. */
interface Resolution extends Observed {
  readonly transaction_id: string
  readonly attempt: number | undefined
  /** The source of an external report. A provider can only report on its own payments. */
  readonly from?: { readonly env: Environment; readonly provider: string }
  /** Written in the same transaction, if the observation changes anything. */
  readonly alongside?: ((tx: Tx) => Promise<void>) | undefined
  /** The same, written last: the lock on the audit trail comes after all others. */
  readonly audit?: AuditEntry | undefined
  /** For the event: who resolved the payment, and on what evidence. */
  readonly note?: Readonly<Record<string, unknown>>
}

/** The payment after the observation. */
export interface ResolveResult {
  readonly isChanged: boolean
  readonly transaction: Transaction
  readonly attempts: readonly Attempt[]
  readonly receipts: readonly BookedReceipt[]
}

/** Undefined when the payment does not exist. */
export type Resolver = Batcher<Resolution, ResolveResult | undefined>

/** What the resolver needs besides the payments themselves. */
export interface ResolverContext {
  /** Called when there are new notifications for merchants. */
  readonly onMerchantEvents: () => void
  readonly cell: number
  readonly log: Log
  readonly accounts: PlatformAccounts
  readonly connectors: Connectors
  readonly routing: Routing
}

export interface ResolverOptions extends ResolverContext {
  readonly db: WriteDb
}

/**
 * The one place where a response, a callback, a query or an operator changes a payment: state, money, event and next timer in one
 * transaction, many payments at a time. Observations of one payment in one batch apply in order.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const writer = createWriter()
  return createBatcher({
    db: options.db,
    decide: (tx, resolutions) => resolveBatch(options, writer, tx, resolutions),
    keyOf: ({ transaction_id }) => walletOf(options.db, transaction_id),
  })
}

/** The working copy of a payment while a batch applies its observations. */
interface PaymentDraft {
  readonly before: FullPayment
  transaction: Transaction
  attempt: Attempt
  abandoned: readonly Attempt[]
  receipts: readonly BookedReceipt[]
  /** Why its money is in suspense and where it moved, if that changed. */
  suspense: Pick<CaseChange, 'kind' | 'provider'> | undefined
  readonly adjustments: Adjustment[]
  ended: readonly Attempt[]
  readonly begun: Attempt[]
  readonly events: NewEvent[]
  readonly timers: Timer[]
}

/**
 * Resolves observations inside the caller's batch. The returned `committed` takes effect after the commit. Operator commands call
 * this directly, so that the audit row is in the same transaction.
 */
export async function resolveBatch(
  options: ResolverContext,
  writer: Writer,
  tx: BatchTx,
  resolutions: readonly Resolution[],
): Promise<Decided<ResolveResult | undefined>> {
  const at = new Date(Number(tx.atUs / 1000n))
  const payments = await lock(
    tx,
    resolutions.map((resolution) => resolution.transaction_id),
  )
  const drafts = new Map([...payments].map(([id, payment]) => [id, begin(payment)]))
  const moving = resolutions.flatMap(({ transaction_id, observation }) => {
    const payment = payments.get(transaction_id)
    return payment && (mayMoveMoney(observation) || isPaidBefore(payment)) ? [payment] : []
  })
  const merchants = [...payments.values()].map(({ transaction }) => transaction.merchant_id)
  const [accounts] = await Promise.all([accountsOf(options.accounts, moving), nameMerchants(tx, merchants)])
  const refunded = await sumsOf(tx, [...payments.values()].flatMap(refundableCharge))
  const refunds = await openEndingRefunds(tx, [...payments.values()])
  const wallets = moving.map(({ transaction }) => transaction.wallet_id)
  const books = await openBooks(tx, writer, moving.flatMap(endingsOf), wallets)
  reach('resolve.locked')
  const alerts: (() => void)[] = []
  const results = resolutions.map((resolution): ResolveResult | undefined => {
    const draft = drafts.get(resolution.transaction_id)
    if (!draft || !isEntitled(resolution, draft)) return undefined
    const moment = { at, refunded: takenOf(refunded.get(draft.transaction.id) ?? noRefunds) }
    const { isChanged, alert } = take(options, draft, resolution, moment, (provider, decision, adjustments) => {
      const { transaction } = draft
      const accountOf = accountsAt(transaction, provider, accounts)
      const wallet = books.wallets.get(transaction.wallet_id)
      const there = (wallet ? available(wallet) : 0n) + creditedBy(transaction, decision)
      return books.apply([
        ...movementsFor(transaction, provider, decision, { accounts, feeReturned: refunds.feeReturned(transaction) }),
        ...adjustments.flatMap((each) => adjustmentMovements(each, transaction, there, accountOf)),
      ])
    })
    if (alert) alerts.push(alert)
    if (isChanged) refunds.note(draft)
    const { transaction, attempt, abandoned, ended, receipts } = draft
    return { isChanged, transaction, attempts: [attempt, ...abandoned, ...ended], receipts }
  })
  const changed = [...drafts.values()].filter(({ before, transaction }) => transaction !== before.transaction)
  for (const [index, { alongside }] of resolutions.entries()) if (results[index]?.isChanged) await alongside?.(tx)
  const [{ committed, ...written }] = await Promise.all([
    books.write(),
    refunds.write(at),
    write(tx, at, options.cell, changed),
  ])
  for (const [index, { audit }] of resolutions.entries())
    if (audit && results[index]?.isChanged) await recordAudit(tx, options.cell, audit)
  reach('resolve.written')
  const onCommitted = () => {
    reach('resolve.committed')
    committed?.()
    for (const alert of alerts) alert()
    const notifiesMerchant = ({ before, transaction, adjustments }: PaymentDraft) =>
      transaction.notified > before.transaction.notified || adjustments.length > 0
    if (changed.some(notifiesMerchant)) options.onMerchantEvents()
  }
  return { results, ...written, committed: onCommitted }
}

/** A provider cannot report on a payment in another environment, or on an attempt made through another provider. */
function isEntitled({ from, attempt: number }: Resolution, { before }: PaymentDraft): boolean {
  if (from === undefined) return true
  const named = [before.attempt, ...before.abandoned].find((attempt) => attempt.number === number)
  return from.env === before.transaction.env && from.provider === named?.provider
}

function begin(payment: FullPayment): PaymentDraft {
  return {
    before: payment,
    ...payment,
    suspense: undefined,
    adjustments: [],
    ended: [],
    begun: [],
    events: [],
    timers: [],
  }
}

type Post = (provider: string, decision: Decision, adjustments: readonly Adjustment[]) => Refusal | undefined

interface Taken {
  readonly isChanged: boolean
  readonly alert?: () => void
}

/**
 * Applies one observation. If the ledger or the transition table refuses it, the payment stays unchanged and the others continue.
 */
function take(
  options: ResolverContext,
  draft: PaymentDraft,
  resolution: Resolution,
  moment: { readonly at: Date; readonly refunded: bigint },
  post: Post,
): Taken {
  const { at } = moment
  const { transaction, attempt, receipts, abandoned } = draft
  // An earlier observation in this batch may have abandoned the attempt that this one is about.
  const concerned = [...abandoned, ...draft.ended].find(({ number }) => number === resolution.attempt)
  const around = decisionInputs(options, draft, resolution, moment)
  const decision = concerned
    ? decideLate({ transaction, attempt: concerned, ...pastOf(around) }, resolution)
    : decide({ transaction, attempt, receipts }, resolution, around)
  if (!decision) return { isChanged: false }
  const { provider } = [...abandoned, ...draft.ended].find(isOf(decision.late)) ?? concerned ?? attempt
  const facts = {
    transactionId: showId('transaction', transaction.id),
    provider,
    observation: resolution.observation.kind,
  }
  const made = (decision.late?.adjustments ?? []).map((draft) => adjustmentOf(transaction, draft, at, options.cell))
  const refusal = refusalOf(draft, decision) ?? post(provider, decision, made)
  if (refusal) return { isChanged: false, alert: () => options.log.error({ ...facts, refusal }, 'resolution refused') }
  apply(draft, resolution, decision, { at, cell: options.cell })
  applyLate(draft, resolution, decision, made, { at, cell: options.cell, provider })
  const { alert } = decision
  return { isChanged: true, ...(alert !== undefined && { alert: () => options.log.error(facts, alert) }) }
}

/** Whether this is the attempt through which the money moved. */
const isOf =
  (late: Decision['late']) =>
  ({ number }: Attempt) =>
    number === late?.attempt

/** A transition that the table does not allow from the state in the database. */
function refusalOf({ before }: PaymentDraft, { progress }: Decision): string | undefined {
  const { state: source } = before.transaction
  const target = progress.state ?? source
  return isAllowed(source, target) ? undefined : `${source} to ${target}`
}

interface Moment {
  readonly at: Date
  readonly cell: number
}

function apply(draft: PaymentDraft, resolution: Resolution, decision: Decision, moment: Moment): void {
  const { progress, attempt: change, reroute, event } = decision
  const before = draft.transaction
  const number = before.events + (event ? 1 : 0)
  const moved = {
    ...before,
    ...progress,
    events: number,
    notified: before.notified + (event?.notifiesMerchant ? 1 : 0),
  }
  draft.attempt = { ...draft.attempt, ...change }
  draft.receipts = [...draft.receipts, ...(decision.receipts ?? [])]
  if (reroute !== undefined) {
    draft.ended = [...draft.ended, draft.attempt]
    draft.attempt = {
      ...freshAttempt,
      transaction_id: before.id,
      number: draft.attempt.number + 1,
      provider: reroute,
    }
    draft.begun.push(draft.attempt)
  } else if (draft.begun.length > 0) draft.begun.splice(-1, 1, draft.attempt)
  draft.transaction = { ...moved, attempt: draft.attempt.number, provider: draft.attempt.provider }
  const { wake_at, env, provider, id } = draft.transaction
  if (wake_at && wake_at !== before.wake_at)
    draft.timers.push({ due: wake_at, lane: laneOf(env, provider), transaction_id: id })
  if (event) draft.events.push(eventOf(draft.transaction, resolution, event, moment))
}

/** Applies what moved outside the normal flow of the payment, and the adjustments made for it. */
function applyLate(
  draft: PaymentDraft,
  { cause }: Resolution,
  { late = {}, changedReceipts = [] }: Decision,
  made: readonly Adjustment[],
  { at, cell, provider }: Moment & { readonly provider: string },
): void {
  const before = draft.transaction
  const { attempt: number, suspend } = late
  const report = (attempt: Attempt): Attempt => {
    const { moved = attempt.moved, returned = attempt.returned } = late
    return attempt.number === number ? { ...attempt, moved, returned } : attempt
  }
  draft.attempt = report(draft.attempt)
  draft.abandoned = draft.abandoned.map(report)
  draft.ended = draft.ended.map(report)
  draft.receipts = draft.receipts.map(
    (receipt) => changedReceipts.find(({ receipt_id }) => receipt_id === receipt.receipt_id) ?? receipt,
  )
  if (suspend) draft.suspense = { kind: suspend.kind, provider }
  draft.adjustments.push(...made)
  draft.events.push(...made.map(({ transaction }) => adjustmentEvent(transaction, cause, at, cell)))
  draft.transaction = {
    ...withLate(before, late),
    adjustments: [...before.adjustments, ...made.map(({ transaction }) => transaction.id)],
    late_postings: before.late_postings + latePostings(late).length,
  }
}

function eventOf(
  transaction: Transaction,
  { cause, note }: Resolution,
  { message, notifiesMerchant, detail = {} }: NonNullable<Decision['event']>,
  { at, cell }: Moment,
): NewEvent {
  const { id, merchant_id, env, state, failure, events: number, notified } = transaction
  return {
    transaction_id: id,
    number,
    merchant_id,
    env,
    cause,
    notification: notifiesMerchant ? merchantEventOf(transaction, nameOf(transaction), notified, at, cell) : null,
    state,
    stage: stageOf(state, failure?.code),
    message,
    detail: { ...detail, ...note },
  }
}

const nameOf = ({ type }: Transaction) => (type === 'adjustment' ? 'adjustment_created' : 'transaction_updated')

/** Only a successful charge can have refunds. */
const refundableCharge = ({ transaction: { id, type, state } }: FullPayment) =>
  type === 'deposit' && state === 'successful' ? [id] : []

const isJustPaid = ({ before, transaction: { state, method, type } }: PaymentDraft) =>
  type === 'deposit' && method === 'bank-transfer' && state === 'successful' && before.transaction.state !== state

async function write(tx: BatchTx, at: Date, cell: number, changed: readonly PaymentDraft[]): Promise<void> {
  const transactions = changed.map(({ transaction }) => transaction)
  const attempts = changed.flatMap(({ before, attempt, ended }) =>
    ended.length > 0 ? ended : attempt === before.attempt ? [] : [attempt],
  )
  const begun = changed.flatMap((draft) => draft.begun)
  const receipts = changed.flatMap((draft) => draft.receipts.slice(draft.before.receipts.length))
  const paid = changed.filter(isJustPaid).map(({ transaction }) => transaction)
  const timers = changed.flatMap((draft) => draft.timers)
  const events = changed.flatMap((draft) => draft.events)
  await Promise.all([
    move(tx, at, transactions),
    updateAttempts(tx, attempts),
    insertAttempts(tx, begun),
    insertReceipts(tx, at, receipts),
    insertAddedLookups(tx, changed),
    watchAccounts(tx, paid),
    setTimers(tx, timers),
    writeLate(tx, at, cell, changed),
    endControls(tx, at, changed),
    emit(tx, at, events),
  ])
}
