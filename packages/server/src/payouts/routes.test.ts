import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'

/** No worker runs, so accepted payouts stay accepted. */
const noProvider = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}
const path = '/api/b2b/fiat/payout'
const payout = (externalReference: string, over: object = {}) => ({
  amount: 100,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  externalReference,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
  ...over,
})
const refusalOf = ({ status, body }: ApiResponse) => [status, body['errorCode']]

interface WalletView {
  readonly currency: string
  readonly available: number
  readonly pending: number
}

async function walletOf(call: (method: string, path: string) => Promise<ApiResponse>, currency = 'KES') {
  const { body } = await call('GET', '/api/b2b/users')
  const wallet = (body['wallets'] as WalletView[]).find((each) => each.currency === currency)
  return [wallet?.available, wallet?.pending]
}

test('a payout holds its amount and fee before its response', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()

  const answer = await call('POST', path, payout('r1'))

  assert.deepEqual([answer.status, answer.body['status'], answer.body['externalReference']], [200, 'PENDING', 'r1'])
  assert.deepEqual(await walletOf(call), [999_899, 101])
})

test('a payout beyond the wallet takes nothing, leaves nothing behind, and frees its reference', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  for (const index of [1, 2, 3]) await call('POST', path, payout(`drain${index}`, { amount: 250_000 }))
  const before = await walletOf(call)

  const refused = await call('POST', path, payout('r1', { amount: 250_000 }))

  assert.deepEqual(refusalOf(refused), [422, 'INSUFFICIENT_FUNDS'])
  assert.deepEqual(await walletOf(call), before)
  assert.deepEqual(refusalOf(await call('GET', '/api/b2b/transactions/r1')), [404, 'TRANSACTION_NOT_FOUND'])
  assert.equal((await call('POST', path, payout('r1'))).status, 200)
})

test('a key used for another payout is refused, and neither the reference nor money is touched', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'k1' }
  await malipo.call('POST', path, headers, payout('r1'))

  const [reused, both] = await Promise.all([
    malipo.call('POST', path, headers, payout('r2')),
    malipo.call('POST', path, headers, payout('r1', { amount: 200 })),
  ])

  assert.deepEqual(refusalOf(reused), [422, 'IDEMPOTENCY_KEY_REUSED'])
  assert.deepEqual(refusalOf(both), [422, 'IDEMPOTENCY_KEY_REUSED'])
  assert.deepEqual(await walletOf(merchant.call), [999_899, 101])
  assert.equal((await merchant.call('POST', path, payout('r2'))).status, 200)
})

test('equal requests at once under one key have one effect; others with its reference fail', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const authorization = `Bearer ${await merchant.token()}`
  const keyed = { authorization, 'idempotency-key': 'k1' }

  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () => malipo.call('POST', path, keyed, payout('r1'))),
    ...Array.from({ length: 20 }, () => malipo.call('POST', path, { authorization }, payout('r1'))),
  ])

  const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body['transactionId']))
  assert.equal(ids.size, 1)
  for (const answer of answers.slice(20).filter(({ status }) => status !== 200))
    assert.deepEqual(refusalOf(answer), [409, 'E-API-D.S-28'])
  assert.deepEqual(await walletOf(merchant.call), [999_899, 101])
})

test('a cancelled payout has its money back at the response, and can be cancelled once', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const { call } = await malipo.merchant()
  const stranger = await malipo.merchant()
  const { body } = await call('POST', path, payout('r1'))
  const cancel = `${path}/${body['transactionId']}/cancel`

  assert.deepEqual(refusalOf(await stranger.call('POST', cancel)), [404, 'TRANSACTION_NOT_FOUND'])
  const cancelled = await call('POST', cancel)

  assert.deepEqual(cancelled.body, { success: true, message: 'Payout cancelled.' })
  assert.deepEqual(await walletOf(call), [1_000_000, 0])
  assert.deepEqual(refusalOf(await call('POST', cancel)), [409, 'PAYOUT_NOT_CANCELLABLE'])
  const { body: read } = await call('GET', '/api/b2b/transactions/r1')
  const data = read['data'] as { status: string; failureReason: { failureCode: string }; timeline: unknown[] }
  assert.deepEqual([data.status, data.failureReason.failureCode], ['FAILED', 'MANUALLY_CANCELLED'])
  assert.equal(data.timeline.length, 2)
})

test('equal cancellations at once under one key all get the same response', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'cancel-once' }
  const { body } = await malipo.call('POST', path, { authorization: headers.authorization }, payout('c1'))
  const cancel = () => malipo.call('POST', `${path}/${body['transactionId']}/cancel`, headers)

  const answers = await Promise.all([cancel(), cancel(), cancel(), cancel()])

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  assert.deepEqual(await walletOf(merchant.call), [1_000_000, 0])
})

test('each payout of a bulk is accepted or refused by itself, in order', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  await call('POST', path, payout('used'))
  const payouts = [payout('b1'), payout('used'), payout('b2', { amount: 'ten' }), payout('b1'), payout('b3'), 7]

  const { status, body } = await call('POST', '/api/b2b/fiat/payouts/bulk', { payouts })

  const results = body['data'] as { success: boolean; errorCode?: string; externalReference: string; message: string }[]
  assert.equal(status, 200)
  assert.deepEqual(
    results.map(({ success, errorCode, externalReference }) => [success, errorCode, externalReference]),
    [
      [true, undefined, 'b1'],
      [false, 'E-API-D.S-28', 'used'],
      [false, 'VALIDATION_ERROR', 'b2'],
      [false, 'E-API-D.S-28', 'b1'],
      [true, undefined, 'b3'],
      [false, 'VALIDATION_ERROR', ''],
    ],
  )
  assert.match(results[2]?.message ?? '', /amount must be a number/)
  assert.deepEqual(await walletOf(call), [999_697, 303])
})

test('a bulk repeated under one key gets the same result per item, and pays no item twice', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'k'.repeat(255) }
  const payouts = Array.from({ length: 120 }, (_, index) => payout(`b${index}`))
  const send = () => malipo.call('POST', '/api/b2b/fiat/payouts/bulk', headers, { payouts })

  const [first, second] = [await send(), await send()]

  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(await walletOf(merchant.call), [1_000_000 - 120 * 101, 120 * 101])
})

test('a bulk counts as one request for every hundred payouts', async (t) => {
  const malipo = await testMalipo(t, { ...noProvider, MALIPO_RATE_LIMIT_SANDBOX: '1' })
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  const payouts = Array.from({ length: 600 }, (_, index) => payout(`b${index}`, { amount: 10 }))

  const many = await malipo.call('POST', '/api/b2b/fiat/payouts/bulk', headers, { payouts })
  const next = await malipo.call('GET', '/api/b2b/users', headers)

  assert.equal(many.status, 200)
  assert.deepEqual(refusalOf(next), [429, 'RATE_LIMIT_EXCEEDED'])
})

test('a bulk of more than a thousand payouts, or of none, is refused', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()

  for (const payouts of [[], Array.from({ length: 1001 }, () => 1), undefined])
    assert.deepEqual(refusalOf(await call('POST', '/api/b2b/fiat/payouts/bulk', { payouts })), [
      400,
      'VALIDATION_ERROR',
    ])
})
