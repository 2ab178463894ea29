/** Five journeys without a mouse. Only keys are sent, and after each of them a visible element has the keyboard. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { openInbox } from '../../packages/server/src/testing/inbox.ts'
import { payOut } from '../../packages/server/src/testing/paying.ts'
import { startDeliveries } from '../../packages/server/src/workers/deliveries.ts'
import { openDashboard } from './open-dashboard.ts'

/** What is wrong with the place of the keyboard; empty when nothing is. Regions and the search box have no ring. */
const focusProblem = `(() => {
  const at = document.activeElement
  if (at === null || at === document.body) return 'no element has the keyboard'
  const { width, height, top, bottom, left, right } = at.getBoundingClientRect()
  const isShown = width > 0 && height > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
  if (!isShown) return 'the element with the keyboard is not on the screen: ' + at.outerHTML.slice(0, 200)
  if (at.matches('main, aside, [role=combobox]') || getComputedStyle(at).outlineStyle !== 'none') return ''
  return 'the element with the keyboard is not marked: ' + at.outerHTML.slice(0, 200)
})()`

async function assertFocus(page: Page, key: string): Promise<void> {
  let problem = ''
  const isFound = async () => {
    problem = String(await page.evaluate(focusProblem))
    return problem === ''
  }
  await until('the focus', isFound, { timeoutMs: 3000 }).catch(() => assert.fail(`after ${key}, ${problem}`))
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key)
    await assertFocus(page, key)
  }
}

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text)
  await assertFocus(page, text)
}

const hasFocus = (target: Locator) => target.evaluate((element) => element === element.ownerDocument.activeElement)
const stepsMax = 60

/** Tab, until it is reached. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor()
  for (let step = 0; step < stepsMax; step += 1) {
    if (await hasFocus(target)) return
    await press(page, key)
  }
  assert.fail(`${stepsMax} times ${key} do not reach ${String(target)}`)
}

test('five journeys need only the keyboard, and its place is always visible', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const deliveries = startDeliveries(malipo.ctx)
  t.after(() => deliveries.stop())
  const inbox = await openInbox()
  t.after(() => inbox.close())
  const merchant = await malipo.refunding()
  const profile = { sandboxWebhookUrl: `${inbox.url}/hooks` }
  assert.equal((await merchant.call('PUT', '/api/b2b/users', profile)).status, 200)
  const rule = { env: 'sandbox', above: '5000', currency: 'KES', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setApprovals(merchant.id, rule)
  const charge = await merchant.paid(1250)
  const waiting = await payOut(merchant, { amount: 6000 })
  const { page, go } = await as({ name: 'Faith Njeri', merchant: { id: merchant.id, roles: ['owner'] } })
  const drawer = page.getByRole('complementary', { name: 'Payment' })
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  await go(`/m/${merchant.id}/sandbox/payments`)
  await page.getByRole('row').filter({ hasText: '1,250' }).waitFor()

  await t.test('a payment is found, and its money is read', async () => {
    const { externalReference } = await merchant.read(charge.id)
    await press(page, '/')
    await type(page, String(externalReference))
    await page.getByRole('option').filter({ hasText: '1,250' }).waitFor()
    await press(page, 'Enter')
    await page.locator('aside:focus').waitFor()
    await tabTo(page, drawer.getByRole('tab', { name: 'Timeline' }))
    await press(page, 'ArrowRight')
    await drawer.getByRole('tab', { name: 'Money', selected: true }).waitFor()
    await drawer.getByText('Balanced').waitFor()
  })

  await t.test('the payment is refunded in part', async () => {
    await tabTo(page, button('Refund'))
    await press(page, 'Enter')
    await tabTo(page, page.getByLabel('Amount in KES'))
    await press(page, 'Control+a')
    await type(page, '300')
    await tabTo(page, page.getByLabel('Reason'))
    await type(page, 'One item was missing')
    await tabTo(page, button('Refund KES 300.00'))
    await press(page, 'Enter')
    await page.getByText('Refund of KES 300.00 accepted').waitFor()
    await until('the refund', async () => (await merchant.read(charge.id)).refunded === 300)
    assert.ok(await hasFocus(button('Refund')), 'the dialog gives the keyboard back')
  })

  await t.test('the webhook of the payment is sent again', async () => {
    const before = inbox.received.length
    await tabTo(page, button('Resend webhook'), 'Shift+Tab')
    await press(page, 'Enter')
    await page.getByText('Webhook sent again').first().waitFor()
    await until('the webhook', () => inbox.received.length > before)
    await assertFocus(page, 'the response')
    assert.ok(await hasFocus(button('Resend webhook')))
  })

  await t.test('a payout is made', async () => {
    await press(page, 'Escape')
    await drawer.waitFor({ state: 'detached' })
    await press(page, 'n')
    await tabTo(page, page.getByLabel('Country'))
    await type(page, 'Kenya')
    await tabTo(page, page.getByLabel('Destination'))
    await type(page, 'M-Pesa')
    await tabTo(page, page.getByLabel('Phone number'))
    await type(page, '+254703456789')
    await tabTo(page, page.getByLabel('Name of the account holder'))
    await type(page, 'Zbigniew Xyz')
    await tabTo(page, page.getByLabel('I have checked with the owner'))
    await press(page, 'Space')
    await tabTo(page, page.getByLabel('Beneficiary receives'))
    await type(page, '750')
    await tabTo(page, page.getByLabel('Your reference'))
    await type(page, 'supplier-by-keys')
    await page.getByText('held until').waitFor()
    await tabTo(page, button('Pay KES 750.00'))
    await press(page, 'Enter')
    await page.getByRole('heading', { name: 'Payout accepted' }).waitFor()
    await assertFocus(page, 'the response')
    const { body } = await merchant.call('GET', '/api/b2b/transactions/supplier-by-keys')
    assert.equal((body['data'] as { amount: number }).amount, 750)
  })

  await t.test('a payout of another maker is approved', async () => {
    await press(page, '/')
    await type(page, 'approvals')
    await page.getByRole('option', { name: 'Go to Approvals' }).waitFor()
    await press(page, 'Enter')
    await page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor()
    await tabTo(page, page.getByLabel('Reason'))
    await type(page, 'invoice 12 checked')
    await tabTo(page, button('Approve with passkey'))
    await press(page, 'Enter')
    await page.getByRole('row').filter({ hasText: 'Approved' }).waitFor()
    await assertFocus(page, 'the response')
    await malipo.comesTo(waiting.id, 'successful')
  })
  assert.deepEqual(complaints, [])
})
