import assert from 'node:assert/strict'
import { test } from 'node:test'
import { look, openDashboard } from './open-dashboard.ts'

test('staff read the books, payments, people and the audit trail', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const merchant = await malipo.refunding()
  const paid = await merchant.paid(1250)
  await merchant.refunded(paid.id, { amount: 400 })
  await malipo.operator.merchants.freeze((await malipo.merchant()).id, 'a test')

  await t.test('the trial balance sums to 0 and opens an account with its entries drawn', async () => {
    const { page, go } = await as({ operator: ['risk'], name: 'Daniel Mutiso' })
    await go('/operator/ledger?env=sandbox')
    await page.getByText(/Balances in \d+ currenc/).waitFor()
    await page
      .getByRole('link', { name: /Fees KES/ })
      .or(page.getByRole('link', { name: /Wallets KES/ }))
      .first()
      .click()
    await look(page, 'ledger')
    await page.getByRole('link', { name: 'Wallet KES KE' }).first().click()
    await page
      .getByRole('button', { name: /Draw the entries of/ })
      .first()
      .click()
    await page.getByText('Arrow: from debit to credit').waitFor()
    await look(page, 'ledger-account')
  })

  await t.test('staff payments, people and the audit trail are read', async () => {
    const admin = await as({ operator: ['admin'], name: 'Amina Otieno' })
    await admin.go('/operator/payments?env=sandbox&show=all')
    await admin.page.getByRole('row').filter({ hasText: '1,250' }).click()
    await admin.page.getByRole('complementary', { name: 'Payment' }).getByText('Completed').first().waitFor()
    await look(admin.page, 'operator-payments')
    await admin.go('/operator/people')
    await admin.page.getByText('Daniel Mutiso').waitFor()
    await look(admin.page, 'people')
    await admin.go('/operator/audit')
    await admin.page
      .getByRole('button', { name: /^merchant.freeze/ })
      .first()
      .click()
    await look(admin.page, 'audit')
  })

  assert.deepEqual(complaints, [])
})
