import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { simulatorToken } from './support/cluster/simulator-control.ts'
import { assertFinalIsFinal, keyOf, minutes, testPayments } from './support/load/payments.ts'

/** Fee 1 KES of 100: in minor units 10,000 and 100. */
const [sum, fee] = [10_000, 100]
const paid = {
  'clearing KES': '0',
  'float pawapay KES': `-${sum}`,
  'fees KES': `-${fee}`,
  'wallet KES': `${sum + fee}`,
}
const lateCredit = { 'float pawapay KES': `${sum}`, 'fees KES': `-${fee}`, 'wallet KES': `-${sum - fee}` }
const withoutZeros = (sums: Record<string, string>) =>
  Object.fromEntries(Object.entries(sums).filter(([, text]) => text !== '0'))

test('a failed payout that succeeds later stays failed, its money in suspense with one case', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'payout', mode: 'flap', delayMs: minutes(1) })
  payments.work()

  const id = await payments.payOut()
  await payments.becomes(id, { state: 'failed' })
  assert.deepEqual(await payments.booked(), {})
  await simulator.advance(minutes(1))
  await payments.becomes(id, { suspended: `-${sum}` })
  await simulator.repeat(keyOf(id), 2)

  assert.equal((await payments.seen(id)).state, 'failed')
  assert.deepEqual(await payments.booked(), { 'float pawapay KES': `-${sum}`, 'suspense KES': `${sum}` })
  assert.equal((await simulator.moved(keyOf(id))).length, 1)
  await assertFinalIsFinal(payments.malipo)
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a reversal after success is adjusted once, and the payment stays successful', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  payments.work()
  const taken = await testedReversal('payout', () => payments.payOut())
  assert.deepEqual(taken.first, withoutZeros(paid))
  assert.deepEqual(taken.second, { 'float pawapay KES': `${sum}`, 'wallet KES': `-${sum}` })
  const given = await testedReversal('charge', () => payments.charge())
  assert.deepEqual(given.first, {
    'float pawapay KES': `${sum}`,
    'fees KES': `-${fee}`,
    'wallet KES': `-${sum - fee}`,
  })
  assert.deepEqual(given.second, {
    'float pawapay KES': `-${sum}`,
    'fees KES': `${fee}`,
    'wallet KES': `${sum - fee}`,
  })
  await assertFinalIsFinal(payments.malipo)
  await payments.malipo.operator.ledger.check({ isFull: true })

  async function testedReversal(operation: 'payout' | 'charge', begin: () => Promise<string>) {
    await simulator.fault({ operation, mode: 'reversal_after_success', delayMs: minutes(1), times: 1 })
    const id = await begin()
    await payments.becomes(id, { state: 'successful' })
    const first = await payments.booked()
    await simulator.advance(minutes(1))
    await payments.becomes(id, { adjusted: operation === 'payout' ? `${sum}` : `-${sum}` })
    await simulator.repeat(keyOf(id), 1)
    assert.equal((await payments.seen(id)).state, 'successful')
    return { first, second: await payments.booked() }
  }
})

