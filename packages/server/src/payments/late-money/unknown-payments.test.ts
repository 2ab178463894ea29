import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../dev-stack/until.ts'
import type { Currency } from '../../money/currencies.ts'
import type { Operator } from '../../operate/operator.ts'
import { newTransactionId, providerKeyOf } from '../../platform/ids.ts'
import type { ProviderStatus, QueryOutcome } from '../../providers/contract.ts'
import { cardBody, cards } from '../../testing/charging.ts'
import { sendHouseCallback } from '../../testing/house-callbacks.ts'
import { testMalipo } from '../../testing/malipo.ts'
import { payingMalipo, payOut, simulatorToken, walletOf } from '../../testing/paying.ts'

const reason = { reason: 'case 4711', evidence: 'statement line 88' }

/** A Malipo whose providers have charges under keys that it does not know. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { url, operator, ctx } = malipo
  const connectorOf = (provider: string) => {
    const connector = ctx.connectors.sandbox.get(provider)
    assert(connector)
    return connector
  }
  const newKey = (cell = ctx.config.cell) => providerKeyOf(newTransactionId(Date.now(), cell), 1)
  const casesOf = async (key: string) => {
    const cases = await operator.suspense.list({ limit: 1000 })
    return cases.filter(({ providerKey }) => providerKey === key)
  }
  return {
    malipo,
    operator,
    newKey,
    casesOf,
    connectorOf,
    send: (key: string, over: object = {}) => sendHouseCallback(url, { key, amount: '100.00', ...over }),
    /** Makes house collect 100 KES under the key. */
    collect: async (key: string) => {
      const rail = connectorOf('house').momoCharges
      assert(rail)
      const phone = { operator: 'MPESA_KE', phone: '+254703456789' }
      await rail.submit({ key, country: 'KE', currency: 'KES', amount: 10_000n, ...phone }, AbortSignal.timeout(5000))
      await until('the charge to be paid', async () => {
        const outcome = await rail.query({ key }, AbortSignal.timeout(5000))
        return outcome.found === 'yes' && outcome.providerStatus.state === 'successful'
      })
    },
    /** Makes a provider respond to charge queries with this outcome from now on; returns the queries. */
    answer: (provider: string, outcome: () => QueryOutcome) => {
      const asked: string[] = []
      const { momoCharges, transferCharges, cardCharges } = connectorOf(provider)
      for (const rail of [momoCharges, transferCharges, cardCharges])
        if (rail)
          t.mock.method(rail, 'query', async ({ key }: { key: string }) => {
            asked.push(key)
            return outcome()
          })
      return asked
    },
    balanced: () => operator.ledger.check({ isFull: true }),
    errors: (text: string) => malipo.log.filter((line) => line.includes(text)).length,
  }
}

const received = (receipts: readonly [string, bigint, true?][], currency: Currency = 'KES'): ProviderStatus => ({
  state: 'received',
  receipts: receipts.map(([id, amount, isReversed]) => ({ id, amount, currency, ...(isReversed && { isReversed }) })),
})

/** Each test clears its cases at the end, because the file shares one database. */
async function clearAll({ suspense }: Operator): Promise<void> {
  for (const { id } of await suspense.list({ limit: 1000 })) await suspense.clear(id, { kind: 'write-off', ...reason })
}

test('money of an unknown payment is in suspense with one case, however often it is reported', async (t) => {
  const { operator, newKey, casesOf, send, collect, balanced } = await setUp(t)
  const key = newKey()
  await collect(key)

  const statuses = (await Promise.all(Array.from({ length: 8 }, () => send(key)))).map(({ status }) => status)
  await send(key)

  assert.deepEqual(new Set(statuses), new Set([200]))
  const cases = await casesOf(key)
  assert.deepEqual(
    cases.map(({ kind, amount, currency, country, provider }) => [kind, amount, currency, country, provider]),
    [['unknown_payment', '100.00', 'KES', 'KE', 'house']],
  )
  assert.deepEqual((await balanced()).suspense, ['100.00 KES in sandbox'])

  await operator.suspense.clear(cases[0]?.id ?? '', { kind: 'return-to-payer', ...reason })
  await send(key)

  assert.deepEqual(await casesOf(key), [])
  assert.deepEqual((await balanced()).suspense, [])
})

