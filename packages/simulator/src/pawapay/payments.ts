import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import { isEnd, type Operation, type OrderOperation, type Payment } from '../entries.ts'
import { type DrawnFault, findFault, type Subject } from '../faults.ts'
import { accept, act, type Draft } from '../life.ts'
import { toUnits } from '../money.ts'
import { failureOf } from '../outcomes.ts'
import { sendCallback } from '../send-callback.ts'
import { idName, presentStatus, timeText } from './present.ts'
import { type Order, readOrder } from './read.ts'
import { type Passed, validate } from './validate.ts'
import { type Rejection, refuse } from './words.ts'

/** One deposit or payout. */
export async function initiate(call: Call, operation: OrderOperation): Promise<Reply> {
  const read = readOrder(operation, call.json)
  if ('refusal' in read) return refuse(400, read.refusal.code, read.refusal.message)
  const result = await take(call, operation, read.order)
  return 'refused' in result
    ? refuse(400, result.refused.code, result.refused.message)
    : { status: 200, body: result.body }
}

/** Many payouts. A malformed one refuses the whole request; a rejected one affects only itself. */
export async function initiateBulk(call: Call): Promise<Reply> {
  if (!Array.isArray(call.json) || call.json.length === 0)
    return refuse(400, 'INVALID_INPUT', 'The payload must be a list of payouts.')
  const reads = call.json.map((item) => readOrder('payout', item))
  const bad = reads.find((read) => 'refusal' in read)
  if (bad && 'refusal' in bad) return refuse(400, bad.refusal.code, bad.refusal.message)
  const orders = reads.flatMap((read) => ('order' in read ? [read.order] : []))
  // Started in request order. None waits for another.
  const results = await Promise.all(orders.map((order) => take(call, 'payout', order)))
  return { status: 200, body: results.map((result) => ('body' in result ? result.body : result)) }
}

export function readStatus({ core, parameters }: Call, operation: Operation): Reply {
  return { status: 200, body: presentStatus(core, find(core, operation, parameters['id'])) }
}

/** The provider resends a callback only for payments that have ended. */
export function resendCallback({ core, parameters }: Call, operation: Operation): Reply {
  const id = parameters['id'] ?? ''
  const payment = find(core, operation, id)
  const name = idName({ operation })
  if (payment === undefined) return rejected(name, id, { code: 'NOT_FOUND', message: 'The payment was not found.' })
  if (!isEnd(payment.state)) return rejected(name, id, { code: 'INVALID_STATE', message: 'The payment has not ended.' })
  sendCallback(core, payment)
  return { status: 200, body: { [name]: id, status: 'ACCEPTED' } }
}

/** Cancels a payout or refund that waits for its operator. */
export function failEnqueued({ core, parameters }: Call, operation: 'payout' | 'refund'): Reply {
  const id = parameters['id'] ?? ''
  const payment = find(core, operation, id)
  const name = idName({ operation })
  if (payment === undefined)
    return rejected(name, id, { code: 'NOT_FOUND', message: `The ${operation} was not found.` })
  if (payment.state !== 'enqueued')
    return rejected(name, id, { code: 'INVALID_STATE', message: `The ${operation} is not enqueued.` })
  act(core, payment, { state: 'failed', failure: failureOf('MANUALLY_CANCELLED') })
  return { status: 200, body: { [name]: id, status: 'ACCEPTED' } }
}

/** The targets for faults in a request body, which may be malformed. */
export function subjectsOf({ json, parameters, core }: Call, operation: OrderOperation): Subject[] {
  if (parameters['id'] !== undefined) return [subjectOf(find(core, operation, parameters['id']), parameters['id'])]
  const items: unknown[] = Array.isArray(json) ? json : [json]
  return items.flatMap((item) => {
    const read = readOrder(operation, item)
    if (!('order' in read)) return []
    const { id, phone, amount, provider } = read.order
    return [{ key: id, phone, amount, operator: provider }]
  })
}

