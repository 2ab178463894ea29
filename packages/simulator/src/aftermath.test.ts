import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startSimulator } from './server.ts'
import { readSettings } from './settings.ts'
import { faultTest } from './testing/fault-test.ts'
import {
  type Body,
  bankTransfer,
  card,
  clientOf,
  deposit,
  houseAccount,
  houseCharge,
  housePayout,
  payout,
  sealed,
  settleMs,
  startTestSimulator,
  type TestSimulator,
} from './testing/simulator.ts'

type Client = Omit<TestSimulator, 'receiver'>

const hourMs = 3_600_000
const fullFloat = '1000000000'

const statusOf = async (sim: Client, id: string): Promise<Body> => (await sim.pawapay('GET', `/v2/payouts/${id}`)).body
const pay = (sim: Client, order: Body) => sim.pawapay('POST', '/v2/payouts', order)
const charged = async (sim: Client, key: string): Promise<Body> => (await sim.house('GET', `/v1/charges/${key}`)).body
const listed = async (sim: Client, order: { tx_ref: string }): Promise<[number, string][]> =>
  (await sim.flutterwave('GET', `/transactions?tx_ref=${order.tx_ref}`)).body.data.map(({ amount, status }: Body) => [
    amount,
    status,
  ])
const kindsOf = async (sim: Client, key: string) =>
  (await sim.movements(key)).map(({ kind, amount }) => `${kind} ${Number(amount)}`)
const after = (sim: Client, key: string, verb: string, body: object = {}) =>
  sim.control('POST', `/payments/${key}/${verb}`, body)
const payInto = (sim: Client, key: string, amount: string) =>
  sim.control('POST', `/payer/${key}/act`, { action: 'pay_account', amount })
const floats = async (sim: Client): Promise<string[]> =>
  (await sim.control('GET', '/float')).body.items.map(({ available }: Body) => available).sort()

faultTest('flap', 'a failure turns into a success, and money moves once', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'payout', mode: 'flap', delayMs: 5_000 })
  const order = payout()
  await pay(sim, order)
  await sim.advance(settleMs)
  assert.equal((await statusOf(sim, order.payoutId)).data.status, 'FAILED')
  assert.equal((await sim.movements(order.payoutId)).length, 0)
  await sim.receiver.take(1)
  await sim.advance(5_000)
  assert.equal((await statusOf(sim, order.payoutId)).data.status, 'COMPLETED')
  assert.equal((await statusOf(sim, order.payoutId)).data.failureReason, null)
  assert.deepEqual(
    (await sim.receiver.take(2)).map(({ body }) => body['status']),
    ['FAILED', 'COMPLETED'],
  )
  assert.equal((await sim.movements(order.payoutId)).length, 1)
})

faultTest('reversal_after_success', 'the money is reversed, and both movements are in the ledger', async (sim) => {
  await sim.fault({ provider: '*', operation: '*', mode: 'reversal_after_success', delayMs: 9_000 })
  const [order, charge] = [payout(), houseCharge()]
  await pay(sim, order)
  await sim.house('POST', '/v1/charges', charge)
  await sim.advance(settleMs)
  assert.equal((await statusOf(sim, order.payoutId)).data.status, 'COMPLETED')
  await sim.advance(9_000)
  assert.equal((await statusOf(sim, order.payoutId)).data.status, 'FAILED')
  assert.equal((await sim.house('GET', `/v1/charges/${charge.key}`)).body.failure.code, 'REVERSED')
  assert.deepEqual(
    (await sim.movements(order.payoutId)).map(({ kind }) => kind),
    ['paid', 'reversed'],
  )
  const floats = (await sim.control('GET', '/float')).body.items
  assert.deepEqual(new Set(floats.map(({ available }: Body) => available)), new Set(['1000000000']))
})

