import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { readId } from '../platform/ids.ts'
import { testMachine } from '../testing/machines.ts'
import { proposeFunding } from '../testing/operator-scene.ts'
import { type PayingMalipo, payingMalipo, payOut, payoutInDoubt } from '../testing/paying.ts'
import { testPerson } from '../testing/people.ts'

const env = 'sandbox' as const
const incident = { env, reason: 'incident 12' } as const

test('open payments are counted by age and currency, with those in doubt and why', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  await payoutInDoubt(malipo, merchant, { amount: 250 })
  await malipo.operator.providers.pause('pawapay', incident)
  await malipo.later(2 * 3600)
  await payOut(merchant, { amount: 100 })
  t.after(() => malipo.operator.providers.resume('pawapay', incident))

  const shown = await malipo.operator.operations.show({ env })

  assert.deepEqual(shown.openPayments, [
    { age: 'under_5_minutes', currency: 'KES', payments: 1, amount: '100.00', inDoubt: 0 },
    { age: 'under_24_hours', currency: 'KES', payments: 1, amount: '250.00', inDoubt: 1 },
  ])
  assert.deepEqual(
    shown.doubts.map(({ doubt, payments }) => [doubt, payments]),
    [['no_response', 1]],
  )
  assert.ok((shown.doubts[0]?.oldestSeconds ?? 0) >= 2 * 3600)
  assert.deepEqual(shown.inDoubt, [{ currency: 'KES', isOut: true, payments: 1, amount: '250.00' }])
  assert.deepEqual((await malipo.operator.operations.show({ env: 'live' })).openPayments, [])
})

/** The lane of pawaPay; the tests of this file share its open payments. */
const laneIn = async ({ operator }: PayingMalipo) => {
  const { lanes } = await operator.operations.show({ env })
  return lanes.find(({ provider }) => provider === 'pawapay')
}

test('the lag of a lane is the wait of its oldest due payment, and held payments do not count', async (t) => {
  const malipo = await payingMalipo(t)
  await payOut(await malipo.merchant())
  await malipo.later(90)

  const late = await laneIn(malipo)
  await malipo.operator.providers.pause('pawapay', incident)
  const paused = await laneIn(malipo)
  await malipo.operator.providers.resume('pawapay', incident)

  assert.ok((late?.oldestDueSeconds ?? 0) >= 90)
  assert.ok((late?.toSend ?? 0) >= 1 && late?.due === late?.open && late?.paused === 0, JSON.stringify(late))
  const { due, oldestDueSeconds } = paused ?? {}
  assert.deepEqual([due, paused?.paused, oldestDueSeconds], [0, paused?.open, undefined])
})

test("a frozen merchant's payments to send are held and not due", async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await payOut(merchant)
  await malipo.later(60)
  const before = await laneIn(malipo)

  await malipo.operator.merchants.freeze(merchant.id, 'fraud report')
  const after = await laneIn(malipo)

  assert.deepEqual([after?.frozen, after?.due], [(before?.frozen ?? 0) + 1, (before?.due ?? 0) - 1])
})

test('waiting webhooks are counted by age, with failing and disabled endpoints', async (t) => {
  const malipo = await payingMalipo(t)
  const [merchant, other] = [await malipo.merchant(), await malipo.merchant()]
  for (const each of [merchant, other])
    await each.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'https://shop.example.com/hooks' })
  await payOut(merchant)
  await malipo.later(600)
  const mark = (column: string, id: string) =>
    malipo.ask(`update webhook_endpoints set ${column} where merchant_id = $1 and env = 'sandbox'`, [
      readId('merchant', id),
    ])
  await mark('failures = 3', merchant.id)
  await mark('disabled_at = now()', other.id)

  const { webhooks } = await malipo.operator.operations.show({ env })

  assert.deepEqual(webhooks.waiting, [{ age: 'under_1_hour', records: 1 }])
  assert.deepEqual(
    [webhooks.retries, webhooks.isCut, webhooks.failingEndpoints, webhooks.disabledEndpoints],
    [0, false, 1, 1],
  )
  assert.ok((webhooks.oldestSeconds ?? 0) >= 600)
})

test('open proposals and floats below their marks are shown, in their environment only', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const maker = await testPerson(malipo, { operator: ['finance'] })
  await proposeFunding(maker, merchant.id)
  const float = { provider: 'pawapay', env, country: 'KE', currency: 'KES' }
  await malipo.operator.floats.mark({ ...float, amount: '500.00', reason: 'two days of payouts' })

  const [live, sandbox] = [
    await malipo.operator.operations.show({ env: 'live' }),
    await malipo.operator.operations.show({ env }),
  ]

  assert.deepEqual([live.proposals.open, sandbox.proposals.open], [1, 0])
  assert.deepEqual([live.lowFloats, sandbox.lowFloats.map(({ mark }) => mark)], [[], ['500.00']])
})

test('a limited role sees only its countries and currencies, and a machine only what it may read', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  await payOut(merchant)
  const order = { amount: 1000, externalReference: randomUUID(), currency: 'NGN', country: 'NG' }
  const payoutMethod = { accountName: 'Amina Bello', accountNumber: '0690000032', code: '044' }
  await merchant.call('POST', '/api/b2b/fiat/payout', { ...order, destination: 'Bank Account', payoutMethod })
  const float = { provider: 'pawapay', env, country: 'KE', currency: 'KES' }
  await malipo.operator.floats.mark({ ...float, amount: '500.00', reason: 'two days of payouts' })
  const limited = await testPerson(malipo, { operator: ['operations'], countries: ['KE'], currencies: ['KES'] })
  const machine = await testMachine(malipo, ['payments:read'])
  type Shown = { openPayments: { currency: string }[]; lowFloats: unknown[] }
  const path = '/operator/v1/operations?env=sandbox'

  const seen = (await limited.call('GET', path)).body['data'] as Shown
  const read = (await machine('GET', path)).body['data'] as Shown

  assert.deepEqual(new Set(seen.openPayments.map(({ currency }) => currency)), new Set(['KES']))
  assert.deepEqual(new Set(read.openPayments.map(({ currency }) => currency)), new Set(['KES', 'NGN']))
  assert.deepEqual([seen.lowFloats.length, read.lowFloats.length], [1, 0])
  assert.equal((await limited.call('GET', '/operator/v1/operations')).status, 400)
})
