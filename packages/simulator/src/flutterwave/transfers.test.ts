import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Body, settleMs, startTestSimulator, type TestSimulator, transfer } from '../testing/simulator.ts'

const send = (sim: TestSimulator, order: object) => sim.flutterwave('POST', '/transfers', order)
const read = async (sim: TestSimulator, reference: string): Promise<Body> =>
  (await sim.flutterwave('GET', `/transfers?reference=${reference}`)).body.data[0]

test('a transfer is new, then pending, then successful, and a webhook reports it', async (t) => {
  const sim = await startTestSimulator(t)
  const order = transfer()
  const { body } = await send(sim, order)
  assert.deepEqual([body.status, body.message, body.data.status], ['success', 'Transfer Queued Successfully', 'NEW'])
  assert.deepEqual(
    [body.data.account_number, body.data.bank_code, body.data.full_name, body.data.amount, body.data.reference],
    ['0690000032', '044', 'Amina Bello', 5500.5, order.reference],
  )

  assert.equal((await read(sim, order.reference)).status, 'NEW')
  await sim.advance(settleMs / 2)
  assert.equal((await read(sim, order.reference)).status, 'PENDING')
  await sim.advance(settleMs / 2)
  const done = (await sim.flutterwave('GET', `/transfers/${body.data.id}`)).body.data
  assert.deepEqual(done, await read(sim, order.reference))
  assert.equal(done.status, 'SUCCESSFUL')
  const [received] = await sim.receiver.take(1)
  const data = received?.body['data'] as Body
  assert.deepEqual([received?.body['event'], received?.body['event.type']], ['transfer.completed', 'Transfer'])
  assert.deepEqual(
    [data.id, data.reference, data.status, data.fullname],
    [body.data.id, order.reference, 'SUCCESSFUL', 'Amina Bello'],
  )
  const [movement] = await sim.movements(order.reference)
  assert.deepEqual([movement.kind, movement.amount, movement.currency], ['paid', '5500.5', 'NGN'])
})

test('the last digits of the account number choose the outcome', async (t) => {
  const sim = await startTestSimulator(t)
  const cases = [
    ['0690000089', 'FAILED', 'DISBURSE FAILED: Invalid account number'],
    ['0690000099', 'FAILED', 'DISBURSE FAILED: Beneficiary account limit exceeded'],
    ['0690000109', 'FAILED', 'DISBURSE FAILED: Beneficiary daily limit exceeded'],
    ['0690000119', 'FAILED', 'DISBURSE FAILED: Unable to process'],
    ['0690000129', 'PENDING', ''],
    ['0690000031', 'SUCCESSFUL', 'Successful'],
  ] as const
  const orders = cases.map(([account_number]) => transfer({ account_number }))
  for (const order of orders) assert.equal((await send(sim, order)).body.data.status, 'NEW')

  await sim.advance(settleMs)
  for (const [index, [, status, message]] of cases.entries()) {
    const data = await read(sim, orders[index]?.reference ?? '')
    assert.deepEqual([data.status, data.complete_message], [status, message])
  }
})

test('a reference is paid once, however often it is sent', async (t) => {
  const sim = await startTestSimulator(t)
  const order = transfer()
  const responses = await Promise.all(Array.from({ length: 10 }, () => send(sim, order)))
  await sim.advance(settleMs)
  assert.equal(responses.filter(({ status }) => status === 200).length, 1)
  assert.equal(
    responses.find(({ status }) => status === 400)?.body.message,
    'Transfer with this reference already exists',
  )
  assert.equal((await sim.movements(order.reference)).length, 1)
})

test('a transfer beyond the wallet is accepted and fails, and a new reference is paid later', async (t) => {
  const sim = await startTestSimulator(t)
  const float = { provider: 'flutterwave', country: 'NG', currency: 'NGN' }
  await sim.control('PUT', '/float', { ...float, amount: '5500.49' })
  const order = transfer()
  assert.equal((await send(sim, order)).body.data.status, 'NEW')
  await sim.advance(settleMs)
  const { status, complete_message } = await read(sim, order.reference)
  assert.deepEqual([status, complete_message], ['FAILED', 'DISBURSE FAILED: Insufficient funds in customer wallet'])

  await sim.control('PUT', '/float', { ...float, amount: '5500.5' })
  assert.equal((await send(sim, order)).body.message, 'Transfer with this reference already exists')
  assert.equal((await send(sim, transfer())).status, 200)
  const { data } = (await sim.flutterwave('GET', '/balances/NGN')).body
  assert.deepEqual(data, { currency: 'NGN', available_balance: 0, ledger_balance: 0 })
  assert.equal((await sim.flutterwave('GET', '/balances')).body.data[0].currency, 'NGN')
  assert.deepEqual(await sim.movements(order.reference), [])
})