test('two processes that receive the same report at once open one case', async (t) => {
  const { malipo, newKey, casesOf, collect, balanced } = await setUp(t)
  const { url: other } = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: malipo.ctx.config.simulatorUrl ?? '',
    MALIPO_SIMULATOR_TOKEN: simulatorToken,
  })
  const key = newKey()
  await collect(key)

  await Promise.all([malipo.url, other, malipo.url, other].map((url) => sendHouseCallback(url, { key })))

  assert.equal((await casesOf(key)).length, 1)
  await balanced()
  await clearAll(malipo.operator)
})

test('unconfirmed money opens no case: forged, misdirected or no money at all', async (t) => {
  const { malipo, newKey, casesOf, send, balanced, collect } = await setUp(t)
  const [claimed, forged, hinted, failed] = [newKey(), newKey(), newKey(), newKey()]
  await collect(forged)
  const before = await malipo.ask('select count(*) from transfers')

  assert.equal((await send(claimed)).status, 200)
  assert.equal((await sendHouseCallback(malipo.url, { key: forged }, 'another secret')).status, 401)
  assert.equal((await send(failed, { state: 'failed', failure: { code: 'EXPIRED' } })).status, 200)
  assert.equal((await send('../v1/charges', {})).status, 200)
  const hash = { 'verif-hash': simulatorToken }
  const data = { tx_ref: hinted, id: 7, status: 'successful', amount: 1e6, charged_amount: 1e6, currency: 'NGN' }
  const body = { event: 'charge.completed', data }
  assert.equal((await malipo.call('POST', '/callbacks/sandbox/flutterwave', hash, body)).status, 200)

  for (const key of [claimed, forged, hinted, failed]) assert.deepEqual(await casesOf(key), [])
  assert.deepEqual(await malipo.ask('select count(*) from transfers'), before)
  assert.deepEqual((await balanced()).suspense, [])
})

test('a hint books what the provider confirms, not what the callback says', async (t) => {
  const { malipo, operator, newKey, casesOf, connectorOf, balanced } = await setUp(t)
  const key = newKey()
  const { cardDetails: card, successRedirectUrl: returnUrl, ...rest } = cardBody(cards.succeeds)
  const { email, firstName, lastName, ipAddress } = rest
  const customer = { email, firstName, lastName, ipAddress }
  const charge = { key, country: 'NG', currency: 'NGN', amount: 120_000n, card, customer, returnUrl } as const
  const rail = connectorOf('flutterwave').cardCharges
  await rail?.submit(charge, AbortSignal.timeout(5000))
  await until('the card to be charged', async () => {
    const outcome = await rail?.query({ key }, AbortSignal.timeout(5000))
    return outcome?.found === 'yes' && outcome.providerStatus.state === 'successful'
  })

  const data = { tx_ref: key, id: 7, status: 'successful', amount: 1e6, charged_amount: 1e6, currency: 'NGN' }
  const body = { event: 'charge.completed', data }
  const hash = { 'verif-hash': simulatorToken }
  assert.equal((await malipo.call('POST', '/callbacks/sandbox/flutterwave', hash, body)).status, 200)

  const [found] = await casesOf(key)
  assert.deepEqual([found?.amount, found?.currency, found?.country], ['1200.00', 'NGN', 'NG'])
  await balanced()
  await clearAll(operator)
})

test('a callback must be sent again while the provider cannot be queried', async (t) => {
  const { malipo, operator, newKey, casesOf, send, collect, balanced } = await setUp(t)
  const key = newKey()
  await collect(key)
  await malipo.simulator.setFault({ provider: 'house', operation: 'charge_status', mode: 'http_status', times: 2 })

  assert.equal((await send(key)).status, 503)
  assert.deepEqual(await casesOf(key), [])
  const [stored] = await operator.callbacks.list({ payment: key, limit: 1 })
  assert.deepEqual([stored?.outcome, stored?.reason], ['failed', 'PROVIDER_UNAVAILABLE'])
  assert.equal((await send(key)).status, 200)

  assert.equal((await casesOf(key)).length, 1)
  await balanced()
  await clearAll(operator)
})

