import { emit } from '../events/emit.ts'
import { available, ensureWallets } from '../ledger/accounts.ts'
import { type Books, openBooks } from '../ledger/books.ts'
import { movementsOf } from '../ledger/postings.ts'
import { isCurrency } from '../money/currencies.ts'
import { claimReferences } from '../payments/accept/references.ts'
import { type Adjustment, adjustmentEvent, adjustmentOf } from '../payments/late-money/adjustments.ts'
import {
  clearedAside,
  lateFee,
  lateFeeAside,
  movedInAll,
  movedOf,
  partsOf,
  smaller,
  withLate,
} from '../payments/late-money/late-money.ts'
import { keepLate, keepMoved } from '../payments/late-money/late-store.ts'
import type { SuspenseCase } from '../payments/late-money/suspense-cases.ts'
import { isOutgoing } from '../payments/model/outgoing.ts'
import { isFinal } from '../payments/model/state.ts'
import { type FullPayment, insert, type Transaction } from '../payments/model/store.ts'
import { type BatchTx, sql } from '../platform/db.ts'
import { newTransactionId, showId } from '../platform/ids.ts'
import { lockWithGround } from './lock-with-ground.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'
import { noPayment, paymentId } from './payments.ts'
import { caseId, noCase, shown } from './suspense.ts'

export interface Clearing {
  /** Where the money goes. */
  readonly kind: 'credit-merchant' | 'debit-merchant' | 'return-to-payer' | 'write-off'
  readonly reason: string
  /** The proof: a statement line, a ticket of the provider, the reference of the refund. */
  readonly evidence: string
  /** The payment that money of an unknown payment belongs to; only credit-merchant needs it. */
  readonly payment?: string
}

export interface ClearedCase {
  readonly id: string
  readonly outcome: string
  readonly amount: string
  readonly currency: string
  /** The transaction that moved the money: an adjustment where the merchant is credited or debited. */
  readonly transactionId: string
}

/** Clears a case. Money, adjustment, event and audit row are one transaction. */
export function clearCase(context: OperatorContext, shownId: string, clearing: Clearing): Promise<ClearedCase> {
  const id = caseId(shownId)
  for (const name of ['reason', 'evidence'] as const)
    if (clearing[name].trim() === '') throw new OperatorError(`the ${name} is empty: auditors read it`)
  return audited(context, async (tx) => {
    const { found, first, ground } = await lockCase(tx, id, clearing)
    refuseUnfit(found, clearing, first)
    const cleared = await clear(context, tx, found, first, clearing)
    await close(tx, found, cleared.outcome, cleared.transaction_id)
    const { env, amount, currency, merchant_id } = found
    const subject = showId('case', id)
    const detail = { ...clearing, amount: String(amount), currency, transaction: cleared.transaction_id }
    return {
      result: {
        id: subject,
        outcome: cleared.outcome,
        amount: shown(amount < 0n ? -amount : amount, currency),
        currency,
        transactionId: showId('transaction', cleared.transaction_id),
      },
      entry: {
        action: 'suspense.clear',
        env,
        subject,
        detail,
        reason: clearing.reason,
        ...(merchant_id !== null && { merchant_id }),
      },
      written: cleared.written,
      ground: [String(amount), currency, found.updated_at, ground],
      money: { amount: amount < 0n ? -amount : amount, currency },
      place: { country: first?.transaction.country, currency },
    }
  })
}

interface Locked {
  readonly found: SuspenseCase
  /** The payment that the money belongs to. */
  readonly first: FullPayment | undefined
  readonly ground: unknown
}

/** Locks the payment before its case, as everywhere. */
async function lockCase(tx: BatchTx, id: string, { payment }: Clearing): Promise<Locked> {
  const [seen] = await tx.query<SuspenseCase>(sql`select * from suspense_cases where id = ${id}`)
  if (!seen) throw noCase(showId('case', id))
  const firstId = seen.transaction_id ?? (payment === undefined ? undefined : paymentId(payment))
  const locked = firstId === undefined ? undefined : await lockWithGround(tx, firstId)
  if (firstId !== undefined && !locked) throw noPayment(firstId)
  const [found] = await tx.query<SuspenseCase>(sql`select * from suspense_cases where id = ${id} for update`)
  if (!found) throw noCase(showId('case', id))
  if (found.closed_at) throw new OperatorError(`${showId('case', id)} was ${found.outcome} already`)
  return { found, first: locked?.payment, ground: locked?.ground }
}

function refuseUnfit(
  { env, amount, transaction_id }: SuspenseCase,
  clearing: Clearing,
  first: FullPayment | undefined,
): void {
  const { kind, payment } = clearing
  if (amount < 0n && (kind === 'credit-merchant' || kind === 'return-to-payer'))
    throw new OperatorError('money is missing in this case: clear it as debit-merchant or write-off')
  if (amount > 0n && kind === 'debit-merchant')
    throw new OperatorError(
      'money is left over in this case: clear it as credit-merchant, return-to-payer or write-off',
    )
  if (kind === 'return-to-payer' && first && isOutgoing(first.transaction))
    throw new OperatorError('a payout or a refund has no payer to return to: clear it as credit-merchant or write-off')
  if (transaction_id !== null && payment !== undefined) throw new OperatorError('the case names its payment already')
  if (kind === 'credit-merchant' && !first)
    throw new OperatorError('name the payment that the money belongs to: --payment txn_…')
  if (first) refusePayment(first, env)
}

