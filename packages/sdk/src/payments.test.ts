import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  cardBody,
  cards,
  chargingMalipo,
  codes,
  nextReference,
  transferBody,
} from '../../server/src/testing/charging.ts'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { DuplicateReferenceError, Malipo, type MalipoOptions, NetworkError, TimeoutError } from './index.ts'
import { exactNumber } from './payments.ts'
import {
  holdResponse,
  loseRequest,
  loseResponse,
  openWire,
  pass,
  refuseConnection,
  respondWith,
  without,
} from './testing/wire.ts'

/** A merchant of a Malipo whose provider is unreachable: accepted payments stay pending. */
async function bench(t: TestContext, options: Partial<MalipoOptions> = {}) {
  const stack = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
    MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
    MALIPO_RATE_LIMIT_SANDBOX: '1000',
  })
  const { publicKey, apiKey } = await stack.merchant()
  const wire = openWire()
  const malipo = new Malipo({ publicKey, apiKey, baseUrl: stack.url, fetch: wire.fetch, ...options })
  const all = async () => (await malipo.transactions.list().toArray()).length
  return { malipo, wire, all }
}

async function chargingBench(t: TestContext) {
  const stack = await chargingMalipo(t)
  const { publicKey, apiKey } = await stack.merchant()
  const wire = openWire()
  return { wire, malipo: new Malipo({ publicKey, apiKey, baseUrl: stack.url, fetch: wire.fetch }) }
}

const payTo = { accountName: 'Amina Otieno', accountNumber: '+254703456789' }
const payout = (externalReference: string, amount: number | string = 100) => ({
  amount,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo' as const,
  externalReference,
  payoutMethod: payTo,
})
const momo = (externalReference: string, amount: number | string = 250) => ({
  amount,
  currency: 'KES',
  phoneNumber: '+254703456789',
  externalReference,
})
const keys = (sent: readonly { headers: Readonly<Record<string, string>> }[]) =>
  sent.map(({ headers }) => headers['idempotency-key'])

test('card, mobile money and bank transfer charges return the same form', async (t) => {
  const { malipo } = await chargingBench(t)
  const cardInput = cardBody(cards.asksPin)

  const card = await malipo.charges.card(cardInput)
  const phone = await malipo.charges.mobileMoney(momo('phone-1', '250.00'))
  const account = await malipo.charges.bankTransfer(transferBody({ amount: '1500.50' }) as never)

  assert.deepEqual(
    [card.externalReference, card.status, card.nextAction.type],
    [cardInput.externalReference, 'pending', 'PIN'],
  )
  assert.deepEqual([phone.externalReference, phone.status, phone.nextAction.type], ['phone-1', 'pending', 'PIN_PROMPT'])
  assert.deepEqual([account.status, account.nextAction.type], ['pending', 'BANK_TRANSFER'])
  assert.equal(account.virtualAccount.amount, 1500.5)
  assert.equal((await malipo.transactions.get(account.transactionId)).virtualAccount?.amount, 1500.5)
})

test('a charge is authorised step by step until it is paid', async (t) => {
  const { malipo } = await chargingBench(t)
  const { transactionId } = await malipo.charges.card(cardBody(cards.asksPin))

  await malipo.charges.authorise(transactionId, { type: 'pin', value: codes.pin })
  await malipo.transactions.waitFor(transactionId, { until: ({ nextAction }) => nextAction.type === 'OTP' })
  await malipo.charges.authorise(transactionId, { type: 'otp', value: codes.otp })

  assert.equal((await malipo.transactions.waitFor(transactionId)).status, 'successful')
})

test('a payout whose response is lost is retried under the same key and made once', async (t) => {
  const { malipo, wire, all } = await bench(t)
  wire.inject('/fiat/payout', loseResponse, loseResponse)

  const paid = await malipo.payouts.create(payout('once'))

  const sent = wire.to('/fiat/payout')
  assert.equal(sent.length, 3)
  assert.equal(new Set(keys(sent)).size, 1)
  assert.ok(keys(sent)[0])
  assert.deepEqual(paid, { ...paid, externalReference: 'once', status: 'pending' })
  assert.equal(await all(), 1)
})

