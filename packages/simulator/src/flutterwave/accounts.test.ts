import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, bankTransfer, card, sealed, startTestSimulator, type TestSimulator } from '../testing/simulator.ts'

type Order = ReturnType<typeof bankTransfer>

const open = (sim: TestSimulator, order: Order) => sim.flutterwave('POST', '/charges?type=bank_transfer', order)
const act = (sim: TestSimulator, { tx_ref }: Order, body: object) => sim.control('POST', `/payer/${tx_ref}/act`, body)
const pay = (sim: TestSimulator, order: Order, amount: string, more: object = {}) =>
  act(sim, order, { action: 'pay_account', amount, ...more })
const list = async (sim: TestSimulator, { tx_ref }: Order, page = '1'): Promise<Body> =>
  (await sim.flutterwave('GET', `/transactions?tx_ref=${tx_ref}&page=${page}`)).body
const amounts = async (sim: TestSimulator, order: Order): Promise<number[]> =>
  (await list(sim, order)).data.map(({ amount }: Body) => amount)
const verify = (sim: TestSimulator, { tx_ref }: Order) =>
  sim.flutterwave('GET', `/transactions/verify_by_reference?tx_ref=${tx_ref}`)

test('a transfer charge opens an account, and there is nothing to verify until money arrives', async (t) => {
  const sim = await startTestSimulator(t)
  const order = bankTransfer()
  const before = Date.now()
  const { status, body } = await open(sim, order)

  assert.deepEqual([status, Object.keys(body), body.message], [200, ['status', 'message', 'meta'], 'Charge initiated'])
  const { transfer_account, account_expiration, transfer_reference, ...rest } = body.meta.authorization
  assert.deepEqual(rest, {
    transfer_bank: 'Mock Bank',
    transfer_note: 'Mock note',
    transfer_amount: '1500.00',
    mode: 'banktransfer',
  })
  assert.match(transfer_account, /^\d{7}001$/)
  assert.match(transfer_reference, /^MockFLWRef-/)
  assert.ok(account_expiration >= before + 7_200_000 && account_expiration <= Date.now() + 7_200_000)
  assert.equal((await verify(sim, order)).status, 400)
  assert.deepEqual(await list(sim, order), {
    status: 'success',
    message: 'Transactions fetched',
    meta: { page_info: { total: 0, current_page: 1, total_pages: 0 } },
    data: [],
  })
})

test('an approval pays exactly the missing amount, as its own transaction and movement', async (t) => {
  const sim = await startTestSimulator(t)
  const order = bankTransfer()
  await open(sim, order)
  const { receipt } = (await act(sim, order, { action: 'approve' })).body

  const { data } = (await verify(sim, order)).body
  assert.deepEqual(
    [String(data.id), data.tx_ref, data.amount, data.charged_amount, data.status, data.payment_type],
    [receipt.id, order.tx_ref, 1500, 1500, 'successful', 'bank_transfer'],
  )
  assert.deepEqual((await sim.flutterwave('GET', `/transactions/${receipt.id}/verify`)).body.data, data)
  const [movement] = await sim.movements(order.tx_ref)
  assert.deepEqual([movement.kind, movement.amount, movement.receipt], ['collected', '1500.00', receipt.id])
  const [received] = await sim.receiver.take(1)
  assert.ok(received)
  const { meta_data: origin, 'event.type': type } = received.body as Body
  assert.deepEqual([type, origin.originatoramount], ['BANK_TRANSFER_TRANSACTION', '1500.00'])
  const again = await act(sim, order, { action: 'approve' })
  assert.deepEqual([again.status, again.body.error], [409, 'The charge is already paid in full.'])
})

test('underpayment, repeat and overpayment are each reported and kept, newest first', async (t) => {
  const sim = await startTestSimulator(t)
  const order = bankTransfer()
  await open(sim, order)
  for (const amount of ['500', '500', '2000.50']) assert.equal((await pay(sim, order, amount)).status, 200)

  assert.deepEqual(await amounts(sim, order), [2000.5, 500, 500])
  assert.equal((await verify(sim, order)).body.data.amount, 2000.5)
  const received = (await sim.receiver.take(3)).map(({ body }) => body['data'] as Body)
  assert.equal(new Set(received.map(({ id }) => id)).size, 3)
  assert.deepEqual(new Set(received.map(({ tx_ref }) => tx_ref)), new Set([order.tx_ref]))
  const [payment] = (await sim.control('GET', `/payments?key=${order.tx_ref}`)).body.items
  assert.deepEqual(
    [payment.state, payment.receipts.map(({ amount }: Body) => amount)],
    ['accepted', ['500', '500', '2000.50']],
  )
  assert.equal((await sim.control('GET', '/ledger/totals')).body.items[0].amount, '3000.5')
})

