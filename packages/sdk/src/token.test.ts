import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { AuthenticationError, Malipo, ServiceError } from './index.ts'
import { change, openWire, pass, respondWith } from './testing/wire.ts'

const exchange = '/auth/generate-bearer-token'

async function bench(t: TestContext) {
  const stack = await testMalipo(t, { MALIPO_RATE_LIMIT_SANDBOX: '1000' })
  const { publicKey, apiKey } = await stack.merchant()
  const wire = openWire()
  const malipo = new Malipo({ publicKey, apiKey, baseUrl: stack.url, fetch: wire.fetch })
  return { malipo, wire, mints: () => wire.to(exchange).length }
}

const spoilt = change((body) => ({ ...body, token: `${body['token']}x` }))
const endingIn = (seconds: number) =>
  change((body) => ({ ...body, expiresAt: Math.floor(Date.now() / 1000) + seconds }), {
    date: new Date().toUTCString(),
  })

test('a hundred concurrent calls mint one token, and later calls use it', async (t) => {
  const { malipo, mints } = await bench(t)

  const profiles = await Promise.all(Array.from({ length: 100 }, () => malipo.account.me()))
  await malipo.account.me()

  assert.equal(new Set(profiles.map(({ email }) => email)).size, 1)
  assert.equal(mints(), 1)
})

test('a refused token is replaced and the call continues; concurrent calls mint one token', async (t) => {
  const { malipo, wire, mints } = await bench(t)
  wire.inject(exchange, spoilt)

  const profiles = await Promise.all(Array.from({ length: 20 }, () => malipo.account.me()))

  assert.equal(profiles.length, 20)
  assert.equal(mints(), 2)
  assert.equal(wire.to('/users').length, 40)
})

test('a second refusal in a row is thrown and not retried', async (t) => {
  const { malipo, wire, mints } = await bench(t)
  wire.inject(exchange, spoilt, spoilt)

  await assert.rejects(malipo.account.me(), (error: AuthenticationError) => {
    assert.ok(error instanceof AuthenticationError)
    assert.equal(error.errorCode, 'UNAUTHORIZED')
    return true
  })
  assert.deepEqual([mints(), wire.to('/users').length], [2, 2])
})

test('a token is replaced when less than 60 seconds remain, and not before', async (t) => {
  const { malipo, wire, mints } = await bench(t)
  wire.inject(exchange, endingIn(55), endingIn(70))

  await malipo.account.me()
  assert.equal(mints(), 1)
  await malipo.account.me()
  assert.equal(mints(), 2)
  await malipo.account.me()

  assert.equal(mints(), 2)
})

test('a local clock that is hours wrong does not expire tokens', async (t) => {
  const { malipo, wire, mints } = await bench(t)
  const behindMs = 5 * 3_600_000
  const asOfThen = change((body) => ({ ...body, expiresAt: Number(body['expiresAt']) - behindMs / 1000 }), {
    date: new Date(Date.now() - behindMs).toUTCString(),
  })
  wire.inject(exchange, asOfThen)

  await malipo.account.me()
  await malipo.account.me()

  assert.equal(mints(), 1)
})

test('a failed mint is retried, and then tried again by the next call', async (t) => {
  const { malipo, wire, mints } = await bench(t)
  const down = respondWith(503, '<h1>down</h1>', { 'retry-after': '0' })
  wire.inject(exchange, down, down, down)

  await assert.rejects(Promise.all([malipo.account.me(), malipo.account.me()]), ServiceError)
  assert.equal(mints(), 3)
  await malipo.account.me()

  assert.equal(mints(), 4)
})

test('a caller that aborts during a mint does not cancel the token for other callers', async (t) => {
  const { malipo, wire, mints } = await bench(t)
  const hurry = new AbortController()
  wire.inject(exchange, (...args) => {
    hurry.abort(new Error('no time'))
    return pass(...args)
  })

  const [gone, patient] = await Promise.allSettled([malipo.account.me({ signal: hurry.signal }), malipo.account.me()])

  assert.equal(gone.status === 'rejected' && (gone.reason as Error).message, 'no time')
  assert.equal(patient.status, 'fulfilled')
  assert.equal(mints(), 1)
})

test('the API key is sent only to the token exchange', async (t) => {
  const { malipo, wire } = await bench(t)

  await malipo.account.me()
  await malipo.transactions.list().toArray()

  const holders = wire.sent.filter((sent) => JSON.stringify(sent).includes('sk_test_'))
  assert.deepEqual(
    holders.map(({ path }) => path),
    [exchange],
  )
})
