import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../server/src/dev-stack/processes.ts'
import { cardBody, cards, chargingMalipo, codes } from '../../server/src/testing/charging.ts'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import {
  ApiError,
  AuthenticationError,
  AuthorisationError,
  ConflictError,
  DuplicateReferenceError,
  InsufficientFundsError,
  Malipo,
  MalipoError,
  type MalipoOptions,
  NetworkError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RefusedError,
  ServiceError,
  ValidationError,
} from './index.ts'
import { openWire, respondWith } from './testing/wire.ts'

async function bench(t: TestContext, settings: Record<string, string> = {}, options: Partial<MalipoOptions> = {}) {
  const stack = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
    MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
    MALIPO_RATE_LIMIT_SANDBOX: '1000',
    ...settings,
  })
  const { publicKey, apiKey } = await stack.merchant()
  const wire = openWire()
  const base = { publicKey, apiKey, baseUrl: stack.url, fetch: wire.fetch, maxRetries: 0 }
  return { stack, wire, base, malipo: new Malipo({ ...base, ...options }) }
}

const payout = (externalReference: string, amount: number | string = 100) => ({
  amount,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo' as const,
  externalReference,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
})
const beneficiary = {
  country: 'KE',
  currency: 'KES',
  payload: { firstName: 'Amina', lastName: 'Otieno', phoneNumber: '+254703456789', destination: 'MoMo' as const },
}

type Family = typeof ApiError

/** The error of a call. It must have this class, this code and a request id. */
async function refusal(call: Promise<unknown>, family: Family, errorCode: string): Promise<ApiError> {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof family, String(error))
  assert.ok(error instanceof MalipoError)
  assert.deepEqual([error.errorCode, error.name], [errorCode, family.name])
  assert.match(error.requestId, /^sdk_/)
  return error
}

test('an invalid request is a ValidationError that names its fields', async (t) => {
  const { malipo } = await bench(t)

  const error = await refusal(malipo.payouts.create(payout('r', 'ten')), ValidationError, 'VALIDATION_ERROR')

  assert.deepEqual([error.status, error.retryable, error.details[0]?.field], [400, false, 'amount'])
})

test('the empty object returned for an invalid list query becomes an error with the reason', async (t) => {
  const { malipo } = await bench(t)

  const wrong = malipo.transactions.list({ startDate: '2026-02-31' }).toArray()

  assert.match((await refusal(wrong, ValidationError, 'VALIDATION_ERROR')).message, /startDate is not a calendar day/)
})

test('a wrong key pair is an AuthenticationError', async (t) => {
  const { stack, base } = await bench(t)
  const { apiKey } = await stack.merchant()

  const stranger = new Malipo({ ...base, apiKey })

  await refusal(stranger.account.me(), AuthenticationError, 'INVALID_API_KEY')
})

test('a call outside the scopes of the key pair is a PermissionError', async (t) => {
  const { stack, base } = await bench(t)
  const { publicKey, apiKey } = await stack.merchant({ scopes: ['transactions:read'] })

  const reader = new Malipo({ ...base, publicKey, apiKey })

  await refusal(reader.account.me(), PermissionError, 'INSUFFICIENT_SCOPE')
})

test('an unknown id is a NotFoundError', async (t) => {
  const { malipo } = await bench(t)

  await refusal(malipo.transactions.get('nothing'), NotFoundError, 'TRANSACTION_NOT_FOUND')
  await refusal(malipo.externalAccounts.get('ea_0'), NotFoundError, 'E-BEN.S-90')
  await refusal(malipo.webhooks.get('wh_0'), NotFoundError, 'WEBHOOK_NOT_FOUND')
  await refusal(malipo.reference.branches(0), NotFoundError, 'E-API-UT.S-39')
})

test('a duplicate is a ConflictError, and a duplicate reference has its own class', async (t) => {
  const { malipo } = await bench(t)
  await malipo.externalAccounts.create(beneficiary)
  await malipo.payouts.create(payout('r'))

  await refusal(malipo.externalAccounts.create(beneficiary), ConflictError, 'E-BEN.S-35')
  const used = await refusal(malipo.payouts.create(payout('r')), DuplicateReferenceError, 'E-API-D.S-28')

  assert.ok(used instanceof ConflictError)
})

