import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { nextReference } from '../testing/charging.ts'
import {
  available,
  keyOf,
  type RefundingMalipo,
  type RefundingMerchant,
  refundingMalipo,
  returnsFees,
} from '../testing/refunding.ts'

/** What a provider takes back of a charge, or of a refund, while or after the charge is refunded. */

async function adjusted(merchant: RefundingMerchant, id: string, count = 1): Promise<void> {
  await until(`${id} to be adjusted`, async () => {
    const { adjustments = [] } = await merchant.read(id)
    return (adjustments as unknown[]).length === count
  })
}

const sumsOf = async (malipo: RefundingMalipo, id: string) => {
  const [row] = await malipo.ask<{ adjusted: string; suspended: string }>(
    'select adjusted::text, suspended::text from transactions where id = $1',
    [readId('transaction', id)],
  )
  return `adjusted ${row?.adjusted}, suspended ${row?.suspended}`
}

const openCases = async (malipo: RefundingMalipo, id: string) =>
  (
    await malipo.ask<{ amount: string }>(
      'select amount::text from suspense_cases where transaction_id = $1 and closed_at is null',
      [readId('transaction', id)],
    )
  ).map(({ amount }) => amount)

for (const [what, charged] of [
  ['mobile money', (merchant: RefundingMerchant) => merchant.paid(1000)],
  ['bank transfer', (merchant: RefundingMerchant) => merchant.paidByTransfer(1000)],
] as const)
  test(`a failed refund covers no charge by ${what} that its provider took back: the merchant is debited`, async (t) => {
    const malipo = await refundingMalipo(t)
    const merchant = await malipo.refunding()
    const start = await available(malipo, merchant.id)
    const charge = await charged(merchant)
    const refund = await merchant.refunded(charge.id, { amount: 729 })
    await malipo.comesTo(refund, 'submitted')
    await malipo.simulator.reverse(charge.key)
    await adjusted(merchant, charge.id)
    assert.equal(await sumsOf(malipo, charge.id), 'adjusted -27100, suspended -72900')

    await malipo.simulator.act(keyOf(refund), 'decline')
    await malipo.comesTo(refund, 'failed')

    assert.equal(await sumsOf(malipo, charge.id), 'adjusted -100000, suspended 0')
    assert.deepEqual(await openCases(malipo, charge.id), [])
    assert.equal((await merchant.read(charge.id)).refundable, 0)
    assert.equal(await available(malipo, merchant.id), start, 'neither gained nor lost')
    await malipo.assertBooks()
  })

test('each of two failed refunds uncovers its own part of a charge, and a successful one none', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paidByTransfer(1000)
  const refunds: string[] = []
  for (const amount of [129, 229, 329]) {
    const refund = await merchant.refunded(charge.id, { amount })
    await malipo.comesTo(refund, 'submitted')
    refunds.push(refund)
  }
  const [first = '', second = '', third = ''] = refunds
  await malipo.simulator.reverse(charge.key)
  await adjusted(merchant, charge.id)
  assert.equal(await sumsOf(malipo, charge.id), 'adjusted -31300, suspended -68700')

  await malipo.simulator.act(keyOf(second), 'decline')
  await malipo.comesTo(second, 'failed')
  assert.equal(await sumsOf(malipo, charge.id), 'adjusted -54200, suspended -45800')
  await malipo.simulator.act(keyOf(third), 'approve')
  await malipo.comesTo(third, 'successful')
  assert.equal(await sumsOf(malipo, charge.id), 'adjusted -54200, suspended -45800')
  await malipo.simulator.act(keyOf(first), 'decline')
  await malipo.comesTo(first, 'failed')

  assert.equal(await sumsOf(malipo, charge.id), 'adjusted -67100, suspended -32900')
  assert.deepEqual(await openCases(malipo, charge.id), ['-32900'], 'the customer got this part twice')
  await malipo.assertBooks()
})

test('a payout in place of a refund that its merchant rejects covers nothing that was taken back', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const rule = { env: 'sandbox', above: '500', currency: 'KES', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setApprovals(merchant.id, rule)
  const charge = await merchant.paid(1000)
  const { body } = await merchant.call('POST', '/api/b2b/fiat/payout', {
    ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo', refundOf: charge.id },
    payoutMethod: { accountName: 'Amina', accountNumber: '+254703456678' },
    externalReference: nextReference(),
  })
  const payout = String(body['transactionId'])
  assert.equal(await malipo.stateOf(payout), 'unapproved', JSON.stringify(body))
  await malipo.simulator.reverse(charge.key)
  await until('the charge to be taken back', async () => /suspended -100000/.test(await sumsOf(malipo, charge.id)))
  const before = await available(malipo, merchant.id)

  const rejected = await malipo.ctx.resolver.submit({
    transaction_id: readId('transaction', payout) ?? '',
    attempt: undefined,
    cause: 'request',
    observation: { kind: 'reject' },
  })

  assert.equal(rejected?.transaction.state, 'failed')
  assert.equal(await sumsOf(malipo, charge.id), 'adjusted -100000, suspended 0')
  assert.ok((await available(malipo, merchant.id)) < before + 100_000n, 'what was held is not all there again')
  await malipo.assertBooks()
})

test('the fee that came back with a refund is due again when the refund is returned, in shares', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  await returnsFees(malipo, merchant)
  const start = await available(malipo, merchant.id)
  const charge = await merchant.paid(1000)
  const charged = await available(malipo, merchant.id)
  assert.equal(charged, start + 100_000n - 3330n)
  const refund = await merchant.refunded(charge.id, { amount: 700 })
  await malipo.comesTo(refund, 'successful')
  const refunded = await available(malipo, merchant.id)

  await malipo.simulator.reverse(keyOf(refund))
  await adjusted(merchant, refund)

  assert.equal(await available(malipo, merchant.id), charged, 'the merchant has what it had before the refund')
  assert.equal(charged - refunded, 70_000n - 2331n)
  const { adjustments } = await merchant.read(refund)
  const [adjustment = ''] = adjustments as string[]
  const { amount, fee } = await merchant.read(adjustment)
  assert.deepEqual([amount, fee], [700, 23.31])
  await malipo.assertBooks()
})
