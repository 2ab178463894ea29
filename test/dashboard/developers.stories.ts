import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { exchange } from '../../packages/server/src/testing/malipo.ts'
import { startDeliveries } from '../../packages/server/src/workers/deliveries.ts'
import { openReceiver } from '../support/load/webhook-receiver.ts'
import { look, openDashboard } from './open-dashboard.ts'

test('a developer creates, replaces and revokes keys, adds an endpoint, and resends a failed delivery', async (t) => {
  const { malipo, as, complaints } = await openDashboard(t)
  const deliveries = startDeliveries(malipo.ctx)
  t.after(() => deliveries.stop())
  const merchant = await malipo.refunding()
  const receiver = await openReceiver(t, () => ({ status: 503 }))
  const developers = (tab: string) => `/m/${merchant.id}/sandbox/developers?tab=${tab}`
  const { page, go } = await as({ name: 'Brian Otieno', merchant: { id: merchant.id, roles: ['developer'] } })

  await t.test('a key pair is shown once, replaced and revoked', async () => {
    await go(developers('keys'))
    await page.getByRole('button', { name: 'New key pair' }).click()
    await page.getByLabel('transactions:read').check()
    await page.getByLabel('Allowed addresses').fill('203.0.113.0/24\n127.0.0.1/32')
    await look(page, 'developers-new-key')
    await page.getByRole('button', { name: 'Create the key pair' }).click()
    const first = await secretShown()
    assert.equal((await exchange(malipo.url, first)).status, 200)
    await page.getByRole('button', { name: `Replace the API key of ${first.publicKey}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the API key' }).click()
    const second = await secretShown()
    assert.equal(second.publicKey, first.publicKey)
    assert.notEqual(second.apiKey, first.apiKey)
    assert.ok(!(await page.content()).includes(second.apiKey), 'the key is no longer in the page')
    await look(page, 'developers-keys')
    await page.getByRole('button', { name: `Revoke ${first.publicKey}` }).click()
    await page.getByLabel('Reason').fill('left the team')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key pair' }).click()
    await page.getByText('Key pair revoked').waitFor()
    await page.getByRole('button', { name: `Revoke ${first.publicKey}` }).waitFor({ state: 'detached' })
    assert.equal((await exchange(malipo.url, second)).status, 401)
  })

  await t.test('an endpoint is added, and what failed there is sent again', async () => {
    await go(developers('webhooks'))
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
    await page.getByLabel('URL', { exact: true }).fill(receiver.url)
    await page.getByRole('button', { name: 'Add the endpoint' }).click()
    await page.getByText('whsec_').waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await merchant.paid(1250)
    await until('a delivery', async () => receiver.got.length > 0)
    await until('a failed row', async () => {
      await page.reload()
      await page.getByText('Deliveries', { exact: true }).waitFor()
      return (await page.getByRole('row').filter({ hasText: '503' }).count()) > 0
    })
    await page.getByRole('button', { name: 'transaction_created' }).first().click()
    await page.getByRole('region', { name: 'Delivery' }).waitFor()
    await look(page, 'developers-webhooks')
    receiver.react = () => ({ status: 204 })
    await page.getByRole('region', { name: 'Delivery' }).getByRole('button', { name: 'Resend' }).click()
    await page.getByText('Sent again').waitFor()
    await until('the delivery', async () => receiver.got.some(({ status }) => status === 204))
  })

  await t.test('requests are filtered and read, with the cause of a refusal', async () => {
    await merchant.call('POST', '/api/b2b/fiat/payout', { amount: 12, currency: 'KES' })
    await malipo.ctx.requestLog.flush()
    await go(developers('requests'))
    await page.getByRole('row').filter({ hasText: 'VALIDATION_ERROR' }).click()
    const detail = page.getByRole('region', { name: 'Request', exact: true })
    await detail.getByText('A field is missing').waitFor()
    await look(page, 'developers-requests')
    await page.getByLabel('Status').selectOption('4xx')
    await page.waitForURL(/status=4xx/)
    await page.getByRole('button', { name: /Grouped errors/ }).click()
    await page.getByRole('region', { name: 'Errors by kind' }).waitFor()
    await look(page, 'developers-errors')
  })

  await t.test('the tools of the sandbox and the go-live checks say what is true', async () => {
    await go(developers('sandbox'))
    await page.getByLabel('Reference of a payment to come').fill('order-71')
    await page.getByRole('button', { name: 'Set for this reference' }).click()
    await page.getByRole('button', { name: 'Remove the scenario of order-71' }).waitFor()
    await page.getByRole('button', { name: '+1 h' }).click()
    await page.getByText('Advanced by 3,600 s').waitFor()
    await look(page, 'developers-sandbox')
    await go(developers('go-live'))
    const paid = page.getByRole('listitem').filter({ hasText: 'A sandbox payment was made' })
    await paid.getByText('Done').waitFor()
    const retried = page.getByRole('listitem').filter({ hasText: 'A retry got the same payment' })
    await retried.getByText('To do').waitFor()
    await look(page, 'developers-go-live')
  })

  await t.test('a viewer sees none of it, also by direct call', async () => {
    const viewer = await as({ merchant: { id: merchant.id, roles: ['viewer'] } })
    await viewer.go(developers('keys'))
    await viewer.page.getByText('needs the permission webhooks:read or developers:write').waitFor()
    const at = (path: string) => `/dashboard/v1/merchants/${merchant.id}/sandbox${path}`
    const calls = [
      ['POST', '/keys', { scopes: ['transactions:read'] }],
      ['GET', '/keys', undefined],
      ['POST', '/webhook-endpoints', { url: 'https://evil.example' }],
      ['GET', '/webhooks', undefined],
      ['GET', '/request-log', undefined],
      ['POST', '/utilities/clock/advance', { seconds: 60 }],
    ] as const
    for (const [method, path, body] of calls)
      assert.equal((await viewer.person.call(method, at(path), body)).status, 403, path)
  })
  assert.deepEqual(complaints, [])

  async function secretShown(): Promise<{ publicKey: string; apiKey: string }> {
    const shown = page.getByRole('dialog', { name: 'Your API key' })
    await shown.waitFor()
    const [publicKey = '', apiKey = ''] = await shown.getByRole('code').allInnerTexts()
    await shown.getByRole('button', { name: 'I have stored it' }).click()
    return { publicKey, apiKey }
  }
})
