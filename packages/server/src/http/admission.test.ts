import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { openTransaction } from '../testing/open-transaction.ts'

const exchangePath = '/api/b2b/auth/generate-bearer-token'

/** A connection that has sent the head of a token exchange and part of its body. */
function sendPartly(t: TestContext, { url }: Malipo, apiKey: string, body: string, part: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  const head = [`POST ${exchangePath} HTTP/1.1`, 'Host: malipo', `api-key: ${apiKey}`]
  socket.write([...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', part].join('\r\n'))
  let reply = ''
  socket.on('data', (bytes) => {
    reply += bytes.toString()
  })
  return { socket, reply: () => reply }
}

test('a request takes a slot only when its body is complete', async (t) => {
  const malipo = await testMalipo(t)
  const { publicKey, apiKey } = await malipo.merchant()
  const release = await openTransaction(t, 'lock table credentials in access exclusive mode')
  const body = JSON.stringify({ publicKey })
  const { socket, reply } = sendPartly(t, malipo, apiKey, body, body.slice(0, -1))
  assert.equal((await malipo.call('GET', '/health/live')).status, 200)

  assert.deepEqual(malipo.ctx.limiter.counts().exchange, { handled: 0, queued: 0 })
  socket.write(body.slice(-1))
  await until('it to be handled', () => malipo.ctx.limiter.counts().exchange.handled === 1)
  await release()
  await until('its token', () => reply().includes('"token"'))
  assert.deepEqual(malipo.ctx.limiter.counts().exchange, { handled: 0, queued: 0 })
})

test('a request whose client disconnects frees its slot when its work is done', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const authorization = `Bearer ${await merchant.token()}`
  const release = await openTransaction(t, 'lock table merchants in access exclusive mode')
  const leaving = new AbortController()
  const asked = fetch(`${malipo.url}/api/b2b/users`, { headers: { authorization }, signal: leaving.signal })
  await until('it to be handled', () => malipo.ctx.limiter.counts().sandbox.handled === 1)

  leaving.abort()
  await assert.rejects(asked)
  await release()

  await until('its place to be free', () => malipo.ctx.limiter.counts().sandbox.handled === 0)
})

test('requests without a token are limited by address, and a known token is not', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_ADDRESS: '1', MALIPO_TRUSTED_PROXIES: '127.0.0.0/8' })
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}` }
  await malipo.call('GET', '/api/b2b/users', headers)
  const from = (address: string) => malipo.call('GET', '/.well-known/jwks.json', { 'x-forwarded-for': address })

  const statuses = []
  for (let count = 0; count < 6; count += 1) statuses.push((await from('192.0.2.1')).status)
  const refused = await from('192.0.2.1')

  assert.equal(statuses[0], 200)
  assert.ok(statuses.includes(429))
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await from('192.0.2.2')).status, 200)
  const known = await malipo.call('GET', '/api/b2b/users', { ...headers, 'x-forwarded-for': '192.0.2.1' })
  assert.equal(known.status, 200)
})

/** The sorted statuses of requests sent at once, so that no time passes for their limits. */
async function statusesOf(count: number, send: () => Promise<{ readonly status: number }>): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, send))
  return responses.map(({ status }) => status).sort()
}

test('behind a trusted proxy only the client over its limit is refused early', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_ADDRESS: '1', MALIPO_TRUSTED_PROXIES: '127.0.0.0/8' })
  const from = (addresses: string) => malipo.call('GET', '/.well-known/jwks.json', { 'x-forwarded-for': addresses })
  const { rejected, requestDuration } = malipo.ctx.metrics
  const refusedLate = async () =>
    (await requestDuration.get()).values.filter(({ metricName, labels }) => {
      return metricName?.endsWith('_count') && labels.status === '429'
    })

  const startedAt = performance.now()
  const statuses = await statusesOf(6, () => from('198.51.100.7, 192.0.2.1, 127.0.0.9'))

  assert.ok(performance.now() - startedAt >= 990, 'refused after as long as Retry-After says')
  assert.deepEqual(statuses, [200, 200, 429, 429, 429, 429])
  assert.ok(
    (await refusedLate()).every(({ value }) => value === 1),
    'all but the first were refused before the framework',
  )
  assert.equal((await rejected.get()).values[0]?.value, 0, 'the process itself is not at its limit')
  assert.equal((await from('198.51.100.7')).status, 200, 'what a client claims about others does not count')
  assert.equal((await from('not an address')).status, 200)
})

test('a token exchange counts as ten requests of its address', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_ADDRESS: '10', MALIPO_TRUSTED_PROXIES: '127.0.0.0/8' })
  const merchant = await malipo.merchant()
  const { publicKey, apiKey } = merchant
  const exchange = (address: string) =>
    malipo.call(
      'POST',
      '/api/b2b/auth/generate-bearer-token',
      { 'api-key': apiKey, 'x-forwarded-for': address },
      { publicKey },
    )

  const startedAt = performance.now()
  const statuses = await statusesOf(8, () => exchange('192.0.2.1'))

  // Two at once, and one more for each second that a slow machine takes.
  const accepted = statuses.filter((status) => status === 200).length
  assert.ok(accepted >= 2 && accepted <= 2 + (performance.now() - startedAt) / 1000, statuses.join(' '))
  assert.deepEqual(new Set(statuses), new Set([200, 429]))
  assert.equal((await exchange('192.0.2.2')).status, 200)
})

test('wrong tokens are limited by address, and a new valid token from another address passes', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_ADDRESS: '1', MALIPO_TRUSTED_PROXIES: '127.0.0.0/8' })
  const merchant = await malipo.merchant()
  const right = await merchant.token()
  const ask = (token: string, address: string) =>
    malipo.call('GET', '/api/b2b/users', { authorization: `Bearer ${token}`, 'x-forwarded-for': address })

  const statuses = []
  for (let count = 0; count < 6; count += 1) statuses.push((await ask('wrong', '192.0.2.1')).status)

  assert.deepEqual(statuses.slice(0, 2), [401, 401])
  assert.ok(statuses.includes(429))
  assert.equal((await ask(right, '192.0.2.2')).status, 200)
  assert.equal((await ask(right, '192.0.2.1')).status, 200, 'it is known by now')
})

test('callbacks with a wrong signature are limited by address', async (t) => {
  const live = { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-a-live-account' }
  const malipo = await testMalipo(t, { ...live, MALIPO_RATE_LIMIT_ADDRESS: '1' })

  const statuses = []
  for (let count = 0; count < 6; count += 1)
    statuses.push((await malipo.call('POST', '/callbacks/pawapay', {}, {})).status)

  assert.deepEqual(statuses.slice(0, 2), [401, 401])
  assert.ok(statuses.includes(429))
})

test('undecodable paths and tokens on public paths count for the address limit', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_ADDRESS: '1', MALIPO_TRUSTED_PROXIES: '127.0.0.0/8' })
  const statusesFrom = async (address: string, path: string) => {
    const send = () => malipo.call('GET', path, { 'x-forwarded-for': address, authorization: 'Bearer wrong' })
    const [first, second] = [await send(), await send()] // A rejection counts once its response is sent.
    return [first.status, second.status, ...(await statusesOf(2, send))]
  }

  assert.deepEqual(await statusesFrom('198.51.100.1', '/api/%zz'), [401, 401, 429, 429])
  assert.deepEqual(await statusesFrom('198.51.100.2', '/nowhere'), [404, 404, 429, 429])
  assert.deepEqual(await statusesFrom('198.51.100.3', '/health/live'), [200, 200, 429, 429])
  assert.deepEqual(await statusesFrom('198.51.100.4', '/callbacks/nowhere'), [405, 405, 429, 429])
  assert.deepEqual(await statusesFrom('198.51.100.5', '/api/b2b/auth/generate-bearer-token'), [405, 429, 429, 429])
})