const subjectOf = (payment: Payment | undefined, key: string): Subject =>
  payment ? { key, phone: payment.account, amount: payment.amount, operator: payment.operator } : { key }

export const find = (core: Core, operation: Operation, id = '') =>
  core.books.find('pawapay', operation, id.toLowerCase())

const rejected = (name: string, id: string, rejection: Rejection): Reply => ({
  status: 200,
  body: rejectionOf(name, id, rejection),
})

type InitiateResult = { readonly body: Readonly<Record<string, unknown>> } | { readonly refused: Rejection }

async function take(call: Call, operation: OrderOperation, order: Order): Promise<InitiateResult> {
  const { core } = call
  const name = idName({ operation })
  const known = find(core, operation, order.id)
  if (known) return { body: { [name]: order.id, status: 'DUPLICATE_IGNORED', created: timeText(known.acceptedAt) } }
  const validation = validate(operation, order)
  if ('refused' in validation) return validation
  if ('rejected' in validation) return { body: rejectionOf(name, order.id, validation.rejected) }
  const { amount, phone, provider: operator } = order
  const subjects = [{ key: order.id, amount, phone, operator }]
  const faults = core.faults.draw('payment', { provider: 'pawapay', operation, subjects })
  const draft = draftOf(call, operation, order, validation, faults)
  const obstacle = findObstacle(core, draft)
  if (obstacle) return { body: rejectionOf(name, order.id, obstacle) }
  const payment = await accept(core, draft)
  const nextStep = operation === 'charge' && { nextStep: nextStepOf(payment) }
  return { body: { [name]: order.id, status: 'ACCEPTED', ...nextStep, created: timeText(payment.acceptedAt) } }
}

const nextStepOf = ({ waitsFor }: Payment) => (waitsFor === 'payer' ? 'GET_AUTH_URL' : 'FINAL_STATUS')

function draftOf(
  call: Call,
  operation: OrderOperation,
  order: Order,
  { provider, plannedOutcome }: Passed,
  faults: readonly DrawnFault[],
): Draft {
  const isRedirected = operation === 'charge' && provider.auth === 'REDIRECT_AUTH'
  return {
    provider: 'pawapay',
    operation,
    key: order.id,
    operator: order.provider,
    country: provider.country,
    currency: order.currency,
    amount: order.amount,
    account: order.phone,
    fingerprint: '',
    plannedOutcome,
    faults,
    waitsFor: isRedirected ? 'payer' : 'time',
    details: { order: withoutCode(order), ...(isRedirected && { pageUrl: pageUrl(call, order.id) }) },
  }
}

const outOfFunds = {
  code: 'PAWAPAY_WALLET_OUT_OF_FUNDS',
  message: 'The wallet does not have enough funds for this payment.',
}

/** A delayed operator refuses deposits and queues the others; a closed one refuses all. */
export function findObstacle(core: Core, draft: Draft): Rejection | undefined {
  const { operation, faults, amount } = draft
  const isDelayed = findFault(faults, 'operator_delayed') !== undefined
  if (findFault(faults, 'operator_closed') || (isDelayed && operation === 'charge'))
    return { code: 'PROVIDER_TEMPORARILY_UNAVAILABLE', message: 'The provider cannot process payments at the moment.' }
  if (operation === 'charge') return undefined
  const isEmpty = findFault(faults, 'float_empty') || core.books.floats.available(draft) < toUnits(amount)
  return isEmpty ? outOfFunds : undefined
}

export const rejectionOf = (name: string, id: string, { code, message }: Rejection) => ({
  [name]: id,
  status: 'REJECTED',
  failureReason: { failureCode: code, failureMessage: message },
})

const withoutCode = ({ preAuthorisationCode: _code, ...order }: Order) => order

function pageUrl({ core, headers }: Call, id: string): string {
  return `${core.tuning.publicUrl || `http://${headers.host}`}/pawapay/pay/${id}`
}
