import { type AuditEntry, recordAudit } from '../../audit/record.ts'
import { emit } from '../../events/emit.ts'
import { available, type PlatformAccounts } from '../../ledger/accounts.ts'
import { openBooks, type Refusal } from '../../ledger/books.ts'
import { createWriter, type Writer } from '../../ledger/chain.ts'
import { type Batcher, type BatchObserver, createBatcher, type Decided } from '../../platform/batch.ts'
import type { BatchTx, Environment, Tx, WriteDb } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { showId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { nameMerchants } from '../../platform/named-merchants.ts'
import type { Connectors, Routing } from '../../providers/routing.ts'
import { countedFrom, endControls } from '../controls/end-controls.ts'
import { watchAccounts } from '../dispatch/paid-accounts.ts'
import { setTimers } from '../dispatch/timers.ts'
import { type Adjustment, adjustmentMovements, adjustmentOf } from '../late-money/adjustments.ts'
import { writeLate } from '../late-money/write-late.ts'
import { lockWithCharges } from '../model/lock-payments.ts'
import { insertAddedLookups } from '../model/lookups.ts'
import type { PaymentObserver } from '../model/payment-metrics.ts'
import { isAllowed, isFinal } from '../model/state.ts'
import {
  type Attempt,
  type BookedReceipt,
  insertAttempts,
  insertReceipts,
  move,
  type Transaction,
  updateAttempts,
  walletOf,
} from '../model/store.ts'
import { chargeIdOf } from '../refunds/end-refunds.ts'
import { openRefunds, type Refunds } from '../refunds/open-refunds.ts'
import { uncovered } from '../refunds/refund-failed.ts'
import { decide, pastOf } from './decide.ts'
import { decideLate } from './decide-late.ts'
import { isPaidBefore } from './decide-paid-before.ts'
import type { Decision, Observed } from './decision.ts'
import { decisionInputs } from './decision-inputs.ts'
import { apply, applyLate, begin, type PaymentDraft } from './payment-draft.ts'
import { accountsAt, accountsOf, creditedBy, endingsOf, mayMoveMoney, movementsFor } from './payment-postings.ts'

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
  readonly payments?: PaymentObserver
}