/** Only a payment that has ended can be adjusted. */
function refusePayment({ transaction }: FullPayment, env: SuspenseCase['env']): void {
  const { state, env: itsEnv, type, id } = transaction
  if (itsEnv !== env || type === 'adjustment')
    throw new OperatorError(`${showId('transaction', id)} is not a payment in ${env}`)
  if (!isFinal(state))
    throw new OperatorError(`${showId('transaction', id)} is still open: resolve it first (malipo payments resolve)`)
}

interface Cleared {
  readonly outcome: NonNullable<SuspenseCase['outcome']>
  readonly transaction_id: string
  readonly written: Awaited<ReturnType<Books['write']>>
}

function clear(
  context: OperatorContext,
  tx: BatchTx,
  found: SuspenseCase,
  first: FullPayment | undefined,
  { kind }: Clearing,
): Promise<Cleared> {
  if ((kind === 'credit-merchant' || kind === 'debit-merchant') && first) return adjust(context, tx, found, first)
  return post(context, tx, found, first, kind === 'return-to-payer' ? 'returned' : 'written_off')
}

/** Credits or debits the merchant by an adjustment of the payment, in the case's currency. */
async function adjust(
  context: OperatorContext,
  tx: BatchTx,
  found: SuspenseCase,
  first: FullPayment,
): Promise<Cleared> {
  const at = new Date(Number(tx.atUs / 1000n))
  const made = adjustmentOf(await walletOf(context, tx, found, first), draftOf(found, first), at, context.cell)
  const { wallet_id } = made.transaction
  const accounts = await accountsFor(context, found, wallet_id)
  const books = await openBooks(tx, context.writer, [], [wallet_id])
  applyOrRefuse(books, movementsOfAdjustment(made, found, books, accounts))
  const written = await books.write()
  await Promise.all([
    claimReferences(tx, [referenceOf(made)]),
    insert(tx, [made.transaction]),
    keepLate(tx, [adjusted(first, made, found)]),
    emit(tx, at, [adjustmentEvent(made.transaction, 'operator', at, context.cell)]),
  ])
  const committed = () => {
    written.committed?.()
    context.wakeups.wake('webhooks')
  }
  const outcome = found.amount > 0n ? 'credited' : 'debited'
  return { outcome, transaction_id: made.transaction.id, written: { ...written, committed } }
}

/** The payment with the wallet to adjust: its own, or the merchant's wallet in the case's currency. */
async function walletOf(context: OperatorContext, tx: BatchTx, found: SuspenseCase, { transaction }: FullPayment) {
  const { merchant_id, wallet_currency } = transaction
  const { env, currency, country } = found
  if (!isCurrency(currency)) throw new OperatorError(`${currency} is not a currency Malipo knows`)
  if (wallet_currency === currency) return { ...transaction, currency }
  const [wallet_id = ''] = await ensureWallets(tx, context.cell, [{ merchant_id, env, currency, country }])
  return { ...transaction, wallet_id, wallet_currency: currency, wallet_country: country, currency, rate: null }
}

function draftOf(found: SuspenseCase, first: FullPayment): Adjustment['draft'] {
  const { amount, transaction_id } = found
  const size = amount < 0n ? -amount : amount
  const isCredit = amount > 0n
  return {
    reason: 'suspense_cleared',
    direction: isCredit ? 'credit' : 'debit',
    amount: size,
    wallet_amount: size,
    fee: isCredit && transaction_id !== null ? feeOf(found, first) : 0n,
    spread: 0n,
  }
}

/** In the case's currency, which may differ from the wallet's. */
function feeOf({ amount }: SuspenseCase, payment: FullPayment): bigint {
  const { transaction } = payment
  if (isOfItsWallet(transaction)) return lateFee(transaction, amount)
  return lateFeeAside(transaction, amount, clearedAside(transaction, movedInAll(payment)))
}

/** A payment's money in suspense is in the payment's currency; its wallet may have another. */
const isOfItsWallet = ({ currency, wallet_currency }: Transaction) => currency === wallet_currency

type Accounts = Readonly<Record<string, string>>

async function accountsFor(
  { platformAccounts }: OperatorContext,
  found: SuspenseCase,
  wallet: string,
): Promise<Accounts> {
  const { env, currency, provider, country } = found
  const idOf = (kind: 'suspense' | 'fees' | 'cost') => platformAccounts.idOf({ env, kind, currency })
  const [suspense, fees, cost, float, receivable] = await Promise.all([
    idOf('suspense'),
    idOf('fees'),
    idOf('cost'),
    platformAccounts.idOf({ env, kind: 'float', currency, provider, country }),
    wallet === '' ? '' : platformAccounts.idOf({ env, kind: 'receivable', currency, wallet_id: wallet }),
  ])
  return { suspense, fees, cost, float, receivable, wallet }
}