faultTest('reversal_after_success', 'the house reverses part by part, and shows the sum', async (sim) => {
  const parts = { provider: 'house', mode: 'reversal_after_success', delayMs: 9_000, amount: '200', count: 3 }
  await sim.fault(parts)
  const charge = houseCharge()
  await sim.house('POST', '/v1/charges', charge)
  await sim.advance(settleMs)
  const seen: [string, string][] = []
  for (let part = 0; part < 4; part += 1) {
    await sim.advance(9_000)
    const { state, returned } = await charged(sim, charge.key)
    seen.push([state, returned])
  }

  assert.deepEqual(seen, [
    ['reversed', '200'],
    ['reversed', '400'],
    ['reversed', '500'],
    ['reversed', '500'],
  ])
  assert.deepEqual(await kindsOf(sim, charge.key), ['collected 500', 'reversed 200', 'reversed 200', 'reversed 100'])
  const reported = (await sim.receiver.take(4)).map(({ body }) => body)
  assert.deepEqual(new Set(reported.map(({ returned }) => returned)), new Set([undefined, '200', '400', '500']))
  assert.equal(new Set(reported.map(({ id }) => id)).size, 4)
})

faultTest(
  'reversal_after_success',
  'a transfer into an account is reversed as a whole, and the others stay',
  async (sim) => {
    await sim.fault({ provider: '*', mode: 'reversal_after_success', delayMs: 9_000 })
    const [account, order] = [houseAccount(), bankTransfer()]
    await sim.house('POST', '/v1/charges', account)
    await sim.flutterwave('POST', '/charges?type=bank_transfer', order)
    for (const key of [account.key, order.tx_ref]) await payInto(sim, key, '600')
    await sim.advance(8_000)
    for (const key of [account.key, order.tx_ref]) await payInto(sim, key, '400')
    await sim.advance(1_000)

    assert.deepEqual(await listed(sim, order), [
      [400, 'successful'],
      [600, 'reversed'],
    ])
    const { receipts } = await charged(sim, account.key)
    assert.deepEqual(
      receipts.map(({ amount, isReversed }: Body) => [amount, isReversed]),
      [
        ['600', true],
        ['400', undefined],
      ],
    )
    assert.deepEqual(await kindsOf(sim, account.key), ['collected 600', 'collected 400', 'reversed 600'])
    await sim.advance(9_000)
    assert.deepEqual(new Set(await floats(sim)), new Set([fullFloat]))
  },
)

faultTest('chargeback_won', 'the reversed amount is paid again, in every dialect', async (sim) => {
  await sim.fault({ provider: '*', mode: 'reversal_after_success', delayMs: hourMs })
  await sim.fault({ provider: '*', mode: 'chargeback_won', delayMs: hourMs })
  const [order, charge, paid, account] = [deposit(), houseCharge(), card('4242424242424242'), bankTransfer()]
  await sim.pawapay('POST', '/v2/deposits', order)
  await sim.house('POST', '/v1/charges', charge)
  await sim.flutterwave('POST', '/charges?type=card', sealed(paid))
  await sim.flutterwave('POST', '/charges?type=bank_transfer', account)
  await sim.advance(settleMs)
  await payInto(sim, account.tx_ref, '1500')
  const seen = async () => [
    (await sim.pawapay('GET', `/v2/deposits/${order.depositId}`)).body.data.status,
    (await charged(sim, charge.key)).state,
    (await listed(sim, paid))[0]?.[1],
    (await listed(sim, account))[0]?.[1],
  ]

  const won = ['COMPLETED', 'completed', 'successful', 'successful']
  assert.deepEqual(await seen(), won)
  await sim.advance(hourMs)
  assert.deepEqual(await seen(), ['FAILED', 'reversed', 'failed', 'reversed'])
  await sim.advance(hourMs)
  assert.deepEqual(await seen(), won)
  await sim.advance(7 * 24 * hourMs)
  assert.deepEqual(await seen(), won, 'a won chargeback is not reversed again')
  for (const key of [order.depositId, charge.key, paid.tx_ref, account.tx_ref])
    assert.deepEqual(
      (await sim.movements(key)).map(({ kind }) => kind),
      ['collected', 'reversed', 'reinstated'],
    )
})

