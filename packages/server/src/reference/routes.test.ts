import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { simulatorAccess, startSimulator } from '../dev-stack/simulator.ts'
import { until } from '../dev-stack/until.ts'
import { createLog } from '../platform/log.ts'
import { type ApiResponse, type Malipo, testMalipo } from '../testing/malipo.ts'
import { keepRates } from '../workers/rate-keeper.ts'
import { sampleRates } from './rate-sampling.ts'

const token = 'token-of-a-simulator'

/** A Malipo whose sandbox providers are the simulator. */
async function malipoWithSimulator(t: TestContext): Promise<Malipo & { stopSimulator(): Promise<void> }> {
  const simulator = await startSimulator(t, {
    ...simulatorAccess(token),
  })
  const malipo = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: simulator.url,
    MALIPO_SIMULATOR_TOKEN: token,
    MALIPO_RATE_LIMIT_SANDBOX: '10000', // Some tests ask until a response changes.
  })
  await malipo.ask('delete from rates')
  return { ...malipo, stopSimulator: () => simulator.stop() }
}

const dataOf = ({ body }: ApiResponse) => body['data'] as Record<string, unknown>[]
const refusalOf = ({ status, body }: ApiResponse) => [status, body['errorCode']]

test('rates are sampled once a minute, stored unchanged, and shown newest first', async (t) => {
  const malipo = await malipoWithSimulator(t)
  const { call } = await malipo.merchant()
  await keepRates(malipo.ctx)
  await keepRates(malipo.ctx)
  await malipo.ask(`update rates set at = at - interval '1 minute'`)
  await keepRates(malipo.ctx)

  const rates = dataOf(await call('GET', '/api/b2b/utilities/rates/historical?from=KES&to=USD'))

  assert.equal(rates.length, 2)
  assert.deepEqual([...new Set(rates.map(({ currencyPair }) => currencyPair))], ['USD/KES'])
  const [newer, older] = rates.map(({ updatedAt }) => Date.parse(String(updatedAt)))
  assert.ok((newer ?? 0) > (older ?? 0))
})

test('a rate older than five minutes is shown as history and not used', async (t) => {
  const malipo = await malipoWithSimulator(t)
  const { call } = await malipo.merchant()
  await keepRates(malipo.ctx)
  await malipo.ask(`update rates set at = now() - interval '5 minutes 1 second' where (base, quote) = ('USD', 'KES')`)

  const live = await call('GET', '/api/b2b/utilities/rates?from=USD&to=KES')
  const history = await call('GET', '/api/b2b/utilities/rates/historical?from=USD&to=KES')

  assert.deepEqual(refusalOf(live), [503, 'FX_RATE_UNAVAILABLE'])
  assert.equal(live.body['retryable'], true)
  assert.equal(dataOf(history).length, 1)
})

test('a rate older than thirty days is not shown, and is deleted', async (t) => {
  const malipo = await malipoWithSimulator(t)
  const { call } = await malipo.merchant()
  await keepRates(malipo.ctx)
  const old = `insert into rates select env, base, quote, now() - $1::interval, buy, sell, provider from rates on conflict do nothing`
  await malipo.ask(old, ['30 days 1 minute'])
  await malipo.ask(old, ['40 days'])

  await keepRates(malipo.ctx)

  assert.equal(dataOf(await call('GET', '/api/b2b/utilities/rates/historical?from=USD&to=UGX')).length, 1)
  assert.deepEqual(await malipo.ask(`select from rates where at < now() - interval '32 days'`), [])
})

test('the current rate converts down in both directions, and a round trip never gains', async (t) => {
  const malipo = await malipoWithSimulator(t)
  const { call } = await malipo.merchant()
  await malipo.ask(`insert into rates values ('sandbox', 'USD', 'KES', now(), 128.5, 129.5, 'house')`)
  const convert = async (from: string, to: string, amount: number) =>
    (await call('GET', `/api/b2b/utilities/rates?from=${from}&to=${to}&amount=${amount}`)).body['data'] as {
      converted: number
    }

  const there = await convert('USD', 'KES', 10.01)
  const back = await convert('KES', 'USD', there.converted)

  assert.equal(there.converted, 1286.28)
  assert.equal(back.converted, 9.93)
})

test('rates of one environment are not visible in the other', async (t) => {
  const malipo = await malipoWithSimulator(t)
  await keepRates(malipo.ctx)
  const { call } = await malipo.merchant({ env: 'live' })

  assert.deepEqual(dataOf(await call('GET', '/api/b2b/utilities/rates/historical')), [])
  assert.deepEqual(refusalOf(await call('GET', '/api/b2b/utilities/rates?from=USD&to=KES')), [
    503,
    'FX_RATE_UNAVAILABLE',
  ])
})

test('the days of historical rates are days in UTC, whatever the timezone of the database', async (t) => {
  const malipo = await testMalipo(t)
  const pair = await malipo.merchant()
  const [today, yesterday] = [0, 1].map((days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10))
  const times = [`${yesterday}T23:59:59.999Z`, `${yesterday}T00:00:00.000Z`]
  for (const at of [...times, `${today}T00:00:00.000Z`])
    await malipo.ask(`insert into rates values ('sandbox', 'EUR', 'KES', $1, 140, 141, 'house')`, [at])
  const [{ name } = assert.fail()] = await malipo.ask<{ name: string }>('select current_database() as name')
  t.after(() => malipo.ask(`alter database "${name}" reset timezone`))

  for (const timezone of ['Africa/Nairobi', 'America/New_York']) {
    await malipo.ask(`alter database "${name}" set timezone = '${timezone}'`)
    const { call } = await (await testMalipo(t)).as(pair) // Its connections are new, so they use that timezone.
    const days = `startDate=${yesterday}&endDate=${yesterday}`
    const found = await call('GET', `/api/b2b/utilities/rates/historical?from=EUR&to=KES&${days}`)
    assert.equal(found.status, 200, JSON.stringify(found.body))
    assert.deepEqual(
      dataOf(found).map(({ updatedAt }) => updatedAt),
      times,
      timezone,
    )
  }
})

