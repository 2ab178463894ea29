import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type Body,
  bankTransfer,
  card,
  flutterwaveVariables,
  sealed,
  settleMs,
  startTestSimulator,
  type TestSimulator,
  transfer,
} from '../testing/simulator.ts'
import { until } from '../testing/until.ts'

const broken = { name: 'TypeError' }
const hash = flutterwaveVariables.SIMULATOR_FLUTTERWAVE_HASH
const charge = (sim: TestSimulator, order: object) => sim.flutterwave('POST', '/charges?type=card', sealed(order))
const send = (sim: TestSimulator, order: object) => sim.flutterwave('POST', '/transfers', order)
const verify = (sim: TestSimulator, { tx_ref }: { tx_ref: string }) =>
  sim.flutterwave('GET', `/transactions/verify_by_reference?tx_ref=${tx_ref}`)
const read = async (sim: TestSimulator, { reference }: { reference: string }): Promise<Body> =>
  (await sim.flutterwave('GET', `/transfers?reference=${reference}`)).body.data[0]
const fault = (sim: TestSimulator, mode: string, more: object = {}) =>
  sim.fault({ provider: 'flutterwave', mode, ...more })
const dataOf = (received: { body: Body } | undefined): Body => received?.body['data']

/** An account with one payment in it. */
async function paidAccount(sim: TestSimulator) {
  const order = bankTransfer()
  await sim.flutterwave('POST', '/charges?type=bank_transfer', order)
  await sim.control('POST', `/payer/${order.tx_ref}/act`, { action: 'pay_account', amount: '500' })
  return order
}

async function start(t: TestContext, mode: string, more: object = {}) {
  const sim = await startTestSimulator(t)
  await fault(sim, mode, more)
  return sim
}

test('a webhook carries the hash and is retried three times, half an hour apart', async (t) => {
  const sim = await startTestSimulator(t)
  sim.receiver.statuses.push(500, 302, 204, 500)
  const order = card('4242424242424242')
  await charge(sim, order)
  const callback = async () => (await sim.control('GET', `/callbacks?key=${order.tx_ref}`)).body.items[0]
  const attempts = (count: number) =>
    until(`${count} attempts`, async () => (await callback()).attempts.length === count)

  await attempts(1)
  for (const count of [2, 3, 4]) {
    await sim.advance(29 * 60_000)
    assert.equal((await callback()).attempts.length, count - 1)
    await sim.advance(60_000)
    await attempts(count)
  }
  assert.equal((await callback()).status, 'given_up')
  await sim.advance(86_400_000)
  assert.equal(sim.receiver.received.length, 4)
  const [first] = sim.receiver.received
  assert.deepEqual([first?.path, first?.headers['verif-hash']], ['/callbacks/flutterwave', hash])
  assert.deepEqual([first?.body['event'], first?.body['event.type']], ['charge.completed', 'CARD_TRANSACTION'])
  assert.deepEqual([dataOf(first).tx_ref, dataOf(first).status], [order.tx_ref, 'successful'])
})

test('a fault can target the second step of a card', async (t) => {
  const sim = await start(t, 'drop_after_processing', { operation: 'authorise', times: 2 })
  const order = card('5531886652142950')
  assert.equal((await charge(sim, order)).status, 200)
  await assert.rejects(charge(sim, { ...order, authorization: { mode: 'pin', pin: '1234' } }), broken)
  const { data } = (await verify(sim, order)).body
  assert.equal(data.status, 'pending')
  const body = { otp: '123456', flw_ref: data.flw_ref, type: 'card' }
  await assert.rejects(sim.flutterwave('POST', '/validate-charge', body), broken)
  assert.equal((await verify(sim, order)).body.data.status, 'successful')
  const operations = (await sim.control('GET', `/requests?key=${order.tx_ref}`)).body.items.map(
    (note: Body) => note.operation,
  )
  assert.deepEqual(operations, ['charge', 'authorise', 'charge_status', 'authorise', 'charge_status'])
})

test('a fault can target cards, accounts or a key', async (t) => {
  const sim = await startTestSimulator(t)
  const aimed = transfer()
  await fault(sim, 'html_503', { operation: 'charge', match: { operator: 'card' } })
  await fault(sim, 'rate_limited', { operation: 'payout', match: { key: aimed.reference }, seconds: 3 })
  assert.equal((await charge(sim, card('4242424242424242'))).status, 503)
  assert.equal((await sim.flutterwave('POST', '/charges?type=bank_transfer', bankTransfer())).status, 200)
  const limited = await send(sim, aimed)
  assert.deepEqual(
    [limited.status, limited.body.message, limited.headers.get('retry-after')],
    [429, 'Too many requests', '3'],
  )
  assert.equal((await send(sim, transfer())).status, 200)
})

