import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { modes } from './faults.ts'
import { faultTest } from './testing/fault-test.ts'
import {
  type Body,
  bankTransfer,
  deposit,
  houseAccount,
  houseCharge,
  housePayout,
  payout,
  settleMs,
  startTestSimulator,
  type TestSimulator,
} from './testing/simulator.ts'
import { until } from './testing/until.ts'

const broken = { name: 'TypeError' }

const statusOf = async (sim: TestSimulator, id: string): Promise<Body> =>
  (await sim.pawapay('GET', `/v2/payouts/${id}`)).body
const pay = (sim: TestSimulator, order: Body) => sim.pawapay('POST', '/v2/payouts', order)

faultTest('latency', 'the response waits for the clock', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'latency', delayMs: 30_000 })
  const order = payout()
  let isAnswered = false
  const response = pay(sim, order).finally(() => {
    isAnswered = true
  })
  await until('the fault to strike', async () => (await sim.control('GET', '/faults')).body.items[0].struck === 1)
  assert.deepEqual(await statusOf(sim, order.payoutId), { status: 'NOT_FOUND' })
  assert.equal(isAnswered, false)

  await sim.advance(30_000)
  assert.equal((await response).body.status, 'ACCEPTED')
})

faultTest('drop_before_processing', 'the connection breaks and nothing is accepted', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'drop_before_processing', times: 1 })
  const order = payout()
  await assert.rejects(pay(sim, order), broken)
  assert.deepEqual(await statusOf(sim, order.payoutId), { status: 'NOT_FOUND' })

  assert.equal((await pay(sim, order)).body.status, 'ACCEPTED')
})

faultTest(
  'drop_after_processing',
  'the response is lost, the money moves once, a repeat moves no more',
  async (sim) => {
    await sim.fault({ provider: '*', operation: 'payout', mode: 'drop_after_processing', times: 2 })
    const [order, till] = [payout(), housePayout()]
    await assert.rejects(pay(sim, order), broken)
    await assert.rejects(sim.house('POST', '/v1/payouts', till), broken)

    assert.equal((await pay(sim, order)).body.status, 'DUPLICATE_IGNORED')
    assert.equal((await sim.house('POST', '/v1/payouts', till)).body.repeated, true)
    await sim.advance(settleMs)
    assert.equal((await sim.movements(order.payoutId)).length, 1)
    assert.equal((await sim.movements(till.key)).length, 1)
  },
)

faultTest('half_response', 'the response breaks off in the middle, the payment is accepted', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'half_response', times: 1 })
  const order = payout()
  await assert.rejects(pay(sim, order), broken)
  assert.equal((await statusOf(sim, order.payoutId)).status, 'FOUND')
})

faultTest('http_status', 'the given status is returned, before or after processing', async (sim) => {
  await sim.fault({
    provider: 'pawapay',
    operation: 'payout',
    mode: 'http_status',
    status: 502,
    body: { a: 1 },
    times: 1,
  })
  const [early, late] = [payout(), payout()]
  const first = await pay(sim, early)
  assert.deepEqual([first.status, first.body], [502, { a: 1 }])
  assert.deepEqual(await statusOf(sim, early.payoutId), { status: 'NOT_FOUND' })

  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'http_status', moment: 'after', times: 1 })
  assert.equal((await pay(sim, late)).status, 500)
  assert.equal((await statusOf(sim, late.payoutId)).status, 'FOUND')
})

faultTest('html_503', 'a gateway page is returned although the money moves', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'html_503', moment: 'after' })
  const order = payout()
  const { status, body, headers } = await pay(sim, order)
  assert.equal(status, 503)
  assert.match(body, /^<html>/)
  assert.equal(headers.get('content-type'), 'text/html')
  await sim.advance(settleMs)
  assert.equal((await sim.movements(order.payoutId)).length, 1)
})

faultTest('malformed_json', 'the response is complete on the wire but not JSON', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'malformed_json' })
  const order = payout()
  const { status, body } = await pay(sim, order)
  assert.equal(status, 200)
  assert.equal(typeof body, 'string')
  assert.equal((await statusOf(sim, order.payoutId)).status, 'FOUND')
})

