import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { houseCharge, housePayout, settleMs, startTestSimulator } from '../testing/simulator.ts'

test('a charge is accepted, completes with a receipt, and its callback is signed', async (t) => {
  const sim = await startTestSimulator(t)
  const charge = houseCharge()

  const accepted = await sim.house('POST', '/v1/charges', charge)
  assert.deepEqual(accepted.body, { key: charge.key, state: 'accepted', repeated: false })
  await sim.advance(settleMs)

  const { body } = await sim.house('GET', `/v1/charges/${charge.key}`)
  const { receipt, ...rest } = body
  assert.match(receipt, /^[0-9A-Z]{10}$/)
  assert.deepEqual(rest, { key: charge.key, state: 'completed', amount: '500', currency: 'XOF' })
  const [callback] = await sim.receiver.take(1)
  assert.ok(callback)
  const { id, ...reported } = callback.body
  assert.deepEqual(reported, { operation: 'charge', ...body })
  assert.match(String(id), /^cb_[0-9a-f]{32}$/)
  assert.equal(callback.path, '/callbacks/house')
  const [, time = '', value] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(callback.headers['house-signature'])) ?? []
  assert.equal(value, createHmac('sha256', 'house-secret').update(`${time}.${callback.raw}`).digest('hex'))
})

test('a repeated key moves money once and returns the state; with another body it is refused', async (t) => {
  const sim = await startTestSimulator(t)
  const payout = housePayout()
  const responses = await Promise.all(Array.from({ length: 10 }, () => sim.house('POST', '/v1/payouts', payout)))
  await sim.advance(settleMs)
  const { to, ...rest } = payout

  assert.equal(responses.filter(({ body }) => body.repeated === false).length, 1)
  const again = await sim.house('POST', '/v1/payouts', { to, ...rest })
  assert.deepEqual(again.body, { key: payout.key, state: 'completed', repeated: true })
  const other = await sim.house('POST', '/v1/payouts', { ...payout, amount: '41' })
  assert.deepEqual([other.status, other.body.error.code], [409, 'KEY_REUSED'])
  assert.deepEqual(
    (await sim.movements(payout.key)).map(({ kind, amount }) => [kind, amount]),
    [['paid', '40.50']],
  )
})

test('the last digits of a phone, account number or till number choose the outcome', async (t) => {
  const sim = await startTestSimulator(t)
  const bank = { kind: 'bank', bankCode: '01', branchCode: '001', accountName: 'A B', tillNumber: undefined }
  const cases = [
    [housePayout({ tillNumber: '123089' }), 'RECIPIENT_NOT_FOUND'],
    [housePayout({ ...bank, accountNumber: '0011223099' }), 'WALLET_LIMIT_REACHED'],
    [
      housePayout({ kind: 'paybill', businessNumber: '888880', accountNumber: 'A-109', tillNumber: undefined }),
      'RECIPIENT_LIMIT_REACHED',
    ],
    [
      housePayout({
        kind: 'momo',
        operator: 'MPESA_KE',
        phone: '+254703456119',
        tillNumber: undefined,
        accountName: undefined,
      }),
      'UNSPECIFIED_FAILURE',
    ],
    [housePayout({ tillNumber: '123049' }), undefined],
  ] as const
  for (const [payout] of cases) assert.equal((await sim.house('POST', '/v1/payouts', payout)).status, 200)

  await sim.advance(settleMs)
  for (const [payout, code] of cases) {
    const { body } = await sim.house('GET', `/v1/payouts/${payout.key}`)
    assert.equal(body.failure?.code, code)
    assert.equal((await sim.movements(payout.key)).length, code === undefined ? 1 : 0)
  }
})

test('a charge ending in 129 stays accepted until the payer acts', async (t) => {
  const sim = await startTestSimulator(t)
  const charge = houseCharge({ phone: '+2250734567129' })
  await sim.house('POST', '/v1/charges', charge)
  await sim.advance(3_600_000)
  assert.equal((await sim.house('GET', `/v1/charges/${charge.key}`)).body.state, 'accepted')

  await sim.control('POST', `/payer/${charge.key}/act`, { action: 'decline' })
  assert.equal((await sim.house('GET', `/v1/charges/${charge.key}`)).body.failure.code, 'PAYMENT_NOT_APPROVED')
})

test('a wrong one-time code fails the charge', async (t) => {
  const sim = await startTestSimulator(t)
  const [right, wrong] = [houseCharge({ code: '123456' }), houseCharge({ code: '4567' })]
  for (const charge of [right, wrong]) await sim.house('POST', '/v1/charges', charge)
  await sim.advance(settleMs)

  assert.equal((await sim.house('GET', `/v1/charges/${right.key}`)).body.state, 'completed')
  assert.equal((await sim.house('GET', `/v1/charges/${wrong.key}`)).body.failure.code, 'PAYMENT_NOT_APPROVED')
})

test('a payout beyond the float is refused at once, and may be sent again with more float', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.control('PUT', '/float', { provider: 'house', country: 'KE', currency: 'KES', amount: '40.49' })
  const payout = housePayout()

  const { status, body } = await sim.house('POST', '/v1/payouts', payout)
  assert.deepEqual([status, body.state, body.repeated, body.failure.code], [200, 'failed', false, 'FLOAT_EMPTY'])
  await sim.control('PUT', '/float', { provider: 'house', country: 'KE', currency: 'KES', amount: '1000' })
  const again = await sim.house('POST', '/v1/payouts', payout)
  assert.deepEqual([again.body.state, again.body.repeated], ['accepted', false])
})

