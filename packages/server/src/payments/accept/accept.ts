import { recordAudit } from '../../audit/record.ts'
import type { ErrorKey } from '../../errors.ts'
import { emit } from '../../events/emit.ts'
import {
  findKeys,
  insertKeys,
  isSameRequest,
  type KeyRow,
  type KnownKey,
  nameOf,
  releaseKeys,
  rowOf,
} from '../../idempotency/keys.ts'
import { available, ensureWallets, findWallets, type WalletScope } from '../../ledger/accounts.ts'
import { type Books, type Movement, openBooks } from '../../ledger/books.ts'
import { createWriter, type Writer } from '../../ledger/chain.ts'
import { BatchConflict, type Batcher, type BatchObserver, createBatcher, type Decided } from '../../platform/batch.ts'
import type { BatchTx, Environment, WriteDb } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { newTransactionId } from '../../platform/ids.ts'
import { nameMerchants } from '../../platform/named-merchants.ts'
import type { Vault } from '../../platform/seal.ts'
import { findArmed, useArmed } from '../../scenarios/armed.ts'
import type { Scenario } from '../../scenarios/catalogue.ts'
import { type ControlBatch, type ExceededLimit, openControlBatch } from '../controls/control-batch.ts'
import { auditOfPayout } from '../controls/maker.ts'
import { findControls } from '../controls/rules.ts'
import { setTimers } from '../dispatch/timers.ts'
import { counterpartyLookups, type Lookup } from '../model/lookups.ts'
import { isOutgoing } from '../model/outgoing.ts'
import type { PaymentObserver } from '../model/payment-metrics.ts'
import { type Attempt, insert, insertAttempts, type Transaction } from '../model/store.ts'
import { openRefundBatch, type RefundBatch } from '../refunds/accept-refunds.ts'
import { holdsFor } from '../resolve/payment-postings.ts'
import { conversionMovements, creditedScope, findFrozen, isConversion } from './conversion-booking.ts'
import { createdEvent } from './created-event.ts'
import { isRateTooOld } from './exchange.ts'
import { firstAttempt, firstRow, firstTimer } from './first-rows.ts'
import type { PricedPayment } from './priced-payment.ts'
import { openQuoteBatch, type QuoteBatch } from './quotes.ts'
import { claimReferences, type Reference, releaseReferences } from './references.ts'

export type Acceptance =
  | { readonly kind: 'accepted'; readonly transaction: Transaction; readonly attempt: Attempt }
  /** The same request came before under this key. The response is missing while the first request is still in progress. */
  | { readonly kind: 'known'; readonly key: KnownKey }
  | {
      readonly kind: 'refused'
      readonly error: ErrorKey
      readonly available?: bigint
      readonly exceeded?: ExceededLimit
      /** What is left of the charge, where a refund is more than that. */
      readonly refundable?: bigint
    }

export type Acceptor = Batcher<PricedPayment, Acceptance>

export interface AcceptorOptions {
  /** Called when there are new notifications for merchants. */
  readonly onMerchantEvents: () => void
  readonly db: WriteDb
  readonly vault: Vault
  readonly cell: number
  readonly payments?: PaymentObserver
  readonly batches?: (env: Environment) => BatchObserver
}

/**
 * Accepts payments, many in one transaction. After the commit no payment of the batch can be lost. Live and sandbox have separate
 * batches: live never waits for sandbox requests.
 */
export function createAcceptor(options: AcceptorOptions): Acceptor {
  const batchers = { live: createAcceptBatcher(options, 'live'), sandbox: createAcceptBatcher(options, 'sandbox') }
  return { submit: (priced) => batchers[priced.owner.env].submit(priced) }
}

function createAcceptBatcher(options: AcceptorOptions, env: Environment): Acceptor {
  const writer = createWriter()
  return createBatcher({
    db: options.db,
    observer: options.batches?.(env),
    decide: (tx, pricedPayments) => acceptBatch(options, writer, tx, pricedPayments),
    keyOf: ({ owner, wallet_currency, wallet_country }) =>
      [owner.merchant_id, owner.env, wallet_currency, wallet_country].join(' '),
    traced: { name: 'accept', paymentOf: (_, made) => (made.kind === 'accepted' ? made.transaction.id : undefined) },
  })
}

interface Item {
  readonly priced: PricedPayment
  readonly id: string
  readonly reference: Reference
}

