import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'

const payouts = '/api/b2b/fiat/payout'
const charges = '/api/b2b/fiat/deposit/momo'
const payout = (externalReference: string, amount = 100) => ({
  amount,
  externalReference,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
})
const charge = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: 'order-1' }
const detailsOf = ({ body }: ApiResponse) => body['details'] as { field: string; message: string }[]

/** Nothing is sent, so the payments stay as they are. */
const unsent = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'a-token-of-the-test' }

test('every error response leads to the page that explains it', async (t) => {
  const malipo = await testMalipo(t, unsent)
  const { call } = await malipo.merchant()
  const page = await (await fetch(`${malipo.url}/docs/errors`)).text()
  const anonymous = await malipo.call('GET', '/api/b2b/users', {})
  const list = await call('GET', '/api/b2b/transactions?limit=0')
  const answers = [
    anonymous,
    await call('GET', '/api/b2b/nowhere'),
    await call('POST', payouts, {}),
    list,
    await call('GET', '/api/b2b/utilities/countries?a=1'),
  ]

  for (const { headers, body } of answers) {
    const [, path = '', code = ''] = /^<([^#]+)#([^>]+)>; rel="help"$/.exec(headers.get('link') ?? '') ?? []
    assert.equal(path, '/docs/errors')
    assert.ok(page.includes(`id="${code}"`), code)
    if ('errorCode' in body) assert.deepEqual([body['docs'], code], [`/docs/errors#${code}`, body['errorCode']])
  }
  assert.deepEqual(list.body, {})
  assert.match(String(anonymous.body['fix']), /generate-bearer-token/)
})

test('an API key sent as a token is recognised, and the message says where to exchange it', async (t) => {
  const malipo = await testMalipo(t, unsent)
  const { apiKey } = await malipo.merchant()
  const as = (token: string) => malipo.call('GET', '/api/b2b/users', { authorization: `Bearer ${token}` })

  assert.match(
    String((await as(apiKey)).body['message']),
    /exchange it .* POST \/api\/b2b\/auth\/generate-bearer-token/,
  )
  assert.doesNotMatch(String((await as('abc')).body['message']), /exchange it/)
})

test('a used reference names the payment that has it, and only to its own merchant', async (t) => {
  const malipo = await testMalipo(t, unsent)
  const [owner, stranger] = [await malipo.merchant(), await malipo.merchant()]
  const { body } = await owner.call('POST', payouts, payout('salary-1'))

  const again = await owner.call('POST', payouts, payout('salary-1'))
  const charged = await owner.call('POST', charges, { ...charge, externalReference: 'salary-1' })

  const details = [{ field: 'transactionId', message: body['transactionId'] }]
  assert.deepEqual([again.status, again.body['message']], [409, 'External reference already used.'])
  assert.deepEqual([detailsOf(again), detailsOf(charged)], [details, details])
  assert.equal((await stranger.call('POST', payouts, payout('salary-1'))).status, 200)
})

test('insufficient funds are reported with the required and the available amount', async (t) => {
  const malipo = await testMalipo(t, unsent)
  const { call } = await malipo.merchant()
  for (const number of [1, 2, 3]) await call('POST', payouts, payout(`drain-${number}`, 250_000))

  const { status, body } = await call('POST', payouts, payout('last', 250_000))

  assert.deepEqual([status, body['errorCode']], [422, 'INSUFFICIENT_FUNDS'])
  const [required, available] = body['details'] as { field: string; message: string }[]
  const { body: profile } = await call('GET', '/api/b2b/users')
  assert.equal(required?.field, 'required')
  assert.equal(available?.field, 'available')
  assert.ok(Number.parseFloat(required?.message ?? '') > Number.parseFloat(available?.message ?? 'Infinity'))
  assert.equal(Number.parseFloat(available?.message ?? ''), (profile['KESWallet'] as { balance: number }).balance)
  assert.match(`${required?.message} ${available?.message}`, /^\d+\.\d\d KES \d+\.\d\d KES$/)
})

test('amount, currency and phone errors say what is allowed', async (t) => {
  const malipo = await testMalipo(t, unsent)
  const { call } = await malipo.merchant()
  const charged = (changes: object) => call('POST', charges, { ...charge, ...changes })

  const decimals = await charged({ amount: 1.005 })
  const whole = await charged({ amount: 1.5, currency: 'UGX', phoneNumber: '+256772123456' })
  const lower = await charged({ currency: 'kes' })
  const unknown = await charged({ currency: 'XYZ' })
  const ugandan = await charged({ phoneNumber: '+256772123456' })

  assert.match(String(decimals.body['message']), /amount must have at most 2 decimals, as KES has/)
  assert.match(String(whole.body['message']), /amount must be a whole number: UGX has no decimals/)
  assert.deepEqual([lower.status, lower.body['message']], [422, 'Currency codes are upper case: use KES.'])
  assert.deepEqual([unknown.status, unknown.body['message']], [422, 'XYZ is not a currency of this service.'])
  assert.match(detailsOf(unknown)[0]?.message ?? '', /one of .*KES, /)
  assert.equal(ugandan.body['errorCode'], 'PROVIDER_NOT_FOUND')
  assert.match(detailsOf(ugandan)[0]?.message ?? '', /is a number of Uganda; mobile money in Uganda uses UGX/)
})
