import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { deposit, payout, settleMs, startTestSimulator } from '../testing/simulator.ts'

test('a deposit is accepted, completes on the clock, moves money once and has one callback', async (t) => {
  const sim = await startTestSimulator(t)
  const order = deposit({ clientReferenceId: 'ORD-1', customerMessage: 'Order 12', metadata: [{ orderId: 'A' }] })

  const accepted = await sim.pawapay('POST', '/v2/deposits', order)
  assert.equal(accepted.status, 200)
  assert.equal(accepted.body.status, 'ACCEPTED')
  assert.equal(accepted.body.nextStep, 'FINAL_STATUS')
  assert.match(accepted.body.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  assert.equal((await sim.pawapay('GET', `/v2/deposits/${order.depositId}`)).body.data.status, 'ACCEPTED')
  assert.deepEqual(await sim.movements(order.depositId), [])

  await sim.advance(settleMs)
  const { body } = await sim.pawapay('GET', `/v2/deposits/${order.depositId}`)
  const [callback] = await sim.receiver.take(1)
  assert.equal(body.status, 'FOUND')
  assert.equal(body.data.status, 'COMPLETED')
  assert.equal(body.data.country, 'RWA')
  assert.deepEqual(body.data.metadata, { orderId: 'A' })
  assert.equal(body.data.clientReferenceId, 'ORD-1')
  const { clientReferenceId: _reference, ...shown } = body.data
  assert.equal(shown.amount, '100.00')
  assert.deepEqual(callback?.body, { ...shown, amount: '100.0000' })
  assert.equal(callback?.headers['content-type'], 'application/json; charset=UTF-8')
  assert.equal(callback?.path, '/callbacks/pawapay')
  const movements = await sim.movements(order.depositId)
  assert.deepEqual(
    movements.map(({ kind, amount, currency, country }) => [kind, amount, currency, country]),
    [['collected', '100', 'RWF', 'RWA']],
  )
})

test('a repeated payout id moves money once, even with many at the same time', async (t) => {
  const sim = await startTestSimulator(t)
  const order = payout()

  const responses = await Promise.all(Array.from({ length: 20 }, () => sim.pawapay('POST', '/v2/payouts', order)))
  await sim.advance(settleMs)
  const again = await sim.pawapay('POST', '/v2/payouts', { ...order, amount: '900' })

  const statuses = responses.map(({ body }) => body.status as string)
  assert.equal(statuses.filter((status) => status === 'ACCEPTED').length, 1)
  assert.equal(statuses.filter((status) => status === 'DUPLICATE_IGNORED').length, 19)
  assert.equal(again.body.status, 'DUPLICATE_IGNORED')
  assert.equal((await sim.movements(order.payoutId)).length, 1)
})

test('the last three digits choose the outcome, and a failed payment moves nothing', async (t) => {
  const sim = await startTestSimulator(t)
  const deposits = {
    '019': 'PAYER_LIMIT_REACHED',
    '029': 'PAYER_NOT_FOUND',
    '039': 'PAYMENT_NOT_APPROVED',
    '049': 'INSUFFICIENT_BALANCE',
    '059': 'PAYMENT_IN_PROGRESS',
    '069': 'UNSPECIFIED_FAILURE',
  }
  const payouts = {
    '089': 'RECIPIENT_NOT_FOUND',
    '099': 'WALLET_LIMIT_REACHED',
    '109': 'RECIPIENT_LIMIT_REACHED',
    '119': 'UNSPECIFIED_FAILURE',
  }
  const wanted = new Map<string, string>()
  for (const [ending, code] of Object.entries(deposits)) {
    const order = deposit({}, `250783456${ending}`)
    await sim.pawapay('POST', '/v2/deposits', order)
    wanted.set(`/v2/deposits/${order.depositId}`, code)
  }
  for (const [ending, code] of Object.entries(payouts)) {
    const order = payout({}, `250783456${ending}`)
    await sim.pawapay('POST', '/v2/payouts', order)
    wanted.set(`/v2/payouts/${order.payoutId}`, code)
  }

  await sim.advance(settleMs)
  for (const [path, code] of wanted) {
    const { data } = (await sim.pawapay('GET', path)).body
    assert.equal(data.status, 'FAILED')
    assert.equal(data.failureReason.failureCode, code)
  }
  assert.deepEqual((await sim.control('GET', '/ledger')).body.items, [])
  assert.equal((await sim.receiver.take(wanted.size)).length, wanted.size)
})

test('a failure ending of deposits has no effect on payouts, and vice versa', async (t) => {
  const sim = await startTestSimulator(t)
  const paid = payout({}, '250783456049')
  const collected = deposit({}, '250783456089')
  await sim.pawapay('POST', '/v2/payouts', paid)
  await sim.pawapay('POST', '/v2/deposits', collected)

  await sim.advance(settleMs)
  assert.equal((await sim.movements(paid.payoutId)).length, 1)
  assert.equal((await sim.movements(collected.depositId)).length, 1)
})

test('a number ending in 129 stays in processing without a callback until the payer acts', async (t) => {
  const sim = await startTestSimulator(t)
  const order = deposit({}, '250783456129')
  await sim.pawapay('POST', '/v2/deposits', order)

  await sim.advance(24 * 3_600_000)
  assert.equal((await sim.pawapay('GET', `/v2/deposits/${order.depositId}`)).body.data.status, 'PROCESSING')
  assert.equal(sim.receiver.received.length, 0)

  const act = await sim.control('POST', `/payer/${order.depositId}/act`, { action: 'approve' })
  assert.deepEqual(act.body, { key: order.depositId, state: 'completed' })
  assert.equal((await sim.receiver.take(1))[0]?.body['status'], 'COMPLETED')
  assert.equal((await sim.control('POST', `/payer/${order.depositId}/act`, { action: 'decline' })).status, 409)
})

test('the published numbers of Burkina Faso and Gabon, which end in 8, have their outcomes', async (t) => {
  const sim = await startTestSimulator(t)
  const failing = deposit({ currency: 'XOF' }, '22602345048', 'MOOV_BFA')
  const staying = deposit({ currency: 'XOF' }, '22602345138', 'MOOV_BFA')
  const passing = deposit({ currency: 'XAF' }, '24174345678', 'AIRTEL_GAB')
  for (const order of [failing, staying, passing]) await sim.pawapay('POST', '/v2/deposits', order)

  await sim.advance(settleMs)
  const status = async (id: string) => (await sim.pawapay('GET', `/v2/deposits/${id}`)).body.data
  assert.equal((await status(failing.depositId)).failureReason.failureCode, 'INSUFFICIENT_BALANCE')
  assert.equal((await status(staying.depositId)).status, 'PROCESSING')
  assert.equal((await status(passing.depositId)).status, 'COMPLETED')
})

test('a deposit with a wrong pre-authorisation code fails, with the right one completes', async (t) => {
  const sim = await startTestSimulator(t)
  const make = (preAuthorisationCode: string) =>
    deposit({ currency: 'XOF', preAuthorisationCode }, '22607345678', 'ORANGE_BFA')
  const [right, wrong] = [make('123456'), make('000000')]
  for (const order of [right, wrong]) await sim.pawapay('POST', '/v2/deposits', order)

  await sim.advance(settleMs)
  const status = async (id: string) => (await sim.pawapay('GET', `/v2/deposits/${id}`)).body.data
  assert.equal((await status(right.depositId)).status, 'COMPLETED')
  assert.equal((await status(wrong.depositId)).failureReason.failureCode, 'PAYMENT_NOT_APPROVED')
  assert.doesNotMatch(JSON.stringify((await sim.control('GET', '/requests')).body), /"(123456|000000)"/)
})

test('a payout reserves its money, and releases it when it fails', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.control('PUT', '/float', { provider: 'pawapay', country: 'RWA', currency: 'RWF', amount: '150' })
  const balance = async () => (await sim.pawapay('GET', '/v2/wallet-balances?country=RWA')).body.balances[0].balance
  await sim.pawapay('POST', '/v2/payouts', payout({}, '250783456089'))
  assert.equal(await balance(), '50')

  const refused = await sim.pawapay('POST', '/v2/payouts', payout())
  assert.equal(refused.status, 200)
  assert.equal(refused.body.status, 'REJECTED')
  assert.equal(refused.body.failureReason.failureCode, 'PAWAPAY_WALLET_OUT_OF_FUNDS')

  await sim.advance(settleMs)
  assert.equal(await balance(), '150')
  await sim.pawapay('POST', '/v2/payouts', payout())
  await sim.advance(settleMs)
  assert.equal(await balance(), '50')
  await sim.pawapay('POST', '/v2/deposits', deposit())
  await sim.advance(settleMs)
  assert.equal(await balance(), '150')
})