async function acceptBatch(
  { vault, cell, onMerchantEvents, payments }: AcceptorOptions,
  writer: Writer,
  tx: BatchTx,
  pricedPayments: readonly PricedPayment[],
): Promise<Decided<Acceptance>> {
  const at = new Date(Number(tx.atUs / 1000n))
  const items = pricedPayments.map((priced) => itemOf(priced, at, cell))
  reach('accept.begun')
  const acceptances = new Map<Item, Acceptance>()
  const merchants = pricedPayments.map(({ owner }) => owner.merchant_id)
  const [fresh] = await Promise.all([withoutKnownKeys(tx, vault, items, acceptances), nameMerchants(tx, merchants)])
  const candidates = await withReferences(tx, vault, fresh, acceptances)
  const keys = candidates.flatMap((item) => keyOf(item, vault))
  if (!(await insertKeys(tx, keys))) throw new BatchConflict('another batch took the same idempotency key')

  const [quotes, refunds] = await Promise.all([
    openQuoteBatch(tx, at, candidates.flatMap(quoteOf)),
    openRefundBatch(tx, candidates),
  ])
  const [{ wallets, credited }, isFrozen, armedFor, controlsOf] = await Promise.all([
    walletsOf(tx, cell, candidates),
    findFrozen(tx, candidates.filter(isConversion).map(ownerOf)),
    findArmed(tx, candidates.map(refOf)),
    findControls(tx, candidates.filter(isPayout).map(ownerOf)),
  ])
  const books = await openBooks(tx, writer, [], [...new Set([...wallets.values(), ...credited.values()])])
  const controls = await openControlBatch(tx, vault, at, controlsOf, candidates)
  reach('accept.locked')
  const used = new Set<string>()
  const batch = { controls, quotes, refunds }
  const keep = (item: Item, wallet_id: string): Kept => {
    const armed = armedFor(item.reference)
    const scenario = item.priced.scenario ?? armed ?? null
    const terms = { wallet_id, ...controls.accept(item.id), ...refunds.accept(item) }
    const lookups = counterpartyLookups(vault, item.id, item.priced.counterparty)
    return { item, armed, lookups, transaction: { ...firstRow(item.id, item.priced, terms, at, vault), scenario } }
  }
  const kept = candidates.flatMap((item) => {
    const decided = decideItem(item, wallets.get(item), books, { ...batch, credited, isFrozen, used, at })
    if (decided.kind === 'refused') acceptances.set(item, decided)
    return decided.kind === 'refused' ? [] : [keep(item, decided.wallet_id)]
  })
  for (const each of kept)
    acceptances.set(each.item, {
      kind: 'accepted',
      transaction: each.transaction,
      attempt: firstAttempt(each.transaction),
    })
  await giveBack(tx, candidates, kept)
  const [{ committed, ...written }] = await Promise.all([
    books.write(),
    controls.write(),
    refunds.write(),
    quotes.write(),
    record(tx, at, cell, kept, acceptances),
  ])
  await auditPeople(tx, cell, kept)
  reach('accept.written')
  const onCommitted = () => {
    reach('accept.committed')
    committed?.()
    if (kept.length > 0) onMerchantEvents()
    payments?.accepted(kept.map(({ transaction }) => transaction))
  }
  return {
    results: items.map((item) => acceptances.get(item) ?? sameAsFirst(item, items, acceptances)),
    ...written,
    committed: onCommitted,
  }
}

function itemOf(priced: PricedPayment, at: Date, cell: number): Item {
  const id = newTransactionId(at.getTime(), cell)
  const { owner, external_reference } = priced
  const { merchant_id, env } = owner
  return { priced, id, reference: { merchant_id, env, reference: external_reference, transaction_id: id } }
}

const keyNameOf = ({ priced: { owner, keyed } }: Item) => (keyed ? nameOf(owner, keyed.key) : undefined)

/**
 * Checks keys before references, so a repeated request gets its first response. A second equal key in the batch waits for the
 * first.
 */
async function withoutKnownKeys(
  tx: BatchTx,
  vault: Vault,
  items: readonly Item[],
  acceptances: Map<Item, Acceptance>,
): Promise<Item[]> {
  const known = await findKeys(tx, items.flatMap(keysIn))
  const seen = new Set<string>()
  return items.filter((item) => {
    const name = keyNameOf(item)
    if (name === undefined) return true
    const found = known.get(name)
    if (found) acceptances.set(item, acceptanceByKey(item, found, vault))
    const isFirst = !seen.has(name)
    seen.add(name)
    return !found && isFirst
  })
}

function acceptanceByKey({ priced: { keyed } }: Item, known: KnownKey, vault: Vault): Acceptance {
  const isSame = keyed !== undefined && isSameRequest(vault, keyed, known.fingerprint)
  return isSame ? { kind: 'known', key: known } : { kind: 'refused', error: 'IDEMPOTENCY_KEY_REUSED' }
}

const refOf = ({ reference }: Item) => reference
const ownerOf = ({ priced: { owner } }: Item) => owner

const referenceName = ({ reference }: Item) => nameOf(reference, reference.reference)

