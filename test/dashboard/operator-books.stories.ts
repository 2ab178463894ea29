import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordCommand } from '../../packages/server/src/platform/command-results.ts'
import { assertLowRows, assertWithin } from './acting.ts'
import { look, openDashboard } from './open-dashboard.ts'

test('staff read the books, payments, people and the audit trail', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const merchant = await malipo.refunding()
  const paid = await merchant.paid(1250)
  await merchant.refunded(paid.id, { amount: 400 })
  await malipo.operator.merchants.freeze((await malipo.merchant()).id, 'a test')

  await t.test('the trial balance has every currency within the window, and the checks are explained', async () => {
    const { page, go, person } = await as({ operator: ['risk'], name: 'Naliaka Simiyu' })
    const { body } = await person.call('GET', '/operator/v1/ledger/trial-balance?env=sandbox')
    const { currencies } = body['data'] as { currencies: { currency: string }[] }
    await go('/operator/ledger?env=sandbox')
    const table = page.getByRole('region', { name: 'Trial balance, table' })
    await table.getByRole('rowheader', { name: 'ZMW' }).waitFor()
    const shown = await table.getByRole('rowheader').allInnerTexts()
    assert.ok(shown.length > 10)
    assert.deepEqual(
      shown,
      currencies.map(({ currency }) => currency),
    )
    for (const width of [390, 1440]) await assertWithin(page, table.getByRole('rowheader'), width)
    await page.getByText('A failure would mean:').first().waitFor()
    assert.equal(await page.getByText('A failure would mean:').count(), 3)
  })

  await t.test('a check that found a difference is shown, whatever was checked before', async () => {
    const difference = {
      name: 'ledger_check_full',
      isGood: false,
      detail: 'Wallet KES KE has other counters.',
    } as const
    await recordCommand(malipo.ctx.db.write, difference)
    const { page, go } = await as({ operator: ['risk'], name: 'Naliaka Simiyu' })
    await go('/operator/ledger?env=sandbox')
    await page.getByText('Difference found').waitFor()
    await page.getByText(/found a difference: Wallet KES KE/).waitFor()
    await malipo.ask('delete from command_results')
  })

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
    await assertLowRows(admin.page, 'Staff, table')
    await admin.go('/operator/audit')
    await admin.page
      .getByRole('button', { name: /^merchant.freeze/ })
      .first()
      .click()
    const frozen = admin.page.getByRole('row').filter({ hasText: 'merchant.freeze' }).first()
    await frozen.getByText('Duka').waitFor()
    await frozen.getByText('Both').waitFor()
    await admin.page.getByRole('row').filter({ hasText: 'token.issue' }).first().getByText('Sandbox').waitFor()
    await look(admin.page, 'audit')
    await assertWithin(admin.page, admin.page.getByRole('table').getByText(/^by pk_test/), 390)
  })

  assert.deepEqual(complaints, [])
})