function movementsOfAdjustment(
  { transaction, draft }: Adjustment,
  found: SuspenseCase,
  books: Books,
  accounts: Accounts,
) {
  const { id, wallet_id, currency } = transaction
  const wallet = books.wallets.get(wallet_id)
  const { amount, fee } = draft
  const taken = wallet ? smaller(amount, available(wallet)) : 0n
  const { receivable = '' } = accounts
  return movementsOf(found.amount > 0n ? 'suspense_credited' : 'suspense_debited', {
    transaction_id: id,
    firstNumber: 0,
    sums: { received: amount, fee, taken, owed: amount - taken },
    accountOf: (role) => accounts[role] ?? '',
    currencies: { wallet: currency, payment: currency },
  }).map((movement) =>
    movement.kind === 'transfer' && movement.debit_account === receivable
      ? { ...movement, debt: { wallet_id, account: receivable } }
      : movement,
  )
}

function applyOrRefuse(books: Books, movements: Parameters<Books['apply']>[0]): void {
  const refusal = books.apply(movements)
  if (refusal) throw new OperatorError(`the ledger refuses: ${refusal.replace('_', ' ')}`)
}

/**
 * The payment after the merchant got the money. A case of an unknown payment only adds the adjustment; money in another wallet
 * does not count as credited to the payment's own wallet.
 */
function adjusted({ transaction }: FullPayment, { transaction: made, draft }: Adjustment, found: SuspenseCase) {
  const adjustments = [...transaction.adjustments, made.id]
  if (found.transaction_id === null) return { ...transaction, adjustments }
  if (!isOfItsWallet(transaction)) return { ...transaction, adjustments, suspended: 0n }
  return { ...withLate(transaction, { adjustments: [draft] }), adjustments, suspended: 0n }
}

const referenceOf = ({ transaction: { merchant_id, env, external_reference: reference, id } }: Adjustment) => ({
  merchant_id,
  env,
  reference,
  transaction_id: id,
})

/** Moves the money without the merchant: back through the providers it came through, or to the operator's cost. */
async function post(
  context: OperatorContext,
  tx: BatchTx,
  found: SuspenseCase,
  first: FullPayment | undefined,
  outcome: 'returned' | 'written_off',
): Promise<Cleared> {
  const transaction_id = newTransactionId(Number(tx.atUs / 1000n), context.cell)
  const { amount, currency } = found
  const writeOff = amount > 0n ? 'suspense_written_off' : 'suspense_loss_written_off'
  const parts = outcome === 'returned' ? returnsOf(found, first) : [{ provider: found.provider, amount }]
  const books = await openBooks(tx, context.writer, [], [])
  const accounts = await Promise.all(parts.map(({ provider }) => accountsFor(context, { ...found, provider }, '')))
  applyOrRefuse(
    books,
    parts.flatMap((part, firstNumber) =>
      movementsOf(outcome === 'returned' ? 'suspense_returned' : writeOff, {
        transaction_id,
        firstNumber,
        sums: { received: part.amount < 0n ? -part.amount : part.amount },
        accountOf: (role) => accounts[firstNumber]?.[role] ?? '',
        currencies: { wallet: currency, payment: currency },
      }),
    ),
  )
  if (first && found.transaction_id !== null) await keepCleared(tx, found, first, outcome)
  return { outcome, transaction_id, written: await books.write() }
}

/** The amount that goes back through each provider. */
function returnsOf(found: SuspenseCase, first: FullPayment | undefined): Pick<SuspenseCase, 'provider' | 'amount'>[] {
  const { provider, amount, transaction_id } = found
  const parts = first && transaction_id !== null ? partsOfCase(found, first) : []
  const rest = amount - parts.reduce((sum, part) => sum + part.amount, 0n)
  const through = parts.map((part) => ({ provider: part.attempt.provider, amount: part.amount }))
  return rest > 0n ? [...through, { provider, amount: rest }] : through
}

const partsOfCase = ({ provider, amount }: SuspenseCase, { transaction, attempt, abandoned }: FullPayment) =>
  partsOf(transaction, [attempt, ...abandoned], provider, amount)

/** The provider's next report may or may not include the returned money. */
async function keepCleared(
  tx: BatchTx,
  found: SuspenseCase,
  first: FullPayment,
  outcome: 'returned' | 'written_off',
): Promise<void> {
  const { transaction } = first
  await keepLate(tx, [{ ...transaction, suspended: 0n }])
  if (outcome !== 'returned') return
  const isByReceipt = transaction.method === 'bank-transfer'
  const attempts = partsOfCase(found, first).map(({ attempt, amount }) => ({
    ...attempt,
    moved: isByReceipt ? attempt.moved : movedOf(transaction, attempt) - amount,
    returned: attempt.returned + amount,
  }))
  await keepMoved(tx, attempts)
}

async function close(tx: BatchTx, { id }: SuspenseCase, outcome: Cleared['outcome'], clearedBy: string): Promise<void> {
  await tx.query(sql`
    update suspense_cases
    set closed_at = record_time(), updated_at = record_time(), outcome = ${outcome}, cleared_by = ${clearedBy}
    where id = ${id}`)
}