/** Claims each reference once and rejects items whose reference is taken. Equal references in this batch are decided in order. */
async function withReferences(
  tx: BatchTx,
  vault: Vault,
  fresh: readonly Item[],
  acceptances: Map<Item, Acceptance>,
): Promise<Item[]> {
  const firsts = [...new Map(fresh.toReversed().map((item) => [referenceName(item), item])).values()]
  const claimed = await claimReferences(tx, firsts.map(refOf))
  const ours = new Set(firsts.filter(({ id }) => claimed.has(id)).map(referenceName))
  const taken = fresh.filter((item) => !ours.has(referenceName(item)))
  // A retry of the same request may have won the reference in another batch: then its key exists now.
  const keys = await findKeys(tx, taken.flatMap(keysIn))
  for (const item of taken) acceptances.set(item, rejected(item, keys, vault))
  return fresh.filter((item) => ours.has(referenceName(item)))
}

const keysIn = ({ priced: { owner, keyed } }: Item) => (keyed ? [{ owner, key: keyed.key }] : [])

function rejected(item: Item, keys: ReadonlyMap<string, KnownKey>, vault: Vault): Acceptance {
  const known = keys.get(keyNameOf(item) ?? '')
  return known ? acceptanceByKey(item, known, vault) : { kind: 'refused', error: 'REFERENCE_USED' }
}

/** The result for an item whose key occurs twice in this batch: the result of the first. */
function sameAsFirst(item: Item, items: readonly Item[], acceptances: ReadonlyMap<Item, Acceptance>): Acceptance {
  const first = items.find((other) => keyNameOf(other) === keyNameOf(item))
  const acceptance = first && acceptances.get(first)
  if (!first || !acceptance) throw new Error('an item was not decided')
  const isSame = JSON.stringify(first.priced.keyed) === JSON.stringify(item.priced.keyed)
  if (!isSame) return { kind: 'refused', error: 'IDEMPOTENCY_KEY_REUSED' }
  if (acceptance.kind !== 'accepted') return acceptance
  const { id } = acceptance.transaction
  return {
    kind: 'known',
    key: { fingerprint: '', response: first.priced.responseOf?.(id) ?? null, transaction_id: id },
  }
}

function scopeOf({ priced: { owner, wallet_currency, wallet_country } }: Item): WalletScope {
  return { merchant_id: owner.merchant_id, env: owner.env, currency: wallet_currency, country: wallet_country }
}

/**
 * The wallet of each item, and the one that a conversion credits. A credit creates a missing wallet, all in one statement; a
 * payout or conversion without a wallet has no funds.
 */
async function walletsOf(
  tx: BatchTx,
  cell: number,
  items: readonly Item[],
): Promise<{ readonly wallets: Map<Item, string>; readonly credited: Map<Item, string> }> {
  const conversions = items.filter(isConversion)
  const debits = [...items.filter(isPayout), ...conversions]
  const charges = items.filter((item) => !isPayout(item) && !isConversion(item))
  const found = await findWallets(tx, debits.map(scopeOf))
  const scopes = [...charges.map(scopeOf), ...conversions.map(creditedScope)]
  const made = scopes.length === 0 ? [] : await ensureWallets(tx, cell, scopes)
  const madeFrom = (start: number) => (item: Item, index: number) => [item, made[start + index] ?? ''] as const
  return {
    wallets: new Map([
      ...debits.flatMap((item, index) => (found[index] ? [[item, found[index]] as const] : [])),
      ...charges.map(madeFrom(0)),
    ]),
    credited: new Map(conversions.map(madeFrom(charges.length))),
  }
}

const isPayout = ({ priced }: Item) => isOutgoing(priced)
const quoteOf = ({ priced: { quote } }: Item) => (quote === undefined ? [] : [quote])

interface Deciding {
  readonly controls: ControlBatch
  readonly refunds: RefundBatch
  readonly quotes: QuoteBatch
  readonly credited: ReadonlyMap<Item, string>
  readonly isFrozen: (merchantId: string) => boolean
  readonly used: Set<string>
  readonly at: Date
}