faultTest('token_expired', "a valid token is refused with the provider's message", async (sim) => {
  await sim.fault({ provider: '*', operation: '*', mode: 'token_expired', times: 2 })
  const first = await pay(sim, payout())
  const second = await sim.house('POST', '/v1/charges', houseCharge())
  assert.deepEqual([first.status, first.body.failureReason.failureCode], [403, 'AUTHENTICATION_ERROR'])
  assert.deepEqual([second.status, second.body.error.code], [401, 'TOKEN_EXPIRED'])
})

faultTest('account_not_allowed', "the account is refused with the provider's message", async (sim) => {
  await sim.fault({ provider: '*', operation: '*', mode: 'account_not_allowed', times: 2 })
  assert.equal((await pay(sim, payout())).body.failureReason.failureCode, 'AUTHORISATION_ERROR')
  assert.equal((await sim.house('POST', '/v1/charges', houseCharge())).body.error.code, 'UNAUTHORIZED')
})

faultTest('rate_limited', 'the response says when to retry', async (sim) => {
  await sim.fault({ provider: '*', operation: '*', mode: 'rate_limited', seconds: 7 })
  const first = await pay(sim, payout())
  const second = await sim.house('POST', '/v1/charges', houseCharge())
  assert.deepEqual([first.status, first.headers.get('retry-after')], [429, '7'])
  assert.deepEqual([second.status, second.body.error.code], [429, 'RATE_LIMITED'])
})

faultTest('unknown_words', 'the error is undocumented', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'unknown_words' })
  const { status, body } = await pay(sim, payout())
  assert.equal(status, 400)
  assert.equal(body.failureReason.failureCode, 'GREMLIN_IN_THE_SWITCH')
})

faultTest('callback_never', 'the money moves and no callback is sent', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'callback_never' })
  const order = payout()
  await pay(sim, order)
  await sim.advance(3_600_000)
  assert.equal((await sim.movements(order.payoutId)).length, 1)
  assert.deepEqual((await sim.control('GET', '/callbacks')).body.items, [])

  await sim.control('POST', `/callbacks/${order.payoutId}/resend`)
  assert.equal((await sim.receiver.take(1))[0]?.body['status'], 'COMPLETED')
})

faultTest('callback_late', 'the callback is sent its delay after the outcome', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'callback_late', delayMs: 600_000 })
  const order = payout()
  await pay(sim, order)
  await sim.advance(settleMs + 500_000)
  assert.equal((await statusOf(sim, order.payoutId)).data.status, 'COMPLETED')
  assert.equal(sim.receiver.received.length, 0)
  await sim.advance(100_000)
  await sim.receiver.take(1)
})

faultTest('callback_duplicate', 'the same callback is sent several times', async (sim) => {
  await sim.fault({ provider: 'house', operation: 'charge', mode: 'callback_duplicate', count: 3 })
  await sim.house('POST', '/v1/charges', houseCharge())
  await sim.advance(settleMs)
  const received = await sim.receiver.take(3)
  assert.equal(new Set(received.map(({ raw }) => raw)).size, 1)
})

faultTest('callback_before_response', 'the callback is sent before the response', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'callback_before_response' })
  const order = payout()
  const { body } = await pay(sim, order)
  assert.equal(body.status, 'ACCEPTED')
  assert.equal(sim.receiver.received[0]?.body['status'], 'COMPLETED')
  assert.equal((await sim.movements(order.payoutId)).length, 1)
})

faultTest('callback_bad_signature', 'the house callback does not verify either', async (sim) => {
  await sim.fault({ provider: 'house', operation: 'charge', mode: 'callback_bad_signature' })
  const order = houseCharge()
  await sim.house('POST', '/v1/charges', order)
  await sim.advance(settleMs)
  const [callback] = await sim.receiver.take(1)
  const { createHmac } = await import('node:crypto')
  const [, time = '', value] = /^t=(\d+),v1=(.*)$/.exec(String(callback?.headers['house-signature'])) ?? []
  assert.notEqual(value, createHmac('sha256', 'house-secret').update(`${time}.${callback?.raw}`).digest('hex'))
})

faultTest('callback_wrong_amount', 'the callback names another amount, the ledger the right one', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'callback_wrong_amount', amount: '77' })
  const order = payout()
  await pay(sim, order)
  await sim.advance(settleMs)
  assert.equal((await sim.receiver.take(1))[0]?.body['amount'], '77.0000')
  assert.equal((await sim.movements(order.payoutId))[0].amount, '100')
})