test('a callback with another amount credits nothing; the provider’s query response counts', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: '*', mode: 'callback_wrong_amount', amount: '99' })
  payments.work()

  const [charge, payout] = [await payments.charge(), await payments.payOut()]
  for (const id of [charge, payout]) await payments.becomes(id, { state: 'unknown', doubt: 'amount_mismatch' })
  const held = `${sum + fee}`
  assert.deepEqual(await payments.booked(), {
    'clearing KES': `0 (-${sum})`,
    'fees KES': `0 (-${fee})`,
    'float pawapay KES': '9900',
    'suspense KES': '-9900',
    'wallet KES': `0 (${held})`,
  })
  await payments.forwardDatabase(minutes(1))
  for (const id of [charge, payout]) await payments.becomes(id, { state: 'successful', doubt: '' })

  assert.deepEqual(await payments.booked(), {
    'clearing KES': `0 (${sum})`,
    'fees KES': `-${2 * fee} (${fee})`,
    'float pawapay KES': '-9900',
    'suspense KES': '9900',
    'wallet KES': `${2 * fee} (-${held})`,
  })
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a callback with a wrong signature, provider or environment changes nothing', async (t) => {
  const payments = await testPayments(t)
  const { simulator, malipo } = payments
  await simulator.fault({ operation: '*', mode: 'callback_bad_signature' })
  payments.work()
  const id = await payments.charge()
  const refused = async () => (await simulator.callbacks(keyOf(id)))[0]?.attempts[0]?.status === 401
  await until('the forged callback to be refused', refused)
  await payments.becomes(id, { state: 'waiting' })
  await payments.booked()

  const body = JSON.stringify({
    id: 'cb_1',
    operation: 'charge',
    key: keyOf(id),
    state: 'completed',
    amount: '100',
    currency: 'KES',
    receipt: 'R1',
  })
  const time = Math.floor(Date.now() / 1000)
  const digest = createHmac('sha256', simulatorToken).update(`${time}.${body}`).digest('hex')
  const send = (path: string) =>
    fetch(malipo.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'house-signature': `t=${time},v1=${digest}` },
      body,
    })
  assert.equal((await send('/callbacks/sandbox/house')).status, 200)
  assert.ok(malipo.log.some((line) => line.includes('names an unknown payment')))
  for (const path of ['/callbacks/house', '/callbacks/pawapay']) assert.equal((await send(path)).status, 404)
  assert.equal((await send('/callbacks/sandbox/pawapay')).status, 401)

  assert.equal((await payments.seen(id)).state, 'waiting')
  assert.deepEqual(await payments.booked(), {})
  await payments.forwardDatabase(minutes(1))
  await payments.becomes(id, { state: 'successful' })
})

test('a payout waits while our float is empty or its operator closed, and continues afterwards', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  payments.work()
  const kenya = { country: 'KEN', currency: 'KES' }
  await simulator.setFloat('99', kenya)

  const short = await payments.payOut()
  await payments.becomes(short, { state: 'accepted', doubt: 'float_exhausted' })
  await simulator.setFloat('1000000', kenya)
  await simulator.fault({ operation: '*', mode: 'operator_closed' })
  const closed = [await payments.payOut(), await payments.charge()]
  for (const id of closed) await payments.becomes(id, { state: 'accepted', doubt: 'closed' })
  await payments.forwardDatabase(10_000)
  await simulator.clearFaults()
  await payments.forwardDatabase(10_000)

  for (const id of [short, ...closed]) {
    await payments.becomes(id, { state: 'successful' })
    assert.equal((await simulator.moved(keyOf(id))).length, 1)
  }
  await assertFinalIsFinal(payments.malipo)
})

test('a charge past its expiry stays open while its provider works, and is credited when paid', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'charge', mode: 'stuck_pending' })
  payments.work()
  const id = await payments.charge()
  await payments.becomes(id, { state: 'waiting' })
  const questions = async () =>
    (await simulator.requests(keyOf(id))).filter(({ operation }) => operation === 'charge_status').length

  const before = await questions()
  await payments.forwardDatabase(minutes(15) + 1000)
  await payments.becomes(id, { state: 'unknown', doubt: 'overdue' })
  assert.equal(await questions(), before + 1)
  assert.deepEqual(await payments.booked(), {})
  await simulator.approve(keyOf(id))
  await payments.becomes(id, { state: 'successful', doubt: '' })
  await simulator.repeat(keyOf(id), 2)

  assert.deepEqual(await payments.booked(), lateCredit)
  await assertFinalIsFinal(payments.malipo)
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a charge past its expiry that its customer declines ends as expired', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'charge', mode: 'stuck_pending' })
  payments.work()
  const id = await payments.charge()
  await payments.becomes(id, { state: 'waiting' })
  await payments.forwardDatabase(minutes(15) + 1000)
  await payments.becomes(id, { state: 'unknown', doubt: 'overdue' })

  await simulator.decline(keyOf(id))

  const expired = await payments.becomes(id, { state: 'failed' })
  assert.equal(expired.failure?.code, 'EXPIRED')
  assert.deepEqual(await payments.booked(), {})
})

