import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertLowRows, clickTwice, countRequests } from './acting.ts'
import { look, openDashboard } from './open-dashboard.ts'

const rules = { env: 'sandbox', reason: 'contract 17' } as const

async function enterAccount(page: Page, { number, name }: { readonly number: string; readonly name: string }) {
  await page.getByLabel('Country').selectOption('KE')
  await page.getByLabel('Destination').selectOption({ label: 'M-Pesa' })
  await page.getByLabel('Phone number').fill(number)
  await page.getByLabel('Name of the account holder').fill(name)
}

/** Responds to the first of these requests with 503. Returns the idempotency keys of all, as they come. */
async function refuseFirst(page: Page, path: RegExp): Promise<readonly (string | undefined)[]> {
  const keys: (string | undefined)[] = []
  await page.route(path, (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    const json = { success: false, errorCode: 'OVERLOADED', message: 'Malipo is overloaded.' }
    return keys.length === 1 ? route.fulfill({ status: 503, json }) : route.continue()
  })
  return keys
}

test('a person pays a new account after a name check, above the rule with approval, and by beneficiary', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const merchant = await malipo.refunding()
  await malipo.operator.payoutControls.setApprovals(merchant.id, { ...rules, above: '5000', currency: 'KES' })
  const { page, go } = await as({ merchant: { id: merchant.id, roles: ['finance'] } })
  const at = `/m/${merchant.id}/sandbox`

  await t.test('names that differ are a decision before the payout', async () => {
    await go(`${at}/payouts/new`)
    await enterAccount(page, { number: '+254 703 456 789', name: 'Zbigniew Xyz' })
    await page.getByText('Names differ.').waitFor()
    await page.getByLabel('Beneficiary receives').fill('1,250.50')
    await page.getByLabel('Your reference').fill('supplier-1')
    await page.getByText('Decide about the name').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Pay/ }).isDisabled(), true)
  })

  await t.test('decimals that the operator does not take are named at the amount', async () => {
    await page
      .getByText(/takes whole amounts only/)
      .first()
      .waitFor()
    await page.getByLabel('Beneficiary receives').fill('1,250')
    await page.getByText('held until').waitFor()
  })

  await t.test('the reported name matches, also in another order, and two clicks make one payout', async () => {
    const note = await page.getByText('reports this account as').locator('b').last().textContent()
    const reversed = (note ?? '').split(' ').toReversed().join(' ')
    await page.getByLabel('Name of the account holder').fill(reversed)
    await page.getByText('Only the order differs.').waitFor()
    await page.getByText('held until').waitFor()
    await look(page, 'payout-new')
    const requests = countRequests(page, 'POST', /\/fiat\/payout$/)
    await clickTwice(page.getByRole('button', { name: 'Pay KES 1,250.00' }))
    await page.getByRole('heading', { name: 'Payout accepted' }).waitFor()
    await page.getByText('Completed').waitFor()
    assert.equal(requests(), 1)
    const { body } = await merchant.call('GET', '/api/b2b/transactions')
    assert.equal((body['data'] as unknown[]).length, 1)
    await look(page, 'payout-made')
  })

  await t.test('above the rule the amount is typed and the payout waits for approval', async () => {
    await page.getByRole('button', { name: 'Make another payout' }).click()
    await enterAccount(page, { number: '+254703456111', name: 'Amina Otieno' })
    await page.getByLabel('Beneficiary receives').fill('6000')
    await page.getByLabel('Your reference').fill('supplier-2')
    await page.getByLabel('I have checked with the owner').check()
    await page.getByLabel('Type 6000 to confirm').fill('600')
    const send = page.getByRole('button', { name: 'Send for approval' })
    assert.equal(await send.isDisabled(), true)
    await look(page, 'payout-approval')
    await page.getByLabel('Type 6000 to confirm').fill('6000')
    await send.click()
    await page.getByRole('heading', { name: 'Sent for approval' }).waitFor()
    await page.getByText('Awaiting approval').waitFor()
    await look(page, 'payout-waiting')
  })

  await t.test('a beneficiary is added, paid and deleted', async () => {
    await go(`${at}/beneficiaries`)
    await page.getByText('No beneficiaries yet').waitFor()
    await look(page, 'beneficiaries-empty')
    await page.getByRole('button', { name: 'Add a beneficiary' }).click()
    await enterAccount(page, { number: '+254703456222', name: 'Baraka Mushi' })
    await page.getByLabel('I have checked with the owner').check()
    await look(page, 'beneficiary-add')
    await page.getByRole('button', { name: 'Add the beneficiary' }).click()
    await page.getByRole('link', { name: 'Pay Baraka Mushi' }).waitFor()
    await look(page, 'beneficiaries')
    await assertLowRows(page, 'Beneficiaries')
    await page.getByRole('link', { name: 'Pay Baraka Mushi' }).click()
    await page.getByLabel('Beneficiary receives').fill('300')
    await page.getByLabel('Your reference').fill('supplier-3')
    await page.getByLabel('I have checked with the owner').check()
    const keys = await refuseFirst(page, /\/fiat\/payout$/)
    await page.getByRole('button', { name: 'Pay KES 300.00' }).click()
    await page.getByText('Malipo is overloaded.').first().waitFor()
    await page.getByRole('button', { name: 'Pay KES 300.00' }).click()
    await page.getByRole('heading', { name: 'Payout accepted' }).waitFor()
    assert.equal(keys.length, 2)
    assert.ok(keys[0] && keys[0] === keys[1], 'after a 503 the same key is sent again')
    assert.match(complaints.pop() ?? '', /status of 503/)

    await go(`${at}/beneficiaries`)
    await page.getByRole('textbox', { name: 'Search' }).fill('nothing of that name')
    await page.getByText('No beneficiary matches').waitFor()
    await page.getByRole('textbox', { name: 'Search' }).fill('mushi')
    await page.getByRole('button', { name: 'Delete Baraka Mushi' }).click()
    await page.getByRole('button', { name: 'Delete the beneficiary' }).click()
    await page.getByText('Baraka Mushi is deleted').waitFor()
    const { body } = await merchant.call('GET', '/api/b2b/transactions/supplier-3')
    assert.equal((body['data'] as { beneficiary: { accountName: string } }).beneficiary.accountName, 'Baraka Mushi')
  })

  await t.test('a viewer neither pays nor changes beneficiaries, also by direct call', async () => {
    const viewer = await as({ merchant: { id: merchant.id, roles: ['viewer'] } })
    await viewer.go(`${at}/payouts/new`)
    await viewer.page.getByText('payouts:create').waitFor()
    await look(viewer.page, 'payout-forbidden')
    await viewer.go(`${at}/beneficiaries`)
    await viewer.page.getByText('No beneficiaries yet').waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: 'Add a beneficiary' }).count(), 0)
    const payoutMethod = { accountName: 'Amina Otieno', accountNumber: '+254703456789' }
    const account = { currency: 'KES', country: 'KE', destination: 'MoMo', payoutMethod }
    const refused = [
      ['POST', '/fiat/payout', { ...account, amount: 100, externalReference: 'by-a-viewer' }],
      ['POST', '/quotes', { ...account, amount: 100 }],
      ['POST', '/external-accounts', account],
      ['POST', '/conversions', { amount: 100 }],
    ] as const
    for (const [method, path, body] of refused) {
      const { status } = await viewer.person.call(method, `/dashboard/v1/merchants/${merchant.id}/sandbox${path}`, body)
      assert.equal(status, 403, path)
    }
  })
  assert.deepEqual(complaints, [])
  await malipo.assertBooks()
})
