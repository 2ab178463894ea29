import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readId } from '../platform/ids.ts'
import { payingMalipo, payOut } from '../testing/paying.ts'
import { testPerson } from '../testing/people.ts'
import type { MerchantOverview } from './show-merchant.ts'

test('a merchant is shown with keys, wallets, webhooks, fees, currencies and open payments', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const { operator } = malipo
  await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'https://shop.example.com/hooks' })
  await malipo.ask(
    `update webhook_endpoints set failures = 3, failing_since = now() where merchant_id = $1 and env = 'sandbox'`,
    [readId('merchant', merchant.id)],
  )
  await operator.merchants.setCurrencies(merchant.id, { env: 'live', disable: ['NGN'], reason: 'licence pending' })
  await operator.fees.set({
    ...{ env: 'sandbox', operation: 'payout', merchant: merchant.id, basisPoints: 50 },
    reason: 'contract 17',
  })
  await payOut(merchant)
  await payOut(merchant)
  await operator.merchants.freeze(merchant.id, 'fraud report')

  const shown = await operator.merchants.show(merchant.id)

  assert.deepEqual([shown.id, shown.state, typeof shown.frozenAt], [merchant.id, 'frozen', 'string'])
  assert.deepEqual(
    shown.keys.map(({ publicKey, state }) => [publicKey, state]),
    [[merchant.publicKey, 'active']],
  )
  const kes = shown.wallets.find(({ currency, env }) => currency === 'KES' && env === 'sandbox')
  assert.deepEqual(kes, {
    ...{ env: 'sandbox', currency: 'KES', country: 'KE', balance: '1000000.00', available: '999799.00' },
    ...{ pending: '201.00', owed: '0.00' },
  })
  assert.deepEqual(
    shown.webhooks.map(({ env, url, state, failures }) => [env, url, state, failures]),
    [
      ['live', '', 'none', 0],
      ['sandbox', 'https://shop.example.com/hooks', 'failing', 3],
    ],
  )
  assert.deepEqual(
    shown.fees.map(({ operation, basisPoints }) => [operation, basisPoints]),
    [['payout', 50]],
  )
  assert.deepEqual(shown.disabledCurrencies, [{ env: 'live', currencies: ['NGN'] }])
  assert.deepEqual(
    shown.openPayments.map(({ env, state, payments }) => [env, state, payments]),
    [['sandbox', 'accepted', 2]],
  )
  assert.deepEqual(
    shown.lastPayments.map(({ env }) => env),
    ['sandbox'],
  )
})

test("the wallets of one merchant are shown, and not another's or another environment's", async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const { wallets } = malipo.operator

  const sandbox = await wallets.show(merchant.id, { env: 'sandbox' })

  assert.ok(sandbox.length > 1)
  assert.deepEqual(await wallets.show(merchant.id), sandbox)
  assert.deepEqual(await wallets.show(merchant.id, { env: 'live' }), [])
  assert.deepEqual(
    sandbox.filter(({ currency }) => currency === 'KES').map(({ available, owed }) => [available, owed]),
    [['1000000.00', '0.00']],
  )
})

test('a merchant that does not exist, or an id that is not one, is refused', async (t) => {
  const { operator } = await payingMalipo(t)
  const missing = `mer_${'0'.repeat(32)}`

  await assert.rejects(operator.merchants.show(missing), /no merchant has the id mer_0/)
  await assert.rejects(operator.merchants.show('duka'), /duka is not a merchant id/)
  await assert.rejects(operator.wallets.show(missing), /no merchant has the id mer_0/)
})

test('a merchant is shown with its payout controls, and its people only to readers of people', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const owner = await testPerson(malipo, { merchant: { id: merchant.id, roles: ['owner'] } })
  const limits = { env: 'sandbox', currency: 'KES', perPayout: '500.00', reason: 'new merchant' } as const
  await malipo.operator.payoutControls.setLimits(merchant.id, limits)
  const shownTo = async (role: 'auditor' | 'support') => {
    const reader = await testPerson(malipo, { operator: [role] })
    return (await reader.call('GET', `/operator/v1/merchants/${merchant.id}`)).body['data'] as MerchantOverview
  }

  const [auditor, support] = [await shownTo('auditor'), await shownTo('support')]

  assert.deepEqual(
    auditor.people?.map(({ id, roles }) => [id, roles.map(({ role }) => role)]),
    [[owner.id, ['owner']]],
  )
  assert.equal(support.people, undefined)
  const sandbox = support.payoutControls.find(({ env }) => env === 'sandbox')
  assert.deepEqual(sandbox?.currencies, [{ currency: 'KES', perPayout: '500.00' }])
})