test('an unacceptable payment is a RefusedError, and insufficient funds have their own class', async (t) => {
  const { malipo } = await bench(t)
  for (const index of [1, 2, 3]) await malipo.payouts.create(payout(`drain${index}`, 250_000))

  await refusal(malipo.payouts.create(payout('r1', 1e9)), RefusedError, 'AMOUNT_OUT_OF_BOUNDS')
  const poor = await refusal(malipo.payouts.create(payout('r2', 250_000)), InsufficientFundsError, 'INSUFFICIENT_FUNDS')

  assert.ok(poor instanceof RefusedError)
})

test('a wrong PIN is an AuthorisationError with the number of attempts left', async (t) => {
  const stack = await chargingMalipo(t)
  const { publicKey, apiKey } = await stack.merchant()
  const malipo = new Malipo({ publicKey, apiKey, baseUrl: stack.url })
  const { transactionId } = await malipo.charges.card(cardBody(cards.asksPin))
  const authorise = (type: 'pin' | 'otp', value: string) => malipo.charges.authorise(transactionId, { type, value })

  await refusal(authorise('otp', codes.otp), AuthorisationError, 'AUTHORISATION_TYPE_MISMATCH')
  const wrong = await refusal(authorise('pin', codes.wrongPin), AuthorisationError, 'AUTHORISATION_FAILED')

  assert.equal(wrong.attemptsLeft, 2)
})

test('too many requests are a RateLimitError with the time to wait', async (t) => {
  const { malipo } = await bench(t, { MALIPO_RATE_LIMIT_SANDBOX: '1' })
  await malipo.account.me()

  const error = await refusal(malipo.account.me(), RateLimitError, 'RATE_LIMIT_EXCEEDED')

  assert.deepEqual([error.retryable, error.retryAfterMs], [true, 1000])
})

test('an unavailable service is a ServiceError with an unknown outcome', async (t) => {
  const { malipo } = await bench(t)

  const error = await refusal(malipo.reference.rate({ from: 'KES', to: 'XOF' }), ServiceError, 'FX_RATE_UNAVAILABLE')

  assert.ok(error instanceof ServiceError)
  assert.deepEqual([error.retryable, error.outcome], [true, 'unknown'])
})

test('a failure of the countries endpoint, which has its own form, is a ServiceError', async (t) => {
  const { malipo, wire } = await bench(t)
  wire.inject('/utilities/countries', respondWith(500, { success: false, error: 'Something went wrong on our side.' }))

  const error = await refusal(malipo.reference.countries(), ServiceError, 'INTERNAL_SERVER_ERROR')

  assert.equal(error.message, 'Something went wrong on our side.')
})

test('a proxy’s page is not taken for a response of Malipo, whatever its status', async (t) => {
  const { malipo, wire } = await bench(t)
  const page = '<h1>Welcome to our network</h1>'
  wire.inject(
    '/users',
    respondWith(200, page),
    respondWith(502, page),
    respondWith(302, '', { location: 'http://127.0.0.1:9' }),
  )

  for (const status of [200, 502, 302]) {
    const error = await refusal(malipo.account.me(), ServiceError, 'UNEXPECTED_RESPONSE')
    assert.equal(error.status, status)
  }
})

test('an unknown error code is classified by its status', async (t) => {
  const { malipo, wire } = await bench(t)
  const body = { success: false, message: 'A newer error.', errorCode: 'NEW_MOON', requestId: 'sdk_1' }
  wire.inject('/users', respondWith(422, body), respondWith(418, body))

  await refusal(malipo.account.me(), RefusedError, 'NEW_MOON')
  await refusal(malipo.account.me(), ApiError, 'NEW_MOON')
})

test('an unreachable server is a NetworkError that says nothing was sent', async () => {
  const pair = { publicKey: 'pk_test_x', apiKey: 'sk_test_x' }
  const malipo = new Malipo({ ...pair, baseUrl: `http://127.0.0.1:${await freePort()}`, maxRetries: 0 })

  await assert.rejects(malipo.payouts.create(payout('r')), (error: NetworkError) => {
    assert.ok(error instanceof NetworkError)
    assert.equal(error.outcome, 'not_sent')
    assert.match(error.message, /Nothing was sent/)
    assert.match(error.requestId, /^sdk_/)
    return true
  })
})
