import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextReference } from '../testing/charging.ts'
import { testMalipo } from '../testing/malipo.ts'
import { refundingMalipo } from '../testing/refunding.ts'

const copies = 20
const rounds = 5
/** A second process, which only takes requests. */
const secondProcess = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
  MALIPO_RATE_LIMIT_ADDRESS: '1000',
}

for (const [what, over, amount] of [
  ['a part', { amount: 600 }, 600],
  ['all that is left', {}, 1000],
] as const)
  test(`${copies} copies at once of a refund of ${what} under one key get the response of the first`, async (t) => {
    const malipo = await refundingMalipo(t)
    const processes = [malipo, await testMalipo(t, secondProcess)]
    const merchant = await malipo.refunding()
    const authorization = `Bearer ${await merchant.token()}`

    for (let round = 1; round <= rounds; round += 1) {
      const charge = await merchant.paid(1000)
      const headers = { authorization, 'idempotency-key': `copied-${round}` }
      const body = { externalReference: nextReference(), ...over }
      const all = await Promise.all(
        Array.from({ length: copies }, (_, index) =>
          processes[index % 2]?.call('POST', `/api/b2b/transactions/${charge.id}/refunds`, headers, body),
        ),
      )

      const [first] = all
      assert.deepEqual([first?.status, first?.body['amount'], first?.body['refundOf']], [200, amount, charge.id])
      for (const each of all) assert.deepEqual([each?.status, each?.body], [200, first?.body])
      const made = all.filter((each) => each?.headers.get('idempotency-replayed') !== 'true')
      assert.equal(made.length, 1)
      await malipo.comesTo(String(first?.body['transactionId']), 'successful')
      assert.equal((await merchant.read(charge.id)).refunded, amount)
      assert.equal((await malipo.simulator.refunds(charge.key)).length, 1)
    }
    await malipo.assertBooks()
  })

test('a copy that finds nothing left, because the first took it, gets the response of the first', async (t) => {
  const malipo = await refundingMalipo(t)
  const { call, ctx } = await testMalipo(t, secondProcess)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const path = `/api/b2b/transactions/${charge.id}`
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'overtaken' }
  const body = { externalReference: nextReference() }
  assert.equal((await call('GET', path, headers)).status, 200, 'the second process knows the token')
  // The copy has found no response under its key, and reads the charge only after the first is accepted.
  const { promise: reading, resolve: reads } = Promise.withResolvers<void>()
  const { promise: accepted, resolve: accept } = Promise.withResolvers<void>()
  const within = ctx.db.read.within.bind(ctx.db.read)
  const late = t.mock.method(ctx.db.read, 'within', async (...order: Parameters<typeof within>) => {
    reads()
    await accepted
    return within(...order)
  })

  const copy = call('POST', `${path}/refunds`, headers, body)
  await reading
  const first = await malipo.call('POST', `${path}/refunds`, headers, body)
  accept()
  const second = await copy

  assert.ok(late.mock.callCount() > 0)
  assert.deepEqual([first.status, first.body['amount']], [200, 1000])
  assert.deepEqual([second.status, second.body], [200, first.body])
  assert.equal(second.headers.get('idempotency-replayed'), 'true')
})
