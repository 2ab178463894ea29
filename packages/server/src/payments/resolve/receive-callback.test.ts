import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AppError } from '../../errors.ts'
import { newTransactionId, providerKeyOf } from '../../platform/ids.ts'
import type { Connector, ProviderStatus } from '../../providers/contract.ts'
import { sendHouseCallback } from '../../testing/house-callbacks.ts'
import { openTransaction } from '../../testing/open-transaction.ts'
import { type PayingMalipo, payingMalipo, payOut, simulatorToken } from '../../testing/paying.ts'
import { createCallbackLog, type ReceivedCallback } from './callback-log.ts'
import { receiveCallback } from './receive-callback.ts'

/** A payout that was sent to house, and that only a callback or a query ends. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { url, operator, simulator } = malipo
  await malipo.ask('truncate callbacks')
  await simulator.setFault({ provider: 'house', operation: 'payout', mode: 'callback_never' })
  await simulator.setFault({ provider: 'house', operation: 'payout_status', mode: 'http_status' })
  const merchant = await malipo.merchant()
  return {
    malipo,
    operator,
    submitted: async () => {
      const payout = await payOut(merchant, { by: 'house' })
      malipo.work()
      await malipo.comesTo(payout.id, 'submitted')
      return payout
    },
    completed: (key: string, over: object = {}) =>
      sendHouseCallback(url, { key, operation: 'payout', amount: '100.00', ...over }),
    list: (wanted: Partial<Parameters<typeof operator.callbacks.list>[0]> = {}) =>
      operator.callbacks.list({ limit: 100, ...wanted }),
  }
}

const unknownKey = () => providerKeyOf(newTransactionId(Date.now(), 1), 1)

test('a callback is stored as it was sent, sealed, and reading it is audited', async (t) => {
  const { malipo, submitted, completed, list, operator } = await setUp(t)
  const { id, key } = await submitted()

  assert.equal((await completed(key, { payer: '+254703111222' })).status, 200)
  assert.equal((await completed(key, { payer: '+254703111222' })).status, 200)

  assert.equal(await malipo.stateOf(id), 'successful')
  const found = await list({ payment: id })
  assert.deepEqual(
    found.map(({ outcome, provider, env, keys, transactionId }) => ({ outcome, provider, env, keys, transactionId })),
    Array(2).fill({ outcome: 'applied', provider: 'house', env: 'sandbox', keys: [key], transactionId: id }),
  )
  assert.deepEqual(await list({ payment: key }), found)
  assert.deepEqual(await list({ payment: key, outcome: 'hint' }), [])
  assert.deepEqual(await list({ provider: 'pawapay' }), [])
  const [first] = found
  assert(first)
  const shown = await operator.callbacks.show(first.id)
  assert.equal(JSON.parse(shown.body).payer, '+254703111222')
  assert.match(String(shown.headers['house-signature']), /^t=\d+,v1=/)
  assert.deepEqual([shown.method, shown.path, shown.isCut], ['POST', '/callbacks/sandbox/house', false])
  const rows = await malipo.ask<{ row: string }>('select callbacks::text as row from callbacks')
  assert.ok(rows.every(({ row }) => !row.includes('254703111222') && !row.includes('v1=')))
  const audit = await malipo.ask(
    `select actor, action, detail from audit_entries where subject = $1 and action = 'callback.show'`,
    [first.id],
  )
  assert.deepEqual(audit, [
    { actor: 'test', action: 'callback.show', detail: { provider: 'house', transactionId: id } },
  ])
})

test('callbacks that are refused, name no payment or name an unknown one are stored too', async (t) => {
  const { malipo, completed, list } = await setUp(t)
  const key = unknownKey()

  assert.equal((await sendHouseCallback(malipo.url, { key }, 'another secret')).status, 401)
  assert.equal((await completed(key)).status, 200)
  assert.equal((await completed('order-17')).status, 200)
  assert.equal((await completed(key, { operation: 'settlement' })).status, 200)

  const found = await list()
  assert.deepEqual(
    found.map(({ outcome, keys, reason }) => [outcome, keys, reason]),
    [
      ['ignored', [], undefined],
      ['unknown_payment', ['order-17'], undefined],
      ['unknown_payment', [key], undefined],
      ['refused', [], 'its signature is wrong'],
    ],
  )
  assert.equal((await list({ payment: 'order-17' })).length, 1)
  assert.equal((await list({ outcome: 'unknown_payment' })).length, 2)
})

test('a callback whose key names the first moment there is, is stored', async (t) => {
  const { completed, list } = await setUp(t)
  const key = providerKeyOf(newTransactionId(0, 1), 1)

  assert.equal((await completed(key)).status, 200)

  assert.deepEqual(
    (await list()).map(({ outcome, keys }) => [outcome, keys]),
    [['unknown_payment', [key]]],
  )
})

test("a secret in a provider's callback is never stored, sealed or not", async (t) => {
  const { malipo, list, operator } = await setUp(t)
  const body = { event: 'charge.completed', data: { tx_ref: unknownKey(), card: '4242 4242 4242 4242' } }

  const headers = { 'verif-hash': simulatorToken, authorization: `Bearer ${simulatorToken}`, cookie: 'a=b' }
  const { status } = await malipo.call('POST', '/callbacks/sandbox/flutterwave', headers, body)

  assert.equal(status, 200)
  const [found] = await list({ provider: 'flutterwave' })
  assert(found)
  const shown = JSON.stringify(await operator.callbacks.show(found.id))
  assert.ok(shown.includes('charge.completed'))
  assert.doesNotMatch(shown, /token-of-a-simulator|verif-hash|authorization|cookie|\b4242\b/)
})

test('a flood of refused callbacks stores ten, and only the start of each', async (t) => {
  const { malipo, list, operator } = await setUp(t)
  const long = 'x'.repeat(60_000)

  const flood = Array.from({ length: 40 }, () => sendHouseCallback(malipo.url, { key: 'k', long }, 'another secret'))

  assert.ok((await Promise.all(flood)).every(({ status }) => status === 401))
  const found = await list()
  assert.equal(found.length, 10)
  const shown = await operator.callbacks.show(found[0]?.id ?? '')
  assert.deepEqual([shown.isCut, shown.body.length], [true, 4096])
  assert.ok(shown.bodyBytes > 60_000)
})

test('unsigned callbacks are stored ten times per payment, and ten an hour without a payment', async (t) => {
  const { malipo, list } = await setUp(t)
  const log = createCallbackLog({ db: malipo.ctx.db.write, vault: malipo.ctx.vault, cell: 1 })
  const request = { method: 'POST', path: '/', authority: 'h', headers: {}, body: Buffer.from('{}') }
  const common = { env: 'live', provider: 'pawapay', address: '10.0.0.1', request } as const
  const send = (keys: string[], outcome: ReceivedCallback['outcome'], isUnsigned: boolean) =>
    log.keep({ ...common, keys, outcome, isUnsigned })
  const [known, other, signed] = [unknownKey(), unknownKey(), unknownKey()]

  for (let sent = 0; sent < 15; sent += 1) {
    await send([known], 'hint', true)
    await send([other], 'hint', true)
    await send([unknownKey()], 'unknown_payment', true)
    await send([unknownKey()], 'failed', true)
    await send([signed], 'applied', false)
  }

  const counts = await Promise.all([known, other, signed].map(async (payment) => (await list({ payment })).length))
  assert.deepEqual(counts, [10, 10, 15])
  assert.equal((await list({ outcome: 'unknown_payment' })).length, 10)
  assert.equal((await list({ outcome: 'failed' })).length, 10)
})

test('a callback that cannot be stored is applied; for an unknown payment it must be sent again', async (t) => {
  const { malipo, submitted, completed, list } = await setUp(t)
  const { id, key } = await submitted()
  await malipo.ask('revoke insert on callbacks from malipo_write')
  t.after(() => malipo.ask('grant insert on callbacks to malipo_write'))

  assert.equal((await completed(key)).status, 200)
  assert.equal((await completed(unknownKey())).status, 503)
  assert.equal((await sendHouseCallback(malipo.url, { key }, 'another secret')).status, 401)

  assert.equal(await malipo.stateOf(id), 'successful')
  assert.deepEqual(await list(), [])
  assert.equal(malipo.log.filter((line) => line.includes('callback not stored')).length, 3)
})

test('a locked callbacks table delays no payment', async (t) => {
  const { malipo, submitted, completed } = await setUp(t)
  const { id, key } = await submitted()
  const end = await openTransaction(t, 'lock table callbacks')

  assert.equal((await completed(key)).status, 200)

  assert.equal(await malipo.stateOf(id), 'successful')
  await end()
})

test('a callback is readable for 90 days, and not after', async (t) => {
  const { malipo, submitted, completed, list, operator } = await setUp(t)
  const { id, key } = await submitted()
  await completed(key)
  const [found] = await list({ payment: id })
  assert(found)

  await malipo.later(89 * 86_400)
  assert.equal((await list({ payment: id })).length, 1)
  assert.equal((await operator.callbacks.show(found.id)).id, found.id)
  await malipo.later(86_400)

  assert.deepEqual(await list({ payment: id }), [])
  await assert.rejects(operator.callbacks.show(found.id), /callback cb_\w+ not found; callbacks are kept for 90 days/)
})

/** Receives one callback of house several times. It does not prove what it says. */
function receiveHints(malipo: PayingMalipo, key: string, providerStatus: ProviderStatus, isUnsigned = false) {
  const observations = [{ key, providerStatus }]
  const read = async () =>
    ({ isGenuine: true, isProof: false, ...(isUnsigned && { isUnsigned }), observations }) as const
  const house = malipo.ctx.connectors.sandbox.get('house')
  assert(house)
  const sandbox = new Map<string, Connector>([['house', { ...house, callbacks: { read } }]])
  const ctx = { ...malipo.ctx, connectors: { ...malipo.ctx.connectors, sandbox } }
  const request = { method: 'POST', path: '/', authority: 'h', headers: {}, body: Buffer.from('{}') }
  return (): Promise<string> =>
    receiveCallback(ctx, { env: 'sandbox', provider: 'house', address: '192.0.2.1' }, request).then(
      () => 'taken',
      (error: AppError) => error.key,
    )
}

test("unsigned callbacks against a payment's end query its provider at most 60 times a minute", async (t) => {
  const { malipo, submitted, completed } = await setUp(t)
  const { id, key } = await submitted()
  await completed(key)
  await malipo.simulator.clearFaults()
  const failure = { code: 'UNSPECIFIED_FAILURE', message: 'It failed.' } as const
  const receive = receiveHints(malipo, key, { state: 'failed', failure }, true)

  const received: string[] = []
  for (let sent = 0; sent < 62; sent += 1) received.push(await receive())

  assert.deepEqual(received.slice(58), ['taken', 'taken', 'OVERLOADED', 'OVERLOADED'])
  assert.equal(await malipo.stateOf(id), 'successful')
})

test('a reversal without proof must be sent again until the provider has answered about the payment', async (t) => {
  const { malipo, submitted } = await setUp(t)
  const { id, key } = await submitted()
  const failure = { code: 'REVERSED', message: 'It was taken back.' } as const
  const receive = receiveHints(malipo, key, { state: 'reversed', failure })

  assert.equal(await receive(), 'PROVIDER_UNAVAILABLE')
  assert.equal(await malipo.stateOf(id), 'submitted')
  await malipo.simulator.clearFaults()
  assert.equal(await receive(), 'taken')
})
