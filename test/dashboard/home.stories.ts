import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayIn } from '../../packages/dashboard/src/ui/time-text.ts'
import { payOut } from '../../packages/server/src/testing/paying.ts'
import { look, openDashboard } from './open-dashboard.ts'

test('home has sums that equal the payments behind them, and an empty sandbox says how to start', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)

  await t.test('an empty sandbox shows the command that makes the first payment', async () => {
    const merchant = await malipo.refunding()
    const { page, go } = await as({ merchant: { id: merchant.id, roles: ['developer'] } })
    await go(`/m/${merchant.id}/sandbox`)
    await page.getByText('malipo trigger charge.successful').waitFor()
    await look(page, 'home-empty')
  })

  const merchant = await malipo.refunding()
  for (const amount of [1250, 480]) await merchant.paid(amount)
  const charge = await merchant.paid(3300)
  await malipo.comesTo(await merchant.refunded(charge.id, { amount: 130 }), 'successful')
  await merchant.paidByTransfer(900)
  await malipo.comesTo((await payOut(merchant, { amount: 240 })).id, 'successful')
  await malipo.operator.payoutControls.setApprovals(merchant.id, {
    ...{ env: 'sandbox', reason: 'contract 17' },
    ...{ above: '500', currency: 'KES' },
  })
  await payOut(merchant, { amount: 600 })
  const { page, go } = await as({ merchant: { id: merchant.id, roles: ['owner'] } })

  await t.test('each tile opens the payments whose sum it shows', async () => {
    await go(`/m/${merchant.id}/sandbox`)
    await page.getByText('1 payout waits for approval').waitFor()
    await look(page, 'home')
    await page.getByRole('link', { name: /Collected today.*5,930/ }).click()
    await page.getByRole('row').filter({ hasText: '3,300' }).waitFor()
    const amounts = await page.getByRole('row').filter({ hasText: 'KES' }).allTextContents()
    const sum = amounts.reduce(
      (total, text) => total + Number((/KES\s*([\d,.]+)/.exec(text)?.[1] ?? '0').replaceAll(',', '')),
      0,
    )
    assert.equal(sum, 5930)
  })

  await t.test('the tile and the chart have the same sum of what was paid out', async () => {
    await go(`/m/${merchant.id}/sandbox`)
    await page.getByRole('link', { name: /Paid out today.*240\.00.*1 payout,/ }).waitFor()
    await page.getByRole('slider', { name: /KES 240\.00 paid out and KES 130\.00 refunded/ }).waitFor()
    for (const text of [/^Paid out.*240\.00/, /^Refunded.*130\.00/])
      await page.getByRole('listitem').filter({ hasText: text }).waitFor()
  })

  await t.test('the chart is read by arrow keys and as a table', async () => {
    await go(`/m/${merchant.id}/sandbox`)
    const chart = page.getByRole('slider', { name: /KES 5,930.00 collected/ })
    await chart.focus()
    await page.keyboard.press('ArrowRight')
    assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /\d\d:00 to \d\d:00: KES/)
    await look(page, 'home-tooltip')
    await page.getByRole('button', { name: 'View as table' }).click()
    assert.equal(await page.getByRole('region', { name: 'Money by hour' }).getByRole('row').count(), 25)
  })

  await t.test('where the day is another than in UTC, a tile opens the payments of its own day', async () => {
    const zone = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Etc/GMT-14'
    const far = await as({ merchant: { id: merchant.id, roles: ['viewer'] } })
    const client = await far.context.newCDPSession(far.page)
    await client.send('Emulation.setTimezoneOverride', { timezoneId: zone })
    await far.go(`/m/${merchant.id}/sandbox`)
    await far.page.getByRole('link', { name: /Paid out today.*240\.00/ }).click()
    await far.page.getByRole('row').filter({ hasText: '240' }).waitFor()
    await far.page.getByText(`${dayIn(Date.now(), zone)}, GMT`).waitFor()
  })

  await t.test('the sandbox says that it is up to date, and not that it is live', async () => {
    await page.locator('[data-live="live"]').getByText('Up to date').waitFor()
    assert.doesNotMatch(await page.locator('[data-live]').innerText(), /live/i)
  })

  await t.test('every currency with a wallet can be chosen', async () => {
    const wallets = await malipo.operator.wallets.show(merchant.id, { env: 'sandbox' })
    const currencies = [...new Set(wallets.map(({ currency }) => currency))].sort()
    assert.ok(currencies.length > 10)
    await go(`/m/${merchant.id}/sandbox?currency=KES`)
    const choice = page.getByRole('combobox', { name: 'Currency' })
    await choice.getByRole('option', { name: 'ZMW' }).waitFor({ state: 'attached' })
    assert.deepEqual(await choice.getByRole('option').allInnerTexts(), currencies)
    await look(page, 'home-currencies')
    await choice.selectOption('ZMW')
    await page.waitForURL(/currency=ZMW/)
  })

  await t.test('a viewer sees no action', async () => {
    const viewer = await as({ merchant: { id: merchant.id, roles: ['viewer'] } })
    await viewer.go(`/m/${merchant.id}/sandbox`)
    await viewer.page.getByText('Collected today').waitFor()
    assert.equal(await viewer.page.getByRole('link', { name: 'New payout' }).count(), 0)
  })
  assert.deepEqual(complaints, [])
})
