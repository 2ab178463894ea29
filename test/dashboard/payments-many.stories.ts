import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { openDashboard } from './open-dashboard.ts'

const rows = 50_000
const pageRows = 5000

/** A payment as the search returns it, copied under its own id. */
const copyOf = (payment: Record<string, unknown>, index: number) => ({
  ...payment,
  transactionId: `txn_${String(rows - index).padStart(32, '0')}`,
  externalReference: `order-${rows - index}`,
  amount: 100 + (index % 9000),
})

test('of 50,000 loaded payments the page holds only those in view, wherever it is scrolled', {
  timeout: 240_000,
}, async (t) => {
  const { malipo, as } = await openDashboard(t)
  const merchant = await malipo.refunding()
  await merchant.paid(1250)
  const { page, go, person } = await as({ merchant: { id: merchant.id, roles: ['owner'] } })
  const { body } = await person.call('GET', `/dashboard/v1/merchants/${merchant.id}/sandbox/search/transactions`)
  const [payment = {}] = body['data'] as Record<string, unknown>[]
  await page.route('**/search/transactions?**', async (route) => {
    const url = new URL(route.request().url())
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const copies = Array.from({ length: pageRows }, (_, at) => copyOf(payment, from + at))
    const nextCursor = from + pageRows < rows ? String(from + pageRows) : ''
    await route.fulfill({ json: { success: true, data: copies, nextCursor } })
  })

  await go(`/m/${merchant.id}/sandbox/payments`)
  const list = page.getByRole('region', { name: 'Payments', exact: true })
  await list.getByRole('row').nth(5).waitFor()
  const shown = page.getByRole('status').filter({ hasText: /^50,000 payments$/ })
  await until('all rows to be loaded', async () => {
    await page.evaluate(`document.querySelector('section[aria-label="Payments"]').scrollTop = 1e9`)
    return (await shown.count()) > 0
  })

  for (const place of [0, 0.37, 1]) {
    await page.evaluate(`(() => {
      const list = document.querySelector('section[aria-label="Payments"]')
      list.scrollTop = list.scrollHeight * ${place}
    })()`)
    const number = Math.max(1, Math.round(rows * (1 - place)))
    await until(`the payments near number ${number}`, async () => {
      const texts = await list.getByText(/^order-\d+$/).allInnerTexts()
      return texts.some((text) => Math.abs(Number(text.slice('order-'.length)) - number) < 60)
    })
    assert.ok((await list.locator('tr').count()) < 100)
  }
})
