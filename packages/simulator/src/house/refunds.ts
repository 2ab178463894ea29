import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import type { Payment } from '../entries.ts'
import { findFault } from '../faults.ts'
import { accept } from '../life.ts'
import { toUnits } from '../money.ts'
import { claimedBy, collectedOf, refundDraft } from '../refunds.ts'
import { fingerprintOf, floatEmpty, repeat, subjectsOf } from './payments.ts'
import { type Fields, findAmountProblem, findProblem, type Problem, refundForm } from './read.ts'
import { refuse } from './words.ts'

/** A refund by its own key. It names the key of its charge. Several of one charge may be open at once. */
export async function createRefund(call: Call): Promise<Reply> {
  const { core, json } = call
  const problem = findProblem(json, refundForm) ?? findRefundAmountProblem(json as Fields)
  if (problem) return refuse(400, problem.code, problem.message)
  const body = json as Fields
  const key = String(body['key']).toLowerCase()
  const fingerprint = fingerprintOf(body)
  const known = core.books.find('house', 'refund', key)
  if (known) return repeat(core, known, fingerprint)
  const charge = core.books.find('house', 'charge', String(body['charge']).toLowerCase())
  const obstacle = findObstacle(core, charge, body)
  if (charge === undefined || obstacle) return failed(key, obstacle ?? unknownCharge)
  const faults = core.faults.draw('payment', {
    provider: 'house',
    operation: 'refund',
    subjects: subjectsOf(call, 'refund'),
  })
  if (findFault(faults, 'operator_closed'))
    return refuse(409, 'OPERATOR_CLOSED', 'The operator does not accept payments now.')
  const draft = refundDraft(core, charge, { key, amount: String(body['amount']), fingerprint })
  const isShort = findFault(faults, 'float_empty') || core.books.floats.available(draft) < toUnits(draft.amount)
  if (isShort) return failed(key, floatEmpty)
  await accept(core, { ...draft, faults })
  return { status: 200, body: { key, state: 'accepted', repeated: false } }
}

const findRefundAmountProblem = ({ amount, currency }: Fields) => findAmountProblem(String(amount), String(currency))

/** Nothing is stored: the same key may be sent again once the reason is gone. */
const failed = (key: string, failure: Problem): Reply => ({
  status: 200,
  body: { key, state: 'failed', repeated: false, failure },
})

const unknownCharge: Problem = { code: 'CHARGE_NOT_FOUND', message: 'The charge was not found.' }

function findObstacle({ books }: Core, charge: Payment | undefined, body: Fields): Problem | undefined {
  if (charge === undefined || charge.country !== body['country'] || charge.currency !== body['currency'])
    return unknownCharge
  const collected = collectedOf(charge)
  if (collected <= 0n) return { code: 'CHARGE_NOT_PAID', message: 'The charge has no money to refund.' }
  return toUnits(String(body['amount'])) > collected - claimedBy(books.refundsOf(charge))
    ? { code: 'AMOUNT_TOO_LARGE', message: 'The amount is more than is left of the charge.' }
    : undefined
}
