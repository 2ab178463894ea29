import type { Reply } from '../dialect.ts'
import { type Ending, receive } from '../ends.ts'
import { isEnd, type Payment } from '../entries.ts'
import { findFault } from '../faults.ts'
import { act } from '../life.ts'
import { toFixed, toUnits } from '../money.ts'
import { failureOf } from '../outcomes.ts'
import { complain } from './complain.ts'
import { fieldsOf } from './fields.ts'
import { paymentsOf } from './reads.ts'
import type { ControlCall } from './routes.ts'

/** The payer's action. It ends any open payment, whatever outcome its number chose. */
export function actAsPayer(call: ControlCall): Reply {
  const { core, names, json } = call
  const { action, provider, operation } = fieldsOf(json)
  const open = paymentsOf({ core }, names[0] ?? '').filter(
    (each) => (provider ?? each.provider) === each.provider && (operation ?? each.operation) === each.operation,
  )
  const payment = open.find(({ state }) => !isEnd(state)) ?? open[0]
  if (payment === undefined) return complain(404, 'Payment not found.')
  if (!isAction(action))
    return complain(400, 'action must be approve, enter_pin, decline or pay_account; decline may have a code.')
  const hasAccount = payment.waitsFor === 'money'
  if (action === 'pay_account' && !hasAccount) return complain(400, 'The payment has no account to pay into.')
  // An account accepts money whatever the state of its charge.
  if (isEnd(payment.state) && action !== 'pay_account') return conflict(payment, 'The payment has ended.')
  return hasAccount ? actOnAccount(call, payment, action) : end(call, payment, action)
}

const actions = ['approve', 'enter_pin', 'decline', 'pay_account'] as const
type Action = (typeof actions)[number]
const isAction = (action: unknown): action is Action => actions.includes(action as Action)

function end({ core, json }: ControlCall, payment: Payment, action: Action): Reply {
  act(core, payment, action === 'decline' ? declined(payment, fieldsOf(json)['code']) : { state: 'completed' })
  return { status: 200, body: { key: payment.key, state: payment.state } }
}

function declined({ operation }: Payment, code: unknown): Ending {
  const usual = operation === 'charge' ? 'PAYMENT_NOT_APPROVED' : 'UNSPECIFIED_FAILURE'
  return { state: 'failed', failure: failureOf(typeof code === 'string' ? code : usual) }
}

/** Approving pays the missing amount. Declining is possible only before any payment. */
function actOnAccount(call: ControlCall, payment: Payment, action: Action): Reply {
  if (action === 'pay_account') return payAccount(call, payment)
  const missing = toUnits(payment.amount) - receivedOf(payment)
  if (action !== 'decline')
    return missing > 0n
      ? pay(call, payment, approvedOf(payment, missing))
      : conflict(payment, 'The charge is already paid in full.')
  return payment.receipts === undefined
    ? end(call, payment, action)
    : conflict(payment, 'The account has already received money.')
}

function payAccount(call: ControlCall, payment: Payment): Reply {
  const { amount, account } = fieldsOf(call.json)
  if (!isPayable(amount)) return complain(400, 'amount must be a decimal string, greater than zero.')
  if (account !== undefined && !payment.accounts?.some(({ number }) => number === account))
    return complain(400, 'account does not belong to this payment.')
  return pay(call, payment, amount)
}

/** More than zero, with cents as the smallest unit. */
export const isPayable = (amount: unknown): amount is string =>
  typeof amount === 'string' && /^\d{1,14}(\.\d{1,2})?$/.test(amount) && /[1-9]/.test(amount)

function pay({ core, json }: ControlCall, payment: Payment, amount: string): Reply {
  const { account } = fieldsOf(json)
  const number = typeof account === 'string' ? account : (payment.accounts?.at(-1)?.number ?? '')
  const receipt = receive(core, payment, { account: number, amount })
  const { key, state } = payment
  return { status: 200, body: { key, state, receipt: { id: receipt.id, account: number, amount } } }
}

const cent = toUnits('0.01')

/** With `bank_under_payment` the first approval pays too little. The rest can follow. */
function approvedOf({ faults, receipts }: Payment, missing: bigint): string {
  const short = findFault(faults, 'bank_under_payment')
  if (short === undefined || receipts !== undefined) return toFixed(missing, 2)
  return short.amount ?? toFixed((missing + cent) / 2n, 2)
}

const receivedOf = ({ receipts = [] }: Payment) =>
  receipts.filter(({ reversedAt }) => reversedAt === undefined).reduce((sum, { amount }) => sum + toUnits(amount), 0n)

const conflict = ({ key, state }: Payment, error: string): Reply => ({ status: 409, body: { key, state, error } })