faultTest('late_receipt', 'the charge fails, and its account still receives money', async (sim) => {
  await sim.fault({ provider: '*', mode: 'late_receipt', delayMs: hourMs })
  const [account, order, charge] = [houseAccount(), bankTransfer(), houseCharge()]
  for (const body of [account, charge]) await sim.house('POST', '/v1/charges', body)
  await sim.flutterwave('POST', '/charges?type=bank_transfer', order)

  await sim.advance(settleMs)
  assert.deepEqual([(await charged(sim, account.key)).state, await listed(sim, order)], ['failed', [[1500, 'failed']]])
  assert.deepEqual((await charged(sim, charge.key)).state, 'completed', 'without an account it has no effect')
  await sim.advance(hourMs)
  assert.deepEqual(
    (await charged(sim, account.key)).receipts.map(({ amount }: Body) => amount),
    ['1500.00'],
  )
  assert.deepEqual(await listed(sim, order), [
    [1500, 'failed'],
    [1500, 'successful'],
  ])
  for (const key of [account.key, order.tx_ref]) assert.deepEqual(await kindsOf(sim, key), ['collected 1500'])
})

faultTest(
  'prompt_expires',
  'the payer never acts: nothing moves, and the charge fails when the prompt expires',
  async (sim) => {
    await sim.fault({ provider: '*', mode: 'prompt_expires' })
    const [order, wave, charge] = [deposit(), deposit({ currency: 'XOF' }, '221773456789', 'WAVE_SEN'), houseCharge()]
    const paid = card('4242424242424242')
    for (const body of [order, wave]) await sim.pawapay('POST', '/v2/deposits', body)
    await sim.house('POST', '/v1/charges', charge)
    await sim.flutterwave('POST', '/charges?type=card', sealed(paid))
    const reasons = async () => [
      ...(await Promise.all(
        [order, wave].map(
          async ({ depositId }) =>
            (
              await sim.pawapay('GET', `/v2/deposits/${depositId}`)
            ).body.data.failureReason?.failureCode,
        ),
      )),
      (await charged(sim, charge.key)).failure?.code,
      (await listed(sim, paid))[0]?.[1],
    ]

    await sim.advance(14 * 60_000)
    assert.deepEqual(await reasons(), [undefined, undefined, undefined, 'pending'])
    await sim.advance(60_000)
    const refused = 'PAYMENT_NOT_APPROVED'
    assert.deepEqual(await reasons(), [refused, refused, refused, 'failed'])
    assert.deepEqual((await sim.control('GET', '/ledger')).body.items, [])
  },
)

test('a payment is reversed, reinstated and completed late by hand, where its state allows it', async (t) => {
  const sim = await startTestSimulator(t)
  const [order, charge, failing] = [payout(), houseCharge(), deposit({}, '250783456039')]
  await pay(sim, order)
  await sim.house('POST', '/v1/charges', charge)
  await sim.pawapay('POST', '/v2/deposits', failing)
  assert.equal((await after(sim, order.payoutId, 'reverse')).status, 409, 'it has not ended')
  await sim.advance(settleMs)

  assert.equal((await after(sim, order.payoutId, 'reverse')).body.state, 'reversed')
  assert.equal((await after(sim, order.payoutId, 'reverse')).status, 409, 'nothing is left')
  assert.equal((await after(sim, order.payoutId, 'reinstate')).body.state, 'completed')
  assert.equal((await after(sim, order.payoutId, 'reinstate')).status, 409)
  assert.deepEqual(await kindsOf(sim, order.payoutId), ['paid 100', 'reversed 100', 'reinstated 100'])
  assert.equal((await after(sim, charge.key, 'reverse', { amount: '120' })).body.returned, '120')
  assert.equal((await after(sim, charge.key, 'reverse', { amount: '380.01' })).status, 400, 'more than is left')
  assert.equal((await after(sim, charge.key, 'reverse')).body.returned, '500')
  assert.equal((await after(sim, charge.key, 'succeed')).status, 409)
  assert.equal((await after(sim, failing.depositId, 'succeed')).body.state, 'completed')
  assert.deepEqual(await kindsOf(sim, failing.depositId), ['collected 100'])
  const inPart = await after(sim, failing.depositId, 'reverse', { amount: '1' })
  assert.match(inPart.body.error, /does not report the reversed amount/)
  assert.equal((await after(sim, '00000000-0000-4000-8000-000000000000', 'reverse')).status, 404)
  assert.equal((await statusOf(sim, order.payoutId)).data.status, 'COMPLETED')
})