test('every request can be cut off, corrupted or refused, in the provider’s format', async (t) => {
  const sim = await startTestSimulator(t)
  const calls: readonly (readonly [string, () => Promise<{ status: number; body: Body }>])[] = [
    ['charge', () => charge(sim, card('4242424242424242'))],
    ['authorise', () => sim.flutterwave('POST', '/validate-charge', { otp: '12345', flw_ref: 'x', type: 'card' })],
    ['charge_status', () => sim.flutterwave('GET', '/transactions?tx_ref=x')],
    ['charge_status', () => sim.flutterwave('GET', '/transactions/1/verify')],
    ['payout', () => send(sim, transfer())],
    ['payout_status', () => sim.flutterwave('GET', '/transfers?reference=x')],
    ['payout_status', () => sim.flutterwave('GET', '/transfers/1')],
    [
      'resolve',
      () => sim.flutterwave('POST', '/accounts/resolve', { account_number: '0690000032', account_bank: '044' }),
    ],
    ['rates', () => sim.flutterwave('GET', '/transfers/rates?amount=1&destination_currency=USD&source_currency=KES')],
    ['balances', () => sim.flutterwave('GET', '/balances')],
  ]
  const once = (operation: string, mode: string, more: object = {}) =>
    fault(sim, mode, { operation, times: 1, ...more })
  for (const [operation, call] of calls) {
    await once(operation, 'token_expired')
    assert.deepEqual((await call()).body.message, 'Invalid authorization key')
    await once(operation, 'unknown_words')
    assert.deepEqual((await call()).body.message, 'GREMLIN_IN_THE_SWITCH')
    await once(operation, 'http_status', { status: 503, moment: 'after' })
    assert.deepEqual((await call()).body.message, 'An error occurred. Please contact support')
    await once(operation, 'malformed_json')
    assert.equal(typeof (await call()).body, 'string')
    await once(operation, 'drop_before_processing')
    await assert.rejects(call(), broken)
    await once(operation, 'half_response')
    await assert.rejects(call(), broken)
  }
})

test('latency with a gateway page after processing: the response is late and the money moved', async (t) => {
  const sim = await start(t, 'latency', { operation: 'payout', delayMs: 28_000 })
  await fault(sim, 'html_503', { operation: 'payout', moment: 'after' })
  const order = transfer()
  const response = send(sim, order)
  await until('the fault to strike', async () => (await sim.control('GET', '/faults')).body.items[0].struck === 1)
  await sim.advance(28_000)
  assert.equal((await response).status, 503)
  await sim.advance(settleMs)
  assert.equal((await read(sim, order)).status, 'SUCCESSFUL')
})

test('callback_never, callback_late and callback_duplicate work on every kind of payment', async (t) => {
  const sim = await startTestSimulator(t)
  const all = async () => {
    await charge(sim, card('4242424242424242'))
    await paidAccount(sim)
    await send(sim, transfer())
    await sim.advance(settleMs)
  }
  await fault(sim, 'callback_never', { times: 3 })
  await all()
  assert.deepEqual((await sim.control('GET', '/callbacks')).body.items, [])

  await fault(sim, 'callback_late', { delayMs: 600_000, times: 3 })
  await all()
  assert.equal(sim.receiver.received.length, 0)
  await sim.advance(600_000)
  await sim.receiver.take(3)

  await fault(sim, 'callback_duplicate', { count: 2, times: 3 })
  await all()
  const received = await sim.receiver.take(9)
  assert.equal(new Set(received.slice(3).map(({ raw }) => raw)).size, 3)
})

test('callback_before_response: the callback arrives before the response to the last step', async (t) => {
  const sim = await start(t, 'callback_before_response')
  const [order, payout] = [card('5531886652142950'), transfer()]
  await charge(sim, order)
  const { data } = (await charge(sim, { ...order, authorization: { mode: 'pin', pin: '1234' } })).body
  assert.equal(sim.receiver.received.length, 0)
  await sim.flutterwave('POST', '/validate-charge', { otp: '123456', flw_ref: data.flw_ref, type: 'card' })
  assert.equal(dataOf(sim.receiver.received[0]).status, 'successful')

  assert.equal((await send(sim, payout)).body.data.status, 'NEW')
  assert.equal(dataOf(sim.receiver.received[1]).status, 'SUCCESSFUL')
})

