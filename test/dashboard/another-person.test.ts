import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { cookiesFor } from '../../packages/server/src/people/cookies.ts'
import { testPerson } from '../../packages/server/src/testing/people.ts'
import { countRequests, fill, reason } from './acting.ts'
import { openDashboard, site } from './open-dashboard.ts'

/** A merchant's page, open in a window of Faith, in whose browser Daniel can sign in. */
async function openWindow(t: TestContext) {
  const { malipo, as, complaints } = await openDashboard(t)
  const merchant = await malipo.merchant({ env: 'live' })
  const faith = await as({ operator: ['admin'], name: 'Faith Njeri' })
  const at = `/operator/merchants/${merchant.id}`
  const signInAnother = async () => {
    const { token } = await testPerson(malipo, { operator: ['admin'], name: 'Daniel Mutiso' })
    await faith.context.addCookies([{ name: cookiesFor(site).session, value: token, url: site }])
    const other = await faith.context.newPage()
    await other.goto(`${site}/dashboard${at}`)
    await nameIn(other, 'Daniel Mutiso').waitFor()
  }
  return { ...faith, malipo, merchant, at, complaints, signInAnother }
}

const nameIn = (page: Page, name: string) => page.getByRole('navigation').getByText(name)

const freeze = (page: Page) => page.getByRole('button', { name: 'Freeze', exact: true })

/** A new session is read and the action sent again within two round trips of the refusal; these are five. */
const waitForResend = (page: Page) =>
  page.evaluate(`(async () => { for (let trip = 0; trip < 5; trip += 1) await fetch('/people/v1/me') })()`)

async function tryToFreeze(page: Page): Promise<void> {
  await freeze(page).click()
  await fill(page.getByRole('dialog'), reason)
  const refused = page.waitForResponse((response) => response.url().endsWith('/freeze'))
  await page.getByRole('button', { name: 'Freeze the merchant' }).click()
  assert.equal((await refused).status(), 403)
  await waitForResend(page)
  await page.keyboard.press('Escape')
}

test('a window sends nothing as another person who signed in', async (t) => {
  const { malipo, merchant, page, go, at, complaints, signInAnother } = await openWindow(t)
  await go(at)
  await freeze(page).waitFor()
  await signInAnother()
  // The browser stays on the page when it is loaded again, as on a slow network or after a click on Stop.
  await page.route('**/dashboard/operator/**', (route) => route.fulfill({ status: 204 }))
  const loads = countRequests(page, 'GET', /^.dashboard.operator./)

  await tryToFreeze(page)
  assert.equal(loads(), 1)
  await page.getByRole('navigation').getByRole('link', { name: 'Merchants' }).click()
  await page.getByRole('main').locator(`a[href*="${merchant.id}"]`).first().click()
  await tryToFreeze(page)
  await page.unrouteAll()
  await page.reload()
  await nameIn(page, 'Daniel Mutiso').waitFor()

  assert.equal((await malipo.operator.merchants.show(merchant.id)).state, 'active')
  assert.deepEqual(complaints, [])
})

test('a window that was left alone is loaded again when another person has signed in', async (t) => {
  const { page, go, at, complaints, signInAnother } = await openWindow(t)
  await page.clock.install()
  await go(at)
  await freeze(page).waitFor()
  await signInAnother()
  await page.clock.fastForward('30:00')
  const loaded = page.waitForEvent('load')

  await page.getByRole('navigation').getByRole('link', { name: 'Merchants' }).click()
  await loaded
  await nameIn(page, 'Daniel Mutiso').waitFor()

  assert.deepEqual(complaints, [])
})
