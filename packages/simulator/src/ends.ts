import { randomUUID } from 'node:crypto'
import type { Callback } from './callbacks.ts'
import type { Core } from './core.ts'
import type { Failure, Payment, Receipt } from './entries.ts'
import { findFault } from './faults.ts'
import { toAmount, toUnits } from './money.ts'
import { sendCallback } from './send-callback.ts'

export type Ending = { readonly state: 'completed' } | { readonly state: 'failed'; readonly failure: Failure }

/** A payment's own time: the clock plus the time that passed for this payment alone. */
export const momentOf = ({ clock }: Core, { aheadMs = 0 }: Payment): number => clock.now() + aheadMs

/** Ends a payment, or changes the end of a failed one. */
export function finish(
  core: Core,
  payment: Payment,
  ending: Ending,
  moment = momentOf(core, payment),
): Callback | undefined {
  const times = { at: core.clock.now(), moment }
  if (ending.state === 'completed') core.books.change(payment, { state: 'completed', ...times, receipt: receiptOf() })
  else core.books.change(payment, { state: 'failed', ...times, failure: ending.failure })
  followUp(core, payment)
  return sendCallback(core, payment)
}

/** A failure turns into a success. */
export function succeedLate(core: Core, payment: Payment, moment?: number): boolean {
  // An unpaid account has no payment that could turn into a success.
  if (payment.state !== 'failed' || payment.waitsFor === 'money') return false
  finish(core, payment, { state: 'completed' }, moment)
  return true
}

/** The amount of a payment that can still be reversed. */
export function leftOf({ state, amount, returned }: Payment): bigint {
  if (state === 'completed') return toUnits(amount)
  return state === 'reversed' ? toUnits(amount) - toUnits(returned ?? amount) : 0n
}

/** The operator reverses a success: the rest of it, or a part. */
export function reverse(core: Core, payment: Payment, part?: string, moment = momentOf(core, payment)): boolean {
  const left = leftOf(payment)
  if (left <= 0n) return false
  const taken = part === undefined || toUnits(part) > left ? left : toUnits(part)
  const isWhole = taken === left
  const returned = isWhole ? payment.amount : toAmount(toUnits(payment.amount) - left + taken)
  const failure = { code: 'REVERSED', message: 'The operator reversed the payment.' }
  core.books.change(payment, { state: 'reversed', at: core.clock.now(), moment, failure, returned })
  followUp(core, payment)
  sendCallback(core, payment)
  return true
}

/** The chargeback is won: everything that was reversed is paid again. */
export function reinstate(core: Core, payment: Payment, moment = momentOf(core, payment)): boolean {
  if (payment.state !== 'reversed') return false
  core.books.change(payment, { state: 'completed', at: core.clock.now(), moment })
  followUp(core, payment)
  sendCallback(core, payment)
  return true
}

/** Money arrives in an account of a charge: too little, too much, too late or again. */
export function receive(
  core: Core,
  payment: Payment,
  { account, amount }: Pick<Receipt, 'account' | 'amount'>,
  moment = momentOf(core, payment),
): Receipt {
  const receipt: Receipt = { id: String(core.numbers.next()), account, amount, at: core.clock.now(), moment }
  core.books.receive(payment, receipt)
  followUpReceipt(core, payment, receipt, moment)
  sendCallback(core, payment, receipt)
  return receipt
}

/** The bank reverses a whole transfer, or reinstates it. False when it is already in that state. */
export function changeReceipt(
  core: Core,
  payment: Payment,
  id: string,
  change: { readonly isReversed: boolean; readonly moment?: number },
): boolean {
  const { isReversed, moment = momentOf(core, payment) } = change
  const before = findReceipt(payment, id)
  if (before === undefined || (before.reversedAt !== undefined) === isReversed) return false
  core.books.changeReceipt(payment, before, { at: core.clock.now(), isReversed })
  const after = findReceipt(payment, id)
  if (after) followUpReceipt(core, payment, after, moment)
  sendCallback(core, payment, after)
  return true
}

export const findReceipt = ({ receipts = [] }: Payment, id: string): Receipt | undefined =>
  receipts.find((receipt) => receipt.id === id)

const laterMs = 2_000

/** Plans the events that faults cause after an end. */
export function followUp(core: Core, payment: Payment): void {
  if (payment.waitsFor === 'money') followUpAccount(core, payment)
  else followUpPayment(core, payment)
}

function followUpPayment(core: Core, payment: Payment): void {
  const { state, faults, reversals = 0, endedMoment = momentOf(core, payment) } = payment
  const [flap, reversal] = [findFault(faults, 'flap'), findFault(faults, 'reversal_after_success')]
  const won = findFault(faults, 'chargeback_won')
  const parts = reversal?.count ?? 1
  const plan = (delayMs = laterMs, run: (moment: number) => void) => core.plans.at(payment, endedMoment + delayMs, run)
  if (flap && state === 'failed') plan(flap.delayMs, (moment) => succeedLate(core, payment, moment))
  if (reversal && reversals < parts && leftOf(payment) > 0n)
    plan(reversal.delayMs, (moment) => reverse(core, payment, reversal.amount, moment))
  if (won && state === 'reversed' && reversals >= parts) plan(won.delayMs, (moment) => reinstate(core, payment, moment))
}

/** Money arrives in the account of a failed charge. */
function followUpAccount(core: Core, payment: Payment): void {
  const late = findFault(payment.faults, 'late_receipt')
  const { state, endedMoment = momentOf(core, payment) } = payment
  if (late === undefined || state !== 'failed' || payment.receipts) return
  core.plans.at(payment, endedMoment + (late.delayMs ?? laterMs), (moment) => {
    const account = payment.accounts?.at(-1)?.number ?? ''
    if (payment.receipts === undefined)
      receive(core, payment, { account, amount: late.amount ?? payment.amount }, moment)
  })
}

/** A transfer into an account is reversed and reinstated as a payment is. */
export function followUpReceipt(core: Core, payment: Payment, receipt: Receipt, moment: number): void {
  const { id, reversals = 0, reversedAt } = receipt
  const reversal = findFault(payment.faults, 'reversal_after_success')
  const won = findFault(payment.faults, 'chargeback_won')
  const plan = (isReversed: boolean, delayMs = laterMs) =>
    core.plans.at(payment, moment + delayMs, (due) => changeReceipt(core, payment, id, { isReversed, moment: due }))
  if (reversal && reversals === 0) plan(true, reversal.delayMs)
  if (won && reversedAt !== undefined) plan(false, won.delayMs)
}

/** Looks like an operator's receipt: ten letters and digits. */
const receiptOf = () => randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase()
