import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { deposit, payout, settleMs, startTestSimulator, type TestSimulator } from './testing/simulator.ts'
import { until } from './testing/until.ts'

const callbacksOf = async (sim: TestSimulator, key: string) =>
  (await sim.control('GET', `/callbacks?key=${key}`)).body.items
const attemptsAre = (sim: TestSimulator, key: string, count: number) =>
  until(`${count} attempts`, async () => (await callbacksOf(sim, key))[0]?.attempts.length === count)

test('a callback is retried until it gets a 200, and not after', async (t) => {
  const sim = await startTestSimulator(t)
  sim.receiver.statuses.push(500, 204, 301)
  const order = deposit()
  await sim.pawapay('POST', '/v2/deposits', order)
  await sim.advance(settleMs)

  await attemptsAre(sim, order.depositId, 1)
  for (const [index, pauseMs] of [2_000, 10_000, 30_000].entries()) {
    await sim.advance(pauseMs)
    await attemptsAre(sim, order.depositId, index + 2)
  }
  const [callback] = await callbacksOf(sim, order.depositId)
  assert.equal(callback.status, 'delivered')
  assert.deepEqual(
    callback.attempts.map(({ status }: { status: number }) => status),
    [500, 204, 301, 200],
  )
  await sim.advance(3_600_000)
  assert.equal(sim.receiver.received.length, 4)
})

test('a callback without a 200 is given up after fifteen minutes, and can be sent by hand', async (t) => {
  const sim = await startTestSimulator(t)
  sim.receiver.statuses.push(...Array.from({ length: 30 }, () => 503))
  const order = deposit()
  await sim.pawapay('POST', '/v2/deposits', order)
  await sim.advance(settleMs)
  const isOver = async () => (await callbacksOf(sim, order.depositId))[0].status === 'given_up'

  for (let attempts = 1; ; attempts++) {
    await attemptsAre(sim, order.depositId, attempts)
    if (await isOver()) break
    await sim.advance(60_000)
  }
  const tried = sim.receiver.received.length
  assert.ok(tried >= 15 && tried <= 18, `${tried} attempts`)
  await sim.advance(3_600_000)
  assert.equal(sim.receiver.received.length, tried)

  sim.receiver.statuses.length = 0
  await sim.control('POST', `/callbacks/${order.depositId}/resend`)
  await until('delivery', async () => (await callbacksOf(sim, order.depositId))[0].status === 'delivered')
})

test('a waiting callback can be dropped', async (t) => {
  const sim = await startTestSimulator(t)
  sim.receiver.statuses.push(500)
  const order = deposit()
  await sim.pawapay('POST', '/v2/deposits', order)
  await sim.advance(settleMs)
  await attemptsAre(sim, order.depositId, 1)

  const [{ id }] = await callbacksOf(sim, order.depositId)
  assert.equal((await sim.control('POST', `/callbacks/${id}/drop`)).body.status, 'dropped')
  await sim.advance(3_600_000)
  assert.equal(sim.receiver.received.length, 1)
  assert.equal((await sim.control('POST', `/callbacks/${id}/drop`)).status, 409)
})

test('a waiting callback can be moved behind the next one', async (t) => {
  const sim = await startTestSimulator(t)
  sim.receiver.statuses.push(500)
  const [first, second] = [deposit(), deposit()]
  await sim.pawapay('POST', '/v2/deposits', first)
  await sim.advance(settleMs)
  await attemptsAre(sim, first.depositId, 1)

  await sim.control('POST', `/callbacks/${first.depositId}/reorder`)
  await sim.advance(10_000)
  assert.equal(sim.receiver.received.length, 1)
  await sim.pawapay('POST', '/v2/deposits', second)
  await sim.control('POST', `/payer/${second.depositId}/act`, { action: 'approve' })
  const ids = (await sim.receiver.take(3)).map(({ body }) => body['depositId'])
  assert.deepEqual(ids, [first.depositId, second.depositId, first.depositId])
})

test('a callback goes to the current callback base, and nowhere when it is empty', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.control('PUT', '/settings', { callbackBase: '' })
  const order = payout()
  await sim.pawapay('POST', '/v2/payouts', order)
  await sim.advance(settleMs)
  assert.equal((await sim.movements(order.payoutId)).length, 1)
  assert.deepEqual(await callbacksOf(sim, order.payoutId), [])

  await sim.control('PUT', '/settings', { callbackBase: `${sim.receiver.base}/` })
  await sim.control('POST', `/callbacks/${order.payoutId}/resend`)
  assert.equal((await sim.receiver.take(1))[0]?.path, '/callbacks/pawapay')
})

test('no more than 64 callbacks are in flight, and all arrive', async (t) => {
  const sim = await startTestSimulator(t)
  const waiting: ServerResponse[] = []
  let most = 0
  let responded = 0
  const slow = createServer((request, response) => {
    request.resume()
    most = Math.max(most, waiting.push(response))
  })
  slow.listen(0, '127.0.0.1')
  await once(slow, 'listening')
  t.after(() => {
    slow.close()
    slow.closeAllConnections()
  })
  await sim.control('PUT', '/settings', { callbackBase: `http://127.0.0.1:${(slow.address() as AddressInfo).port}` })
  await Promise.all(Array.from({ length: 100 }, () => sim.pawapay('POST', '/v2/deposits', deposit())))
  await sim.advance(settleMs)

  await until('64 callbacks in flight', () => waiting.length === 64)
  await until('all of them', () => {
    for (const response of waiting.splice(0)) {
      response.end()
      responded++
    }
    return responded === 100
  })
  assert.equal(most, 64)
})

test('a reset wakes a request that sleeps in a fault', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.fault({ provider: 'house', operation: 'rates', mode: 'latency', delayMs: 3_600_000 })
  const asleep = sim.house('GET', '/v1/rates?base=USD&quote=KES')
  await until('the fault to strike', async () => (await sim.control('GET', '/faults')).body.items[0].struck === 1)

  await sim.control('POST', '/reset')
  assert.equal((await asleep).status, 200)
})
