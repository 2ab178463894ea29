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
  answerWith,
  holdAnswer,
  loseAnswer,
  loseRequest,
  openWire,
  pass,
  refuseConnection,
  without,
} from './testing/wire.ts'

/** A merchant of a Malipo whose providers send nothing: what is accepted stays as it is. */
async function bench(t: TestContext, options: Partial<MalipoOptions> = {}) {
  const stack = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
    MALIPO_SIMULATOR_TOKEN: 'nobody-will-ever-ask',
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

test('a card, a phone and a bank account are charged, and each answer has the same form', async (t) => {
  const { malipo } = await chargingBench(t)
  const cardWish = cardBody(cards.asksPin)

  const card = await malipo.charges.card(cardWish)
  const phone = await malipo.charges.mobileMoney(momo('phone-1', '250.00'))
  const account = await malipo.charges.bankTransfer(transferBody({ amount: '1500.50' }) as never)

  assert.deepEqual(
    [card.externalReference, card.status, card.nextAction.type],
    [cardWish.externalReference, 'pending', 'PIN'],
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

test('a payout whose answer was lost is tried again under the same key, and is made once', async (t) => {
  const { malipo, wire, all } = await bench(t)
  wire.play('/fiat/payout', loseAnswer, loseAnswer)

  const paid = await malipo.payouts.create(payout('once'))

  const sent = wire.to('/fiat/payout')
  assert.equal(sent.length, 3)
  assert.equal(new Set(keys(sent)).size, 1)
  assert.ok(keys(sent)[0])
  assert.deepEqual(paid, { ...paid, externalReference: 'once', status: 'pending' })
  assert.equal(await all(), 1)
})

test('two calls have two keys, and a key that is given is used', async (t) => {
  const { malipo, wire } = await bench(t)

  await malipo.payouts.create(payout('first'))
  await malipo.payouts.create(payout('second'))
  const third = await malipo.payouts.create(payout('third'), { idempotencyKey: 'mine' })
  const again = await malipo.payouts.create(payout('third'), { idempotencyKey: 'mine' })

  assert.equal(new Set(keys(wire.to('/fiat/payout'))).size, 3)
  assert.equal(again.transactionId, third.transactionId)
})

test('where no key reaches the server, a reference our own lost try used leads to the transaction it made', async (t) => {
  const { malipo, wire, all } = await bench(t)
  const unkeyed = (trick = pass) => without('idempotency-key', trick)
  wire.play('/fiat/payout', unkeyed(loseAnswer), unkeyed())
  wire.play('/fiat/deposit/momo', unkeyed(loseAnswer), unkeyed())

  const paid = await malipo.payouts.create(payout('out', '100.00'))
  const charged = await malipo.charges.mobileMoney(momo('in'))

  assert.equal((await malipo.transactions.get('out')).transactionId, paid.transactionId)
  assert.equal((await malipo.transactions.get('in')).transactionId, charged.transactionId)
  assert.equal(charged.nextAction.type, 'PIN_PROMPT')
  assert.equal(await all(), 2)
})

test('a card charged by a try of ours that was lost is found as well', async (t) => {
  const { malipo, wire } = await chargingBench(t)
  const unkeyed = (trick = pass) => without('idempotency-key', trick)
  wire.play('/fiat/deposit/card', unkeyed(loseAnswer), unkeyed())
  wire.play('/fiat/deposit/bank-transfer', unkeyed(loseAnswer), unkeyed())
  const [cardWish, transferWish] = [cardBody(cards.succeeds), transferBody()]

  const card = await malipo.charges.card(cardWish)
  const account = await malipo.charges.bankTransfer(transferWish)

  assert.equal((await malipo.transactions.get(cardWish.externalReference)).transactionId, card.transactionId)
  assert.match(account.virtualAccount.accountNumber, /^\d+$/)
})

test('a reference that another payment used stays an error, also after a try of ours that was lost', async (t) => {
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
    wire.play('/fiat/payout', loseRequest)
    await assert.rejects(malipo.payouts.create(other), DuplicateReferenceError)
  }
  wire.play('/fiat/deposit/momo', loseRequest)
  await assert.rejects(malipo.charges.mobileMoney(momo('taken', 70)), DuplicateReferenceError)

  assert.equal(await all(), 1)
})

test('a timeout says that the outcome is unknown and how to find out; and there it is', async (t) => {
  const { malipo, wire } = await bench(t)
  await malipo.account.me()
  wire.play('/fiat/payout', holdAnswer)

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

test('a connection that was lost says so too, and one that was never made says that nothing happened', async (t) => {
  const { malipo, wire, all } = await bench(t, { maxRetries: 0 })
  wire.play('/fiat/payout', loseRequest, refuseConnection)
  const outcomeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error) => error instanceof NetworkError && error.outcome,
    )

  assert.equal(await outcomeOf(malipo.payouts.create(payout('a'))), 'unknown')
  assert.equal(await outcomeOf(malipo.payouts.create(payout('b'))), 'not_sent')
  assert.equal(await all(), 0)
})

test('what would happen twice is not repeated after a loss, only when it was never sent', async (t) => {
  const { malipo, wire } = await bench(t)
  const rotate = '/users/webhook-secret/rotate'
  wire.play(rotate, loseAnswer, refuseConnection)

  await assert.rejects(malipo.account.rotateWebhookSecret(), NetworkError)
  assert.equal(wire.to(rotate).length, 1)
  await malipo.account.rotateWebhookSecret()

  assert.equal(wire.to(rotate).length, 3)
})

test('a customer’s answer is said once: a wrong one that was lost costs one try', async (t) => {
  const { malipo, wire } = await chargingBench(t)
  const { transactionId } = await malipo.charges.card(cardBody(cards.asksPin))
  const path = `/fiat/deposit/${transactionId}/authorise`
  wire.play(path, loseAnswer)

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

test('an overloaded server is given the time it asks for, and then has its way', async (t) => {
  const { malipo, wire, all } = await bench(t)
  const overloaded = { success: false, message: 'busy', errorCode: 'OVERLOADED', requestId: 'r', retryable: true }
  wire.play('/fiat/payout', answerWith(503, overloaded, { 'retry-after': '1' }))
  const startedAt = performance.now()

  await malipo.payouts.create(payout('patient'))

  assert.ok(performance.now() - startedAt >= 1000)
  assert.equal(await all(), 1)
})

test('of many payouts each is accepted or refused by itself, and one not yet sent is cancelled', async (t) => {
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
  wire.play('/fiat/payout', (...args) => {
    end.abort(new Error('the shop has closed'))
    return holdAnswer(...args)
  })

  await assert.rejects(malipo.payouts.create(payout('gone'), { signal: end.signal }), /the shop has closed/)
  await assert.rejects(malipo.payouts.create(payout('gone'), { signal: end.signal }), /the shop has closed/)
  assert.equal(wire.to('/fiat/payout').length, 1)
})

test('a scenario of the sandbox goes along with the payment', async (t) => {
  const { malipo, wire } = await bench(t)

  await malipo.payouts.create(payout(nextReference()), { scenario: 'late-callback' }).catch(() => undefined)

  assert.equal(wire.to('/fiat/payout')[0]?.headers['x-sandbox-scenario'], 'late-callback')
})

test('an amount as text is read exactly, or left as it is for the server to refuse', () => {
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