test('a transfer is reversed by id, or the newest one; a failed charge’s account takes money', async (t) => {
  const sim = await startTestSimulator(t)
  const order = bankTransfer()
  await sim.flutterwave('POST', '/charges?type=bank_transfer', order)
  const [first, second] = [await payInto(sim, order.tx_ref, '500'), await payInto(sim, order.tx_ref, '700')]
  const { id } = first.body.receipt

  assert.equal((await after(sim, order.tx_ref, 'reverse', { receipt: id })).status, 200)
  assert.equal((await after(sim, order.tx_ref, 'reverse', { receipt: id })).status, 409)
  assert.equal((await after(sim, order.tx_ref, 'reverse', { receipt: '1' })).status, 404)
  assert.equal((await after(sim, order.tx_ref, 'reverse', { amount: '1' })).status, 400)
  assert.equal((await after(sim, order.tx_ref, 'reverse')).status, 200)
  assert.equal((await after(sim, order.tx_ref, 'reverse')).status, 409)
  assert.equal((await after(sim, order.tx_ref, 'reinstate', { receipt: second.body.receipt.id })).status, 200)
  assert.deepEqual(await listed(sim, order), [
    [700, 'successful'],
    [500, 'reversed'],
  ])
  const missing = await sim.control('POST', `/payer/${order.tx_ref}/act`, { action: 'approve' })
  assert.equal(missing.body.receipt.amount, '800.00', 'the reversed amount is missing again')
  const reported = (await sim.receiver.take(6)).map(({ body }) => (body['data'] as Body).status)
  assert.equal(reported.filter((status) => status === 'reversed').length, 2)

  const declined = houseAccount()
  await sim.house('POST', '/v1/charges', declined)
  await sim.control('POST', `/payer/${declined.key}/act`, { action: 'decline' })
  assert.equal((await payInto(sim, declined.key, '1500')).status, 200)
  assert.equal((await charged(sim, declined.key)).receipts.length, 1)
})

test('a lagging status shows a transfer as it was before its reversal', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.fault({ provider: 'flutterwave', mode: 'status_lags_callback', delayMs: 20_000 })
  const order = bankTransfer()
  await sim.flutterwave('POST', '/charges?type=bank_transfer', order)
  await payInto(sim, order.tx_ref, '1500')
  await sim.advance(20_000)
  await after(sim, order.tx_ref, 'reverse')

  assert.deepEqual(await listed(sim, order), [[1500, 'successful']])
  await sim.advance(20_000)
  assert.deepEqual(await listed(sim, order), [[1500, 'reversed']])
})

test('time passes for one owner alone, with some seconds between two events of a payment', async (t) => {
  const sim = await startTestSimulator(t)
  const [mine, other, none] = [houseCharge(), houseCharge(), houseCharge()]
  for (const [charge, owner] of [[mine, 'amina'] as const, [other, 'juma'] as const, [none, undefined] as const]) {
    const common = { provider: 'house', delayMs: hourMs, match: { key: charge.key }, ...(owner && { owner }) }
    for (const mode of ['reversal_after_success', 'chargeback_won']) await sim.fault({ ...common, mode })
    await sim.house('POST', '/v1/charges', charge)
  }
  const states = async () =>
    Promise.all([mine, other, none].map(async ({ key }) => (await charged(sim, key)).state as string))
  const pass = async (ms: number) => (await sim.control('POST', '/time/pass', { owner: 'amina', ms })).body.waiting
  await sim.advance(settleMs)

  assert.equal(await pass(hourMs - 60_000), 1)
  await sim.advance(1)
  assert.deepEqual(await states(), ['completed', 'completed', 'completed'])
  await pass(24 * hourMs)
  await sim.advance(1)
  assert.deepEqual(await states(), ['reversed', 'completed', 'completed'])
  await sim.advance(5_000)
  assert.deepEqual(await states(), ['completed', 'completed', 'completed'])
  assert.equal(await pass(24 * hourMs), 0, 'no plan is left')
  await sim.advance(hourMs)
  assert.deepEqual(await states(), ['completed', 'reversed', 'reversed'])
  assert.deepEqual(await kindsOf(sim, mine.key), ['collected 500', 'reversed 500', 'reinstated 500'])
  const bad = [{ owner: '', ms: 1 }, { owner: 'amina', ms: -1 }, { ms: 1 }, { owner: 'amina', ms: 0.5 }]
  for (const body of bad) assert.equal((await sim.control('POST', '/time/pass', body)).status, 400)
})

