import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import { isEnd, type Payment } from '../entries.ts'
import { findFault, type Subject } from '../faults.ts'
import { accept } from '../life.ts'
import { toAmount, toUnits } from '../money.ts'
import { claimedBy, refundDraft } from '../refunds.ts'
import { isLagging, isUnseen } from '../views.ts'
import { chargeDetails, flwRefOf } from './present.ts'
import { type Fields, findAmountProblem, findProblem, isFields, refundForm } from './read.ts'
import { closed, refuse, respond, unknownTransaction } from './words.ts'

interface RefundDetails {
  readonly id: number
  /** The refunded transaction, as text. */
  readonly transaction: string
  readonly comments?: string
}

const pageSize = 10

/** The provider takes no key from the caller: every call refunds once more, until the transaction is refunded in full. */
export async function createRefund(call: Call): Promise<Reply> {
  const { core, json, parameters } = call
  const transaction = parameters['id'] ?? ''
  const charge = findCharge(core, transaction)
  const problem = findProblem(json, refundForm) ?? findRefundProblem(core, charge, transaction, json as Fields)
  if (charge === undefined || problem !== undefined) return refuse(400, problem ?? unknownTransaction)
  const { amount = toAmount(leftOf(core, charge, transaction)), comments } = json as Fields
  const subjects = refundSubjects(call)
  const faults = core.faults.draw('payment', { provider: 'flutterwave', operation: 'refund', subjects })
  if (findFault(faults, 'operator_closed')) return refuse(400, closed)
  const details = { transaction, ...(comments !== undefined && { comments }) }
  const draft = refundDraft(core, charge, { key: freeKey(call), amount: String(amount), details })
  if (findFault(faults, 'float_empty') || core.books.floats.available(draft) < toUnits(draft.amount))
    return refuse(400, 'Insufficient funds in your available balance to process this refund')
  const refund = await accept(core, { ...draft, faults })
  return respond('Transaction refund initiated', { data: present(refund) })
}

export function readRefund({ core, parameters }: Call): Reply {
  const refund = core.books.findNamed('flutterwave', parameters['id'] ?? '')
  if (refund?.operation !== 'refund' || isUnseen(core, refund)) return refuse(404, 'Refund not found')
  return respond('Transaction refund fetched', { data: present(asRead(core, refund)) })
}

/** The refunds of a transaction, newest first, ten per page. A new one may be missing for a while: `not_found_window`. */
export function listRefunds({ core, query }: Call): Reply {
  const page = Number(query.get('page') ?? 1)
  const transaction = query.get('tx_id')
  if (transaction === null) return refuse(400, 'tx_id is required')
  if (!Number.isInteger(page) || page < 1) return refuse(400, 'page is invalid')
  const seen = refundsOf(core, findCharge(core, transaction), transaction).filter((refund) => !isUnseen(core, refund))
  const info = { total: seen.length, current_page: page, total_pages: Math.ceil(seen.length / pageSize) }
  const data = seen
    .toReversed()
    .slice((page - 1) * pageSize, page * pageSize)
    .map((refund) => presentRow(asRead(core, refund)))
  return respond('Transaction refunds fetched', { meta: { page_info: info }, data })
}

/** The caller's own key is in the comments, if anywhere. A list is about its charge and every refund of it. */
export function refundSubjects({ core, json, query, parameters }: Call): Subject[] {
  const listed = query.get('tx_id')
  if (listed !== null) {
    const charge = findCharge(core, listed)
    return charge ? [charge, ...core.books.refundsOf(charge)].map(({ key, amount }) => ({ key, amount })) : []
  }
  const refund = core.books.findNamed('flutterwave', parameters['id'] ?? '')
  if (refund?.operation === 'refund') return [{ key: refund.key, amount: refund.amount }]
  const key = keyIn(json)
  const amount = isFields(json) ? json['amount'] : undefined
  return [{ ...(key !== undefined && { key }), ...(amount !== undefined && { amount: String(amount) }) }]
}

