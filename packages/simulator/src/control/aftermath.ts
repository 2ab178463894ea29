import type { Reply } from '../dialect.ts'
import { changeReceipt, findReceipt, leftOf, reinstate, reverse, succeedLate } from '../ends.ts'
import type { Payment } from '../entries.ts'
import { toUnits } from '../money.ts'
import { complain } from './complain.ts'
import { fieldsOf } from './fields.ts'
import { isPayable } from './payer.ts'
import { paymentsOf } from './reads.ts'
import type { ControlCall } from './routes.ts'

/** What a provider does with a payment after its end: reverse it, reinstate it, or report a late success. */
export function changeEnd(call: ControlCall, verb: 'reverse' | 'reinstate' | 'succeed'): Reply {
  const { core, names, json } = call
  const { provider, operation } = fieldsOf(json)
  const payment = paymentsOf({ core }, names[0] ?? '').find(
    (each) => (provider ?? each.provider) === each.provider && (operation ?? each.operation) === each.operation,
  )
  if (payment === undefined) return complain(404, 'Payment not found.')
  if (verb === 'succeed') return replyFor(payment, succeedLate(core, payment))
  if (payment.waitsFor === 'money') return changeTransfer(call, payment, verb)
  return verb === 'reinstate' ? replyFor(payment, reinstate(core, payment)) : takeBack(call, payment)
}

function takeBack({ core, json }: ControlCall, payment: Payment): Reply {
  const { amount } = fieldsOf(json)
  if (amount === undefined) return replyFor(payment, reverse(core, payment))
  if (!core.dialects.get(payment.provider)?.showsReturned)
    return complain(
      400,
      `${payment.provider} does not report the reversed amount, so only a full reversal is possible.`,
    )
  if (!isPayable(amount) || toUnits(amount) > leftOf(payment))
    return complain(400, 'amount must be a decimal string, greater than zero and at most the amount left.')
  return replyFor(payment, reverse(core, payment, amount))
}

/** A transfer charge is reversed transfer by transfer, each in full: the named one, or else the newest possible one. */
function changeTransfer({ core, json }: ControlCall, payment: Payment, verb: 'reverse' | 'reinstate'): Reply {
  const { receipt, amount } = fieldsOf(json)
  const isReversed = verb === 'reverse'
  if (amount !== undefined) return complain(400, 'A transfer can only be reversed in full.')
  if (receipt !== undefined && !findReceipt(payment, String(receipt))) return complain(404, 'Receipt not found.')
  const newest = payment.receipts?.findLast(({ reversedAt }) => (reversedAt !== undefined) !== isReversed)
  const id = receipt === undefined ? newest?.id : String(receipt)
  return replyFor(payment, id !== undefined && changeReceipt(core, payment, id, { isReversed }))
}

function replyFor({ key, state, returned, receipts }: Payment, isDone: boolean): Reply {
  if (!isDone) return { status: 409, body: { key, state, error: 'The state of the payment does not allow this.' } }
  return {
    status: 200,
    body: { key, state, ...(returned !== undefined && { returned }), ...(receipts && { receipts }) },
  }
}

/** Brings forward the plans of one owner's payments. The clock and other owners' payments do not change. */
export function passTime({ core, json }: ControlCall): Reply {
  const { owner, ms } = fieldsOf(json)
  if (typeof owner !== 'string' || owner === '') return complain(400, 'owner must be a string.')
  if (typeof ms !== 'number' || !Number.isInteger(ms) || ms < 0) return complain(400, 'ms must be a whole number.')
  const waiting = core.plans.pass(owner, (payment) => core.books.forward(payment, ms))
  return { status: 200, body: { waiting } }
}