/** Decides one item, in order of arrival: by its reference, its quote, its rate, its limits, what is left of its charge, and its funds. */
function decideItem(
  item: Item,
  wallet_id: string | undefined,
  books: Books,
  deciding: Deciding,
): { readonly kind: 'kept'; readonly wallet_id: string } | Extract<Acceptance, { kind: 'refused' }> {
  const { controls, quotes, refunds, credited, used } = deciding
  const error = refusedUnpriced(item, deciding)
  if (error) return { kind: 'refused', error }
  const exceeded = controls.exceeded(item.id)
  if (exceeded) return { kind: 'refused', error: 'PAYOUT_LIMIT_EXCEEDED', exceeded }
  const refundable = refunds.exceeded(item)
  if (refundable !== undefined) return { kind: 'refused', error: 'REFUND_EXCEEDS_CHARGE', refundable }
  const wallet = books.wallets.get(wallet_id ?? '')
  if (wallet_id === undefined || books.apply(movementsAtOnce(item, wallet_id, credited.get(item) ?? '')))
    return { kind: 'refused', error: 'INSUFFICIENT_FUNDS', available: wallet ? available(wallet) : 0n }
  for (const quote of quoteOf(item)) quotes.use(quote, item.id)
  used.add(referenceName(item))
  return { kind: 'kept', wallet_id }
}

/** Why an item is refused whatever its amount, if it is. */
function refusedUnpriced(item: Item, { quotes, isFrozen, used, at }: Deciding): ErrorKey | undefined {
  const { quote, owner } = item.priced
  if (used.has(referenceName(item))) return 'REFERENCE_USED'
  const unusable = quote === undefined ? undefined : quotes.refusal(quote)
  if (unusable) return unusable
  if (isRateTooOld(item.priced, at)) return 'FX_RATE_UNAVAILABLE'
  return isConversion(item) && isFrozen(owner.merchant_id) ? 'MERCHANT_FROZEN' : undefined
}

/** A refused request uses up neither its reference nor its key. */
async function giveBack(tx: BatchTx, candidates: readonly Item[], kept: readonly Kept[]): Promise<void> {
  const keeping = new Set(kept.map(({ item }) => item))
  const refused = candidates.filter((item) => !keeping.has(item))
  if (refused.length === 0) return
  await releaseKeys(
    tx,
    refused.flatMap((item) => keysIn(item).map((key) => ({ ...key, transaction_id: item.id }))),
  )
  await releaseReferences(tx, refused.map(refOf))
  // When the first of two equal references was refused, the accepted item still has to claim the reference.
  const released = new Set(refused.map(referenceName))
  const heirs = kept.filter(({ item }) => released.has(referenceName(item)))
  await claimReferences(
    tx,
    heirs.map(({ item }) => item.reference),
  )
}

/** What acceptance does to the books: a payout is held, a conversion is booked, a charge moves nothing yet. */
function movementsAtOnce(item: Item, wallet_id: string, credited: string): Movement[] {
  const { id, priced } = item
  const { holdsGoTo: accounts, owner } = priced
  if (!accounts) return []
  if (isConversion(item)) return conversionMovements(item, { debited: wallet_id, credited, accounts })
  return holdsFor({ ...priced, id, wallet_id, env: owner.env }, accounts)
}

interface Kept {
  readonly item: Item
  readonly armed: Scenario | undefined
  readonly lookups: readonly Lookup[]
  readonly transaction: Transaction
}

/** Writes everything about an accepted payment except its money. The feed's counters are locked last, as everywhere. */
async function record(
  tx: BatchTx,
  at: Date,
  cell: number,
  kept: readonly Kept[],
  acceptances: ReadonlyMap<Item, Acceptance>,
): Promise<void> {
  if (kept.length === 0) return
  const transactions = kept.map(({ transaction }) => transaction)
  const attempts = kept.flatMap(({ item }) => {
    const acceptance = acceptances.get(item)
    return acceptance?.kind === 'accepted' && acceptance.attempt.number > 0 ? [acceptance.attempt] : []
  })
  const lookups = kept.flatMap((each) => each.lookups)
  const events = transactions.map((transaction) => createdEvent(transaction, at, cell))
  await Promise.all([
    insert(tx, transactions, lookups),
    insertAttempts(tx, attempts),
    setTimers(tx, transactions.flatMap(firstTimer)),
    useArmed(
      tx,
      kept.filter(({ armed }) => armed !== undefined).map(({ item }) => refOf(item)),
    ),
    emit(tx, at, events),
  ])
}

/** Payouts, refunds and conversions that people made are in the audit trail, whose lock comes after all others. */
async function auditPeople(tx: BatchTx, cell: number, kept: readonly Kept[]): Promise<void> {
  for (const { item, transaction } of kept) {
    const person = item.priced.origin?.person
    if (person) await recordAudit(tx, cell, auditOfPayout(audited(transaction), person, transaction))
  }
}

const audited = ({ type }: Transaction) =>
  type === 'refund' ? 'refund.create' : type === 'conversion' ? 'conversion.create' : 'payout.create'

function keyOf({ priced, id }: Item, vault: Vault): KeyRow[] {
  const { keyed, owner, responseOf } = priced
  return keyed ? [rowOf(vault, owner, keyed, { response: responseOf?.(id) ?? null, transaction_id: id })] : []
}
