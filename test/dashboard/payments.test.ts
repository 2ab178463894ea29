import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { openInbox } from '../../packages/server/src/testing/inbox.ts'
import { payOut } from '../../packages/server/src/testing/paying.ts'
import { keyOf } from '../../packages/server/src/testing/refunding.ts'
import { startDeliveries } from '../../packages/server/src/workers/deliveries.ts'
import { clickTwice, countRequests } from './acting.ts'
import { look, openDashboard, site } from './open-dashboard.ts'

/** A merchant with payments of every kind and an endpoint, and the windows of its people. */
async function openPayments(t: TestContext) {
  const dashboard = await openDashboard(t)
  const { malipo } = dashboard
  const deliveries = startDeliveries(malipo.ctx)
  t.after(() => deliveries.stop())
  const inbox = await openInbox()
  t.after(() => inbox.close())
  const merchant = await malipo.refunding()
  const { status } = await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: `${inbox.url}/hooks` })
  assert.equal(status, 200)
  const before = await bookedOf()
  const charge = await merchant.paid(1250)
  const card = await merchant.paidByCard(45_000)
  // Without response and callback, only a query ends the doubt.
  for (const mode of ['drop_after_processing', 'callback_never'] as const)
    await malipo.simulator.setFault({ provider: 'pawapay', operation: 'payout', mode, times: 1 })
  const doubted = await payOut(merchant, { amount: 400 })
  await malipo.comesTo(doubted.id, 'successful')
  await merchant.refunded(charge.id, { amount: 250 })
  await malipo.ctx.requestLog.flush()
  const path = `/m/${merchant.id}/sandbox/payments`
  const list = (page: Page) => page.getByRole('region', { name: 'Payments', exact: true })
  const drawer = (page: Page) => page.getByRole('complementary', { name: 'Payment' })

  /** What is posted in the merchant's KES wallet, in minor units. */
  async function bookedOf(): Promise<bigint> {
    const [row] = await malipo.ask<{ booked: string | null }>(
      `select sum(credits_posted - debits_posted) as booked
       from wallets w join merchants m on m.id = w.merchant_id
       where w.currency = 'KES' and w.env = 'sandbox' and replace(m.id::text, '-', '') = $1`,
      [merchant.id.replace('mer_', '')],
    )
    return BigInt(row?.booked ?? 0)
  }
  return { ...dashboard, merchant, inbox, charge, card, doubted, path, list, drawer, before, bookedOf }
}

type Stage = Awaited<ReturnType<typeof openPayments>>

test("a merchant's people see payments and act on them", { timeout: 380_000 }, async (t) => {
  const stage = await openPayments(t)
  const owner = await stage.as({ merchant: { id: stage.merchant.id, roles: ['owner'] }, name: 'Wanjiku Mwangi' })

  await t.test('a view and filters select payments, and a search text is in no URL', () => filters(stage, owner))
  await t.test('a view is saved under a name, shared, renamed and deleted', () => views(stage, owner))
  await t.test('a payment is read in parts, and its entries differ by nothing', () => parts(stage, owner))
  await t.test('two clicks refund a part of a charge once, and the wallet pays', () => refund(stage, owner))
  await t.test('a webhook is sent again, for one payment and for selected ones', () => resend(stage, owner))
  await t.test('a charge made by API appears within 2 s and is followed to success', async (live) => {
    live.diagnostic(`the charge appeared ${await appears(stage, owner)} ms after it was accepted`)
  })
  await t.test('an export has the sums of the ledger', () => exported(stage, owner))
  await t.test('a payment is found and read by keyboard alone', () => keyboard(stage, owner))
  await t.test('rows stay when more cannot be loaded, marked with their time', () => stale(stage, owner))
  await t.test('a busy server is asked again, and the page is loaded meanwhile', () => busy(stage, owner))
  await t.test('a viewer sees no action and is refused by direct call', () => viewer(stage))
  const unexpected = stage.complaints.filter((complaint) => !complaint.includes('status of 503'))
  assert.deepEqual(unexpected, [])
})

type Owner = Awaited<ReturnType<Stage['as']>>