test('each payout of a bulk request has its own result', async (t) => {
  const sim = await startTestSimulator(t)
  const [good, bad] = [payout(), payout({ amount: '4' })]

  const { status, body } = await sim.pawapay('POST', '/v2/payouts/bulk', [good, bad, good])
  assert.equal(status, 200)
  assert.deepEqual(
    body.map((each: { payoutId: string; status: string }) => [each.payoutId, each.status]),
    [
      [good.payoutId, 'ACCEPTED'],
      [bad.payoutId, 'REJECTED'],
      [good.payoutId, 'DUPLICATE_IGNORED'],
    ],
  )

  const unread = await sim.pawapay('POST', '/v2/payouts/bulk', [payout(), payout({ surprise: 1 })])
  assert.equal(unread.status, 400)
  assert.equal((await sim.control('GET', '/payments')).body.items.length, 1)
})

test('a callback is resent on request, but only for a payment that has ended', async (t) => {
  const sim = await startTestSimulator(t)
  const order = payout()
  await sim.pawapay('POST', '/v2/payouts', order)
  const resend = (id: string) => sim.pawapay('POST', `/v2/payouts/resend-callback/${id}`)

  assert.equal((await resend(order.payoutId)).body.failureReason.failureCode, 'INVALID_STATE')
  assert.equal((await resend(randomUUID())).body.failureReason.failureCode, 'NOT_FOUND')
  await sim.advance(settleMs)
  await sim.receiver.take(1)
  assert.equal((await resend(order.payoutId)).body.status, 'ACCEPTED')
  const [first, second] = await sim.receiver.take(2)
  assert.deepEqual(second?.body, first?.body)
})