test('callback_bad_signature: the hash is wrong', async (t) => {
  const sim = await start(t, 'callback_bad_signature', { count: 1 })
  await paidAccount(sim)
  sim.receiver.statuses.push(401)
  await charge(sim, card('4242424242424242'))
  const received = await sim.receiver.take(2)
  for (const { headers } of received) assert.notEqual(headers['verif-hash'], hash)
})

test('callback_wrong_amount and callback_unknown_reference report false values', async (t) => {
  const sim = await start(t, 'callback_wrong_amount', { amount: '77' })
  const [account, order] = [await paidAccount(sim), card('4242424242424242')]
  await charge(sim, order)
  const reported = (await sim.receiver.take(2)).map(dataOf)
  assert.deepEqual(
    reported.map(({ amount }) => amount),
    [77, 77],
  )
  assert.deepEqual(
    [(await verify(sim, account)).body.data.amount, (await verify(sim, order)).body.data.amount],
    [500, 100],
  )

  await sim.control('DELETE', '/faults')
  await fault(sim, 'callback_unknown_reference')
  const [stray, payout] = [card('4242424242424242'), transfer()]
  const { data } = (await charge(sim, stray)).body
  await send(sim, payout)
  await sim.advance(settleMs)
  const [, , third, fourth] = (await sim.receiver.take(4)).map(dataOf)
  assert.ok(third.tx_ref !== stray.tx_ref && third.id !== data.id && third.flw_ref !== data.flw_ref)
  assert.notEqual(fourth.reference, payout.reference)
})

test('callback_reorder: the second payment into an account is reported first', async (t) => {
  const sim = await start(t, 'callback_reorder')
  const order = await paidAccount(sim)
  await sim.control('POST', `/payer/${order.tx_ref}/act`, { action: 'approve' })
  const reported = (await sim.receiver.take(2)).map((received) => dataOf(received).amount)
  assert.deepEqual(reported, [1000, 500])
})

test('status_lags_callback: reads show the end only later', async (t) => {
  const sim = await start(t, 'status_lags_callback', { delayMs: 20_000 })
  const [order, account, payout] = [card('4242424242424242'), await paidAccount(sim), transfer()]
  await send(sim, payout)
  await sim.advance(settleMs)
  await sim.control('POST', `/payer/${account.tx_ref}/act`, { action: 'pay_account', amount: '7' })
  await charge(sim, order)
  const seen = async () => [
    (await verify(sim, order)).body.data.status,
    (await verify(sim, account)).body.data.amount,
    (await read(sim, payout)).status,
  ]
  assert.deepEqual(await seen(), ['pending', 500, 'PENDING'])
  await sim.advance(20_000)
  assert.deepEqual(await seen(), ['successful', 7, 'SUCCESSFUL'])
})

test('not_found_window: reads do not find the payment yet', async (t) => {
  const sim = await start(t, 'not_found_window', { seconds: 15 })
  const [order, account, payout] = [card('4242424242424242'), await paidAccount(sim), transfer()]
  const { data } = (await charge(sim, order)).body
  const { id } = (await send(sim, payout)).body.data
  const seen = async () => [
    (await verify(sim, order)).status,
    (await sim.flutterwave('GET', `/transactions/${data.id}/verify`)).status,
    (await verify(sim, account)).status,
    (await sim.flutterwave('GET', `/transfers/${id}`)).status,
    (await read(sim, payout))?.status,
  ]
  assert.deepEqual(await seen(), [400, 400, 400, 404, undefined])
  await sim.advance(15_000)
  assert.deepEqual(await seen(), [200, 200, 200, 200, 'NEW'])
})

test('flap: a failure turns into a success, and money moves once', async (t) => {
  const sim = await start(t, 'flap')
  const [order, payout] = [card('4242424242424242'), transfer()]
  assert.equal((await charge(sim, order)).body.data.status, 'failed')
  await send(sim, payout)
  await sim.advance(settleMs)
  assert.deepEqual(
    [(await verify(sim, order)).body.data.status, (await read(sim, payout)).status],
    ['successful', 'FAILED'],
  )
  await sim.advance(2_000)
  assert.equal((await read(sim, payout)).status, 'SUCCESSFUL')
  assert.equal((await sim.movements(order.tx_ref)).length, 1)
  assert.equal((await sim.movements(payout.reference)).length, 1)
})