test('a caller from an unlisted IP address is refused, and nothing is stored', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.fault({ provider: 'flutterwave', operation: 'payout', mode: 'account_not_allowed', times: 1 })
  const order = transfer()
  const { status, body } = await send(sim, order)
  assert.deepEqual([status, body.message], [400, 'Please enable IP Whitelisting to access this service'])
  assert.equal((await send(sim, order)).status, 200)
})

test('an amount below the minimum is refused, and the minimum is accepted', async (t) => {
  const sim = await startTestSimulator(t)
  const { status, body } = await send(sim, transfer({ amount: 99.99 }))
  assert.deepEqual([status, body.message], [400, 'Amount should be more than NGN 100'])
  assert.equal((await send(sim, transfer({ amount: 100 }))).status, 200)
})

test('a blacklisted account is refused', async (t) => {
  const sim = await startTestSimulator(t)
  const { status, body } = await send(sim, transfer({ account_number: '0690000036' }))
  assert.deepEqual([status, body.message], [400, 'Payout was made to a blacklisted account number'])
})

test("the provider's own test references choose outcome and time", async (t) => {
  const sim = await startTestSimulator(t)
  const name = randomUUID()
  const cases = ['_PMCK', '_PMCK_ST_F', '_PMCKDU_1', '_PMCK_ST_FDU_1'].map((end) => `${name}${end}`)
  for (const reference of cases) await send(sim, transfer({ reference }))
  const states = async () => Promise.all(cases.map(async (reference) => (await read(sim, reference)).status as string))

  await sim.advance(60_000)
  assert.deepEqual(await states(), ['NEW', 'NEW', 'SUCCESSFUL', 'FAILED'])
  await sim.advance(540_000)
  assert.deepEqual(await states(), ['SUCCESSFUL', 'FAILED', 'SUCCESSFUL', 'FAILED'])
  assert.equal((await read(sim, cases[0] ?? '')).reference, cases[0])
})

test('an open transfer can be ended by hand', async (t) => {
  const sim = await startTestSimulator(t)
  const [paid, refused] = [transfer({ account_number: '0690000129' }), transfer()]
  for (const order of [paid, refused]) await send(sim, order)
  await sim.control('POST', `/payer/${paid.reference}/act`, { action: 'approve' })
  await sim.control('POST', `/payer/${refused.reference}/act`, { action: 'decline' })
  assert.equal((await read(sim, paid.reference)).status, 'SUCCESSFUL')
  assert.equal((await read(sim, refused.reference)).complete_message, 'DISBURSE FAILED: Unable to process')
})

test('an unknown transfer is an empty list by reference, and not found by id', async (t) => {
  const sim = await startTestSimulator(t)
  const { status, body } = await sim.flutterwave('GET', `/transfers?reference=${randomUUID()}`)
  assert.deepEqual([status, body.status, body.data], [200, 'success', []])
  assert.equal((await sim.flutterwave('GET', '/transfers/1')).status, 404)
  assert.equal((await sim.flutterwave('GET', '/transfers')).status, 400)
  assert.equal((await sim.flutterwave('GET', '/banks/NG')).status, 404)
})

test('a Nigerian account always has the same name, and 089 does not exist', async (t) => {
  const sim = await startTestSimulator(t)
  const resolve = (account_number: string) =>
    sim.flutterwave('POST', '/accounts/resolve', { account_number, account_bank: '044' })
  const [one, two, gone, odd] = [
    await resolve('0690000032'),
    await resolve('0690000032'),
    await resolve('0690000089'),
    await resolve('254703456789'),
  ]
  assert.deepEqual(one.body, two.body)
  assert.match(one.body.data.account_name, /^\p{Lu}\p{L}+ \p{Lu}\p{L}+$/u)
  assert.deepEqual(
    [gone.status, gone.body.message],
    [400, 'Sorry, that account number is invalid, please check and try again'],
  )
  assert.equal(odd.status, 400)
})

test('a rate is the price of one destination unit, with one percent between both directions', async (t) => {
  const sim = await startTestSimulator(t)
  const rate = async (source: string, destination: string, amount = '1000') =>
    sim.flutterwave(
      'GET',
      `/transfers/rates?amount=${amount}&destination_currency=${destination}&source_currency=${source}`,
    )
  const there = (await rate('KES', 'USD')).body.data
  const back = (await rate('USD', 'KES')).body.data
  assert.deepEqual(there.destination, { currency: 'USD', amount: 1000 })
  assert.deepEqual([there.source.currency, there.source.amount], ['KES', Number((there.rate * 1000).toFixed(4))])
  assert.ok(there.rate > 120 && there.rate < 140, `${there.rate}`)
  const spread = there.rate * back.rate
  assert.ok(spread > 1.0099 && spread < 1.0102, `${spread}`)

  const unknown = await rate('KES', 'XXX')
  assert.deepEqual([unknown.status, unknown.body.message], [400, 'Unable to fetch rates at the moment'])
  assert.equal((await rate('KES', 'USD', '0')).status, 400)
})