const refused: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['an unknown field', { surprise: 1 }, 'UNKNOWN_FIELD'],
  ['a missing phone', { phone: undefined }, 'MISSING_FIELD'],
  ['a phone without plus', { phone: '2250734567890' }, 'INVALID_FIELD'],
  ['an amount that is a number', { amount: 500 }, 'INVALID_FIELD'],
  ['a zero amount', { amount: '0' }, 'INVALID_FIELD'],
  ['decimals the currency does not have', { amount: '500.5' }, 'INVALID_FIELD'],
  ['a voucher of thirteen digits', { voucher: '1234567890123' }, 'INVALID_FIELD'],
  ['a key that is not a UUID', { key: 'abc' }, 'INVALID_FIELD'],
]

for (const [what, changes, code] of refused)
  test(`a charge with ${what} is refused`, async (t) => {
    const sim = await startTestSimulator(t)
    const { status, body } = await sim.house('POST', '/v1/charges', houseCharge(changes))
    assert.deepEqual([status, body.error.code], [400, code])
  })

test('a destination is validated as strictly as the rest', async (t) => {
  const sim = await startTestSimulator(t)
  const code = async (to: Record<string, unknown>) =>
    (await sim.house('POST', '/v1/payouts', housePayout(to))).body.error.code as string
  assert.equal(await code({ phone: '+254703456789' }), 'UNKNOWN_FIELD')
  assert.equal(await code({ kind: 'cheque' }), 'INVALID_FIELD')
  assert.equal(await code({ kind: undefined }), 'MISSING_FIELD')
  assert.equal(await code({ kind: 'toString' }), 'INVALID_FIELD')
})

test('a wrong token gets a 401, and an unknown key or path gets a 404', async (t) => {
  const sim = await startTestSimulator(t)
  const wrong = await sim.house('GET', '/v1/rates?base=USD&quote=KES', undefined, { authorization: 'Bearer x' })
  assert.deepEqual([wrong.status, wrong.body.error.code], [401, 'UNAUTHORIZED'])
  assert.equal((await sim.house('GET', `/v1/charges/${randomUUID()}`)).status, 404)
  assert.equal((await sim.house('POST', `/v1/payouts/${randomUUID()}/cancel`)).status, 404)
})

test('an account always has the same name, and 089 does not exist', async (t) => {
  const sim = await startTestSimulator(t)
  const resolve = (phone: string) =>
    sim.house('POST', '/v1/resolve', { kind: 'momo', operator: 'MPESA_KE', phone, currency: 'KES' })
  const [one, two, gone] = [
    await resolve('+254703456789'),
    await resolve('+254703456789'),
    await resolve('+254703456089'),
  ]

  assert.deepEqual(one.body, two.body)
  assert.match(one.body.accountName, /^\p{Lu}\p{L}+ \p{Lu}\p{L}+$/u)
  assert.match(one.body.accountId, /^acc_/)
  assert.deepEqual([gone.status, gone.body.error.code], [404, 'NOT_FOUND'])
})

test('every currency pair has a six-digit rate with one percent between buy and sell', async (t) => {
  const sim = await startTestSimulator(t)
  const currencies =
    'USD KES UGX TZS RWF NGN GHS ZAR BWP ZMW MWK XOF XAF CDF ETB MZN SLE GMD GNF LRD LSL BIF EGP MAD EUR GBP'.split(' ')
  const pairs = currencies.flatMap((base) => currencies.filter((quote) => quote !== base).map((quote) => [base, quote]))
  const digits = (text: string) => text.replace('.', '').replace(/^0+/, '').length

  for (const [base, quote] of pairs) {
    const { status, body } = await sim.house('GET', `/v1/rates?base=${base}&quote=${quote}`)
    assert.equal(status, 200)
    assert.ok(digits(body.buy) === 6 && digits(body.sell) >= 6, `${body.buy} ${body.sell}`)
    const spread = Number(body.sell) / Number(body.buy)
    assert.ok(spread > 1.0099 && spread < 1.0102, `${base}/${quote} ${spread}`)
  }
  const unknown = await sim.house('GET', '/v1/rates?base=USD&quote=XXX')
  assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'NO_RATE'])
})

test('rates drift with the clock, by no more than half a percent', async (t) => {
  const sim = await startTestSimulator(t)
  const read = async () => Number((await sim.house('GET', '/v1/rates?base=EUR&quote=KES')).body.buy)
  const seen: number[] = []
  for (let hour = 0; hour < 24; hour++) {
    seen.push(await read())
    await sim.advance(3_600_000)
  }
  const middle = (Math.max(...seen) + Math.min(...seen)) / 2
  assert.ok(new Set(seen).size > 12)
  assert.ok(Math.max(...seen) / middle < 1.0052)
})

test('a delayed operator refuses charges and queues payouts', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.fault({ provider: 'house', mode: 'operator_delayed', seconds: 600 })
  const payout = housePayout()
  const refused = await sim.house('POST', '/v1/charges', houseCharge())
  await sim.house('POST', '/v1/payouts', payout)
  const state = async () => (await sim.house('GET', `/v1/payouts/${payout.key}`)).body.state

  assert.deepEqual([refused.status, refused.body.error.code], [409, 'OPERATOR_DELAYED'])
  await sim.advance(599_000)
  assert.equal(await state(), 'accepted')
  await sim.advance(1_000 + settleMs)
  assert.equal(await state(), 'completed')
})
