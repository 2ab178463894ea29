import { randomUUID } from 'node:crypto'
import type { Callback, CallbackMessage } from './callbacks.ts'
import type { Core } from './core.ts'
import { isEnd, type Payment, type Receipt } from './entries.ts'
import { findFault } from './faults.ts'

/** Sends the callback about a payment's current state, or about a receipt, unless a fault suppresses it. */
export function sendCallback(core: Core, payment: Payment, receipt?: Receipt): Callback | undefined {
  if (core.tuning.callbackBase === '' || findFault(payment.faults, 'callback_never')) return undefined
  const content = core.dialects.get(payment.provider)?.callbackBody(...distorted(payment, receipt))
  if (content === undefined) return undefined
  const late = findFault(payment.faults, 'callback_late')
  const twice = findFault(payment.faults, 'callback_duplicate')
  const forged = findFault(payment.faults, 'callback_bad_signature')
  const { provider, operation, key, state } = payment
  const message: CallbackMessage = {
    provider,
    operation,
    key,
    state,
    ...(receipt && { receipt: receipt.id }),
    url: `${core.tuning.callbackBase}/${provider}`,
    body: JSON.stringify(content),
    dueAt: core.clock.now() + (late ? (late.delayMs ?? 60_000) : 0),
    forgedAttempts: forged ? (forged.count ?? Number.POSITIVE_INFINITY) : 0,
    ...orderOf(core, payment),
  }
  const first = core.callbacks.send(message)
  for (let copy = 1; copy < (twice ? (twice.count ?? 2) : 1); copy++) core.callbacks.send(message)
  return first
}

/** A callback about a receipt has a wrong amount for that receipt; any other has one for the payment. */
function distorted(payment: Payment, receipt: Receipt | undefined): [Payment, Receipt | undefined] {
  const wrong = findFault(payment.faults, 'callback_wrong_amount')
  const stray = findFault(payment.faults, 'callback_unknown_reference')
  const known = { ...payment, ...(stray && { key: randomUUID() }) }
  if (wrong === undefined) return [known, receipt]
  const amount = wrong.amount ?? `1${(receipt ?? payment).amount}`
  if (receipt === undefined) return [{ ...known, amount }, undefined]
  const changed = { ...receipt, amount }
  const receipts = known.receipts?.map((each) => (each.id === receipt.id ? changed : each)) ?? []
  return [{ ...known, receipts }, changed]
}

/** The first callback of a payment waits for another: its own next one if there will be one, else any of the provider. */
function orderOf(core: Core, payment: Payment): Pick<CallbackMessage, 'after'> {
  const isReordered = findFault(payment.faults, 'callback_reorder') !== undefined
  if (!isReordered || core.callbacks.latestOf(payment.key) !== undefined) return {}
  const hasNextCallback =
    !isEnd(payment.state) ||
    (payment.state === 'failed' && findFault(payment.faults, 'flap') !== undefined) ||
    (payment.state === 'completed' && findFault(payment.faults, 'reversal_after_success') !== undefined)
  return { after: hasNextCallback ? 'payment' : 'provider' }
}
