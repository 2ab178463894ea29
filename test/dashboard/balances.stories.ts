import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readCsv } from '../../packages/dashboard/src/pages/bulk/csv.ts'
import { payOut, quote as setRate, walletOf } from '../../packages/server/src/testing/paying.ts'
import { look, openDashboard } from './open-dashboard.ts'

test('balances show wallets, a statement that equals the ledger, the flow and conversions', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1250)
  await malipo.comesTo(await merchant.refunded(charge.id, { amount: 400 }), 'successful')
  await merchant.paidByTransfer(300)
  await malipo.comesTo((await payOut(merchant, { amount: 75 })).id, 'successful')
  await setRate(malipo, 'USD/KES', '128.40', '129.60')
  const { page, go } = await as({ merchant: { id: merchant.id, roles: ['finance'] } })
  const at = `/m/${merchant.id}/sandbox/balances`

  await t.test('the statement opens, moves and closes as the ledger does', async () => {
    await go(`${at}?currency=KES&country=KE`)
    await page.getByText('Closing balance, ').waitFor()
    await page.getByRole('row').filter({ hasText: 'Refund' }).first().waitFor()
    await page.getByRole('img', { name: /at the start and/ }).waitFor()
    const [opening = 0, into = 0, out = 0, fees = 0, closing = 0] = (
      await page.getByLabel('Totals').getByRole('definition').allTextContents()
    ).map(minorIn)
    assert.equal(opening + into + out + fees, closing)
    assert.ok(into > 0 && out < 0 && fees < 0, [into, out, fees].join())
    const { available, reserved } = await walletOf(malipo, merchant.id)
    assert.equal(BigInt(closing), available + reserved)
    assert.equal(minorIn((await page.getByText('Balance with held').first().textContent()) ?? ''), closing)
    await look(page, 'balances')
  })

  await t.test('the exported statement adds up to the wallet of the ledger', async () => {
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    const [head, ...rows] = readCsv(await readFile(await (await downloading).path(), 'utf8'))
    const column = head?.fields.indexOf('amount') ?? -1
    assert.ok(column >= 0, head?.fields.join())
    const sum = rows.reduce((total, { fields }) => total + Math.round(Number(fields[column]) * 100), 0)
    const { available, reserved } = await walletOf(malipo, merchant.id)
    assert.equal(BigInt(sum), available + reserved)
  })

  await t.test('the flow is also a table', async () => {
    await page.getByRole('region', { name: 'Money flow' }).getByRole('button', { name: 'View as table' }).click()
    await page.getByRole('cell', { name: 'Charges, mobile money' }).waitFor()
  })

  await t.test('money is converted at the quoted rate', async () => {
    await page.getByRole('button', { name: 'Convert between wallets' }).click()
    await page.getByLabel('Leaves your KES wallet').fill('1,296')
    await page.getByLabel('Arrives in').selectOption({ label: 'USD wallet, Kenya' })
    await page.getByText('Rate held until').waitFor()
    await look(page, 'balances-convert')
    await page.getByRole('button', { name: 'Convert KES 1,296.00' }).click()
    await page.getByText('USD 10.00 arrived').waitFor()
  })

  await t.test('a viewer sees balances and neither exports nor converts', async () => {
    const viewer = await as({ merchant: { id: merchant.id, roles: ['viewer'] } })
    await viewer.go(at)
    await viewer.page.getByText('Closing balance, ').waitFor()
    assert.equal(await viewer.page.getByRole('link', { name: 'Export CSV' }).count(), 0)
    assert.equal(await viewer.page.getByRole('button', { name: 'Convert between wallets' }).count(), 0)
    const refused = await viewer.person.call(
      'GET',
      `/dashboard/v1/merchants/${merchant.id}/sandbox/exports/statement?currency=KES`,
    )
    assert.equal(refused.status, 403)
  })
  assert.deepEqual(complaints, [])
})

/** `KES −1,250.00` in minor units. */
const minorIn = (text: string): number => Number(text.replace('−', '-').replaceAll(/[^\d-]/g, ''))
