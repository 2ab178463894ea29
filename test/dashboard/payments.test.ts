import assert from 'node:assert/strict'
import { test } from 'node:test'
import { look, openDashboard } from './open-dashboard.ts'

test('payments are listed, and one is read in the drawer', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1250)
  await merchant.refunded(charge.id, { amount: 400 })
  const { page, go } = await as({ merchant: { id: merchant.id, roles: ['owner'] } })

  await go(`/m/${merchant.id}/sandbox/payments`)
  await page.getByRole('row').filter({ hasText: '1,250' }).click()
  await page.getByRole('complementary', { name: 'Payment' }).getByText('Completed').first().waitFor()
  await look(page, 'payments')
  assert.deepEqual(complaints, [])
})
