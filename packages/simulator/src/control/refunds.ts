import { randomUUID } from 'node:crypto'
import type { Reply } from '../dialect.ts'
import { accept } from '../life.ts'
import { toAmount, toUnits } from '../money.ts'
import { claimedBy, collectedOf, refundDraft } from '../refunds.ts'
import { complain } from './complain.ts'
import { fieldsOf } from './fields.ts'
import { isPayable } from './payer.ts'
import { paymentsOf } from './reads.ts'
import type { ControlCall } from './routes.ts'

/** A person refunds a charge in the provider's dashboard: the whole rest, or a part. Malipo does not know its key. */
export async function refundElsewhere({ core, names, json }: ControlCall): Promise<Reply> {
  const charge = paymentsOf({ core }, names[0] ?? '').find(({ operation }) => operation === 'charge')
  if (charge === undefined) return complain(404, 'Charge not found.')
  const left = collectedOf(charge) - claimedBy(core.books.refundsOf(charge))
  const { amount = toAmount(left) } = fieldsOf(json)
  if (!isPayable(amount) || toUnits(amount) > left)
    return complain(400, 'amount must be a decimal string, greater than zero and at most the amount left.')
  const draft = refundDraft(core, charge, {
    key: randomUUID(),
    amount,
    details: { transaction: transactionOf(charge) },
  })
  const { key, state } = await accept(core, { ...draft, faults: [] })
  return { status: 200, body: { key, state, amount } }
}

/** The transaction that a refund of this charge names: its newest transfer, or the charge itself. */
const transactionOf = ({ receipts, details }: { receipts?: readonly { readonly id: string }[]; details: object }) =>
  receipts?.at(-1)?.id ?? String((details as { readonly id?: number }).id ?? '')