faultTest('callback_unknown_reference', 'the callback names an unknown payment', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'callback_unknown_reference' })
  const order = payout()
  await pay(sim, order)
  await sim.advance(settleMs)
  const [callback] = await sim.receiver.take(1)
  assert.notEqual(callback?.body['payoutId'], order.payoutId)
  assert.match(String(callback?.body['payoutId']), /^[0-9a-f-]{36}$/)
})

faultTest('callback_reorder', 'a later callback of the same payment is sent first', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'charge', mode: 'callback_reorder' })
  const order = deposit({ currency: 'XOF' }, '221773456789', 'WAVE_SEN')
  await sim.pawapay('POST', '/v2/deposits', order)
  await sim.advance(settleMs)
  assert.equal(sim.receiver.received.length, 0)
  await sim.control('POST', `/payer/${order.depositId}/act`, { action: 'approve' })
  const received = await sim.receiver.take(2)
  assert.deepEqual(
    received.map(({ body }) => body['status']),
    ['COMPLETED', 'PROCESSING'],
  )
})

faultTest('status_lags_callback', 'a read still shows pending after the callback reported the end', async (sim) => {
  await sim.fault({ provider: '*', operation: '*', mode: 'status_lags_callback', delayMs: 20_000 })
  const [order, charge] = [payout(), houseCharge()]
  await pay(sim, order)
  await sim.house('POST', '/v1/charges', charge)
  await sim.advance(settleMs)
  await sim.receiver.take(2)
  const seen = async () => [
    (await statusOf(sim, order.payoutId)).data.status,
    (await sim.house('GET', `/v1/charges/${charge.key}`)).body.state,
  ]
  assert.deepEqual(await seen(), ['PROCESSING', 'accepted'])
  await sim.advance(20_000)
  assert.deepEqual(await seen(), ['COMPLETED', 'completed'])
})

faultTest('not_found_window', 'a payment just accepted is not found for a while', async (sim) => {
  await sim.fault({ provider: '*', operation: '*', mode: 'not_found_window', seconds: 15 })
  const [order, charge] = [payout(), houseCharge()]
  await pay(sim, order)
  await sim.house('POST', '/v1/charges', charge)
  assert.deepEqual(await statusOf(sim, order.payoutId), { status: 'NOT_FOUND' })
  assert.equal((await sim.house('GET', `/v1/charges/${charge.key}`)).status, 404)
  assert.equal((await pay(sim, order)).body.status, 'DUPLICATE_IGNORED')
  await sim.advance(15_000)
  assert.equal((await statusOf(sim, order.payoutId)).status, 'FOUND')
  assert.equal((await sim.house('GET', `/v1/charges/${charge.key}`)).status, 200)
})

faultTest('stuck_pending', 'the payment never ends by itself', async (sim) => {
  await sim.fault({
    provider: 'pawapay',
    operation: 'payout',
    mode: 'stuck_pending',
    match: { phone: '+250783456789' },
  })
  const order = payout()
  await pay(sim, order)
  await sim.advance(7 * 86_400_000)
  assert.equal((await statusOf(sim, order.payoutId)).data.status, 'PROCESSING')
})

faultTest('operator_delayed', 'payouts are queued, deposits are rejected, and availability reports it', async (sim) => {
  const id = await sim.fault({
    provider: 'pawapay',
    operation: '*',
    mode: 'operator_delayed',
    match: { operator: 'MTN_MOMO_RWA' },
  })
  const [cancelled, released] = [payout(), payout()]
  await pay(sim, cancelled)
  assert.equal((await pay(sim, released)).body.status, 'ACCEPTED')
  const refused = await sim.pawapay('POST', '/v2/deposits', deposit())
  assert.equal(refused.body.failureReason.failureCode, 'PROVIDER_TEMPORARILY_UNAVAILABLE')
  assert.equal((await statusOf(sim, released.payoutId)).data.status, 'ENQUEUED')
  const availability = async () =>
    (await sim.pawapay('GET', '/v2/availability?country=RWA&operationType=PAYOUT')).body[0].providers.map(
      (each: Body) => each.operationTypes[0].status,
    )
  assert.deepEqual(await availability(), ['DELAYED', 'OPERATIONAL'])

  const cancel = () => sim.pawapay('POST', `/v2/payouts/fail-enqueued/${cancelled.payoutId}`)
  assert.equal((await cancel()).body.status, 'ACCEPTED')
  assert.equal((await cancel()).body.failureReason.failureCode, 'INVALID_STATE')
  assert.equal((await statusOf(sim, cancelled.payoutId)).data.failureReason.failureCode, 'MANUALLY_CANCELLED')
  await sim.control('DELETE', `/faults/${id}`)
  await sim.advance(settleMs)
  assert.equal((await statusOf(sim, released.payoutId)).data.status, 'COMPLETED')
  assert.equal((await sim.movements(cancelled.payoutId)).length, 0)
})