test('a provider that quotes nonsense, or nothing, leaves the rates unchanged', async (t) => {
  const malipo = await testMalipo(t)
  const log: string[] = []
  const quotes = [{ buy: '130', sell: '129' }, { buy: '0', sell: '1' }, { buy: '1e3', sell: '2000' }, undefined]
  await malipo.ask('delete from rates')
  for (const quoted of quotes) {
    const connector = {
      id: 'house',
      capabilities: [],
      requestsPerSecond: 1,
      rates: { quote: () => (quoted ? Promise.resolve(quoted) : Promise.reject(new Error('away'))) },
      close: async () => undefined,
    }
    const sampler = {
      ...({ env: 'sandbox', markupBasisPoints: 0, jumpPercent: 10 } as const),
      db: malipo.ctx.db.write,
      log: createLog({ level: 'warn', write: (line) => log.push(line) }),
    }
    await sampleRates(sampler, [connector], [{ base: 'USD', quote: 'KES' }])
  }

  assert.deepEqual(await malipo.ask('select from rates'), [])
  assert.equal(log.length, quotes.length)
})

test('a name is looked up at the provider, and an unknown account is reported as not found', async (t) => {
  const { call } = await (await malipoWithSimulator(t)).merchant()
  const path = '/api/b2b/utilities/account/resolve'
  const ask = (accountNumber: string, over: object = {}) =>
    call('POST', path, { accountNumber, currency: 'KES', method: 'momo', ...over })

  const found = await ask('254703456789')
  assert.match(String((found.body['data'] as { accountName: string }).accountName), /\w+ \w+/)
  assert.deepEqual(refusalOf(await ask('254703456089')), [404, 'E-CH-PY.S-37'])
  assert.deepEqual(refusalOf(await ask('254733456789')), [404, 'PROVIDER_NOT_FOUND']) // Airtel Kenya is not open.
  assert.deepEqual(refusalOf(await ask('1234567890', { method: 'bank' })), [400, 'VALIDATION_ERROR'])
  assert.deepEqual(refusalOf(await ask('254703456789', { currency: 'JPY' })), [422, 'UNSUPPORTED_CURRENCY'])
})

test('a provider that is down is reported as unavailable, not the account as missing', async (t) => {
  const malipo = await malipoWithSimulator(t)
  const { call } = await malipo.merchant()
  await malipo.stopSimulator()

  const answer = await call('POST', '/api/b2b/utilities/account/resolve', {
    accountNumber: '254703456789',
    currency: 'KES',
    method: 'momo',
  })

  assert.deepEqual(refusalOf(answer), [503, 'PROVIDER_TEMPORARILY_UNAVAILABLE'])
})

test('an operator without a provider is listed as unavailable', async (t) => {
  const malipo = await testMalipo(t)
  const { call } = await malipo.merchant({ env: 'live' })

  const operators = dataOf(await call('GET', '/api/b2b/utilities/momo-operators?country=KE'))

  assert.deepEqual(
    operators.map(({ id, status }) => [id, status]),
    [
      ['AIRTEL_KE', 'UNAVAILABLE'],
      ['MPESA_KE', 'UNAVAILABLE'],
    ],
  )
})

test('an operator is degraded while its only provider is paused or does not respond', async (t) => {
  const malipo = await malipoWithSimulator(t)
  const { call } = await malipo.merchant()
  const operators = async () => dataOf(await call('GET', '/api/b2b/utilities/momo-operators'))
  const statusOf = async (wanted: string) => (await operators()).find(({ id }) => id === wanted)?.['status']
  const becomes = (wanted: string, status: string) =>
    until(`${wanted} to be ${status}`, async () => (await statusOf(wanted)) === status)
  assert.equal(await statusOf('MPESA_KE'), 'AVAILABLE')

  await malipo.operator.providers.pause('pawapay', { env: 'sandbox', reason: 'incident 12' })
  await becomes('MPESA_KE', 'DEGRADED')
  assert.ok(
    (await operators()).some(({ status }) => status === 'AVAILABLE'),
    'others do not depend on it',
  )
  await malipo.operator.providers.resume('pawapay', { env: 'sandbox', reason: 'incident 12 closed' })
  await becomes('MPESA_KE', 'AVAILABLE')
  await malipo.ask(
    `update lanes set unhealthy_until = record_time() + interval '1 hour' where lane = 'sandbox/pawapay'`,
  )
  await becomes('MPESA_KE', 'DEGRADED')
  await malipo.ask(`update lanes set unhealthy_until = null`)
  await becomes('MPESA_KE', 'AVAILABLE')
})

test('a countries failure has the specified form, and a refused token the common form', async (t) => {
  const malipo = await testMalipo(t)
  const { call } = await malipo.merchant()
  const { call: without } = await malipo.merchant({ scopes: ['profile:read'] })

  const unasked = await call('GET', '/api/b2b/utilities/countries?continent=Africa')
  const forbidden = await without('GET', '/api/b2b/utilities/countries')

  assert.deepEqual(unasked.body, {
    success: false,
    error: 'Validation error: continent is not a parameter of this call',
  })
  assert.equal(forbidden.body['errorCode'], 'INSUFFICIENT_SCOPE')
})