test('each call gets its own key, and a key from the caller is used', async (t) => {
  const { malipo, wire } = await bench(t)

  await malipo.payouts.create(payout('first'))
  await malipo.payouts.create(payout('second'))
  const third = await malipo.payouts.create(payout('third'), { idempotencyKey: 'mine' })
  const again = await malipo.payouts.create(payout('third'), { idempotencyKey: 'mine' })

  assert.equal(new Set(keys(wire.to('/fiat/payout'))).size, 3)
  assert.equal(again.transactionId, third.transactionId)
})

test('a retry without a key returns the payment that the lost attempt made', async (t) => {
  const { malipo, wire, all } = await bench(t)
  const unkeyed = (fault = pass) => without('idempotency-key', fault)
  wire.inject('/fiat/payout', unkeyed(loseResponse), unkeyed())
  wire.inject('/fiat/deposit/momo', unkeyed(loseResponse), unkeyed())

  const paid = await malipo.payouts.create(payout('out', '100.00'))
  const charged = await malipo.charges.mobileMoney(momo('in'))

  assert.equal((await malipo.transactions.get('out')).transactionId, paid.transactionId)
  assert.equal((await malipo.transactions.get('in')).transactionId, charged.transactionId)
  assert.equal(charged.nextAction.type, 'PIN_PROMPT')
  assert.equal(await all(), 2)
})

test('a retry without a key returns the card charge or account that the lost attempt made', async (t) => {
  const { malipo, wire } = await chargingBench(t)
  const unkeyed = (fault = pass) => without('idempotency-key', fault)
  wire.inject('/fiat/deposit/card', unkeyed(loseResponse), unkeyed())
  wire.inject('/fiat/deposit/bank-transfer', unkeyed(loseResponse), unkeyed())
  const [cardInput, transferInput] = [cardBody(cards.succeeds), transferBody()]

  const card = await malipo.charges.card(cardInput)
  const account = await malipo.charges.bankTransfer(transferInput)

  assert.equal((await malipo.transactions.get(cardInput.externalReference)).transactionId, card.transactionId)
  assert.match(account.virtualAccount.accountNumber, /^\d+$/)
})

test('a reference of another payment stays an error, also after a lost attempt', async (t) => {
  const { malipo, wire, all } = await bench(t)
  await malipo.payouts.create(payout('taken', 70))

  const plainly = malipo.payouts.create(payout('taken', 70))
  await assert.rejects(plainly, (error: DuplicateReferenceError) => {
    assert.ok(error instanceof DuplicateReferenceError)
    assert.deepEqual([error.errorCode, error.status, error.isAfterRetry], ['E-API-D.S-28', 409, false])
    return true
  })
  const elsewhere = { ...payout('taken', 70), payoutMethod: { ...payTo, accountNumber: '+254703456788' } }
  for (const other of [payout('taken', 71), elsewhere]) {
    wire.inject('/fiat/payout', loseRequest)
    await assert.rejects(malipo.payouts.create(other), DuplicateReferenceError)
  }
  wire.inject('/fiat/deposit/momo', loseRequest)
  await assert.rejects(malipo.charges.mobileMoney(momo('taken', 70)), DuplicateReferenceError)

  assert.equal(await all(), 1)
})

test('a timeout reports an unknown outcome and how to find the payment', async (t) => {
  const { malipo, wire } = await bench(t)
  await malipo.account.me()
  wire.inject('/fiat/payout', holdResponse)

  const call = malipo.payouts.create(payout('late'), { timeoutMs: 500, maxRetries: 0 })

  await assert.rejects(call, (error: TimeoutError) => {
    assert.ok(error instanceof TimeoutError)
    assert.equal(error.outcome, 'unknown')
    assert.match(error.message, /within 500 ms.*transactions\.get\('late'\)/)
    assert.equal(error.requestId, wire.to('/fiat/payout')[0]?.headers['x-request-id'])
    return true
  })
  assert.equal((await malipo.transactions.get('late')).status, 'pending')
})

test('a lost connection reports an unknown outcome, and a refused one reports not_sent', async (t) => {
  const { malipo, wire, all } = await bench(t, { maxRetries: 0 })
  wire.inject('/fiat/payout', loseRequest, refuseConnection)
  const outcomeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error) => error instanceof NetworkError && error.outcome,
    )

  assert.equal(await outcomeOf(malipo.payouts.create(payout('a'))), 'unknown')
  assert.equal(await outcomeOf(malipo.payouts.create(payout('b'))), 'not_sent')
  assert.equal(await all(), 0)
})

