import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeNow } from '../../packages/server/src/testing/browser.ts'
import { addAuthenticator, arrives } from './acting.ts'
import { look, openDashboard, site } from './open-dashboard.ts'

const password = 'maji ya kunywa 7'
/** Long before the next poll of a page whose stream is refused. */
const soonMs = 5000

test('an owner invites a viewer who joins and signs in; the role is ended, and the audit trail shows it', async (t) => {
  const { malipo, browser, as, complaints } = await openDashboard(t)
  const { id } = await malipo.merchant()
  const { page, go } = await as({ name: 'Wanjiku Mwangi', merchant: { id, roles: ['owner'] } })
  const settings = (tab: string) => `/m/${id}/sandbox/settings?tab=${tab}`
  const guest = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  guest.setDefaultTimeout(20_000)
  const dashboard = `/dashboard/m/${id}/sandbox/settings`
  let link = ''

  await t.test('the invitation is a link that is shown once', async () => {
    await go(settings('team'))
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await page.getByLabel('Name').fill('Amina Otieno')
    await page.getByLabel('E-mail').fill('amina.viewer@duka.example')
    await look(page, 'settings-invite')
    await page.getByRole('button', { name: 'Make the invitation' }).click()
    const shown = page.getByRole('dialog', { name: 'The invitation' })
    link = await shown.getByRole('code').innerText()
    await shown.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('row').filter({ hasText: 'amina.viewer@duka.example' }).waitFor()
    await look(page, 'settings-team')
  })

  await t.test('the invited person joins with a passkey, and signs in with it to the dashboard', async () => {
    await addAuthenticator(guest)
    await guest.goto(`${site}/invitation${new URL(link).hash}`)
    await guest.getByRole('button', { name: 'Create a passkey and join' }).waitFor()
    await look(guest, 'invitation')
    await guest.getByRole('button', { name: 'Create a passkey and join' }).click()
    await guest.waitForURL(`${site}/account`)
    await guest.getByText('Duka: viewer').waitFor()
    await look(guest, 'account')
    await guest.getByRole('button', { name: 'Sign out' }).click()
    await guest.waitForURL(`${site}/sign-in`)
    await guest.goto(`${site}${dashboard}`)
    await guest.waitForURL(/\/sign-in\?next=/)
    await look(guest, 'sign-in')
    await guest.getByRole('button', { name: 'Continue with a passkey' }).click()
    await guest.waitForURL(`${site}${dashboard}`)
    await guest.getByRole('heading', { name: 'Settings' }).waitFor()
    assert.equal(await guest.getByRole('tab', { name: 'Team' }).count(), 0)
    const refused = await guest.evaluate(
      `fetch('/dashboard/v1/merchants/${id}/sandbox/people').then(({ status }) => status)`,
    )
    assert.equal(refused, 403)
  })

  await t.test('a password with an authenticator app also ends on the dashboard', async () => {
    await guest.goto(`${site}/account`)
    await guest.getByRole('button', { name: 'Set password' }).click()
    const form = guest.locator('[data-password-form]')
    await form.waitFor()
    const secret = (await guest.locator('[data-secret]').innerText()).replaceAll(' ', '')
    await form.getByLabel('Password', { exact: true }).fill(password)
    await form.getByLabel('Code of your authenticator app').fill(await codeNow(malipo, secret))
    await guest.getByRole('button', { name: 'Save password and app' }).click()
    await guest.getByText('Password and authenticator app').waitFor()
    await guest.getByRole('button', { name: 'Sign out' }).click()
    await guest.waitForURL(`${site}/sign-in`)
    await guest.goto(`${site}/sign-in?next=${encodeURIComponent(dashboard)}`)
    await guest.getByLabel('E-mail').fill('amina.viewer@duka.example')
    await guest.getByRole('button', { name: 'Use password and code' }).click()
    await guest.getByLabel('Password').fill(password)
    // No code is taken twice, and the next one is taken before its time.
    await guest.getByLabel('Code of your authenticator app').fill(await codeNow(malipo, secret, 1))
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.waitForURL(`${site}${dashboard}`)
    await guest.getByRole('tab', { name: 'Security' }).click()
    await guest.getByText('Password and authenticator app').waitFor()
    await look(guest, 'settings-security')
  })

  await t.test('the owner ends the role, and the person is out', async () => {
    await go(settings('team'))
    await page.getByRole('button', { name: 'End the role viewer of Amina Otieno' }).click()
    await page.getByLabel('Reason').fill('left the company')
    await page.getByRole('dialog').getByRole('button', { name: 'End the role' }).click()
    await page.getByText('Amina Otieno is no longer viewer', { exact: true }).waitFor()
    // As when the window is shown again: the stream of its page is opened again, and refused.
    await guest.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await arrives(guest, /\/sign-in\?next=/, { timeout: soonMs })
  })

  await t.test('limits and approval rules are set with a reason', async () => {
    await go(settings('controls'))
    await page.getByRole('button', { name: 'Limit a currency' }).click()
    await page.getByLabel('One payout').fill('100000')
    await page.getByLabel('Reason').fill('board decision 4')
    await page.getByRole('button', { name: 'Set the limits' }).click()
    await page.getByRole('row').filter({ hasText: '100,000.00' }).waitFor()
    await page.getByRole('button', { name: 'Change the rules' }).click()
    await page.getByLabel('A second person decides above').fill('5000')
    await page.getByLabel('Reason').fill('board decision 4')
    await page.getByRole('button', { name: 'Set the rules' }).click()
    await page.getByText('a second person decides').first().waitFor()
    await look(page, 'settings-controls')
  })

  await t.test('the audit trail shows what was done, by whom and why', async () => {
    await go(settings('audit'))
    await page.getByRole('row').filter({ hasText: 'left the company' }).click()
    await page.getByRole('region', { name: 'Entry' }).getByText('left the company').waitFor()
    await look(page, 'settings-audit')
    await go(settings('profile'))
    await page.getByRole('heading', { name: 'What you may do here' }).waitFor()
    await look(page, 'settings-profile')
  })

  await t.test('a viewer changes none of it, also by direct call', async () => {
    const viewer = await as({ merchant: { id, roles: ['viewer'] } })
    await viewer.go(settings('controls'))
    await viewer.page.getByText('needs the permission controls:write').waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: 'Limit a currency' }).count(), 0)
    const reason = 'no reason'
    const calls = [
      ['POST', '/people/invitations', { name: 'X', email: 'x@example.com', role: 'owner' }],
      ['PUT', '/payout-controls/limits', { currency: 'KES', perPayout: 'none', reason }],
      ['PUT', '/payout-controls/approvals', { bulk: false, reason }],
      ['GET', '/people', undefined],
      ['GET', '/audit', undefined],
    ] as const
    for (const [method, path, body] of calls) {
      const { status } = await viewer.person.call(method, `/dashboard/v1/merchants/${id}/sandbox${path}`, body)
      assert.equal(status, 403, path)
    }
  })
  assert.deepEqual(complaints, [])
})
