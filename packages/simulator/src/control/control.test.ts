import assert from 'node:assert/strict'
import { test } from 'node:test'
import { card, deposit, houseCharge, payout, sealed, settleMs, startTestSimulator } from '../testing/simulator.ts'

test('the control API accepts only its own token', async (t) => {
  const sim = await startTestSimulator(t)
  const ask = (authorization?: string) =>
    fetch(`${sim.url}/__sim/health`, { headers: { ...(authorization && { authorization }) } })
  assert.equal((await ask()).status, 401)
  assert.equal((await ask('Bearer pawapay-token')).status, 401)
  assert.equal((await ask('Bearer control-token')).status, 200)
  assert.equal((await sim.control('GET', '/nothing')).status, 404)
})

test('the ledger is read page by page and has totals', async (t) => {
  const sim = await startTestSimulator(t)
  for (let count = 0; count < 3; count++) await sim.pawapay('POST', '/v2/deposits', deposit())
  await sim.pawapay('POST', '/v2/payouts', payout())
  await sim.house('POST', '/v1/charges', houseCharge())
  await sim.advance(settleMs)

  const first = (await sim.control('GET', '/ledger?limit=3')).body
  const second = (await sim.control('GET', `/ledger?limit=3&after=${first.next}`)).body
  const numbers = [...first.items, ...second.items].map(({ number }: { number: number }) => number)
  assert.deepEqual(numbers, [1, 2, 3, 4, 5])
  assert.equal(second.next, null)
  const { items } = (await sim.control('GET', '/ledger/totals')).body
  assert.deepEqual(items, [
    { provider: 'pawapay', kind: 'collected', country: 'RWA', currency: 'RWF', count: 3, amount: '300' },
    { provider: 'pawapay', kind: 'paid', country: 'RWA', currency: 'RWF', count: 1, amount: '100' },
    { provider: 'house', kind: 'collected', country: 'CI', currency: 'XOF', count: 1, amount: '500' },
  ])
})

test('a payment is found by its key, with its state', async (t) => {
  const sim = await startTestSimulator(t)
  const order = payout()
  await sim.pawapay('POST', '/v2/payouts', order)
  const [payment] = (await sim.control('GET', `/payments?key=${order.payoutId}`)).body.items
  assert.deepEqual(
    [payment.provider, payment.operation, payment.key, payment.state, payment.amount, payment.operator],
    ['pawapay', 'payout', order.payoutId, 'accepted', '100', 'MTN_MOMO_RWA'],
  )
})

test('a reset clears everything, including timers', async (t) => {
  const sim = await startTestSimulator(t)
  const order = payout()
  await sim.pawapay('POST', '/v2/payouts', order)
  await sim.fault({ provider: '*', mode: 'html_503' })
  await sim.control('POST', '/reset')
  await sim.advance(settleMs)

  assert.equal((await sim.control('GET', '/ledger')).body.items.length, 0)
  assert.equal((await sim.control('GET', '/faults')).body.items.length, 0)
  assert.equal(sim.receiver.received.length, 0)
  assert.equal((await sim.pawapay('POST', '/v2/payouts', order)).body.status, 'ACCEPTED')
})

test('settings are changed all together or not at all', async (t) => {
  const sim = await startTestSimulator(t)
  const bad = await sim.control('PUT', '/settings', { settleMs: '50-150', callbackBase: 'ftp://x' })
  assert.equal(bad.status, 400)
  assert.equal((await sim.control('GET', '/settings')).body.settleMs, String(settleMs))

  const good = await sim.control('PUT', '/settings', { settleMs: '50-150', seed: 9 })
  assert.deepEqual(good.body, { callbackBase: sim.receiver.base, settleMs: '50-150', seed: 9, publicUrl: '' })
  assert.equal((await sim.control('PUT', '/settings', { settleMs: 10 })).body.settleMs, '10')
  assert.equal((await sim.control('PUT', '/settings', { sedd: 9 })).status, 400)
})

test('a payer can be made to approve, to enter a PIN, and to decline for a reason', async (t) => {
  const sim = await startTestSimulator(t)
  const act = async (body: object) => {
    const order = deposit()
    await sim.pawapay('POST', '/v2/deposits', order)
    return (await sim.control('POST', `/payer/${order.depositId}/act`, body)).body.state
  }
  assert.equal(await act({ action: 'approve' }), 'completed')
  assert.equal(await act({ action: 'enter_pin' }), 'completed')
  assert.equal(await act({ action: 'decline', code: 'PAYER_LIMIT_REACHED' }), 'failed')
  assert.equal(await act({ action: 'dance' }), undefined)
  assert.equal((await sim.control('POST', '/payer/unknown/act', { action: 'approve' })).status, 404)
})