test('flap does not affect an account', async (t) => {
  const sim = await start(t, 'flap')
  const [paid, declined] = [await paidAccount(sim), bankTransfer()]
  await sim.flutterwave('POST', '/charges?type=bank_transfer', declined)
  await sim.control('POST', `/payer/${declined.tx_ref}/act`, { action: 'decline' })
  await sim.advance(86_400_000)
  assert.equal((await sim.movements(paid.tx_ref)).length, 1)
  assert.equal((await verify(sim, declined)).body.data.status, 'failed')
})

test('stuck_pending: a card stays pending after its last step, also on the page', async (t) => {
  const sim = await start(t, 'stuck_pending')
  const [quiet, page, payout] = [card('4242424242424242'), card('4000002760003184'), transfer()]
  const { body } = await charge(sim, quiet)
  assert.deepEqual([body.message, body.data.status, body.meta], ['Charge initiated', 'pending', undefined])
  const { redirect } = (await charge(sim, page)).body.meta.authorization
  await fetch(redirect, { method: 'POST', body: new URLSearchParams({ action: 'approve' }) })
  await send(sim, payout)
  await sim.advance(86_400_000)
  assert.deepEqual(
    [(await verify(sim, quiet)).body.data.status, (await verify(sim, page)).body.data.status],
    ['pending', 'pending'],
  )
  assert.equal((await read(sim, payout)).status, 'PENDING')
})

test('operator_delayed and operator_closed: charges are refused, transfers wait or are refused', async (t) => {
  const sim = await startTestSimulator(t)
  const id = await fault(sim, 'operator_delayed')
  const refusals = async () => [
    (await charge(sim, card('4242424242424242'))).body.message,
    (await sim.flutterwave('POST', '/charges?type=bank_transfer', bankTransfer())).body.message,
  ]
  const payout = transfer()
  const closed = 'Bank is not available at the moment'
  assert.deepEqual(await refusals(), [closed, closed])
  await send(sim, payout)
  await sim.advance(settleMs)
  assert.equal((await read(sim, payout)).status, 'NEW')
  await sim.control('DELETE', `/faults/${id}`)
  await sim.advance(settleMs)
  assert.equal((await read(sim, payout)).status, 'SUCCESSFUL')

  await fault(sim, 'operator_closed')
  assert.deepEqual(await refusals(), [closed, closed])
  const refused = await send(sim, transfer())
  assert.deepEqual([refused.status, refused.body.message], [400, closed])
})

test('float_empty: a transfer is accepted and fails, and the next one is paid', async (t) => {
  const sim = await start(t, 'float_empty', { times: 1 })
  const [short, next] = [transfer(), transfer()]
  for (const order of [short, next]) assert.equal((await send(sim, order)).body.data.status, 'NEW')
  await sim.advance(settleMs)
  const { status, complete_message } = await read(sim, short)
  assert.deepEqual([status, complete_message], ['FAILED', 'DISBURSE FAILED: Insufficient funds in customer wallet'])
  assert.equal((await read(sim, next)).status, 'SUCCESSFUL')
})

test('reversal_after_success: a card and a transfer are reversed, with a callback for each', async (t) => {
  const sim = await start(t, 'reversal_after_success')
  const [order, payout] = [card('4242424242424242'), transfer()]
  await charge(sim, order)
  await send(sim, payout)
  await sim.advance(settleMs)
  assert.equal((await read(sim, payout)).status, 'SUCCESSFUL')
  await sim.advance(2_000)
  const { data } = (await verify(sim, order)).body
  assert.deepEqual([data.status, data.processor_response], ['failed', 'Reversed'])
  const taken = await read(sim, payout)
  assert.deepEqual(
    [taken.status, taken.complete_message],
    ['FAILED', 'REVERSED: The beneficiary bank returned the money'],
  )
  assert.deepEqual(
    (await sim.movements(payout.reference)).map(({ kind }) => kind),
    ['paid', 'reversed'],
  )
  await sim.receiver.take(4)
})

test('a webhook resend is refused while there is nothing to report, and sent once there is', async (t) => {
  const sim = await start(t, 'callback_never')
  const [account, asked] = [bankTransfer(), card('5531886652142950')]
  await sim.flutterwave('POST', '/charges?type=bank_transfer', account)
  await charge(sim, asked)
  const resend = (key: string) => sim.control('POST', `/callbacks/${key}/resend`)
  assert.deepEqual([(await resend(account.tx_ref)).status, (await resend(asked.tx_ref)).status], [409, 409])
  await sim.control('POST', `/payer/${account.tx_ref}/act`, { action: 'approve' })
  assert.equal((await resend(account.tx_ref)).status, 200)
  assert.equal(dataOf((await sim.receiver.take(1))[0]).amount, 1500)
})
