import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import type { RefundAttempt } from '../refund-contract.ts'
import { createHouse } from './connector.ts'

const key = '0197d3a0-0000-4000-8000-000000000001'
const charge = '0197d3a0-0000-4000-8000-000000000002'
const token = 'a-token-that-must-stay-secret'
const attempt: RefundAttempt = {
  key,
  country: 'KE',
  currency: 'KES',
  amount: 12_820n,
  charge: { key: charge, receipt: '', method: 'bank-transfer', amount: 50_000n },
  otherReceipts: [],
  isFirstSend: true,
}
const soon = () => AbortSignal.timeout(5000)

/** A fake house for one test, and a connector's refunds to it. */
async function house(t: TestContext) {
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
  const { refunds, close } = createHouse({ baseUrl, token: new Secret(token), secret: new Secret('s') })
  t.after(async () => {
    await close()
    server.closeAllConnections()
    server.close()
  })
  assert.ok(refunds)
  const submitted = async (body: object, status = 200): Promise<string> => {
    Object.assign(stub, { status, body })
    const outcome = await refunds.submit(attempt, soon())
    if ('cause' in outcome) return `${outcome.certainty}: ${outcome.cause}`
    return 'failure' in outcome ? `${outcome.certainty}: ${outcome.failure.code}` : outcome.certainty
  }
  const queried = (body: object, status = 200) => {
    Object.assign(stub, { status, body })
    return refunds.query(attempt, soon())
  }
  return { refunds, seen, submitted, queried }
}

test('a refund names the key of its charge', async (t) => {
  const { seen, submitted, queried } = await house(t)
  assert.equal(await submitted({ key, state: 'accepted', repeated: false }), 'accepted')
  await queried({})
  assert.deepEqual(seen, [
    { line: 'POST /v1/refunds', json: { key, charge, country: 'KE', currency: 'KES', amount: '128.20' } },
    { line: `GET /v1/refunds/${key}`, json: undefined },
  ])
})

test('a refusal has its meaning, and an unreadable response is unknown', async (t) => {
  const { submitted } = await house(t)
  const failed = (code: string) => submitted({ key, state: 'failed', repeated: false, failure: { code } })
  for (const code of ['CHARGE_NOT_FOUND', 'CHARGE_NOT_PAID', 'AMOUNT_TOO_LARGE'])
    assert.equal(await failed(code), 'definitely_failed: CHARGE_NOT_REFUNDABLE', code)
  assert.equal(await failed('FLOAT_EMPTY'), 'definitely_not_submitted: float_exhausted')
  assert.equal(await submitted({ key, state: 'completed', repeated: true }), 'unknown: repeated')
  assert.equal(await submitted({ error: { code: 'KEY_REUSED' } }, 409), 'unknown: repeated')
  for (const body of [{}, { key: charge, state: 'accepted', repeated: false }, { key, state: 'accepted' }])
    assert.equal(await submitted(body), 'unknown: unreadable')
  assert.equal(await submitted({}, 503), 'unknown: server_error')
})

test('a query reports the end with its amount, a reversal, or that house has no such refund', async (t) => {
  const { queried } = await house(t)
  const money = { key, amount: '128.20', currency: 'KES' }
  assert.partialDeepStrictEqual(await queried({ ...money, state: 'completed', receipt: 'R1' }), {
    providerStatus: { state: 'successful', settled: { amount: 12_820n, receipt: 'R1' } },
  })
  assert.partialDeepStrictEqual(await queried({ ...money, state: 'reversed', returned: '28.20' }), {
    providerStatus: { state: 'reversed', returned: 2820n },
  })
  assert.deepEqual(await queried({ error: { code: 'NOT_FOUND' } }, 404), { found: 'no' })
  for (const body of [
    { ...money, key: charge, state: 'completed' },
    { ...money, amount: 'x', state: 'completed' },
  ])
    assert.equal((await queried(body)).found, 'unclear')
})
