import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, houseAccount, startTestSimulator, type TestSimulator } from '../testing/simulator.ts'

const open = (sim: TestSimulator, order: object) => sim.house('POST', '/v1/charges', order)
const read = async (sim: TestSimulator, key: string): Promise<Body> =>
  (await sim.house('GET', `/v1/charges/${key}`)).body
const pay = (sim: TestSimulator, key: string, amount: string) =>
  sim.control('POST', `/payer/${key}/act`, { action: 'pay_account', amount })

test('a transfer charge opens one account, and a repeat returns the same account', async (t) => {
  const sim = await startTestSimulator(t)
  const order = houseAccount()
  const before = Date.now()
  const { status, body } = await open(sim, order)
  const { account, ...rest } = body
  assert.deepEqual([status, rest], [200, { key: order.key, state: 'accepted', repeated: false }])
  assert.match(account.number, /^\d{10}$/)
  assert.equal(account.bankName, 'House Bank')
  const expiresAt = Date.parse(account.expiresAt)
  assert.ok(expiresAt >= before + 7_200_000 && expiresAt <= Date.now() + 7_200_000)

  assert.deepEqual((await open(sim, order)).body, { key: order.key, state: 'accepted', repeated: true, account })
  assert.equal((await open(sim, { ...order, amount: '1' })).status, 409)
  assert.deepEqual(await read(sim, order.key), {
    key: order.key,
    state: 'accepted',
    amount: '1500.00',
    currency: 'KES',
    account,
    receipts: [],
  })
})

test('every payment of any amount or time has its own receipt, movement and callback id', async (t) => {
  const sim = await startTestSimulator(t)
  const order = houseAccount()
  const { key } = order
  await open(sim, order)
  for (const amount of ['500.00', '500.00', '2000']) await pay(sim, key, amount)
  await sim.advance(86_400_000)
  const late = (await pay(sim, key, '0.01')).body.receipt

  const { state, receipts } = await read(sim, key)
  assert.equal(state, 'accepted')
  assert.deepEqual(
    receipts.map(({ amount }: Body) => amount),
    ['500.00', '500.00', '2000', '0.01'],
  )
  assert.deepEqual(receipts[3], { id: late.id, amount: '0.01' })
  assert.deepEqual(
    (await sim.movements(key)).map(({ receipt, amount }) => ({ id: receipt, amount })),
    receipts,
  )
  const received = (await sim.receiver.take(4)).map(({ body }) => body)
  assert.equal(new Set(received.map(({ id }) => id)).size, 4)
  const { id: _id, ...last } = received[3] ?? {}
  assert.deepEqual(last, { operation: 'charge', ...(await read(sim, key)) })
})

test('an approval pays the missing amount, and a decline fails the charge', async (t) => {
  const sim = await startTestSimulator(t)
  const [paid, declined] = [houseAccount(), houseAccount()]
  for (const order of [paid, declined]) await open(sim, order)
  await pay(sim, paid.key, '0.50')
  const act = (key: string, action: string) => sim.control('POST', `/payer/${key}/act`, { action })

  assert.equal((await act(paid.key, 'approve')).body.receipt.amount, '1499.50')
  assert.equal((await act(paid.key, 'approve')).status, 409)
  assert.equal((await act(declined.key, 'decline')).body.state, 'failed')
  const { state, failure, receipts } = await read(sim, declined.key)
  assert.deepEqual([state, failure.code, receipts], ['failed', 'PAYMENT_NOT_APPROVED', []])
  assert.equal((await open(sim, declined)).body.state, 'failed')
})

test('faults of reads and callbacks apply to receipts too', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.fault({ provider: 'house', mode: 'status_lags_callback', delayMs: 20_000 })
  await sim.fault({ provider: 'house', mode: 'not_found_window', seconds: 5 })
  await sim.fault({ provider: 'house', mode: 'callback_wrong_amount', amount: '77' })
  const order = houseAccount()
  await open(sim, order)
  assert.equal((await sim.house('GET', `/v1/charges/${order.key}`)).status, 404)
  await sim.advance(5_000)
  await pay(sim, order.key, '500')

  const [received] = await sim.receiver.take(1)
  assert.ok(received)
  const { receipts } = received.body as Body
  assert.equal(receipts[0].amount, '77')
  assert.deepEqual((await read(sim, order.key)).receipts, [])
  await sim.advance(20_000)
  assert.equal((await read(sim, order.key)).receipts[0].amount, '500')
})

const refused: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['an unknown field', { surprise: 1 }, 'UNKNOWN_FIELD'],
  ['a phone', { phone: '+254703456789' }, 'UNKNOWN_FIELD'],
  ['another kind', { kind: 'card' }, 'INVALID_FIELD'],
  ['another country', { country: 'NG' }, 'INVALID_FIELD'],
  ['another currency', { currency: 'NGN' }, 'INVALID_FIELD'],
  ['a missing email', { email: undefined }, 'MISSING_FIELD'],
  ['an invalid email', { email: 'amina' }, 'INVALID_FIELD'],
  ['a zero lifetime', { lifeSeconds: 0 }, 'INVALID_FIELD'],
  ['a lifetime as text', { lifeSeconds: '7200' }, 'INVALID_FIELD'],
  ['three decimals', { amount: '1.234' }, 'INVALID_FIELD'],
  ['a missing kind', { kind: undefined }, 'UNKNOWN_FIELD'],
]

for (const [what, changes, code] of refused)
  test(`an account request with ${what} is refused`, async (t) => {
    const sim = await startTestSimulator(t)
    const { status, body } = await open(sim, houseAccount(changes))
    assert.deepEqual([status, body.error.code], [400, code])
  })

test('bank_under_payment is refused without virtual accounts, and with an amount of zero', async (t) => {
  const sim = await startTestSimulator(t)
  const refusal = async (order: object) =>
    (await sim.control('POST', '/faults', { mode: 'bank_under_payment', ...order })).body.error
  assert.match(await refusal({ provider: 'pawapay' }), /virtual accounts/)
  assert.match(await refusal({ provider: 'house', amount: '0.00' }), /greater than zero/)
  assert.equal(await refusal({ provider: 'house', amount: '0.01' }), undefined)
})