test('more money under the key raises its open case, and reversed money closes it', async (t) => {
  const { operator, newKey, casesOf, send, answer, balanced } = await setUp(t)
  const key = newKey()
  let providerStatus: ProviderStatus = received([['a', 100n]])
  answer('house', () => ({ found: 'yes', providerStatus }))
  const amountAfter = async (now: ProviderStatus) => {
    providerStatus = now
    assert.equal((await send(key)).status, 200)
    await balanced()
    return (await casesOf(key)).map(({ amount }) => amount)
  }

  assert.deepEqual(await amountAfter(received([['a', 100n]])), ['1.00'])
  assert.deepEqual(
    await amountAfter(
      received([
        ['a', 100n],
        ['b', 250n],
      ]),
    ),
    ['3.50'],
  )
  assert.deepEqual(
    await amountAfter(
      received([
        ['a', 100n, true],
        ['b', 250n],
      ]),
    ),
    ['2.50'],
  )
  assert.deepEqual(await amountAfter(received([['b', 250n, true]])), [])
  assert.deepEqual(await amountAfter(received([['b', 250n]])), ['2.50'])

  await clearAll(operator)
  await balanced()
})

test('a cleared case stays as it was cleared, and another amount raises an alert', async (t) => {
  const { operator, newKey, casesOf, send, answer, balanced, errors } = await setUp(t)
  const key = newKey()
  let providerStatus: ProviderStatus = received([['a', 100n]])
  answer('house', () => ({ found: 'yes', providerStatus }))
  await send(key)
  await operator.suspense.clear((await casesOf(key))[0]?.id ?? '', { kind: 'write-off', ...reason })

  providerStatus = received([['a', 900n]])
  assert.equal((await send(key)).status, 200)

  assert.deepEqual(await casesOf(key), [])
  assert.deepEqual((await balanced()).suspense, [])
  assert.equal(errors('money of an unknown payment changed after its case was cleared'), 1)
})

test('money of an unknown payment is credited to the payment that a person names', async (t) => {
  const { malipo, operator, newKey, casesOf, send, collect, balanced } = await setUp(t)
  malipo.work()
  const merchant = await malipo.merchant()
  const { id: payment } = await payOut(merchant, { by: 'house' })
  await malipo.comesTo(payment, 'successful')
  const key = newKey()
  await collect(key)
  await send(key)
  const before = (await walletOf(malipo, merchant.id)).available

  const [found] = await casesOf(key)
  await operator.suspense.clear(found?.id ?? '', { kind: 'credit-merchant', payment, ...reason })

  assert.equal((await walletOf(malipo, merchant.id)).available, before + 10_000n)
  assert.deepEqual((await balanced()).suspense, [])
})

test('money without a known country, or of another cell, raises an alert and is not booked', async (t) => {
  const { malipo, newKey, casesOf, send, answer, balanced, errors } = await setUp(t)
  const asked = answer('house', () => ({ found: 'yes', providerStatus: received([['a', 100n]], 'XOF') }))
  const [nowhere, elsewhere] = [newKey(), newKey(malipo.ctx.config.cell + 1)]

  assert.equal((await send(nowhere)).status, 200)
  assert.equal((await send(elsewhere)).status, 200)

  assert.deepEqual([...(await casesOf(nowhere)), ...(await casesOf(elsewhere))], [])
  assert.equal(errors('money of an unknown payment not booked: the provider does not name its country'), 1)
  assert.equal(errors('callback names a payment of another cell'), 1)
  assert.deepEqual(new Set(asked), new Set([nowhere]))
  await balanced()
})

test('a flood of unknown payments queries the provider 60 times a minute and defers the rest', async (t) => {
  const { newKey, send, answer } = await setUp(t)
  const asked = answer('house', () => ({ found: 'no' }))

  const statuses: number[] = []
  for (let sent = 0; sent < 70; sent += 1) statuses.push((await send(newKey())).status)

  assert.equal(new Set(asked).size, 60)
  assert.deepEqual(
    [200, 503].map((status) => statuses.filter((each) => each === status).length),
    [60, 10],
  )
})