export interface ResolverOptions extends ResolverContext {
  readonly batches?: (env: 'all') => BatchObserver
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
    observer: options.batches?.('all'),
    decide: (tx, resolutions) => resolveBatch(options, writer, tx, resolutions),
    keyOf: ({ transaction_id }) => walletOf(options.db, transaction_id),
    traced: {
      name: 'resolve',
      paymentOf: ({ transaction_id }, result) => (result?.isChanged ? transaction_id : undefined),
    },
  })
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
  const payments = await lockWithCharges(
    tx,
    resolutions.map((resolution) => resolution.transaction_id),
  )
  const drafts = new Map([...payments].map(([id, payment]) => [id, begin(payment)]))
  const moving = resolutions.flatMap(({ transaction_id, observation }) => {
    const payment = payments.get(transaction_id)
    if (!payment || !(mayMoveMoney(observation) || isPaidBefore(payment))) return []
    const charge = payments.get(chargeIdOf(payment.transaction) ?? '')
    return charge && charge.transaction.suspended < 0n ? [payment, charge] : [payment]
  })
  const merchants = [...payments.values()].map(({ transaction }) => transaction.merchant_id)
  const [accounts] = await Promise.all([accountsOf(options.accounts, moving), nameMerchants(tx, merchants)])
  const refunds = await openRefunds(tx, payments, moving)
  const wallets = moving.map(({ transaction }) => transaction.wallet_id)
  const books = await openBooks(tx, writer, moving.flatMap(endingsOf), wallets)
  reach('resolve.locked')
  const alerts: (() => void)[] = []
  const post: Post = ({ transaction }, provider, decision, adjustments) => {
    const accountOf = accountsAt(transaction, provider, accounts)
    const wallet = books.wallets.get(transaction.wallet_id)
    const there = (wallet ? available(wallet) : 0n) + creditedBy(transaction, decision)
    return books.apply([
      ...movementsFor(transaction, provider, decision, { accounts, feeReturned: refunds.feeReturned(transaction) }),
      ...adjustments.flatMap((each) => adjustmentMovements(each, transaction, there, accountOf)),
    ])
  }
  const results = resolutions.map((resolution): ResolveResult | undefined => {
    const draft = drafts.get(resolution.transaction_id)
    if (!draft || !isEntitled(resolution, draft)) return undefined
    const moment = { at, ...refunds.pastOf(draft.transaction) }
    const { isChanged, alert } = take(options, draft, resolution, moment, post)
    if (isChanged) refunds.note(draft)
    const charge = drafts.get(chargeIdOf(draft.transaction) ?? '')
    const after = uncover(options, draft, charge, resolution, { refunds, at, post })
    alerts.push(...[alert, after.alert].filter((each) => each !== undefined))
    const { transaction, attempt, abandoned, ended, receipts } = draft
    return { isChanged, transaction, attempts: [attempt, ...abandoned, ...ended], receipts }
  })
  const changed = [...drafts.values()].filter(({ before, transaction }) => transaction !== before.transaction)
  for (const [index, { alongside }] of resolutions.entries()) if (results[index]?.isChanged) await alongside?.(tx)
  const [{ committed, ...written }, , , from] = await Promise.all([
    books.write(),
    refunds.write(at),
    write(tx, at, options.cell, changed),
    countedFrom(tx, at, changed),
  ])
  for (const [index, { audit }] of resolutions.entries())
    if (audit && results[index]?.isChanged) await recordAudit(tx, options.cell, audit)
  reach('resolve.written')
  const onCommitted = () => {
    reach('resolve.committed')
    committed?.()
    for (const alert of alerts) alert()
    const ended = changed.filter(hasEnded).map(({ transaction }) => ({ ...transaction, updated_at: at }))
    options.payments?.ended(ended, from)
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

type Post = (
  draft: PaymentDraft,
  provider: string,
  decision: Decision,
  adjustments: readonly Adjustment[],
) => Refusal | undefined

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
  moment: Parameters<typeof decisionInputs>[3],
  post: Post,
): Taken {
  const { transaction, attempt, receipts, abandoned } = draft
  // An earlier observation in this batch may have abandoned the attempt that this one is about.
  const concerned = [...abandoned, ...draft.ended].find(({ number }) => number === resolution.attempt)
  const around = decisionInputs(options, draft, resolution, moment)
  const decision = concerned
    ? decideLate({ transaction, attempt: concerned, ...pastOf(around) }, resolution)
    : decide({ transaction, attempt, receipts }, resolution, around)
  if (!decision) return { isChanged: false }
  const { provider } = [...abandoned, ...draft.ended].find(isOf(decision.late)) ?? concerned ?? attempt
  return book(options, draft, resolution, { decision, provider, at: moment.at }, post)
}

interface Booking {
  readonly decision: Decision
  /** Where the money moves. */
  readonly provider: string
  readonly at: Date
}

function book(
  { cell, log }: ResolverContext,
  draft: PaymentDraft,
  resolution: Resolution,
  { decision, provider, at }: Booking,
  post: Post,
): Taken {
  const { transaction } = draft
  const facts = {
    transactionId: showId('transaction', transaction.id),
    provider,
    observation: resolution.observation.kind,
  }
  const made = (decision.late?.adjustments ?? []).map((draft) => adjustmentOf(transaction, draft, at, cell))
  const refusal = refusalOf(draft, decision) ?? post(draft, provider, decision, made)
  if (refusal) return { isChanged: false, alert: () => log.error({ ...facts, refusal }, 'resolution refused') }
  apply(draft, resolution, decision, { at, cell })
  applyLate(draft, resolution, decision, made, { at, cell, provider })
  const { alert } = decision
  return { isChanged: true, ...(alert !== undefined && { alert: () => log.error(facts, alert) }) }
}

/** Debits the merchant for what a refund covered of its charge, if the refund has just failed. */
function uncover(
  options: ResolverContext,
  { before, transaction: refund }: PaymentDraft,
  charge: PaymentDraft | undefined,
  resolution: Resolution,
  { refunds, at, post }: { readonly refunds: Refunds; readonly at: Date; readonly post: Post },
): Taken {
  const hasFailed = refund.state === 'failed' && !isFinal(before.transaction.state)
  const decision = charge && hasFailed ? uncovered(charge, refund, refunds.sumsOf(charge.transaction.id)) : undefined
  if (!charge || !decision) return { isChanged: false }
  const { provider } = charge.attempt
  return book(options, charge, { ...resolution, note: {} }, { decision, provider, at }, post)
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

const hasEnded = ({ before, transaction }: PaymentDraft) =>
  isFinal(transaction.state) && !isFinal(before.transaction.state)

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