faultTest('operator_closed', 'everything is refused, and availability reports it', async (sim) => {
  await sim.fault({ provider: '*', operation: '*', mode: 'operator_closed' })
  assert.equal((await pay(sim, payout())).body.failureReason.failureCode, 'PROVIDER_TEMPORARILY_UNAVAILABLE')
  const refused = await sim.house('POST', '/v1/charges', houseCharge())
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'OPERATOR_CLOSED'])
  const { body } = await sim.pawapay('GET', '/v2/availability?country=KEN')
  assert.equal(body[0].providers[0].operationTypes[0].status, 'CLOSED')
})

faultTest('float_empty', 'payouts are refused although the float is full', async (sim) => {
  await sim.fault({ provider: '*', operation: 'payout', mode: 'float_empty', times: 2 })
  const order = payout()
  assert.equal((await pay(sim, order)).body.failureReason.failureCode, 'PAWAPAY_WALLET_OUT_OF_FUNDS')
  assert.equal((await sim.house('POST', '/v1/payouts', housePayout())).body.failure.code, 'FLOAT_EMPTY')
  assert.equal((await pay(sim, order)).body.status, 'ACCEPTED')
})

faultTest('bank_under_payment', 'an approval pays half, or the given amount; the rest can follow', async (sim) => {
  await sim.fault({ provider: 'house', mode: 'bank_under_payment' })
  await sim.fault({ provider: 'flutterwave', mode: 'bank_under_payment', amount: '1.50' })
  const [account, order] = [houseAccount(), bankTransfer()]
  await sim.house('POST', '/v1/charges', account)
  await sim.flutterwave('POST', '/charges?type=bank_transfer', order)
  const approve = async (key: string) =>
    (await sim.control('POST', `/payer/${key}/act`, { action: 'approve' })).body.receipt?.amount

  assert.deepEqual([await approve(account.key), await approve(order.tx_ref)], ['750.00', '1.50'])
  assert.deepEqual([await approve(account.key), await approve(order.tx_ref)], ['750.00', '1498.50'])
  assert.deepEqual([await approve(account.key), await approve(order.tx_ref)], [undefined, undefined])
})

test('every fault mode has a test', () => {
  const names = ['faults.test.ts', 'aftermath.test.ts', 'pawapay/refunds.test.ts', 'flutterwave/refunds.test.ts']
  const files = names.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  const tested = new Set(files.flatMap((text) => [...text.matchAll(/faultTest\(\s*'(\w+)'/g)].map(([, mode]) => mode)))
  assert.deepEqual(
    Object.keys(modes).filter((mode) => !tested.has(mode)),
    [],
  )
})

test('a fault strikes only its target, at most its number of times, and counts its strikes', async (t) => {
  const sim = await startTestSimulator(t)
  const aimed = payout({ amount: '333' })
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'html_503', match: { amount: '333' }, times: 1 })
  assert.equal((await pay(sim, payout())).status, 200)
  assert.equal((await sim.pawapay('POST', '/v2/deposits', deposit({ amount: '333' }))).status, 200)
  assert.equal((await pay(sim, aimed)).status, 503)
  assert.equal((await pay(sim, aimed)).status, 200)
  const [fault] = (await sim.control('GET', '/faults')).body.items
  assert.deepEqual([fault.struck, fault.left], [1, 0])
  assert.equal((await sim.control('DELETE', '/faults')).body.removed, 1)
})

test('a fault with a probability strikes the same requests again under the same seed', async (t) => {
  const sim = await startTestSimulator(t)
  const run = async () => {
    await sim.control('POST', '/reset')
    await sim.control('PUT', '/settings', { seed: 42 })
    await sim.fault({ provider: 'house', operation: 'rates', mode: 'html_503', probability: 0.5 })
    const statuses: number[] = []
    for (let count = 0; count < 30; count++)
      statuses.push((await sim.house('GET', '/v1/rates?base=USD&quote=KES')).status)
    return statuses
  }
  const first = await run()
  assert.deepEqual(await run(), first)
  assert.equal(new Set(first).size, 2)
})
