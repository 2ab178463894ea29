import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { chargingMalipo } from '../../server/src/testing/charging.ts'
import { Malipo, MalipoError, NotFoundError } from './index.ts'
import { openWire, respondWith } from './testing/wire.ts'

async function bench(t: TestContext) {
  const stack = await chargingMalipo(t)
  const { publicKey, apiKey } = await stack.merchant()
  const wire = openWire()
  return { wire, malipo: new Malipo({ publicKey, apiKey, baseUrl: stack.url, fetch: wire.fetch }) }
}

test('simulate resends the webhook of a final payment and returns its id', async (t) => {
  const { malipo } = await bench(t)
  const externalReference = 'ended'
  await malipo.charges.mobileMoney({ amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference })
  await malipo.transactions.waitFor(externalReference)

  const { webhookId } = await malipo.sandbox.simulate({ externalReference, status: 'successful' })

  const last = (await malipo.account.events().toArray()).at(-1)
  assert.deepEqual([last?.id, last?.data.externalReference, last?.data.status], [webhookId, 'ended', 'successful'])
  const unknown = malipo.sandbox.simulate({ externalReference: 'nothing', status: 'failed' })
  await assert.rejects(unknown, NotFoundError)
})

test('scenarios, the clock and test values call the endpoints of the API', async (t) => {
  const { malipo, wire } = await bench(t)
  const fine = (data: unknown) => respondWith(200, { success: true, data })
  const advanced = { seconds: 60, payments: 1, webhooks: 2 }
  const armed = [{ externalReference: 'order 1', scenario: 'expiry', setAt: '2026-11-16T08:00:00.000Z' }]
  wire.inject('/utilities/test-values', fine({ phones: [{ value: '+254703456039', ending: '039' }] }))
  wire.inject('/utilities/scenarios', fine(armed))
  wire.inject('/utilities/scenarios/order%201', fine({}), fine({}))
  wire.inject('/utilities/clock/advance', fine(advanced))

  await malipo.sandbox.scenarios.set('order 1', 'expiry')
  assert.deepEqual(await malipo.sandbox.scenarios.list(), armed)
  await malipo.sandbox.scenarios.delete('order 1')
  assert.deepEqual(await malipo.sandbox.clock.advance(60), advanced)
  assert.equal((await malipo.sandbox.testValues()).phones[0]?.ending, '039')

  assert.deepEqual(
    wire.sent.slice(1).map(({ method, path, body }) => [method, path, body]),
    [
      ['PUT', '/utilities/scenarios/order%201', '{"scenario":"expiry"}'],
      ['GET', '/utilities/scenarios', 'undefined'],
      ['DELETE', '/utilities/scenarios/order%201', 'undefined'],
      ['POST', '/utilities/clock/advance', '{"seconds":60}'],
      ['GET', '/utilities/test-values', 'undefined'],
    ],
  )
})

test('a live key pair sends no sandbox request', async () => {
  const wire = openWire()
  const pair = { publicKey: 'pk_live_x', apiKey: 'sk_live_x' }
  const { sandbox } = new Malipo({ ...pair, baseUrl: 'http://127.0.0.1:9', fetch: wire.fetch })

  for (const call of [
    sandbox.testValues(),
    sandbox.scenarios.set('r', 'expiry'),
    sandbox.clock.advance(1),
    sandbox.simulate({ externalReference: 'r', status: 'failed' }),
  ])
    await assert.rejects(call, MalipoError)
  assert.equal(wire.sent.length, 0)
})