test('an unknown payment is not found', async (t) => {
  const sim = await startTestSimulator(t)
  assert.deepEqual((await sim.pawapay('GET', `/v2/deposits/${randomUUID()}`)).body, { status: 'NOT_FOUND' })
})

test('the payer of a redirected deposit gets a page, and their choice decides', async (t) => {
  const sim = await startTestSimulator(t)
  const urls = { successfulUrl: 'https://shop.example/ok', failedUrl: 'https://shop.example/no' }
  const make = () => deposit({ currency: 'XOF', ...urls }, '221773456789', 'WAVE_SEN')
  const [yes, no] = [make(), make()]
  for (const order of [yes, no]) {
    const { body } = await sim.pawapay('POST', '/v2/deposits', order)
    assert.equal(body.nextStep, 'GET_AUTH_URL')
  }
  await sim.advance(settleMs)
  const pages = (await sim.receiver.take(2)).map(({ body }) => {
    assert.equal(body['status'], 'PROCESSING')
    assert.equal(body['nextStep'], 'REDIRECT_TO_AUTH_URL')
    return String(body['authorizationUrl'])
  })
  const choose = (url: string | undefined, action: string) =>
    fetch(url ?? '', { method: 'POST', redirect: 'manual', body: new URLSearchParams({ action }) })

  assert.match(await (await fetch(pages[0] ?? '')).text(), /<button name="action" value="approve">/)
  const approved = await choose(pages[0], 'approve')
  const declined = await choose(pages[1], 'decline')
  assert.deepEqual([approved.status, approved.headers.get('location')], [302, urls.successfulUrl])
  assert.deepEqual([declined.status, declined.headers.get('location')], [302, urls.failedUrl])
  const callbacks = await sim.receiver.take(4)
  assert.deepEqual(
    callbacks
      .slice(2)
      .map(({ body }) => body['status'])
      .sort(),
    ['COMPLETED', 'FAILED'],
  )
  assert.equal((await sim.movements(yes.depositId)).length + (await sim.movements(no.depositId)).length, 1)
  assert.equal((await choose(pages[1], 'approve')).headers.get('location'), urls.failedUrl)
})

test('a redirected deposit fails when the payer never acts', async (t) => {
  const sim = await startTestSimulator(t)
  const order = deposit({ currency: 'XOF' }, '2250734567890', 'WAVE_CIV')
  await sim.pawapay('POST', '/v2/deposits', order)

  await sim.advance(15 * 60_000)
  const { data } = (await sim.pawapay('GET', `/v2/deposits/${order.depositId}`)).body
  assert.equal(data.failureReason.failureCode, 'PAYMENT_NOT_APPROVED')
})