async function filters({ path, list }: Stage, { page, go }: Owner): Promise<void> {
  await go(path)
  await list(page).getByRole('row').filter({ hasText: '1,250' }).waitFor()
  await look(page, 'payments-list')

  await page.getByRole('button', { name: 'Payouts' }).click()
  await list(page).getByRole('row').filter({ hasText: '1,250' }).waitFor({ state: 'detached' })
  assert.match(page.url(), /type=withdrew/)
  await page.keyboard.press('f')
  await page.getByRole('button', { name: 'Amount', exact: true }).click()
  await page.getByLabel('At least').fill('500')
  await page.getByRole('button', { name: 'Show these amounts' }).click()
  await page.getByText('No payment matches').waitFor()
  await look(page, 'payments-none-match')
  await page.getByRole('button', { name: 'Show all payments' }).click()
  await list(page).getByRole('row').filter({ hasText: '45,000' }).waitFor()

  await page.getByRole('searchbox', { name: 'Search these payments' }).fill('amina otieno')
  await list(page).getByRole('row').filter({ hasText: '1,250' }).waitFor({ state: 'detached' })
  assert.doesNotMatch(page.url(), /amina/)
  const kept = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')
  assert.doesNotMatch(String(kept), /amina/)
}

async function views({ path, as, merchant }: Stage, { page, go }: Owner): Promise<void> {
  await go(`${path}?method=card&currency=NGN`)
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByLabel('Name').fill('Cards in naira')
  await page.getByLabel('Others of your company see it too').check()
  await page.getByRole('button', { name: 'Save the view' }).click()
  await page.getByRole('button', { name: 'Cards in naira', exact: true }).waitFor()
  await page.getByRole('button', { name: 'All', exact: true }).click()

  const colleague = await as({ merchant: { id: merchant.id, roles: ['viewer'] } })
  await colleague.go(path)
  await colleague.page.getByRole('button', { name: 'Cards in naira', exact: true }).click()
  await colleague.page.getByRole('row').filter({ hasText: '45,000' }).waitFor()
  assert.equal(await colleague.page.getByRole('button', { name: /^Change the view/ }).count(), 0)
  await colleague.context.close()

  await page.getByRole('button', { name: 'Cards in naira', exact: true }).click()
  await page.getByRole('button', { name: 'Change the view Cards in naira' }).click()
  await page.getByLabel('Name').fill('Naira')
  await page.getByRole('button', { name: 'Save the view' }).click()
  await page.getByRole('button', { name: 'Change the view Naira' }).click()
  await page.getByRole('button', { name: 'Delete the view' }).click()
  await page.getByRole('button', { name: 'Naira', exact: true }).waitFor({ state: 'detached' })
}

async function parts({ path, drawer, doubted, charge, card }: Stage, { page, go }: Owner): Promise<void> {
  await go(`${path}?open=${doubted.id}`)
  await drawer(page).getByText('Completed').first().waitFor()
  await drawer(page)
    .getByRole('img', { name: /in doubt for/ })
    .waitFor()
  await drawer(page).getByRole('listitem').filter({ hasText: 'held' }).first().waitFor()
  await drawer(page)
    .getByRole('listitem')
    .filter({ hasText: 'Webhook transaction_updated: HTTP 200' })
    .first()
    .waitFor()
  await look(page, 'payment-timeline')

  await drawer(page).getByRole('tab', { name: 'Money' }).click()
  await drawer(page).getByText('Balanced').waitFor()
  assert.equal((await drawer(page).getByText('Your KES wallet').count()) > 0, true)
  await look(page, 'payment-money')
  await drawer(page)
    .getByRole('tab', { name: /Webhooks/ })
    .click()
  await drawer(page).getByText('Request and response').first().click()
  await drawer(page)
    .getByText(/^POST http/)
    .first()
    .waitFor()
  await look(page, 'payment-webhooks')
  await drawer(page).getByRole('tab', { name: 'API' }).click()
  await drawer(page).getByText('POST /api/b2b/fiat/payout').first().waitFor()
  await look(page, 'payment-api')
  await drawer(page).getByRole('tab', { name: 'Raw' }).click()
  await drawer(page).getByText('"transactionId"').first().waitFor()
  await look(page, 'payment-raw')

  await drawer(page).getByRole('tab', { name: 'Timeline' }).click()
  await drawer(page).getByRole('button', { name: 'Next payment' }).click()
  await page.waitForURL((url) => url.searchParams.get('open') === card.id)
  await drawer(page).getByRole('link', { name: 'Open as a page' }).click()
  await page.waitForURL(new RegExp(`/payments/${card.id}$`))
  await page.getByText('45,000').first().waitFor()
  await look(page, 'payment-page')
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByRole('navigation', { name: 'Pages' }).first().isVisible(), false)
  await page.emulateMedia({ media: 'screen' })
  await page.getByRole('main').getByRole('link', { name: 'Payments' }).click()
  await drawer(page).waitFor()
  assert.notEqual(charge.id, card.id)
}

