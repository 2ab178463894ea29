import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type Body, houseAccount, houseCharge, settleMs, startTestSimulator } from '../testing/simulator.ts'

/** A simulator with a completed charge of 500 XOF. */
async function paid(t: TestContext) {
  const sim = await startTestSimulator(t)
  const charge = houseCharge()
  await sim.house('POST', '/v1/charges', charge)
  await sim.advance(settleMs)
  const orderOf = (changes: Record<string, unknown>) => {
    return { key: randomUUID(), charge: charge.key, country: 'CI', currency: 'XOF', amount: '200', ...changes }
  }
  const ask = async (changes: Record<string, unknown> = {}): Promise<Body> => {
    const order = orderOf(changes)
    const { status, body } = await sim.house('POST', '/v1/refunds', order)
    return { http: status, order, ...body }
  }
  return { sim, charge, ask, read: async (key: string) => (await sim.house('GET', `/v1/refunds/${key}`)).body as Body }
}

test('a refund is accepted, completes with a receipt, and its callback names the operation', async (t) => {
  const { sim, charge, ask, read } = await paid(t)
  await sim.receiver.take(1)
  const { key, state, repeated } = await ask()
  assert.deepEqual([state, repeated], ['accepted', false])
  await sim.advance(settleMs)

  const { receipt, ...rest } = await read(key)
  assert.match(receipt, /^[0-9A-Z]{10}$/)
  assert.deepEqual(rest, { key, state: 'completed', amount: '200', currency: 'XOF' })
  const { operation, key: named } = (await sim.receiver.take(1)).at(-1)?.body ?? {}
  assert.deepEqual([operation, named], ['refund', key])
  assert.partialDeepStrictEqual(await sim.movements(key), [{ kind: 'refunded', amount: '200', refundOf: charge.key }])
})

test('a repeated key refunds once, and with another body it is refused', async (t) => {
  const { sim, ask } = await paid(t)
  const first = await ask()
  assert.equal((await ask({ key: first.key })).repeated, true)
  assert.deepEqual((await ask({ key: first.key, amount: '201' })).error.code, 'KEY_REUSED')
  await sim.advance(settleMs)
  assert.equal((await sim.movements(first.key)).length, 1)
})

test('several refunds of one charge may be open, and their sum never exceeds the charge', async (t) => {
  const { sim, ask } = await paid(t)
  assert.deepEqual([(await ask()).state, (await ask()).state], ['accepted', 'accepted'])
  assert.equal((await ask()).failure.code, 'AMOUNT_TOO_LARGE')
  assert.equal((await ask({ amount: '100' })).state, 'accepted')
  await sim.advance(settleMs)
  const { items } = (await sim.control('GET', '/ledger/totals')).body
  assert.partialDeepStrictEqual(items, [
    { kind: 'collected', amount: '500' },
    { kind: 'refunded', count: 3, amount: '500' },
  ])
})

test('a charge that is unknown, elsewhere or not paid cannot be refunded', async (t) => {
  const { sim, ask } = await paid(t)
  const open = houseCharge()
  await sim.house('POST', '/v1/charges', open)
  const codes = await Promise.all(
    [{ charge: randomUUID() }, { country: 'SN' }, { charge: open.key }].map(
      async (each) => (await ask(each)).failure.code,
    ),
  )
  assert.deepEqual(codes, ['CHARGE_NOT_FOUND', 'CHARGE_NOT_FOUND', 'CHARGE_NOT_PAID'])
  assert.deepEqual((await ask({ amount: '1.5' })).error.code, 'INVALID_FIELD')
  assert.deepEqual((await ask({ surprise: 1 })).error.code, 'UNKNOWN_FIELD')
})

test('a charge by transfer is refundable up to the transfers that arrived and were kept', async (t) => {
  const { sim, ask } = await paid(t)
  const account = houseAccount()
  await sim.house('POST', '/v1/charges', account)
  const pay = (amount: string) => sim.control('POST', `/payer/${account.key}/act`, { action: 'pay_account', amount })
  const where = { charge: account.key, country: 'KE', currency: 'KES' }
  assert.equal((await ask({ ...where })).failure.code, 'CHARGE_NOT_PAID')
  for (const amount of ['300', '500']) await pay(amount)
  await sim.control('POST', `/payments/${account.key}/reverse`, { operation: 'charge' })

  assert.equal((await ask({ ...where, amount: '300.01' })).failure.code, 'AMOUNT_TOO_LARGE')
  assert.equal((await ask({ ...where, amount: '300' })).state, 'accepted')
})

test('a refund without float is refused and stores nothing; 89 fails and 29 stays pending', async (t) => {
  const { sim, ask, read } = await paid(t)
  await sim.fault({ provider: 'house', operation: 'refund', mode: 'float_empty', times: 1 })
  const short = await ask()
  assert.equal(short.failure.code, 'FLOAT_EMPTY')
  assert.equal((await ask({ key: short.key })).repeated, false)

  const [failing, staying] = [await ask({ amount: '89' }), await ask({ amount: '29' })]
  await sim.advance(settleMs)
  assert.deepEqual([(await read(failing.key)).state, (await read(staying.key)).state], ['failed', 'accepted'])
  await sim.control('POST', `/payer/${staying.key}/act`, { action: 'decline' })
  assert.equal((await read(staying.key)).failure.code, 'UNSPECIFIED_FAILURE')
})
