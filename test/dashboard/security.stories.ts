import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readId } from '../../packages/server/src/platform/ids.ts'
import { newPhone, payOutToBank } from '../../packages/server/src/testing/searching.ts'
import { type OpenDashboard, openDashboard, site } from './open-dashboard.ts'

const accountNumber = '0690000031'
const beneficiary = 'Makena Wairimu'
/** Runs in a page that writes it as HTML. */
const hostile =
  '"><img src=x onerror="window.hit=1"><script>window.hit=1</script><a href="javascript:window.hit=1">x</a>'

async function setUp(t: TestContext) {
  const dashboard = await openDashboard(t)
  const { malipo } = dashboard
  const merchant = await malipo.refunding()
  const phone = newPhone()
  const charge = await merchant.call('POST', '/api/b2b/fiat/deposit/momo', {
    ...{ amount: 1250, currency: 'KES', phoneNumber: phone, externalReference: `order-${merchant.id.slice(-8)}` },
  })
  assert.equal(charge.status, 200, JSON.stringify(charge.body))
  const { transactionId: id } = (charge.body['data'] ?? charge.body) as { transactionId: string }
  await malipo.comesTo(id, 'successful')
  const payout = await payOutToBank(merchant, accountNumber, beneficiary)
  await malipo.comesTo(payout, 'successful')
  const sandbox = `/m/${merchant.id}/sandbox`
  return { ...dashboard, merchant, phone, charge: id, payout, sandbox }
}

const merchantPages = (charge: string) => [
  ...['', '/payments', `/payments?open=${charge}`, `/payments/${charge}`, '/approvals', '/developers', '/settings'],
  ...['/audit', '/payouts/new', '/payouts/bulk', '/beneficiaries', '/balances'],
]
const operatorPages = (merchantId: string, charge: string) => [
  ...['', '/payments', `/payments?open=${charge}&show=all`, '/merchants', `/merchants/${merchantId}`, '/ledger'],
  ...['/suspense', '/proposals', '/people', '/audit'],
]

type Window = Awaited<ReturnType<OpenDashboard['as']>>

/** Opens each page and each of its tabs. */
async function openAll({ page, go }: Window, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await go(path)
    await page.getByRole('main').waitFor()
    await page.waitForLoadState('load')
    for (const tab of await page.getByRole('tab').all()) await tab.click()
  }
}

/** Every address that the pages showed or called. */
function addressesOf(page: Page): string[] {
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(decodeURIComponent(request.url())))
  page.on('framenavigated', (frame) => addresses.push(decodeURIComponent(frame.url())))
  return addresses
}