const keyIn = (json: unknown): string | undefined => {
  const comments = isFields(json) ? json['comments'] : undefined
  return typeof comments === 'string'
    ? /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(comments)?.[0].toLowerCase()
    : undefined
}

/** A second refund with the same comments is another refund. Its key is its own, so that the books show both. */
function freeKey({ core, json }: Call): string {
  const key = keyIn(json)
  const isFree = key !== undefined && !core.books.find('flutterwave', 'refund', key)
  return isFree ? key : `refund-${core.numbers.next()}`
}

function findCharge(core: Core, transaction: string): Payment | undefined {
  const named = core.books.findNamed('flutterwave', transaction)
  return named?.operation === 'charge' ? named : undefined
}

/** The amount of one transaction: a transfer into the charge's account, or the whole charge. Zero unless it is paid. */
function paidIn(charge: Payment, transaction: string): bigint {
  if (charge.waitsFor !== 'money') {
    const isOwn = String(chargeDetails(charge).id) === transaction
    return isOwn && charge.state === 'completed' ? toUnits(charge.amount) : 0n
  }
  const receipt = charge.receipts?.find(({ id, reversedAt }) => id === transaction && reversedAt === undefined)
  return receipt ? toUnits(receipt.amount) : 0n
}

const detailsOf = (refund: Payment) => refund.details as unknown as RefundDetails

const refundsOf = (core: Core, charge: Payment | undefined, transaction: string): readonly Payment[] =>
  charge ? core.books.refundsOf(charge).filter((refund) => detailsOf(refund).transaction === transaction) : []

const leftOf = (core: Core, charge: Payment, transaction: string) =>
  paidIn(charge, transaction) - claimedBy(refundsOf(core, charge, transaction))

function findRefundProblem(core: Core, charge: Payment | undefined, transaction: string, { amount }: Fields) {
  if (charge === undefined) return unknownTransaction
  if (paidIn(charge, transaction) === 0n) return 'Only a successful transaction can be refunded'
  const problem = amount === undefined ? undefined : findAmountProblem({ amount, currency: charge.currency })
  if (problem !== undefined) return problem
  const left = leftOf(core, charge, transaction)
  if (left <= 0n) return 'This transaction has already been refunded'
  return amount !== undefined && toUnits(String(amount)) > left
    ? 'Refund amount is more than the amount left on the transaction'
    : undefined
}

/** The refund as it was before its end while a fault delays the status. */
const asRead = (core: Core, refund: Payment): Payment =>
  isLagging(core, refund) ? { ...refund, state: 'processing' } : refund

function present(refund: Payment): Record<string, unknown> {
  const { id, transaction, comments } = detailsOf(refund)
  return {
    id,
    account_id: 1,
    tx_id: Number(transaction),
    flw_ref: flwRefOf(Number(transaction)),
    wallet_id: 1,
    amount_refunded: Number(refund.amount),
    status: statusText(refund),
    destination: 'payment_source',
    meta: { source: 'availablebalance' },
    ...(comments !== undefined && { comments }),
    created_at: new Date(refund.acceptedAt).toISOString(),
  }
}

/** Rows of a list have other names than a single refund. `refund_without_comments` leaves the comments out. */
function presentRow(refund: Payment): Record<string, unknown> {
  const { tx_id, amount_refunded, flw_ref, account_id, comments, ...rest } = present(refund)
  const isShown = comments !== undefined && !findFault(refund.faults, 'refund_without_comments')
  return {
    ...rest,
    AccountId: account_id,
    TransactionId: tx_id,
    FlwRef: flw_ref,
    AmountRefunded: amount_refunded,
    currency: refund.currency,
    ...(isShown && { comments }),
  }
}

/** `completed` says that the provider took the money for it, not that the payer has it. */
function statusText({ state }: Payment): string {
  if (state === 'completed') return 'completed'
  return isEnd(state) ? 'failed' : 'pending'
}