test('money still arrives after the account expired', async (t) => {
  const sim = await startTestSimulator(t)
  const order = bankTransfer({ expires: 60 })
  await open(sim, order)
  await sim.advance(86_400_000)
  assert.equal((await pay(sim, order, '1500')).status, 200)
  assert.deepEqual(await amounts(sim, order), [1500])
})

test('a reference sent again gets another account, and money into either counts for it', async (t) => {
  const sim = await startTestSimulator(t)
  const order = bankTransfer()
  const accounts = [await open(sim, order), await open(sim, order)].map(
    ({ body }) => body.meta.authorization.transfer_account,
  )
  assert.equal(new Set(accounts).size, 2)

  for (const account of accounts) await pay(sim, order, '700', { account })
  assert.deepEqual(await amounts(sim, order), [700, 700])
  assert.equal((await act(sim, order, { action: 'approve' })).body.receipt.amount, '100.00')
  assert.equal((await pay(sim, order, '1', { account: '0000000000' })).status, 400)
})

test('a decline fails the charge once, and is refused after money arrived', async (t) => {
  const sim = await startTestSimulator(t)
  const [declined, paid] = [bankTransfer(), bankTransfer()]
  for (const order of [declined, paid]) await open(sim, order)
  await pay(sim, paid, '1')

  assert.equal((await act(sim, declined, { action: 'decline' })).body.state, 'failed')
  const { data } = (await verify(sim, declined)).body
  assert.deepEqual([data.status, data.processor_response, data.amount], ['failed', 'Declined', 1500])
  assert.equal((await act(sim, declined, { action: 'approve' })).status, 409)
  assert.equal((await open(sim, declined)).status, 400)
  assert.deepEqual(await sim.movements(declined.tx_ref), [])
  assert.equal((await act(sim, paid, { action: 'decline' })).body.error, 'The account has already received money.')
  const received = (await sim.receiver.take(2)).map(({ body }) => (body['data'] as Body).status)
  assert.deepEqual(received, ['successful', 'failed'])
})

test('a list has ten items per page', async (t) => {
  const sim = await startTestSimulator(t)
  const order = bankTransfer()
  await open(sim, order)
  for (let count = 1; count <= 12; count++) await pay(sim, order, String(count))
  const [first, second] = [await list(sim, order), await list(sim, order, '2')]
  assert.deepEqual(first.meta.page_info, { total: 12, current_page: 1, total_pages: 2 })
  assert.deepEqual([first.data.length, second.data.length, second.data[1].amount], [10, 2, 1])
  assert.equal((await sim.flutterwave('GET', `/transactions?tx_ref=${order.tx_ref}&page=0`)).status, 400)
})

test('only an account can be paid into, and only with a decimal amount', async (t) => {
  const sim = await startTestSimulator(t)
  const order = bankTransfer()
  await open(sim, order)
  const payment = card('5531886652142950')
  await sim.flutterwave('POST', '/charges?type=card', sealed(payment))
  for (const amount of ['0', '0.00', '-5', '1.234', 'many', ''])
    assert.equal((await pay(sim, order, amount)).status, 400)
  assert.equal((await act(sim, order, { action: 'pay_account', amount: 5 })).status, 400)
  const wrong = await sim.control('POST', `/payer/${payment.tx_ref}/act`, { action: 'pay_account', amount: '5' })
  assert.equal(wrong.status, 400)
  assert.deepEqual((await sim.control('GET', '/ledger')).body.items, [])
})

test('a card’s reference is refused for a transfer', async (t) => {
  const sim = await startTestSimulator(t)
  const payment = card('4242424242424242')
  await sim.flutterwave('POST', '/charges?type=card', sealed(payment))
  const { status, body } = await open(sim, bankTransfer({ tx_ref: payment.tx_ref }))
  assert.deepEqual([status, body.message], [400, 'Transaction with this tx_ref already exists'])
})