async function refund({ path, drawer, charge, merchant, malipo, bookedOf }: Stage, { page, go }: Owner): Promise<void> {
  await go(`${path}?open=${charge.id}`)
  await drawer(page).getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount in KES').fill('2000')
  await dialog.getByText('At most KES 1,000.00 can be refunded').waitFor()
  await dialog.getByLabel('Amount in KES').fill('300')
  await dialog.getByLabel('Reason').fill('One item was missing')
  await dialog.getByText('Available after it').waitFor()
  await look(page, 'payment-refund')
  const booked = await bookedOf()
  const requests = countRequests(page, 'POST', /\/refunds$/)
  await clickTwice(dialog.getByRole('button', { name: 'Refund KES 300.00' }))
  await page.getByText('Refund of KES 300.00 accepted').waitFor()
  assert.equal(requests(), 1)
  await until('the refund to be booked', async () => (await merchant.read(charge.id)).refunded === 550)
  assert.equal(booked - (await bookedOf()), 30_000n)
  await malipo.assertBooks()
  await drawer(page).getByText('Refunded so far').waitFor()
}

async function resend({ path, drawer, list, charge, inbox }: Stage, { page, go }: Owner): Promise<void> {
  await go(`${path}?open=${charge.id}`)
  const before = inbox.received.length
  await drawer(page).getByRole('button', { name: 'Resend webhook' }).click()
  await page.getByText('Webhook sent again').first().waitFor()
  await until('the webhook to arrive again', async () => inbox.received.length > before)

  await page.keyboard.press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  await page.keyboard.press('x')
  await page.keyboard.press('k')
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  await look(page, 'payments-selected')
  await page.getByRole('button', { name: 'Resend webhooks' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Resend the webhooks' }).click()
  await dialog.getByText(/2 of 2 payments/).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('Escape')
  await page.getByText('2 selected').waitFor({ state: 'detached' })
  await list(page).waitFor()
}

/** Returns the milliseconds until the list announces the charge. */
async function appears({ path, list, drawer, merchant, malipo }: Stage, { page, go }: Owner): Promise<number> {
  await go(path)
  await page.locator('[data-live="live"]').waitFor()
  await list(page).getByRole('row').filter({ hasText: '1,250' }).waitFor()
  const body = { amount: 777, currency: 'KES', email: 'amina@example.com', externalReference: `live-${process.pid}` }
  const { body: made } = await merchant.call('POST', '/api/b2b/fiat/deposit/bank-transfer', body)
  const start = performance.now()
  const { transactionId } = made['data'] as { transactionId: string }

  await page.getByRole('button', { name: '1 new' }).waitFor()
  const tookMs = Math.round(performance.now() - start)
  assert.ok(tookMs < 2000, `it took ${tookMs} ms`)
  await look(page, 'payments-new')
  await page.getByRole('button', { name: '1 new' }).click()
  const row = list(page).getByRole('row').filter({ hasText: '777' })
  await row.getByText('Awaiting customer').waitFor()
  await row.click()
  await drawer(page).getByText('Awaiting customer').first().waitFor()
  await malipo.simulator.pay(keyOf(transactionId), '777')
  await row.getByText('Completed').waitFor()
  await drawer(page).getByText('Completed').first().waitFor()
  return tookMs
}

async function exported({ path, before, bookedOf }: Stage, { page, go }: Owner): Promise<void> {
  await go(`${path}?currency=KES`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const [head = '', ...lines] = readFileSync(await download.path(), 'utf8')
    .replace('\uFEFF', '')
    .trim()
    .split(/\r?\n/)
  const names = head.split(',')
  const rows = lines.map((line) => Object.fromEntries(cellsOf(line).map((cell, at) => [names[at], cell])))
  const minor = (text: string | undefined) => BigInt(Math.round(Number(text) * 100))
  const sum = rows
    .filter(({ status }) => status === 'SUCCESSFUL')
    .reduce(
      (total, row) =>
        row['type'] === 'deposit'
          ? total + minor(row['receiverAmount'])
          : total - minor(row['senderAmount']) - minor(row['fee']),
      0n,
    )

  assert.ok(rows.length > 3, `${rows.length} rows`)
  assert.equal(sum, (await bookedOf()) - before)
}

const cellsOf = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  )

async function keyboard({ path, drawer, list, card }: Stage, { page, go }: Owner): Promise<void> {
  await go(path)
  await list(page).getByRole('row').filter({ hasText: '1,250' }).waitFor()
  await page.keyboard.press('j')
  await page.locator('tr:focus').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await drawer(page).waitFor()
  await page.locator('aside:focus').waitFor()
  const opened = new URL(page.url()).searchParams.get('open')
  await page.keyboard.press('j')
  await page.waitForURL((url) => url.searchParams.get('open') !== opened)
  await drawer(page).getByRole('tab', { name: 'Timeline' }).focus()
  await page.keyboard.press('ArrowRight')
  await drawer(page).getByRole('tab', { name: 'Money', selected: true }).waitFor()
  await page.keyboard.press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  await page.locator('tr:focus').waitFor()

  await page.keyboard.press('/')
  const search = page.getByRole('dialog', { name: 'Search' })
  await search.getByRole('combobox').fill('1250')
  await search.getByText('Payments of exactly').waitFor()
  await look(page, 'search-palette')
  await search.getByRole('combobox').fill(card.id)
  await search.getByRole('option').filter({ hasText: '45,000' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('open') === card.id)
}

async function stale({ path, list, merchant }: Stage, { page, go, person }: Owner): Promise<void> {
  const { body } = await person.call('GET', `/dashboard/v1/merchants/${merchant.id}/sandbox/search/transactions`)
  await page.route('**/search/transactions?**', async (route) => {
    if (route.request().url().includes('cursor='))
      return route.fulfill({ status: 503, json: { message: 'Try later.' } })
    return route.fulfill({ json: { ...body, nextCursor: 'x'.repeat(22) } })
  })
  await go(path)
  await page.getByText('More could not be loaded.').waitFor()
  await list(page).getByRole('row').filter({ hasText: '1,250' }).waitFor()
  await page.unroute('**/search/transactions?**')
  await page.route('**/search/transactions?**', (route) =>
    route.fulfill({ status: 503, json: { message: 'The database does not respond.', requestId: 'req_7Q2N' } }),
  )
  await page.route('**/stream**', (route) => route.fulfill({ status: 503, body: '' }))
  await go(path)
  await page.locator('[data-live="reconnecting"]').waitFor()
  await page.getByText('Payments could not be loaded').waitFor()
  await look(page, 'payments-error')
  await page.unroute('**/stream**')
  await page.unroute('**/search/transactions?**')
}

async function busy({ path, list }: Stage, { page, go }: Owner): Promise<void> {
  const manifest = JSON.parse(readFileSync('packages/dashboard/dist/.vite/manifest.json', 'utf8'))
  const { file } = manifest['src/pages/payments/payments-page.tsx']
  const code = page.waitForRequest(`**/${file}`)
  let asked = 0
  await page.route('**/people/v1/me', async (route) => {
    asked += 1
    await code // Before the person is known.
    if (asked > 1) return route.continue()
    return route.fulfill({ status: 503, json: { message: 'Try later.', errorCode: 'OVERLOADED' } })
  })
  await go(path)
  await list(page).getByRole('row').filter({ hasText: '1,250' }).waitFor()
  assert.equal(asked, 2)
  await page.unroute('**/people/v1/me')
}

async function viewer({ path, as, drawer, charge, merchant }: Stage): Promise<void> {
  const { page, go, person } = await as({ merchant: { id: merchant.id, roles: ['viewer'] } })
  await go(`${path}?open=${charge.id}`)
  await drawer(page).getByRole('button', { name: 'Copy summary' }).waitFor()
  for (const name of ['Refund', 'Resend webhook', 'Cancel payout', 'Export'])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  assert.equal(await page.getByRole('link', { name: 'New payout' }).count(), 0)
  await drawer(page)
    .getByRole('tab', { name: /Webhooks/ })
    .click()
  await drawer(page).getByText('webhooks:read').waitFor()

  const root = `/dashboard/v1/merchants/${merchant.id}/sandbox`
  const refusals = [
    ['POST', `/transactions/${charge.id}/refunds`, { externalReference: 'refund-viewer', amount: 1 }],
    ['POST', `/fiat/payout/${charge.id}/cancel`, undefined],
    ['GET', '/exports/transactions', undefined],
    ['GET', `/webhooks?reference=${charge.id}`, undefined],
    ['POST', '/webhooks/wh_00000000000000000000000000000000/resend', undefined],
  ] as const
  for (const [method, route, body] of refusals)
    assert.equal((await person.call(method, root + route, body)).status, 403, `${method} ${route}`)
  assert.ok(page.url().startsWith(site))
}
