import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestPerson } from '../../packages/server/src/testing/people.ts'
import { look, openDashboard } from './open-dashboard.ts'

test('a payout above the threshold is approved by another person, and never by its maker or a viewer', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const merchant = await malipo.merchant()
  const { id } = merchant
  const rule = { env: 'sandbox', above: '500', currency: 'KES', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setApprovals(id, rule)
  const at = (path: string) => `/dashboard/v1/merchants/${id}/sandbox${path}`
  const maker = await as({ name: 'Brian Otieno', merchant: { id, roles: ['approver'] } })
  const [large, larger] = [await payOut(maker.person, 18_500), await payOut(maker.person, 46_800)]

  const byServer = await merchant.call('POST', '/api/b2b/fiat/payout', payout(900))
  assert.equal(byServer.status, 200, JSON.stringify(byServer.body))

  await maker.go(`/m/${id}/sandbox/approvals`)
  await maker.page.getByText('You made this payout, so another person decides.').waitFor()
  assert.equal(await maker.page.getByRole('button', { name: /^Approve/ }).count(), 0)
  const own = await maker.person.call('POST', at(`/approvals/${large}/approve`), { reason: 'mine' })
  assert.deepEqual([own.status, own.body['errorCode']], [403, 'APPROVAL_NOT_ALLOWED'])

  const viewer = await as({ name: 'Njeri Viewer', merchant: { id, roles: ['viewer'] } })
  await viewer.go(`/m/${id}/sandbox/approvals`)
  await viewer.page.getByText('payouts:approve').waitFor()
  const refused = await viewer.person.call('POST', at(`/approvals/${large}/approve`), { reason: 'no' })
  assert.deepEqual([refused.status, refused.body['errorCode']], [403, 'PERMISSION_DENIED'])

  const { page, go } = await as({ name: 'Faith Njeri', merchant: { id, roles: ['approver'] } })
  await go(`/m/${id}/sandbox/approvals`)
  const card = page.getByRole('region', { name: 'Decide' })
  await card.getByText('Your KES wallet').first().waitFor()
  await page.getByRole('row').filter({ hasText: 'supplier-900' }).getByText('Your server (API)').waitFor()
  await look(page, 'approvals')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: 'Approvals 3 to approve' }).waitFor()
  await page.setViewportSize({ width: 1440, height: 900 })
  await decide('supplier-18500', 'Approve with passkey', 'invoice 12 checked')
  const approved = page.getByRole('row').filter({ hasText: 'Approved' })
  await approved.getByText('supplier-18500').waitFor()
  await decide('supplier-46800', 'Reject', 'the amount is wrong')
  await page.getByRole('row').filter({ hasText: 'Rejected' }).first().waitFor()
  await decide('supplier-900', 'Reject', 'the amount is wrong')
  await page.getByText('No payout waits for approval').waitFor()
  await page.getByRole('heading', { name: 'Decided lately: 3' }).waitFor()
  await look(page, 'approvals-decided')

  await malipo.comesTo(large, 'successful')
  assert.equal(await malipo.stateOf(larger), 'failed')
  assert.deepEqual(complaints, [])

  async function payOut(person: TestPerson, amount: number): Promise<string> {
    const { status, body } = await person.call('POST', at('/fiat/payout'), payout(amount))
    assert.equal(status, 200, JSON.stringify(body))
    return String(body['transactionId'])
  }

  async function decide(reference: string, button: string, reason: string): Promise<void> {
    await card.getByText(reference).waitFor()
    await card.getByLabel('Reason').fill(reason)
    await card.getByRole('button', { name: button }).click()
  }
})

const payout = (amount: number) => ({
  ...{ amount, currency: 'KES', country: 'KE', destination: 'MoMo' },
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
  externalReference: `supplier-${amount}`,
})