test('personal data is in no URL, log or storage, whatever is opened and searched for', async (t) => {
  const { malipo, as, merchant, phone, charge, sandbox, complaints } = await setUp(t)
  const owner = await as({ merchant: { id: merchant.id, roles: ['owner'] }, name: 'Otieno Achieng' })
  const staff = await as({ operator: ['admin'], name: 'Naliaka Simiyu' })
  const addresses = [owner, staff].map(({ page }) => addressesOf(page))

  await openAll(
    owner,
    merchantPages(charge).map((path) => sandbox + path),
  )
  await openAll(
    staff,
    operatorPages(merchant.id, charge).map((path) => `/operator${path}`),
  )
  await owner.go(`${sandbox}/payments`)
  await owner.page.getByRole('searchbox', { name: 'Search these payments' }).fill(phone)
  const searched = owner.page.waitForResponse((response) => response.url().includes('/search/transactions'))
  assert.equal((await searched).status(), 200)
  const exported = owner.page.waitForEvent('download')
  await owner.page.getByRole('button', { name: 'Export', exact: true }).click()
  await exported
  await owner.page.keyboard.press('Control+k')
  await owner.page.getByRole('dialog').getByRole('combobox').fill(phone)
  await owner.page.getByRole('dialog').getByText('1,250').first().waitFor()
  await staff.go('/operator?env=sandbox')
  await staff.page.getByRole('main').waitFor()
  await staff.page.keyboard.press('Control+k')
  await staff.page.getByLabel('Phone, reference, receipt or provider key').fill(phone)
  await staff.page.getByText('1 found').waitFor()

  const secrets = [
    phone.slice(4),
    accountNumber,
    beneficiary,
    'Otieno',
    'Naliaka',
    owner.person.email,
    staff.person.email,
  ]
  const stored = await Promise.all(
    [owner, staff].map(({ page }) => page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')),
  )
  const places = { addresses: addresses.flat().join('\n'), storage: stored.join('\n'), log: malipo.log.join('\n') }
  assert.ok(places.addresses.length > 1000 && !places.addresses.includes('blob:null'))
  for (const [place, text] of Object.entries(places))
    for (const secret of secrets) {
      const at = text.indexOf(secret)
      assert.equal(at, -1, `${place}: ${text.slice(Math.max(0, at - 80), at + 80)}`)
    }
  assert.deepEqual(complaints, [])
})

test('no text of a merchant, a customer, a provider or a colleague runs in the pages of others', async (t) => {
  const { malipo, as, merchant, charge, payout, sandbox, complaints } = await setUp(t)
  const own = { id: merchant.id, roles: ['owner'] as const }
  const owner = await as({ merchant: own, name: hostile })
  const staff = await as({ operator: ['admin'], name: hostile })
  const root = `/dashboard/v1/merchants/${merchant.id}/sandbox`
  const view = { page: 'payments', name: '<img src=x onerror=window.hit=1>', filters: {}, isShared: true }
  assert.equal((await owner.person.call('POST', `${root}/saved-views`, view)).status, 200)
  await owner.person.call('PUT', `${root}/payout-controls/limits`, { currency: 'KES', perPayout: '5', reason: hostile })
  await staff.person.call('POST', `/operator/v1/merchants/${merchant.id}/freeze`, { reason: hostile.slice(0, 200) })
  for (const url of ['javascript:window.hit=1', 'data:text/html,x', `https://a.example/${hostile}`])
    assert.notEqual((await owner.person.call('POST', `${root}/webhook-endpoints`, { url })).status, 200, url)
  const ids = [charge, payout].map((id) => readId('transaction', id))
  await malipo.ask('update transactions set external_reference = left($2 || id::text, 200) where id = any ($1)', [
    ids,
    hostile,
  ])
  await malipo.ask('update events set message = $2 where transaction_id = any ($1)', [ids, hostile])
  await malipo.ask('update merchants set name = $2 where id = $1', [readId('merchant', merchant.id), hostile])
  await malipo
    .ask('update audit_entries set reason = $1, user_agent = $1 where reason is not null', [hostile])
    .catch(() => undefined)

  for (const [window, paths] of [
    [owner, merchantPages(charge).map((path) => sandbox + path)],
    [staff, operatorPages(merchant.id, charge).map((path) => `/operator${path}`)],
  ] as const)
    for (const path of paths) {
      await openAll(window, [path])
      const { page } = window
      assert.equal(await page.evaluate('window.hit'), undefined, path)
      const links = await page
        .locator('a[href]')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
      assert.deepEqual(
        links.filter((href) => !/^[/#?]|^blob:/.test(href) && !href.startsWith(site)),
        [],
        path,
      )
    }
  await owner.go(`${sandbox}/payments?open=${charge}`)
  await owner.page.getByText('onerror').first().waitFor()
  assert.deepEqual(complaints, [])
})

test('after signing out, the way back shows nothing of the pages before', async (t) => {
  const { as, merchant, sandbox } = await setUp(t)
  const { page, go } = await as({ merchant: { id: merchant.id, roles: ['owner'] } })
  await go(`${sandbox}/payments`)
  await page.getByText('1,250').first().waitFor()
  await page.goto(`${site}/account`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in/)

  await page.evaluate('history.go(-2)')
  await page.waitForURL(/\/sign-in\?next=/)

  assert.equal(await page.getByText('1,250').count(), 0)
})