test('time that passes before the payer acts does not bring later events forward', async (t) => {
  const sim = await startTestSimulator(t)
  const account = houseAccount()
  await sim.fault({ provider: 'house', mode: 'reversal_after_success', delayMs: hourMs, owner: 'amina' })
  await sim.house('POST', '/v1/charges', account)

  await sim.control('POST', '/time/pass', { owner: 'amina', ms: 24 * hourMs })
  await payInto(sim, account.key, '1500')
  await sim.advance(hourMs - 10_000)
  assert.deepEqual(await kindsOf(sim, account.key), ['collected 1500'])
  await sim.advance(10_000)
  assert.deepEqual(await kindsOf(sim, account.key), ['collected 1500', 'reversed 1500'])
})

test('a restart keeps reversals and continues all plans', async (t) => {
  const settings = readSettings({
    SIMULATOR_PORT: '0',
    SIMULATOR_HOUSE_TOKEN: 'house-token',
    SIMULATOR_HOUSE_SECRET: 'house-secret',
    SIMULATOR_CONTROL_TOKEN: 'control-token',
    SIMULATOR_SETTLE_MS: String(settleMs),
    SIMULATOR_JOURNAL: join(mkdtempSync(join(tmpdir(), 'simulator-')), 'journal'),
  })
  const first = await startSimulator(settings)
  const sim = clientOf(first.url)
  const [charge, till, account] = [houseCharge(), housePayout(), houseAccount()]
  await sim.fault({ provider: 'house', mode: 'reversal_after_success', delayMs: hourMs, owner: 'amina' })
  await sim.fault({ provider: 'house', mode: 'chargeback_won', delayMs: hourMs })
  for (const body of [charge, account]) await sim.house('POST', '/v1/charges', body)
  await sim.house('POST', '/v1/payouts', till)
  await sim.advance(settleMs)
  await payInto(sim, account.key, '1500')
  await after(sim, charge.key, 'reverse', { amount: '120' })
  await sim.control('POST', '/time/pass', { owner: 'amina', ms: hourMs / 2 })
  const [ledger, before] = [(await sim.control('GET', '/ledger')).body, await floats(sim)]
  first.close()

  const second = await startSimulator(settings)
  t.after(() => second.close())
  const again = clientOf(second.url)
  assert.deepEqual((await again.control('GET', '/ledger')).body, ledger)
  assert.deepEqual(await floats(again), before)
  assert.equal((await charged(again, charge.key)).returned, '120')
  await again.advance(hourMs / 2)
  assert.deepEqual(await kindsOf(again, till.key), ['paid 40.5', 'reversed 40.5'])
  assert.deepEqual(await kindsOf(again, account.key), ['collected 1500', 'reversed 1500'])
  await again.advance(hourMs)
  assert.deepEqual(await kindsOf(again, charge.key), ['collected 500', 'reversed 120', 'reinstated 120'])
  assert.deepEqual(await kindsOf(again, till.key), ['paid 40.5', 'reversed 40.5', 'reinstated 40.5'])
})

test('a fault that a provider cannot show is refused', async (t) => {
  const sim = await startTestSimulator(t)
  const refusal = async (order: object) => (await sim.control('POST', '/faults', order)).body.error
  const inPart = { mode: 'reversal_after_success', amount: '10' }
  for (const provider of ['pawapay', 'flutterwave', '*'])
    assert.match(await refusal({ provider, ...inPart }), /does not report the reversed amount/)
  assert.match(await refusal({ provider: 'house', ...inPart, amount: '0' }), /greater than zero/)
  assert.match(await refusal({ provider: 'pawapay', mode: 'late_receipt' }), /virtual accounts/)
  assert.equal(await refusal({ provider: 'house', ...inPart }), undefined)
})
