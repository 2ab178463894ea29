import type { Core } from '../core.ts'
import type { Payment } from '../entries.ts'
import { isEnd } from '../entries.ts'
import { findFault } from '../faults.ts'
import { isLagging, isUnseen } from '../views.ts'
import { metadataName, type Order } from './read.ts'

/** Times without fractions, as the provider writes them. */
export const timeText = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

const idNames = { charge: 'depositId', payout: 'payoutId', refund: 'refundId' } as const

export const idName = ({ operation }: Pick<Payment, 'operation'>) => idNames[operation]

/** A status read. Two faults falsify it: it may not know the payment yet, or may lag behind a callback. */
export function presentStatus(core: Core, payment: Payment | undefined): unknown {
  if (payment === undefined || isUnseen(core, payment)) return { status: 'NOT_FOUND' }
  return {
    status: 'FOUND',
    data: presentData(asRead(core, payment), { now: core.clock.now(), decimals: 2 }, payment.details['order']),
  }
}

/** The same data without the caller's own reference, which callbacks do not carry. */
export function presentCallback(payment: Payment): unknown {
  const order = { ...(payment.details['order'] as Order) }
  delete (order as { clientReferenceId?: string }).clientReferenceId
  return presentData(payment, { now: Number.POSITIVE_INFINITY, decimals: 4 }, order)
}

/** The payment as a status read shows it: as it was before its end while a fault delays the status. */
function asRead(core: Core, payment: Payment): Payment {
  if (!isLagging(core, payment)) return payment
  const { failure: _failure, receipt: _receipt, ...earlier } = payment
  return { ...earlier, state: 'processing' }
}

interface View {
  readonly now: number
  /** Callbacks write amounts with four decimals, reads with two. */
  readonly decimals: number
}

function presentData(payment: Payment, { now, decimals }: View, kept: unknown): unknown {
  // A refund made in the dashboard has no order.
  const order = (kept ?? {}) as Order
  const counterparty = {
    type: 'MMO',
    accountDetails: { phoneNumber: payment.account, provider: payment.operator },
  }
  const { failure, receipt, authorizationUrl } = payment
  return {
    [idName(payment)]: payment.key,
    status: statusText(payment, now),
    ...(authorizationUrl !== undefined && !isEnd(payment.state) && { nextStep: 'REDIRECT_TO_AUTH_URL' }),
    amount: amountText(payment.amount, decimals),
    currency: payment.currency,
    country: payment.country,
    [payment.operation === 'charge' ? 'payer' : 'recipient']: counterparty,
    ...pick(order, ['customerMessage', 'clientReferenceId', 'successfulUrl', 'failedUrl']),
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    created: timeText(payment.acceptedAt),
    ...(receipt !== undefined && { providerTransactionId: receipt }),
    failureReason: failure ? { failureCode: codeText(failure.code), failureMessage: failure.message } : null,
    ...(order.metadata && { metadata: metadataText(order.metadata) }),
  }
}

function amountText(amount: string, decimals: number): string {
  const [whole = '', fraction = ''] = amount.split('.')
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

function pick(order: Order, names: readonly (keyof Order)[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (order[name] === undefined ? [] : [[name, order[name]]])))
}

const metadataText = (items: NonNullable<Order['metadata']>) =>
  Object.fromEntries(items.map((item) => [metadataName(item), item[metadataName(item)]]))

/** The provider has no code for a reversed payment: it fails without a reason. */
const codeText = (code: string) => (code === 'REVERSED' ? 'UNSPECIFIED_FAILURE' : code)

const finalText = { completed: 'COMPLETED', failed: 'FAILED', reversed: 'FAILED', enqueued: 'ENQUEUED' } as const

function statusText({ operation, state, acceptedAt, settleMs, waitsFor, faults }: Payment, now: number): string {
  const isReconciled = operation === 'refund' && findFault(faults, 'stuck_pending') !== undefined
  if (state === 'processing') return isReconciled ? 'IN_RECONCILIATION' : 'PROCESSING'
  if (state !== 'accepted') return finalText[state]
  return waitsFor === 'time' && now >= acceptedAt + settleMs / 2 ? 'PROCESSING' : 'ACCEPTED'
}
