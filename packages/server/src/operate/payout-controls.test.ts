import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'

const order = { env: 'sandbox', reason: 'contract 17' } as const

test('limits and rules are set, changed and removed one by one, and each change is audited', async (t) => {
  const { operator, merchant, ask } = await testMalipo(t)
  const { id } = await merchant()
  const { setLimits, setApprovals, show } = operator.payoutControls

  await setLimits(id, { ...order, currency: 'KES', perPayout: '50000', perMerchantDay: '1000000' })
  await setLimits(id, { ...order, currency: 'KES', perPayout: '70000.50', perBeneficiaryDay: '0' })
  await setApprovals(id, { ...order, above: '20000', currency: 'KES', newBeneficiaries: true })
  const set = await setApprovals(id, { ...order, bulk: true, newBeneficiaries: false })

  const kes = { currency: 'KES', perPayout: '70000.50', perMerchantDay: '1000000.00', perBeneficiaryDay: '0.00' }
  assert.deepEqual(set, {
    merchantId: id,
    env: 'sandbox',
    currencies: [{ ...kes, approvalAbove: '20000.00' }],
    newBeneficiariesNeedApproval: false,
    bulkNeedsApproval: true,
  })
  const [live, sandbox] = await show(id)
  assert.deepEqual(sandbox, set)
  assert.deepEqual([live?.env, live?.currencies, live?.bulkNeedsApproval], ['live', [], false])
  const entries = await ask<{ detail: { before: object; after: object } }>(
    `select actor, action, env, reason, detail from audit_entries where subject = $1 and action in ('limits.set', 'approvals.set') order by id`,
    [id],
  )
  assert.equal(entries.length, 4)
  assert.partialDeepStrictEqual(entries.at(-1), { actor: 'test', action: 'approvals.set', ...order })
  assert.deepEqual(entries[2]?.detail.after, { ...entries[3]?.detail.before })

  const none = { perPayout: 'none', perMerchantDay: 'none', perBeneficiaryDay: 'none' } as const
  await setLimits(id, { ...order, currency: 'KES', ...none })
  await setApprovals(id, { ...order, above: 'none', currency: 'KES', bulk: false })
  assert.deepEqual(await ask('select from payout_controls'), [])
  assert.deepEqual(await ask('select from approval_rules'), [])
})

test('an unknown merchant or currency, a wrong amount and an empty change or reason are refused', async (t) => {
  const { operator, merchant } = await testMalipo(t)
  const { id } = await merchant()
  const { setLimits, setApprovals, show } = operator.payoutControls
  const unknown = 'mer_0193000000007000800000000000000f'

  await assert.rejects(show(unknown), /no merchant has the id/)
  await assert.rejects(async () => setLimits(unknown, { ...order, currency: 'KES', perPayout: '1' }), /no merchant has/)
  for (const [limits, message] of [
    [{ currency: 'XXX', perPayout: '1' }, /XXX is not a currency/],
    [{ currency: 'KES', perPayout: '-1' }, /perPayout -1 is not an amount of KES/],
    [{ currency: 'KES', perPayout: '1.001' }, /is not an amount of KES/],
    [{ currency: 'KES' }, /at least one limit/],
    [{ currency: 'KES', perPayout: '1', reason: ' ' }, /reason must not be empty/],
  ] as const)
    await assert.rejects(async () => setLimits(id, { ...order, ...limits }), message)
  await assert.rejects(async () => setApprovals(id, order), /at least one approval rule/)
  await assert.rejects(async () => setApprovals(id, { ...order, above: '10' }), /needs a currency/)
})

test('changes of one merchant at once all take effect', async (t) => {
  const { operator, merchant } = await testMalipo(t)
  const { id } = await merchant()
  const { setLimits, setApprovals, show } = operator.payoutControls
  const kes = { ...order, currency: 'KES' } as const

  await Promise.all([
    setLimits(id, { ...kes, perPayout: '1' }),
    setLimits(id, { ...kes, perMerchantDay: '2' }),
    setApprovals(id, { ...kes, above: '3' }),
    setApprovals(id, { ...order, bulk: true }),
    setApprovals(id, { ...order, newBeneficiaries: true }),
  ])

  const [, sandbox] = await show(id)
  assert.partialDeepStrictEqual(sandbox, {
    currencies: [{ currency: 'KES', perPayout: '1.00', perMerchantDay: '2.00', approvalAbove: '3.00' }],
    newBeneficiariesNeedApproval: true,
    bulkNeedsApproval: true,
  })
})
