import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import type { RefundAttempt } from '../refund-contract.ts'
import { createPawapay } from './connector.ts'
import { observationsOf } from './responses.ts'

const key = '0197d3a0-0000-4000-8000-000000000001'
const deposit = '0197d3a0-0000-4000-8000-000000000002'
const token = 'a-token-that-must-stay-secret'
const attempt: RefundAttempt = {
  key,
  country: 'KE',
  currency: 'KES',
  amount: 12_820n,
  charge: { key: deposit, receipt: 'ABC123', method: 'momo', amount: 50_000n },
  otherReceipts: [],
  isFirstSend: true,
}
const operators = new Map([['mpesa_ke', { code: 'MPESA_KEN', country: 'KE', currency: 'KES' } as const]])
const soon = () => AbortSignal.timeout(5000)

/** A fake pawaPay for one test, and a connector's refunds to it. */
async function pawapay(t: TestContext) {
  const seen: { readonly line: string; readonly json: unknown }[] = []
  const stub: { status: number; body: unknown } = { status: 200, body: {} }
  const server = createServer(async (request, response) => {
    const text = String(Buffer.concat(await request.toArray()))
    seen.push({ line: `${request.method} ${request.url}`, json: text === '' ? undefined : JSON.parse(text) })
    response.writeHead(stub.status).end(JSON.stringify(stub.body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const baseUrl = `http://127.0.0.1:${port}`
  const { refunds, close } = createPawapay({ baseUrl, token: new Secret(token), operators })
  t.after(async () => {
    await close()
    server.closeAllConnections()
    server.close()
  })
  assert.ok(refunds)
  const submitted = async (body: unknown, status = 200): Promise<string> => {
    Object.assign(stub, { status, body })
    const outcome = await refunds.submit(attempt, soon())
    assert.ok(!JSON.stringify(outcome).includes(token), 'no outcome shows the token')
    if ('cause' in outcome) return `${outcome.certainty}: ${outcome.cause}`
    return 'failure' in outcome ? `${outcome.certainty}: ${outcome.failure.code}` : outcome.certainty
  }
  const queried = (data: object, status = 'FOUND') => {
    Object.assign(stub, { status: 200, body: { status, data } })
    return refunds.query(attempt, soon())
  }
  return { refunds, seen, submitted, queried }
}

test('a refund names its deposit by our key of the charge, and sends documented fields only', async (t) => {
  const { seen, submitted } = await pawapay(t)
  assert.equal(await submitted({ refundId: key, status: 'ACCEPTED' }), 'accepted')
  const json = { refundId: key, depositId: deposit, amount: '128.2', currency: 'KES' }
  assert.deepEqual(seen, [{ line: 'POST /v2/refunds', json }])
})

test('a response is about this refund by either name of its id, but only with its value', async (t) => {
  const { submitted, queried } = await pawapay(t)
  const status = 'ACCEPTED'
  for (const body of [
    { refundId: key, status },
    { payoutId: key, status },
    { refundId: key, payoutId: deposit, status },
  ])
    assert.equal(await submitted(body), 'accepted')
  for (const body of [
    { status },
    { refundId: deposit, status },
    { refundId: deposit, payoutId: key, status },
    { depositId: key, status },
  ])
    assert.equal(await submitted(body), 'unknown: unreadable', JSON.stringify(body))
  assert.deepEqual(await queried({ payoutId: key, status }), { found: 'yes', providerStatus: { state: 'submitted' } })
  assert.equal((await queried({ refundId: deposit, payoutId: key, status })).found, 'unclear')
})

test('each documented refusal has its meaning, and any other is unknown', async (t) => {
  const { submitted } = await pawapay(t)
  const rejected = (failureCode: string) =>
    submitted({ refundId: key, status: 'REJECTED', failureReason: { failureCode } })
  for (const code of ['NOT_FOUND', 'INVALID_STATE', 'AMOUNT_TOO_LARGE', 'DEPOSIT_ALREADY_REFUNDED'])
    assert.equal(await rejected(code), 'definitely_failed: CHARGE_NOT_REFUNDABLE', code)
  assert.equal(await rejected('REFUND_IN_PROGRESS'), 'definitely_not_submitted: closed')
  assert.equal(await rejected('PAWAPAY_WALLET_OUT_OF_FUNDS'), 'definitely_not_submitted: float_exhausted')
  assert.equal(await rejected('PROVIDER_TEMPORARILY_UNAVAILABLE'), 'definitely_not_submitted: closed')
  for (const code of ['NEW_CODE', 'constructor', '']) assert.equal(await rejected(code), 'unknown: unreadable', code)
  const refused = { failureReason: { failureCode: 'REFUNDS_NOT_ALLOWED', failureMessage: token } }
  assert.equal(await submitted(refused, 403), 'definitely_not_submitted: rejected')
  assert.equal(await submitted(refused, 400), 'unknown: unreadable')
  assert.equal(await submitted({ refundId: key, status: 'DUPLICATE_IGNORED' }), 'unknown: repeated')
  assert.equal(await submitted({ refundId: key, status: 'ENQUEUED' }), 'accepted')
})

test('the life of a refund is that of a payout, and a success needs its amount', async (t) => {
  const { queried } = await pawapay(t)
  const money = { refundId: key, amount: '128.2000', currency: 'KES' }
  for (const status of ['ACCEPTED', 'ENQUEUED', 'PROCESSING', 'SUBMITTED', 'IN_RECONCILIATION'])
    assert.deepEqual(await queried({ ...money, status }), { found: 'yes', providerStatus: { state: 'submitted' } })
  const settled = { amount: 12_820n, currency: 'KES', receipt: 'R1' }
  assert.deepEqual(await queried({ ...money, status: 'COMPLETED', providerTransactionId: 'R1' }), {
    found: 'yes',
    providerStatus: { state: 'successful', settled },
  })
  for (const amount of [undefined, 128.2, '-1', '1e2'])
    assert.equal((await queried({ ...money, amount, status: 'COMPLETED' })).found, 'unclear')
  const failed = await queried({
    ...money,
    status: 'FAILED',
    failureReason: { failureCode: 'DEPOSIT_ALREADY_REFUNDED' },
  })
  assert.partialDeepStrictEqual(failed, {
    providerStatus: { state: 'failed', failure: { code: 'CHARGE_NOT_REFUNDABLE' } },
  })
  assert.deepEqual(await queried({}, 'NOT_FOUND'), { found: 'no' })
})

test('a callback with a refundId is about the refund, also when it names the deposit', () => {
  const money = { status: 'COMPLETED', amount: '5', currency: 'KES' }
  for (const ids of [{ refundId: key }, { refundId: key, depositId: deposit }])
    assert.deepEqual(observationsOf({ ...ids, ...money }), {
      observations: { key, providerStatus: { state: 'successful', settled: { amount: 500n, currency: 'KES' } } },
      isClear: true,
    })
  for (const ids of [{ refundId: key, payoutId: deposit }, { depositId: deposit, payoutId: key }, { refundId: 7 }, {}])
    assert.equal(observationsOf({ ...ids, ...money }), undefined)
})

test('a refund that pawaPay cannot do is refused before anything is sent', async (t) => {
  const { refunds, seen } = await pawapay(t)
  const impossible: readonly RefundAttempt[] = [
    { ...attempt, amount: 0n },
    { ...attempt, country: 'GB' },
    { ...attempt, currency: 'UGX' },
    { ...attempt, charge: { ...attempt.charge, method: 'card' } },
  ]
  for (const each of impossible)
    assert.partialDeepStrictEqual(await refunds.submit(each, soon()), {
      certainty: 'definitely_not_submitted',
      cause: 'unwritable',
    })
  assert.equal(seen.length, 0)
})
