import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import { isEnd, type Payment } from '../entries.ts'
import { findFault, type Subject } from '../faults.ts'
import { accept } from '../life.ts'
import { decimalsOf, toAmount, toUnits } from '../money.ts'
import { claimedBy, collectedOf, refundDraft } from '../refunds.ts'
import { find, findObstacle, rejectionOf } from './payments.ts'
import { timeText } from './present.ts'
import { findProvider } from './providers.ts'
import { type RefundRequest, readRefund } from './read.ts'
import { amountForm } from './validate.ts'
import { type Rejection, refuse } from './words.ts'

/** One refund of a completed deposit. Without an amount it refunds the rest. */
export async function initiateRefund(call: Call): Promise<Reply> {
  const read = readRefund(call.json)
  if ('refusal' in read) return refuse(400, read.refusal.code, read.refusal.message)
  return { status: 200, body: await take(call.core, read.refund) }
}

export function refundSubjects({ core, json, parameters }: Call): Subject[] {
  const { id } = parameters
  const known = id === undefined ? undefined : find(core, 'refund', id)
  if (known) return [{ key: known.key, phone: known.account, amount: known.amount, operator: known.operator }]
  if (id !== undefined) return [{ key: id.toLowerCase() }]
  const read = readRefund(json)
  return 'refund' in read ? [subjectOf(read.refund)] : []
}

const subjectOf = ({ id, amount }: RefundRequest): Subject => ({ key: id, ...(amount !== undefined && { amount }) })

async function take(core: Core, request: RefundRequest): Promise<Readonly<Record<string, unknown>>> {
  const { id } = request
  const known = find(core, 'refund', id)
  if (known) return { [nameOf(known)]: id, status: 'DUPLICATE_IGNORED', created: timeText(known.acceptedAt) }
  const deposit = find(core, 'charge', request.depositId)
  const problem = findProblem(core, deposit, request)
  if (deposit === undefined || problem) return rejectionOf('refundId', id, problem ?? notFound)
  const amount = request.amount ?? toAmount(leftOf(core, deposit))
  const subjects = [{ ...subjectOf({ ...request, amount }), phone: deposit.account, operator: deposit.operator }]
  const faults = core.faults.draw('payment', { provider: 'pawapay', operation: 'refund', subjects })
  const draft = { ...refundDraft(core, deposit, { key: id, amount, details: { order: request.order } }), faults }
  const obstacle = findObstacle(core, draft)
  if (obstacle) return rejectionOf('refundId', id, obstacle)
  const refund = await accept(core, draft)
  return { [nameOf(refund)]: id, status: 'ACCEPTED', created: timeText(refund.acceptedAt) }
}

/** The provider's own guide shows a response that names a refund `payoutId`. */
const nameOf = ({ faults }: Payment) => (findFault(faults, 'refund_named_payout') ? 'payoutId' : 'refundId')

const leftOf = (core: Core, deposit: Payment) => collectedOf(deposit) - claimedBy(core.books.refundsOf(deposit))

const notFound: Rejection = { code: 'NOT_FOUND', message: 'The deposit was not found.' }

/** A refund takes as many decimals as its deposit: the provider documents no others. */
const decimalsIn = ({ operator, currency: code }: Payment) =>
  findProvider(operator)?.money.find(({ currency }) => currency === code)?.deposit.decimals ?? 0

function findProblem(core: Core, deposit: Payment | undefined, request: RefundRequest): Rejection | undefined {
  if (deposit === undefined) return notFound
  if (deposit.state !== 'completed') return { code: 'INVALID_STATE', message: 'The deposit is not completed.' }
  const { amount, currency } = request
  if (currency !== undefined && currency !== deposit.currency)
    return { code: 'INVALID_CURRENCY', message: 'The currency is not the one of the deposit.' }
  if (amount !== undefined && (!amountForm.test(amount) || decimalsOf(amount) > decimalsIn(deposit)))
    return { code: 'INVALID_AMOUNT', message: 'The amount is not valid for this provider.' }
  if (core.books.refundsOf(deposit).some(({ state }) => !isEnd(state)))
    return { code: 'REFUND_IN_PROGRESS', message: 'Another refund of this deposit is in progress.' }
  const left = leftOf(core, deposit)
  if (left <= 0n) return { code: 'DEPOSIT_ALREADY_REFUNDED', message: 'The deposit is already refunded.' }
  return amount !== undefined && toUnits(amount) > left
    ? { code: 'AMOUNT_TOO_LARGE', message: 'The amount is more than is left of the deposit.' }
    : undefined
}
