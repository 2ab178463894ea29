import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { simulatorAccess, startSimulator } from '../dev-stack/simulator.ts'
import { Secret } from '../platform/secret.ts'
import { loadReferenceData } from '../reference/data.ts'
import { presentLists } from '../reference/present.ts'
import { presentAction } from '../transactions/present.ts'
import { openConnectors, type ProviderSettings } from './registry.ts'
import { createRouting } from './routing.ts'

const nothing: ProviderSettings = {
  simulatorUrl: undefined,
  simulatorToken: undefined,
  pawapayUrl: undefined,
  pawapayToken: undefined,
  pawapaySigner: undefined,
  pawapaySignatures: 'der',
  pawapayCallbacks: 'signed',
  flutterwaveUrl: undefined,
  flutterwaveSecretKey: undefined,
  flutterwaveEncryptionKey: undefined,
  flutterwaveWebhookHash: undefined,
  pawapayRates: { requestsPerSecond: 50 },
  flutterwaveRates: { requestsPerSecond: 25 },
  sandboxRates: { requestsPerSecond: 1000 },
  flutterwaveZarContact: undefined,
}
const data = loadReferenceData()
const soon = () => AbortSignal.timeout(5000)

test('one token is enough for the sandbox to use the simulator, encrypted cards included', async (t) => {
  const token = 'simulator-of-a-registry'
  const simulator = await startSimulator(t, simulatorAccess(token))
  const settings = { ...nothing, simulatorUrl: simulator.url, simulatorToken: new Secret(token) }
  const connectors = openConnectors(settings, data, undefined)
  t.after(() => connectors.close())
  const routeQuery = { operation: 'charge.card', country: 'KE', currency: 'USD', target: '*' } as const
  const [provider] = createRouting(data.routes, connectors).providersOf('sandbox', routeQuery)

  const outcome = await provider?.cardCharges?.submit(
    {
      key: randomUUID(),
      country: 'KE',
      currency: 'USD',
      amount: 2550n,
      card: { number: '4242424242424242', cvv: '123', expMonth: '12', expYear: '2031' },
      customer: { email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', ipAddress: '102.89.1.7' },
    },
    soon(),
  )
  assert.equal(outcome?.certainty === 'accepted' && outcome.providerStatus.state, 'successful')
})

test('the rates provider quotes every listed currency pair', async (t) => {
  const token = 'simulator-of-a-registry'
  const simulator = await startSimulator(t, simulatorAccess(token))
  const settings = { ...nothing, simulatorUrl: simulator.url, simulatorToken: new Secret(token) }
  const connectors = openConnectors(settings, data, undefined)
  t.after(() => connectors.close())
  const routeQuery = { operation: 'rates', country: '*', currency: '*', target: '*' } as const
  const [provider] = createRouting(data.routes, connectors).providersOf('sandbox', routeQuery)

  assert.equal(provider?.id, 'flutterwave')
  for (const { base, quote } of data.pairs) {
    const { buy, sell } = (await provider.rates?.quote(base, quote, soon())) ?? { buy: '', sell: '' }
    assert.ok(Number(buy) > 0 && Number(buy) <= Number(sell) && Number(sell) < Number(buy) * 1.03, `${base}/${quote}`)
  }
})

test('live uses Flutterwave only when all its settings are present', async () => {
  const all = {
    flutterwaveUrl: 'https://api.flutterwave.com',
    flutterwaveSecretKey: new Secret('s'.repeat(24)),
    flutterwaveEncryptionKey: new Secret('e'.repeat(24)),
    flutterwaveWebhookHash: new Secret('h'.repeat(24)),
  }
  const idsWith = async (settings: Partial<ProviderSettings>) => {
    const connectors = openConnectors({ ...nothing, ...settings }, data, undefined)
    await connectors.close()
    return [...connectors.live.keys()]
  }

  assert.deepEqual(await idsWith(all), ['flutterwave'])
  for (const name of Object.keys(all)) assert.deepEqual(await idsWith({ ...all, [name]: undefined }), [])
})

test('every provider uses its configured rate limits', async () => {
  const rates = { requestsPerSecond: 12, operationsPerSecond: { payout: 3 } }
  const settings: ProviderSettings = {
    ...nothing,
    simulatorUrl: 'http://127.0.0.1:9',
    simulatorToken: new Secret('t'.repeat(24)),
    pawapayUrl: 'https://api.pawapay.io',
    pawapayToken: new Secret('t'.repeat(24)),
    flutterwaveUrl: 'https://api.flutterwave.com',
    flutterwaveSecretKey: new Secret('s'.repeat(24)),
    flutterwaveEncryptionKey: new Secret('e'.repeat(24)),
    flutterwaveWebhookHash: new Secret('h'.repeat(24)),
    pawapayRates: rates,
    flutterwaveRates: rates,
    sandboxRates: rates,
  }

  const { live, sandbox, close } = openConnectors(settings, data, undefined)
  await close()

  const rated = [...live.values(), ...sandbox.values()].map(({ requestsPerSecond, operationsPerSecond }) => {
    return { requestsPerSecond, operationsPerSecond }
  })
  assert.deepEqual(rated, Array(5).fill(rates))
})

test('a bank is not routed to a provider that lacks it or whose code is unconfirmed', async (t) => {
  const token = 'simulator-of-a-registry'
  const live = {
    flutterwaveUrl: 'https://api.flutterwave.com',
    flutterwaveSecretKey: new Secret('s'.repeat(24)),
    flutterwaveEncryptionKey: new Secret('e'.repeat(24)),
    flutterwaveWebhookHash: new Secret('h'.repeat(24)),
    flutterwaveZarContact: { email: 'pay@example.com', phone: '27821234567', address: '1 Long Street' },
  }
  const simulator = { simulatorUrl: 'http://127.0.0.1:9', simulatorToken: new Secret(token) }
  const connectors = openConnectors({ ...nothing, ...live, ...simulator }, data, undefined)
  t.after(() => connectors.close())
  const routing = createRouting(data.routes, connectors)
  const paidBy = (env: 'live' | 'sandbox', country: string, currency: string, target: string) =>
    routing.providersOf(env, { operation: 'payout.bank', country, currency, target }).map(({ id }) => id)

  for (const [country, currency, code] of [
    ['NG', 'NGN', '044'],
    ['NG', 'NGN', '999992'],
    ['GH', 'GHS', '360100'],
    ['KE', 'KES', '68'],
    ['ZA', 'ZAR', '250655'],
  ] as const) {
    assert.deepEqual(paidBy('live', country, currency, code), ['flutterwave'], code)
    assert.equal(paidBy('sandbox', country, currency, code)[0], 'flutterwave', code)
  }
  for (const [country, currency, code] of [
    ['NG', 'NGN', '063'],
    ['ZA', 'ZAR', '051001'],
    ['UG', 'UGX', '56'],
  ] as const)
    assert.deepEqual([paidBy('live', country, currency, code), paidBy('sandbox', country, currency, code)], [[], []])
  for (const [country, currency, code] of [
    ['UG', 'UGX', '04'],
    ['TZ', 'TZS', '003'],
    ['KE', 'KES', '02'],
  ] as const)
    assert.deepEqual(
      [paidBy('live', country, currency, code), paidBy('sandbox', country, currency, code)],
      [[], ['flutterwave']],
    )
})

test('none of our banks reaches ChamsMobile, which is 303 at Flutterwave', () => {
  const named = [...data.banks.values()].filter(({ country, flutterwave }) => country === 'NG' && flutterwave === '303')

  assert.deepEqual(named, [])
})

test('live charges Orange Money in Côte d’Ivoire through pawaPay, by a prompt without a code', async (t) => {
  const live = { pawapayUrl: 'https://api.pawapay.io', pawapayToken: new Secret('t'.repeat(24)) }
  const simulator = { simulatorUrl: 'http://127.0.0.1:9', simulatorToken: new Secret('t'.repeat(24)) }
  const connectors = openConnectors({ ...nothing, ...live, ...simulator }, data, undefined)
  t.after(() => connectors.close())
  const routing = createRouting(data.routes, connectors)
  const routeQuery = { operation: 'charge.momo', country: 'CI', currency: 'XOF', target: 'ORANGE_CI' } as const
  const { operators } = presentLists(data, routing)
  const shown = (env: 'live' | 'sandbox') => {
    const operator = operators[env].find(({ id }) => id === 'ORANGE_CI')
    return [routing.providersOf(env, routeQuery)[0]?.id, operator?.authType, operator?.ussdCode, operator?.statusNow()]
  }

  assert.deepEqual(shown('live'), ['pawapay', 'PROVIDER_AUTH', '', 'AVAILABLE'])
  assert.deepEqual(shown('sandbox'), ['house', 'PREAUTH', '#144#', 'AVAILABLE'])
  const prompt = { action: { kind: 'pin_prompt' }, code: 'ORANGE_CI', state: 'waiting' } as const
  assert.equal(JSON.stringify(presentAction(data, { ...prompt, provider: 'pawapay' })).includes('#144#'), false)
})
