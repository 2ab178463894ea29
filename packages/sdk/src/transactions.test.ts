import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { payingMalipo } from '../../server/src/testing/paying.ts'
import { Malipo, NotFoundError, TimeoutError } from './index.ts'
import { change, holdResponse, openWire } from './testing/wire.ts'

const settings = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}

async function bench(t: TestContext, payouts = 0) {
  const stack = await testMalipo(t, settings)
  const { publicKey, apiKey } = await stack.merchant()
  const wire = openWire()
  const malipo = new Malipo({ publicKey, apiKey, baseUrl: stack.url, fetch: wire.fetch })
  for (let number = 1; number <= payouts; number += 1) await malipo.payouts.create(payout(`p${number}`, 100 + number))
  return { malipo, wire }
}

const payout = (externalReference: string, amount = 100) => ({
  amount,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo' as const,
  externalReference,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
})

test('25 transactions are listed newest first, from three pages', async (t) => {
  const { malipo, wire } = await bench(t, 25)

  const amounts: number[] = []
  for await (const { amount } of malipo.transactions.list()) amounts.push(amount)

  assert.deepEqual(
    amounts,
    Array.from({ length: 25 }, (_, index) => 125 - index),
  )
  assert.equal(wire.to('/transactions').length, 3)
})

test('only needed pages are read, and a list can start after a transaction', async (t) => {
  const { malipo, wire } = await bench(t, 12)

  const [first] = await malipo.transactions.list().toArray(1)
  const rest = await malipo.transactions.list({ after: first?.transactionId }).toArray(3)

  assert.equal(wire.to('/transactions').length, 2)
  assert.deepEqual(
    [first, ...rest].map((each) => each?.amount),
    [112, 111, 110, 109],
  )
  assert.deepEqual(await malipo.transactions.list().toArray(0), [])
})

test('a short page with a continuation header is not the last page', async (t) => {
  const { malipo, wire } = await bench(t, 5)
  const [, second] = await malipo.transactions.list().toArray()
  const cut = change((body) => ({ ...body, data: (body['data'] as unknown[]).slice(0, 1) }), {
    'x-continue-after': second?.transactionId ?? '',
  })
  wire.inject('/transactions', cut)

  const found = await malipo.transactions.list({ status: 'pending' }).toArray()

  assert.deepEqual(
    found.map(({ amount }) => amount),
    [105, 103, 102, 101],
  )
})

test('filters reach the server, and every status is in lower case', async (t) => {
  const { malipo } = await bench(t, 2)

  const pending = await malipo.transactions.list({ status: 'pending', type: 'withdrew', currency: 'KES' }).toArray()
  const none = await malipo.transactions.list({ status: 'failed' }).toArray()
  const one = await malipo.transactions.list({ externalReference: 'p1' }).toArray()

  assert.deepEqual([pending.length, none.length, one.length], [2, 0, 1])
  assert.deepEqual(
    pending.map(({ status }) => status),
    ['pending', 'pending'],
  )
  assert.equal('chargeStatus' in (pending[0] ?? {}), false)
})

test('a transaction is read by its id and by its reference, with any characters', async (t) => {
  const { malipo } = await bench(t)
  const reference = 'order/7?a=b&c#d%20+"x"'
  const { transactionId } = await malipo.payouts.create(payout(reference))

  assert.equal((await malipo.transactions.get(reference)).transactionId, transactionId)
  assert.equal((await malipo.transactions.get(transactionId)).externalReference, reference)
  await assert.rejects(malipo.transactions.get('order/7'), NotFoundError)
})

test('waitFor returns when the payment is final', async (t) => {
  const stack = await payingMalipo(t)
  stack.work()
  await stack.simulator.set({ callbackBase: `${stack.url}/callbacks/sandbox` })
  const { publicKey, apiKey } = await stack.merchant()
  const malipo = new Malipo({ publicKey, apiKey, baseUrl: stack.url })
  const [good, bad] = await Promise.all([
    malipo.payouts.create(payout('good')),
    malipo.payouts.create({
      ...payout('bad'),
      payoutMethod: { accountName: 'Unknown Recipient', accountNumber: '+254703456089' },
    }),
  ])

  const [paid, failed] = await Promise.all([
    malipo.transactions.waitFor(good.transactionId, { timeoutMs: 20_000 }),
    malipo.transactions.waitFor('bad', { timeoutMs: 20_000, until: () => false }),
  ])

  assert.equal(paid.status, 'successful')
  assert.deepEqual([failed.transactionId, failed.status], [bad.transactionId, 'failed'])
  assert.equal(failed.failureReason?.failureCode, 'RECIPIENT_NOT_FOUND')
})

test('waitFor reports the stage on timeout, and ends when it is aborted', async (t) => {
  const { malipo } = await bench(t, 1)
  const end = new AbortController()

  await assert.rejects(malipo.transactions.waitFor('p1', { timeoutMs: 300 }), (error: TimeoutError) => {
    assert.ok(error instanceof TimeoutError)
    assert.equal(error.outcome, 'unknown')
    assert.match(error.message, /still pending \(PROCESSING\) after 300 ms/)
    return true
  })
  const waiting = malipo.transactions.waitFor('p1', { signal: end.signal })
  end.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  await assert.rejects(malipo.transactions.waitFor('p1', { signal: end.signal }), /enough/)
})

test('waitFor ends in time also if the server does not respond', async (t) => {
  const { malipo, wire } = await bench(t, 1)
  wire.inject('/transactions/p1', holdResponse)

  await assert.rejects(malipo.transactions.waitFor('p1', { timeoutMs: 200 }), /could not be read after 200 ms/)
  assert.equal(wire.to('/transactions/p1').length, 1)
})