test('requests are listed with their response status and without tokens', async (t) => {
  const sim = await startTestSimulator(t)
  const charge = houseCharge({ code: '123456', voucher: '123456789012' })
  await sim.house('POST', '/v1/charges', charge)
  const { items } = (await sim.control('GET', `/requests?key=${charge.key}`)).body
  assert.equal(items.length, 1)
  assert.deepEqual([items[0].operation, items[0].status, items[0].body.phone], ['charge', 200, charge.phone])
  assert.doesNotMatch(JSON.stringify(items), /house-token|"123456"|123456789012/)
})

test('payments also end by the wall clock', async (t) => {
  const sim = await startTestSimulator(t, { SIMULATOR_SETTLE_MS: '5-20' })
  await sim.pawapay('POST', '/v2/deposits', deposit())
  assert.equal((await sim.receiver.take(1))[0]?.body['status'], 'COMPLETED')
})

test('refused requests are listed too', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.pawapay('POST', '/v2/payouts', payout(), { authorization: 'Bearer stale' })
  const [note] = (await sim.control('GET', '/requests')).body.items
  assert.deepEqual([note.operation, note.status, note.faults], ['payout', 403, []])
})

test('a fault with an invalid field is refused', async (t) => {
  const sim = await startTestSimulator(t)
  const refusal = async (order: object) => (await sim.control('POST', '/faults', order)).status
  assert.equal(await refusal({ provider: 'pawapay', mode: 'no_such_mode' }), 400)
  assert.equal(await refusal({ provider: 'unknown', mode: 'latency' }), 400)
  assert.equal(await refusal({ provider: 'pawapay', operation: 'payuot', mode: 'latency' }), 400)
  assert.equal(await refusal({ provider: 'pawapay', mode: 'latency', delayMS: 5 }), 400)
  assert.equal(await refusal({ provider: 'pawapay', mode: 'latency', match: { fone: '1' } }), 400)
})

test('the test values give their listed outcomes', async (t) => {
  const sim = await startTestSimulator(t)
  const { status, body } = await sim.control('GET', '/test-values')
  assert.equal(status, 200)

  for (const { value, for: operation, outcome } of body.phones) {
    if (!operation.startsWith('charge')) continue
    const order = houseCharge({ phone: value })
    await sim.house('POST', '/v1/charges', order)
    await sim.advance(settleMs)
    const { body: read } = await sim.house('GET', `/v1/charges/${order.key}`)
    const wanted = { SUCCESSFUL: 'completed', PENDING: 'accepted' }[outcome as string] ?? 'failed'
    assert.deepEqual([read.state, read.failure?.code ?? outcome], [wanted, outcome], value)
  }
  for (const { value, for: use } of body.accounts.filter((each: { for: string }) => each.for === 'resolve')) {
    const asked = { kind: 'bank', bankCode: '01', accountNumber: value, currency: 'KES' }
    assert.deepEqual([use, (await sim.house('POST', '/v1/resolve', asked)).status], ['resolve', 404])
  }
  assert.ok(body.accounts.every((each: { for: string }) => each.for !== 'charge'))
  assert.equal(new Set(body.otps.map((each: { value: string }) => each.value)).size, 5)
})

test('every listed card gives its listed outcome, with its listed codes', async (t) => {
  const sim = await startTestSimulator(t)
  const { cards } = (await sim.control('GET', '/test-values')).body
  assert.ok(cards.length > 20)

  for (const { number, expiry = '09/32', asks, pins, outcome } of cards) {
    const [month, year] = expiry.split('/')
    const order = card(number, { expiry_month: month, expiry_year: year })
    const first = await sim.flutterwave('POST', '/charges?type=card', sealed(order))
    const mode = first.body.meta?.authorization?.mode
    const asked = { pin: 'pin', avs_noauth: 'address', redirect: 'redirect' }[mode as string] ?? 'nothing'
    assert.equal(asked, asks, `${number} ${JSON.stringify(first.body)}`)
    if (asks === 'nothing') assert.equal(first.body.data.status, outcome === 'SUCCESSFUL' ? 'successful' : 'failed')
    if (asks !== 'pin') continue
    const withPin = { ...order, authorization: { mode: 'pin', pin: pins[0] } }
    const second = await sim.flutterwave('POST', '/charges?type=card', sealed(withPin))
    assert.equal(second.body.meta?.authorization?.mode, outcome === 'SUCCESSFUL' ? 'otp' : undefined, number)
  }
})

test('no cards are listed without a card provider', async (t) => {
  const sim = await startTestSimulator(t, { SIMULATOR_FLUTTERWAVE_TOKEN: '' })
  const { body } = await sim.control('GET', '/test-values')
  assert.deepEqual([body.cards.length, body.otps.length], [0, 1])
})
