import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'

const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }
const charge = (externalReference: string) => ({
  amount: 100,
  currency: 'KES',
  phoneNumber: '+254703456789',
  externalReference,
})
const charges = '/api/b2b/fiat/deposit/momo'

interface RecordView {
  readonly id: string
  readonly status: string
  readonly webhookUrl: string
  readonly response: { readonly status: string }
  readonly data: { readonly externalReference: string }
}
const rows = ({ body }: ApiResponse) => body['data'] as RecordView[]
const lines = ({ body }: ApiResponse) =>
  body['data'] as { number: number; id: string; sequence: number; data: { externalReference: string } }[]
const refusalOf = ({ status, body }: ApiResponse) => [status, body['errorCode']]

test('an event without a URL is in the feed only; with a URL it also has a record, under one id', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  await call('POST', charges, charge('before'))
  await call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  await call('POST', charges, charge('after'))

  const [records, feed] = [rows(await call('GET', '/api/b2b/webhooks')), lines(await call('GET', '/api/b2b/events'))]

  assert.deepEqual(
    records.map(({ status, webhookUrl, response, data }) => [
      status,
      webhookUrl,
      response.status,
      data.externalReference,
    ]),
    [['CREATED', 'http://127.0.0.1:9/hooks', '', 'after']],
  )
  assert.deepEqual(
    feed.map(({ number, sequence, data }) => [number, sequence, data.externalReference]),
    [
      [1, 1, 'before'],
      [2, 1, 'after'],
    ],
  )
  assert.equal(feed[1]?.id, records[0]?.id)
})

test('only the merchant sees its records and events, in its own environment', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const owner = await malipo.merchant()
  await owner.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  await owner.call('POST', charges, charge('r1'))
  const [record] = rows(await owner.call('GET', '/api/b2b/webhooks'))
  const others = [
    await malipo.merchant(),
    await malipo.as(await malipo.operator.keys.create(owner.id, { env: 'live' })),
  ]

  for (const { call } of others) {
    assert.deepEqual(rows(await call('GET', '/api/b2b/webhooks')), [])
    assert.deepEqual(lines(await call('GET', '/api/b2b/events')), [])
    for (const [method, path] of [
      ['GET', `/api/b2b/webhook/${record?.id}`],
      ['GET', `/api/b2b/webhooks/${record?.id}`],
      ['POST', `/api/b2b/webhooks/${record?.id}/resend`],
    ] as const)
      assert.deepEqual(refusalOf(await call(method, path)), [404, 'WEBHOOK_NOT_FOUND'])
  }
})

test('a resend of an unknown id changes nothing; one of a known id ends its endpoint’s rest', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const owner = await malipo.merchant()
  const other = await malipo.merchant()
  for (const { call } of [owner, other]) {
    await call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
    await call('POST', charges, charge('r1'))
  }
  const [[own], [foreign]] = [
    rows(await owner.call('GET', '/api/b2b/webhooks')),
    rows(await other.call('GET', '/api/b2b/webhooks')),
  ]
  await malipo.ask(`update webhook_endpoints set next_due = '2999-01-01', rests_until = '2999-01-01'`)
  const resting = async () => {
    const [{ count } = { count: 0 }] = await malipo.ask<{ count: number }>(
      `select count(*)::int from webhook_endpoints where rests_until = '2999-01-01' and next_due = '2999-01-01'`,
    )
    return count
  }
  const before = await resting()

  for (const id of ['wh_01a1dcca607870008e5b057d3cc01da8', foreign?.id, 'nothing'])
    assert.deepEqual(refusalOf(await owner.call('POST', `/api/b2b/webhooks/${id}/resend`)), [404, 'WEBHOOK_NOT_FOUND'])
  assert.equal(await resting(), before)
  assert.equal((await owner.call('POST', `/api/b2b/webhooks/${own?.id}/resend`)).status, 200)
  assert.equal(await resting(), before - 1)
})

test('records are found by status, by day, and by either reference of their payment', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  await call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const { body } = await call('POST', charges, charge('r1'))
  await call('POST', charges, charge('r2'))
  const today = new Date().toISOString().slice(0, 10)
  const count = async (query: string) => rows(await call('GET', `/api/b2b/webhooks?${query}`)).length

  assert.equal(await count('reference=r1'), 1)
  assert.equal(await count(`transactionId=${body['transactionId']}`), 1)
  assert.equal(await count('externalReference=nothing'), 0)
  assert.equal(await count('status=CREATED'), 2)
  assert.equal(await count('status=FAILED'), 0)
  assert.equal(await count(`startDate=${today}&endDate=${today}`), 2)
  assert.equal(await count('endDate=2020-01-01'), 0)
  assert.equal(await count('limit=1'), 1)
  for (const bad of [
    'limit=0',
    'limit=201',
    'status=created',
    'startDate=2026-02-30',
    'startDate=2026-02-02&endDate=2026-02-01',
  ])
    assert.deepEqual(refusalOf(await call('GET', `/api/b2b/webhooks?${bad}`)), [400, 'VALIDATION_ERROR'], bad)
})

test('webhook simulation exists only in the sandbox, below its own root', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const [sandbox, live] = [await malipo.merchant(), await malipo.merchant({ env: 'live' })]
  const body = { externalReference: 'r1', webhookStatus: 'successful' }

  assert.deepEqual(refusalOf(await sandbox.call('POST', '/api/b2b/utilities/simulate-webhook', body)), [
    404,
    'ROUTE_NOT_FOUND',
  ])
  const path = '/api/sandbox/b2b/utilities/simulate-webhook'
  assert.deepEqual(refusalOf(await live.call('POST', path, body)), [403, 'SANDBOX_ONLY'])
  assert.deepEqual(refusalOf(await sandbox.call('POST', path, body)), [404, 'TRANSACTION_NOT_FOUND'])
  assert.deepEqual(refusalOf(await sandbox.call('POST', path, { ...body, webhookStatus: 'maybe' })), [
    400,
    'VALIDATION_ERROR',
  ])
})

test('announcing a payment again takes the next sequence and leaves the payment unchanged', async (t) => {
  const { call } = await (await testMalipo(t, noProvider)).merchant()
  await call('POST', charges, charge('r1'))

  const simulated = await call('POST', '/api/sandbox/b2b/utilities/simulate-webhook', {
    externalReference: 'r1',
    webhookStatus: 'PENDING',
  })

  const feed = lines(await call('GET', '/api/b2b/events?after=1'))
  assert.deepEqual([simulated.status, simulated.body], [200, {}])
  assert.deepEqual(
    feed.map(({ number, sequence, id }) => [number, sequence, id]),
    [[2, 2, simulated.headers.get('x-webhook-id')]],
  )
  const read = await call('GET', '/api/b2b/transactions/r1')
  assert.equal((read.body['data'] as { status: string }).status, 'PENDING')
})