test('a call that is unsafe to repeat is retried only if it was never sent', async (t) => {
  const { malipo, wire } = await bench(t)
  const rotate = '/users/webhook-secret/rotate'
  wire.inject(rotate, loseResponse, refuseConnection)

  await assert.rejects(malipo.account.rotateWebhookSecret(), NetworkError)
  assert.equal(wire.to(rotate).length, 1)
  await malipo.account.rotateWebhookSecret()

  assert.equal(wire.to(rotate).length, 3)
})

test('a customer’s answer is sent once: a wrong PIN whose response is lost costs one attempt', async (t) => {
  const { malipo, wire } = await chargingBench(t)
  const { transactionId } = await malipo.charges.card(cardBody(cards.asksPin))
  const path = `/fiat/deposit/${transactionId}/authorise`
  wire.inject(path, loseResponse)

  await assert.rejects(
    malipo.charges.authorise(transactionId, { type: 'pin', value: codes.wrongPin }),
    (error: Error) => {
      assert.ok(error instanceof NetworkError)
      assert.ok(error.message.includes(`transactions.get('${transactionId}')`), error.message)
      return true
    },
  )
  const second = malipo.charges.authorise(transactionId, { type: 'pin', value: codes.wrongPin })

  await assert.rejects(second, { attemptsLeft: 1 })
  assert.equal(wire.to(path).length, 2)
})

test('a retry waits as long as an overloaded server asks, and then succeeds', async (t) => {
  const { malipo, wire, all } = await bench(t)
  const overloaded = { success: false, message: 'busy', errorCode: 'OVERLOADED', requestId: 'r', retryable: true }
  wire.inject('/fiat/payout', respondWith(503, overloaded, { 'retry-after': '1' }))
  const startedAt = performance.now()

  await malipo.payouts.create(payout('patient'))

  assert.ok(performance.now() - startedAt >= 1000)
  assert.equal(await all(), 1)
})

test('bulk payouts are accepted or refused one by one, and an unsent one can be cancelled', async (t) => {
  const { malipo } = await bench(t)

  const results = await malipo.payouts.bulk([payout('b1', '150.00'), payout('b2', 1e9), payout('b1')])

  assert.deepEqual(
    results.map((each) => (each.success ? each.externalReference : each.errorCode)),
    ['b1', 'AMOUNT_OUT_OF_BOUNDS', 'E-API-D.S-28'],
  )
  const [first] = results
  assert.ok(first?.success)
  await malipo.payouts.cancel(first.transactionId)
  const { status, amount } = await malipo.transactions.get('b1')
  assert.deepEqual([status, amount], ['failed', 150])
})

test('an aborted call ends with the reason of its signal', async (t) => {
  const { malipo, wire } = await bench(t)
  const end = new AbortController()
  wire.inject('/fiat/payout', (...args) => {
    end.abort(new Error('the shop has closed'))
    return holdResponse(...args)
  })

  await assert.rejects(malipo.payouts.create(payout('gone'), { signal: end.signal }), /the shop has closed/)
  await assert.rejects(malipo.payouts.create(payout('gone'), { signal: end.signal }), /the shop has closed/)
  assert.equal(wire.to('/fiat/payout').length, 1)
})

test('a sandbox scenario is sent with the payment', async (t) => {
  const { malipo, wire } = await bench(t)

  await malipo.payouts.create(payout(nextReference()), { scenario: 'late-callback' }).catch(() => undefined)

  assert.equal(wire.to('/fiat/payout')[0]?.headers['x-sandbox-scenario'], 'late-callback')
})

test('an amount as a string is read exactly, or sent unchanged for the server to refuse', () => {
  const read: readonly (readonly [string, number])[] = [
    ['1500', 1500],
    ['1500.00', 1500],
    ['0.10', 0.1],
    ['007.5', 7.5],
    ['999999999999.99', 999_999_999_999.99],
    ['0', 0],
  ]
  for (const [text, number] of read) assert.equal(exactNumber(text), number, text)
  for (const text of ['', '-1', '1e3', '1,000', '.5', '12345678901234567.89', 'ten', '0x10'])
    assert.equal(exactNumber(text), text)
})
