import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, houseCharge, settleMs, startTestSimulator } from '../testing/simulator.ts'

type TestSimulator = Awaited<ReturnType<typeof startTestSimulator>>

const phone = '250783456789'

const take = async (sim: TestSimulator, of = phone) => (await sim.control('POST', '/handset', { phone: of })).body.items

async function charge(sim: TestSimulator, of = phone): Promise<string> {
  const order = deposit({}, of)
  await sim.pawapay('POST', '/v2/deposits', order)
  return order.depositId
}

const stateOf = async (sim: TestSimulator, key: string) =>
  (await sim.control('GET', `/payments?key=${key}`)).body.items[0].state

test('a charge of a taken phone waits for its person, and one of another phone does not', async (t) => {
  const sim = await startTestSimulator(t)
  assert.deepEqual(await take(sim), [])

  const [own, other] = [await charge(sim), await charge(sim, '250783456780')]
  await sim.advance(settleMs)

  const [prompt, ...more] = await take(sim)
  assert.deepEqual([prompt.key, prompt.leftMs > 0 && prompt.leftMs <= 90_000 - settleMs, more.length], [own, true, 0])
  assert.deepEqual([await stateOf(sim, own), await stateOf(sim, other)], ['processing', 'completed'])
  assert.equal((await sim.control('POST', `/payer/${own}/act`, { action: 'enter_pin' })).body.state, 'completed')
  assert.deepEqual(await take(sim), [])
})

test('a prompt without an answer fails after 90 seconds', async (t) => {
  const sim = await startTestSimulator(t)
  await take(sim)
  const key = await charge(sim)

  await sim.advance(90_000)

  const [payment] = (await sim.control('GET', `/payments?key=${key}`)).body.items
  assert.deepEqual([payment.state, payment.failure.code], ['failed', 'PAYMENT_NOT_APPROVED'])
})

test('a phone that its page has left for ten seconds pays as its number says', async (t) => {
  const sim = await startTestSimulator(t)
  await take(sim)
  await sim.advance(10_001)

  const key = await charge(sim)
  await sim.advance(settleMs)

  assert.equal(await stateOf(sim, key), 'completed')
})

test('a charge by another provider prompts a taken phone too', async (t) => {
  const sim = await startTestSimulator(t)
  const order = houseCharge({ code: '123456' })
  await take(sim, order.phone.slice(1))

  await sim.house('POST', '/v1/charges', order)

  assert.equal((await take(sim, order.phone.slice(1)))[0].key, order.key)
})

test('a phone must be digits', async (t) => {
  const sim = await startTestSimulator(t)

  for (const wrong of ['', '+250783456789', 'x', 5, '1'.repeat(16)])
    assert.equal((await sim.control('POST', '/handset', { phone: wrong })).status, 400)
})
