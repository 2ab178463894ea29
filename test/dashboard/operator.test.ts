import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { newTransactionId, providerKeyOf } from '../../packages/server/src/platform/ids.ts'
import { sendHouseCallback } from '../../packages/server/src/testing/house-callbacks.ts'
import { payOut } from '../../packages/server/src/testing/paying.ts'
import { type TestPerson, testPerson } from '../../packages/server/src/testing/people.ts'
import { confirm, reason } from './acting.ts'
import { look, type OpenDashboard, openDashboard } from './open-dashboard.ts'

/** A live provider that takes every request and never responds: each payout at it is in doubt. */
async function silentProvider(t: TestContext): Promise<string> {
  const server = createServer((request) => request.on('end', () => request.socket.destroy()).resume())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A merchant with live money, and a live payout whose outcome is not known. */
async function livePayoutInDoubt(malipo: OpenDashboard['malipo']) {
  const merchant = await malipo.merchant({ env: 'live' })
  const funding = { env: 'live', currency: 'KES', country: 'KE', amount: '100000' } as const
  await malipo.operator.wallets.fund(merchant.id, { ...funding, evidence: 'bank line 88-1', reason: 'prefunding' })
  const fee = { env: 'live', operation: 'payout', method: 'momo', currency: 'KES' } as const
  await malipo.operator.fees.set({ ...fee, basisPoints: 0, fixed: '45', reason: 'contract' })
  await until('the fee', () => malipo.operator.fees.show({ ...fee, amount: '100' }).then(Boolean, () => false))
  const { id } = await payOut(merchant, { amount: 46_800 })
  await malipo.comesTo(id, 'unknown')
  await malipo.later(60) // A send cannot be under way any more.
  return { merchant, id }
}

/** Money that a provider of the sandbox reports for a payment that is not known. */
async function moneyInSuspense({ ctx, url, operator }: OpenDashboard['malipo']) {
  const key = providerKeyOf(newTransactionId(Date.now(), ctx.config.cell), 1)
  const rail = ctx.connectors.sandbox.get('house')?.momoCharges
  assert(rail)
  const phone = { operator: 'MPESA_KE', phone: '+254703456789' }
  await rail.submit({ key, country: 'KE', currency: 'KES', amount: 10_000n, ...phone }, AbortSignal.timeout(5000))
  await until('the case', async () => {
    await sendHouseCallback(url, { key, amount: '100.00' })
    return (await operator.suspense.list({ limit: 1000 })).some(({ providerKey }) => providerKey === key)
  })
  return key
}

test('staff decide on live money in pairs, and support decides nothing', async (t) => {
  const url = await silentProvider(t)
  const dashboard = await openDashboard(t, {
    MALIPO_PAWAPAY_URL: url,
    MALIPO_PAWAPAY_TOKEN: 'token-of-a-live-account',
    MALIPO_PAWAPAY_CALLBACKS: 'unsigned',
  })
  const { malipo, as, complaints } = dashboard
  const sandbox = await malipo.refunding()
  const paid = await sandbox.paid(1250)
  await sandbox.refunded(paid.id, { amount: 400 })
  const { merchant, id } = await livePayoutInDoubt(malipo)
  const operations = await as({ operator: ['operations'], name: 'Faith Njeri' })
  const risk = await as({ operator: ['risk'], name: 'Daniel Mutiso' })

  await t.test('a live payment in doubt is resolved by two people', async () => {
    const { page, go } = operations
    await go('/operator')
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: /Open the payment of Duka/ }) })
    await row.getByText('−46,800').waitFor()
    const { externalReference } = await malipo.operator.payments.show(id)
    await row.getByText(externalReference).last().waitFor()
    const sums = page.getByRole('list', { name: 'Sums in doubt' })
    await sums.getByText(/KES.*−46,800\.00 1 payment out/).waitFor()
    await row.getByRole('button', { name: /Open the payment of Duka/ }).click()
    await page.getByRole('tab', { name: 'Evidence' }).waitFor()
    await look(page, 'operations')
    await page.getByRole('tab', { name: 'Ledger' }).click()
    await page.getByRole('img', { name: /in KES: 2 entries/ }).waitFor()
    await look(page, 'operations-ledger')
    await page.getByRole('tab', { name: 'Next steps' }).click()
    await page.getByRole('button', { name: 'Propose: failed' }).click()
    await page.getByRole('dialog').getByText('The ledger does this').waitFor()
    await look(page, 'operations-resolve')
    await confirm(page, 'Propose: failed', { Evidence: 'pawaPay ticket PP-20418, in writing', ...reason })
    await page.getByText('You proposed this, so you cannot approve it').waitFor()
    assert.equal(await malipo.stateOf(id), 'unknown')

    await risk.go('/operator/proposals')
    await risk.page.getByRole('button', { name: 'Approve' }).waitFor()
    await risk.page.getByRole('button', { name: 'Approve' }).click()
    await confirm(risk.page, 'Approve and execute', reason)
    await risk.page.getByText('Nothing waits for a decision').waitFor()
    assert.equal(await malipo.stateOf(id), 'failed')
  })

  await t.test('a provider is paused and resumed', async () => {
    const { page, go } = operations
    await go('/operator?env=sandbox')
    await page.getByRole('region', { name: 'Sandbox' }).waitFor()
    await page
      .getByRole('button', { name: /^Pause pawapay/i })
      .first()
      .click()
    await confirm(page, 'Pause it', reason)
    await page
      .getByRole('button', { name: /^Resume pawapay/i })
      .first()
      .waitFor()
    await look(page, 'operations-sandbox')
    await page
      .getByRole('button', { name: /^Resume pawapay/i })
      .first()
      .click()
    await confirm(page, 'Resume it', reason)
    await page
      .getByRole('button', { name: /^Pause pawapay/i })
      .first()
      .waitFor()
  })

  await t.test('a suspense case is cleared with the entries shown before', async () => {
    await moneyInSuspense(malipo)
    const { page, go } = operations
    await go('/operator/suspense?env=sandbox')
    const sums = page.getByRole('list', { name: 'Sums of all open cases' })
    await sums.getByText(/KES.*100\.00 1 case, oldest/).waitFor()
    await page.getByRole('button', { name: /Open the case/ }).click()
    await page.getByRole('button', { name: 'Return to the payer' }).waitFor()
    await look(page, 'suspense')
    await page.getByRole('button', { name: 'Return to the payer' }).click()
    await page.getByRole('dialog').getByText('The ledger does this').waitFor()
    await confirm(page, 'Return to the payer and close the case', { Evidence: 'refund 88', ...reason })
    await page.getByText('No open case').waitFor()
    assert.deepEqual(await malipo.operator.suspense.list({ limit: 10 }), [])
  })

  await t.test('a merchant is frozen', async () => {
    const { page, go } = risk
    await go('/operator/merchants')
    await page.getByRole('link', { name: 'Duka' }).first().waitFor()
    await look(page, 'merchants')
    await go(`/operator/merchants/${merchant.id}`)
    await page.getByRole('button', { name: 'Freeze' }).click()
    await confirm(page, 'Freeze the merchant', reason)
    await page.getByText('none of its payments is sent').waitFor()
    await look(page, 'merchant')
    assert.equal((await malipo.operator.merchants.show(merchant.id)).state, 'frozen')
    await page.getByRole('button', { name: 'Unfreeze' }).click()
    await confirm(page, 'Propose to unfreeze it', reason)
    await go('/operator/proposals')
    await page.getByText('You proposed this, so you cannot approve it').waitFor()
    await look(page, 'proposals')
  })

  await t.test('support sees no action, and its direct calls are refused', async () => {
    const { person, page, go } = await as({ operator: ['support'], name: 'Wanjiru Kamau' })
    await go('/operator?env=sandbox')
    await page.getByRole('heading', { name: 'Providers' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Pause|Resume|Top up|Propose/ }).count(), 0)
    await go(`/operator/merchants/${merchant.id}`)
    await page.getByRole('heading', { name: 'Wallets' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /freeze|Fund|Set |Revoke|Create/i }).count(), 0)
    await assertRefused(person)
  })

  await t.test('direct calls of a merchant are refused, of its viewer and of its owner', async () => {
    for (const role of ['viewer', 'owner'] as const)
      await assertRefused(await testPerson(malipo, { merchant: { id: merchant.id, roles: [role] } }))
  })

  async function assertRefused(person: TestPerson): Promise<void> {
    const refused = [
      ['POST', `/payments/${id}/resolve`, { outcome: 'failed', reason: 'no', evidence: 'none' }],
      ['POST', '/providers/pawapay/pause', { env: 'sandbox', reason: 'no' }],
      ['POST', `/merchants/${merchant.id}/freeze`, { reason: 'no' }],
      ['GET', '/ledger/trial-balance?env=live', undefined],
      ['GET', '/audit?limit=10', undefined],
    ] as const
    for (const [method, path, body] of refused)
      assert.equal((await person.call(method, `/operator/v1${path}`, body)).status, 403, path)
  }
  assert.deepEqual(complaints, [])
})