test('a failed charge that succeeds later stays failed, and is credited once for three reports', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'charge', mode: 'flap', delayMs: minutes(1) })
  payments.work()
  const id = await payments.charge()
  await payments.becomes(id, { state: 'failed' })
  await simulator.advance(minutes(1))
  await payments.becomes(id, { adjusted: `${sum}` })
  await simulator.repeat(keyOf(id), 2)

  assert.deepEqual(await payments.booked(), lateCredit)
  assert.equal((await payments.seen(id)).state, 'failed')
  await assertFinalIsFinal(payments.malipo)
  await payments.malipo.operator.ledger.check({ isFull: true })
})

test('a charge that could not be sent before it expired is not sent afterwards', async (t) => {
  const payments = await testPayments(t)
  const id = await payments.charge()

  await payments.forwardDatabase(minutes(16))
  payments.work()
  await payments.becomes(id, { state: 'failed' })

  const sent = (await payments.simulator.requests(keyOf(id))).filter(({ operation }) => operation === 'charge')
  assert.deepEqual(sent, [])
  assert.deepEqual(await payments.simulator.moved(keyOf(id)), [])
})

test('a charge with a code, whose operator was closed, is not retried without the code', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'charge', mode: 'operator_closed', times: 1 })

  const phoneNumber = '+2250701234567'
  const id = await payments.charge({ currency: 'XOF', phoneNumber, momoOperatorId: 'ORANGE_CI', otpCode: '123456' })
  await payments.forward(10_000)
  payments.work()
  const other = await payments.charge({ currency: 'XOF', phoneNumber, momoOperatorId: 'ORANGE_CI', otpCode: '123456' })
  await payments.becomes(other, { state: 'successful' })
  await payments.forward(minutes(15))
  await until('an end', async () => ['successful', 'failed'].includes((await payments.seen(id)).state))

  const sent = (await simulator.requests(keyOf(id))).filter(({ operation }) => operation === 'charge')
  assert.equal(sent.length, 1)
  assert.equal((await payments.seen(id)).state, 'failed')
})

test('a charge whose last query gets no response is queried again before it is given up', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'charge', mode: 'callback_never' })
  await simulator.fault({ operation: 'charge_status', mode: 'html_503', times: 1 })
  payments.work()
  const id = await payments.charge()
  await payments.becomes(id, { state: 'waiting' })
  await until('the customer to pay', async () => (await simulator.moved(keyOf(id))).length === 1)

  await payments.forwardDatabase(minutes(15) + 1000)
  await until('the query to fail', async () =>
    (await simulator.requests(keyOf(id))).some(({ status }) => status === 503),
  )
  await payments.forwardDatabase(minutes(15))

  await payments.becomes(id, { state: 'successful' })
})

test('money that came late and was returned is booked both ways', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'payout', mode: 'flap', delayMs: minutes(1) })
  await simulator.fault({ operation: 'payout', mode: 'reversal_after_success', delayMs: minutes(1) })
  payments.work()
  const id = await payments.payOut()
  await payments.becomes(id, { state: 'failed' })
  await simulator.advance(minutes(1))
  await payments.becomes(id, { suspended: `-${sum}` })

  await simulator.advance(minutes(1))
  await simulator.repeat(keyOf(id), 1)

  assert.deepEqual(
    (await simulator.moved(keyOf(id))).map(({ kind }) => kind),
    ['paid', 'reversed'],
  )
  assert.deepEqual(await payments.booked(), {})
})

test('a failure reported after the later success takes no money back in the books', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  await simulator.fault({ operation: 'payout', mode: 'flap', delayMs: 1000 })
  await simulator.fault({ operation: 'payout', mode: 'callback_reorder' })
  payments.work()
  const id = await payments.payOut()
  await until('it to be booked', async () => (await payments.seen(id)).state === 'submitted')
  await simulator.advance(2000)
  await payments.becomes(id, { state: 'successful' })
  await simulator.advance(minutes(1))
  await simulator.repeat(keyOf(id), 0)

  assert.deepEqual(
    (await simulator.moved(keyOf(id))).map(({ kind }) => kind),
    ['paid'],
  )
  assert.deepEqual(await payments.booked(), withoutZeros(paid))
})
