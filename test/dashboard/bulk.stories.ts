import assert from 'node:assert/strict'
import { test } from 'node:test'
import { look, openDashboard } from './open-dashboard.ts'

const heads = 'externalReference;amount;currency;country;destination;accountName;accountNumber'

/** 500 rows, of which row 47 is too small, row 212 has a decimal comma and row 388 has a reference that is used. */
function wages(usedReference: string): string {
  const rows = Array.from({ length: 500 }, (_, index) => {
    const number = index + 1
    const phone = `+2547034${String(10_000 + number)}`
    const amount = { 47: '5', 212: '315,50' }[number] ?? String(100 + number)
    return [
      number === 388 ? usedReference : `wages-${number}`,
      amount,
      'KES;KE;MoMo',
      `"Otieno; Amina ${number}"`,
      phone,
    ].join(';')
  })
  return `\uFEFF${[heads, ...rows].join('\r\n')}`
}

test('500 rows with 3 bad ones are corrected, confirmed by their total and paid row by row', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const merchant = await malipo.refunding()
  const used = {
    ...{ amount: 100, currency: 'KES', country: 'KE', destination: 'MoMo' },
    externalReference: 'paid-before',
  }
  const payoutMethod = { accountName: 'Amina', accountNumber: '+254703456789' }
  assert.equal((await merchant.call('POST', '/api/b2b/fiat/payout', { ...used, payoutMethod })).status, 200)
  const { page, go } = await as({ merchant: { id: merchant.id, roles: ['finance'] } })
  const problems = page.getByRole('list', { name: 'Rows with problems' })

  await t.test('a file that cannot be read says why', async () => {
    await go(`/m/${merchant.id}/sandbox/payouts/bulk`)
    await page.getByLabel('Or paste the rows').fill('amount,salary\n1,2')
    await page.getByRole('button', { name: 'Check the rows' }).click()
    await page.getByText('Unknown column: salary').waitFor()
    await look(page, 'bulk-file')
  })

  await t.test('each problem is listed with its fix, and the others are ready', async () => {
    const file = { name: 'wages.csv', mimeType: 'text/csv', buffer: Buffer.from(wages('paid-before')) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('heading', { name: '497 ready, 3 problems' }).waitFor()
    assert.equal(await problems.getByRole('listitem').count(), 3)
    await problems.getByText('comma before the decimals').waitFor()
    await problems.getByRole('link', { name: 'Open it' }).waitFor()
    await look(page, 'bulk')
  })

  await t.test('rows are corrected in place or left out', async () => {
    await problems.getByRole('button', { name: 'Edit amount' }).first().click()
    await page.getByLabel('New amount').fill('50')
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByRole('heading', { name: '498 ready, 2 problems' }).waitFor()
    await problems.getByRole('button', { name: 'Edit amount' }).click()
    await page.getByLabel('New amount').fill('315')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '499 ready, 1 problem' }).waitFor()
    await problems.getByRole('button', { name: 'Leave out' }).click()
    await page.getByRole('heading', { name: '499 ready, no problems' }).waitFor()
  })

  await t.test('the total is typed, and every row has its result', async () => {
    const label = await page.getByText(/^Type \d+ to confirm, KES$/).textContent()
    const total = /\d+/.exec(label ?? '')?.[0] ?? ''
    const pay = page.getByRole('button', { name: 'Pay 499' })
    assert.equal(await pay.isDisabled(), true)
    await page.getByLabel('to confirm, KES').fill(total)
    await pay.click()
    await page.getByRole('heading', { name: '499 payouts accepted' }).waitFor({ timeout: 60_000 })
    await look(page, 'bulk-done')
    const [made] = await malipo.ask<{ count: string; sum: string }>(
      `select count(*) as count, sum(t.amount) as sum from transactions t join external_references r on r.transaction_id = t.id
       where r.reference like 'wages-%'`,
    )
    assert.deepEqual([made?.count, made?.sum], ['499', `${total}00`])
  })

  await t.test('a viewer sees no form, and is refused by direct call', async () => {
    const viewer = await as({ merchant: { id: merchant.id, roles: ['viewer'] } })
    await viewer.go(`/m/${merchant.id}/sandbox/payouts/bulk`)
    await viewer.page.getByText('payouts:create').waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: 'Check the rows' }).count(), 0)
    const payouts = [{ ...used, externalReference: 'by-a-viewer', payoutMethod }]
    for (const path of ['/fiat/payouts/bulk', '/fiat/payouts/bulk/validate']) {
      const at = `/dashboard/v1/merchants/${merchant.id}/sandbox${path}`
      assert.equal((await viewer.person.call('POST', at, { payouts })).status, 403, path)
    }
    const { status } = await merchant.call('GET', '/api/b2b/transactions/by-a-viewer')
    assert.equal(status, 404)
  })
  assert.deepEqual(complaints, [])
})
