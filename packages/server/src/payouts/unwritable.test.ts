import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SubmitOutcome } from '../providers/contract.ts'
import { available, type RefundingMalipo, refundingMalipo } from '../testing/refunding.ts'

/** From now on no provider can express a payout or a refund. Returns how often one was sent. */
function expressNothing(t: TestContext, { ctx }: RefundingMalipo): () => number {
  const detail = 'the protocol has no such field'
  const submit = async (): Promise<SubmitOutcome> => ({
    certainty: 'definitely_not_submitted',
    cause: 'unwritable',
    detail,
  })
  const mocks = [...ctx.connectors.sandbox.values()].flatMap(({ payouts, refunds }) => [
    ...(payouts ? [t.mock.method(payouts, 'submit', submit)] : []),
    ...(refunds ? [t.mock.method(refunds, 'submit', submit)] : []),
  ])
  return () => mocks.reduce((sum, { mock }) => sum + mock.callCount(), 0)
}

const payoutBody = {
  ...{ amount: 300, currency: 'KES', country: 'KE', destination: 'MoMo' },
  payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' },
  externalReference: 'not-expressed',
}

test('a payout that its provider cannot express fails while it is sent, and its money is back', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const before = await available(malipo, merchant.id)
  const sent = expressNothing(t, malipo)

  const body = { ...payoutBody, refundOf: charge.id }
  const { transactionId } = (await merchant.call('POST', '/api/b2b/fiat/payout', body)).body
  await malipo.comesTo(String(transactionId), 'failed')

  assert.ok(sent() > 0)
  const { failureReason } = await merchant.read(String(transactionId))
  assert.equal((failureReason as { failureCode: string }).failureCode, 'DETAILS_NOT_ACCEPTED')
  assert.equal(await available(malipo, merchant.id), before)
  assert.equal((await merchant.read(charge.id)).refundable, 1000)
  await malipo.assertBooks()
})

test('a refund that its provider cannot express fails while it is sent, and its money is back', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  for (const make of [merchant.paid, merchant.paidByTransfer]) {
    const charge = await make(1000)
    const before = await available(malipo, merchant.id)
    const sent = expressNothing(t, malipo)

    const refund = await merchant.refunded(charge.id, { amount: 400 })
    await malipo.comesTo(refund, 'failed')

    assert.equal(sent(), 1)
    assert.equal(await available(malipo, merchant.id), before)
    assert.equal((await merchant.read(charge.id)).refundable, 1000)
    t.mock.restoreAll()
  }
  await malipo.assertBooks()
})
