import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import { quote as setRate, walletsOf } from '../testing/paying.ts'

const settings = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}

test('no hostile conversion or quote is accepted, and each is refused by name', async (t) => {
  const malipo = await testMalipo(t, settings)
  await malipo.ask('delete from rates')
  await setRate(malipo, 'USD/KES', '128.50', '130.25')
  const merchant = await malipo.merchant()
  const before = await walletsOf(malipo, merchant.id)
  const base = { fromCurrency: 'KES', toCurrency: 'USD', toCountry: 'KE', amount: 1000 }
  const none = { amount: undefined }
  const bodies: object[] = [
    ...[0, -0, -1, 1e21, 1e308, 1e-7, 0.001, 1e13, '10', null, [1]].map((amount) => ({ amount })),
    ...[0, -0, -1, 1e21, 1e308, 1e-7, 0.001, 1e12, '10', null].map((toAmount) => ({ ...none, toAmount })),
    { toAmount: 5 },
    { toCurrency: 'KES', toCountry: undefined },
    ...['__proto__', 'constructor', 'toString', 'usd', '', 'XXX'].map((toCurrency) => ({ toCurrency })),
    ...['__proto__', 'constructor', 'ke', '', 'ZZ'].map((toCountry) => ({ toCountry })),
    { fromCountry: 'UG' },
    ...['qt_', '__proto__', 'qt_ffffffffffffffffffffffffffffffff', 'a\u0000b'].map((quoteId) => ({ quoteId })),
  ]
  for (const [index, over] of bodies.entries()) {
    const body = { ...base, ...over }
    const made = await merchant.call('POST', '/api/b2b/conversions', { externalReference: `bad-${index}`, ...body })
    assert.ok(made.status >= 400 && made.status < 500, `${JSON.stringify(over)}: ${JSON.stringify(made.body)}`)
    const quoted = await merchant.call('POST', '/api/b2b/quotes', body)
    assert.ok(quoted.status >= 400 && quoted.status < 500, `${JSON.stringify(over)}: ${JSON.stringify(quoted.body)}`)
  }
  assert.deepEqual(await walletsOf(malipo, merchant.id), before)
})
