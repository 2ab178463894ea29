import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { makeKey } from '../auth/keys.ts'
import { testDatabase } from '../dev-stack/servers.ts'
import { catalogue } from '../errors.ts'
import { sql } from '../platform/db.ts'
import { openTestDatabase } from '../testing/ledger.ts'
import { call, exchange, type Malipo, testMalipo } from '../testing/malipo.ts'

const users = '/api/b2b/users'

/** Sends raw bytes and returns everything that came back. */
async function raw(malipo: Malipo, bytes: string): Promise<string> {
  const { port, hostname } = new URL(malipo.url)
  const socket = connect(Number(port), hostname)
  socket.end(bytes)
  const answer: Buffer[] = []
  socket.on('data', (part) => answer.push(part))
  await once(socket, 'close')
  return Buffer.concat(answer).toString()
}

test('without a token no response below /api/ reveals whether a path exists', async (t) => {
  const malipo = await testMalipo(t)
  const big = { 'content-type': 'application/json' }
  const probes: [string, string, Record<string, string>?, string?][] = [
    ['GET', users],
    ['GET', '/api/b2b/nowhere'],
    ['GET', '/api/nowhere'],
    ['GET', '/api/'],
    ['GET', '/api/%zz'],
    ['GET', '/%61pi/b2b/users'],
    ['GET', '/%61pi/b2b/nowhere'],
    ['GET', '/nowhere%zz'],
    ['GET', '/api/b2b/%75sers'],
    ['DELETE', users],
    ['PUT', users, big, 'x'.repeat(100_000)],
    ['PUT', users, { 'content-type': 'text/plain' }, 'x'],
    ['PUT', users, big, '{"broken'],
    ['GET', '/api/sandbox/b2b/users'],
    ['GET', '/api/sandbox/b2b/nowhere'],
  ]

  for (const [method, path, headers, body] of probes) {
    const response = await fetch(malipo.url + path, { method, ...(headers && { headers }), ...(body && { body }) })
    assert.equal(response.status, 401, `${method} ${path}`)
    assert.equal(((await response.json()) as { errorCode: string }).errorCode, 'UNAUTHORIZED', `${method} ${path}`)
  }
})

test('with a token the same probes get the specific error', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const authorization = `Bearer ${await merchant.token()}`
  const send = async (method: string, path: string, type?: string, body?: string) => {
    const headers = { authorization, ...(type && { 'content-type': type }) }
    const response = await fetch(malipo.url + path, { method, headers, ...(body !== undefined && { body }) })
    return { response, code: ((await response.json()) as { errorCode: string }).errorCode }
  }

  assert.equal((await send('GET', '/api/b2b/nowhere')).code, 'ROUTE_NOT_FOUND')
  assert.equal((await send('GET', '/api/%zz')).code, 'ROUTE_NOT_FOUND')
  const deleted = await send('DELETE', users)
  assert.deepEqual([deleted.code, deleted.response.headers.get('allow')], ['METHOD_NOT_ALLOWED', 'GET, HEAD, PUT'])
  assert.equal(
    (await send('PUT', users, 'application/json', JSON.stringify({ a: 'x'.repeat(65_536) }))).code,
    'PAYLOAD_TOO_LARGE',
  )
  assert.equal((await send('PUT', users, 'text/plain', 'x')).code, 'UNSUPPORTED_MEDIA_TYPE')
  for (const body of ['{"broken', '', '[]', '"word"', 'null', '7', '{"__proto__":{"x":1}}'])
    assert.equal((await send('PUT', users, 'application/json', body)).code, 'VALIDATION_ERROR', body)
})

test('an encoded path is the same path and needs the same token', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  assert.equal((await merchant.call('GET', '/%61pi/b2b/users')).status, 200)
})

test('a sandbox path takes sandbox tokens only, however it is encoded', async (t) => {
  const malipo = await testMalipo(t)
  const [sandbox, live] = [await malipo.merchant(), await malipo.merchant({ env: 'live' })]

  for (const path of ['/api/sandbox/b2b/users', '/api/%73andbox/b2b/users']) {
    assert.equal((await sandbox.call('GET', path)).status, 200)
    assert.equal((await live.call('GET', path)).body['errorCode'], 'SANDBOX_ONLY')
  }
  assert.equal((await live.call('GET', '/api/%73andbox/b2b/nowhere')).body['errorCode'], 'SANDBOX_ONLY')
  assert.equal((await live.call('GET', users)).status, 200)
})

test('a token works only from its allowed addresses', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_TRUSTED_PROXIES: '127.0.0.1' })
  const merchant = await malipo.merchant({ addresses: ['127.0.0.1/32'] })
  const authorization = `Bearer ${await merchant.token()}`

  const here = await call(malipo.url, 'GET', users, { authorization })
  const elsewhere = await call(malipo.url, 'GET', users, { authorization, 'x-forwarded-for': '203.0.113.9' })

  assert.equal(here.status, 200)
  assert.deepEqual([elsewhere.status, elsewhere.body['errorCode']], [403, 'IP_NOT_ALLOWED'])
})

test('a forwarded address is ignored from an untrusted caller', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant({ addresses: ['127.0.0.1/32'] })
  const authorization = `Bearer ${await merchant.token()}`

  const { status } = await call(malipo.url, 'GET', users, { authorization, 'x-forwarded-for': '203.0.113.9' })

  assert.equal(status, 200)
})

test('a valid request id is echoed, and an invalid one is replaced', async (t) => {
  const malipo = await testMalipo(t)
  const idFor = async (sent: string) =>
    (await call(malipo.url, 'GET', '/nowhere', { 'x-request-id': sent })).headers.get('x-request-id') ?? ''

  assert.equal(await idFor('order-1042'), 'order-1042')
  for (const unfit of ['', 'two words', 'x'.repeat(129)]) assert.match(await idFor(unfit), /^req_/)
})

test('every response carries the version and forbids caching, framing, sniffing and referrers', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  for (const { headers } of [await merchant.call('GET', users), await call(malipo.url, 'GET', '/api/b2b/users')]) {
    assert.equal(headers.get('x-api-version'), '1.0.0')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.equal(headers.get('server'), null)
  }
})

test('a merchant is rate limited per environment, and other merchants are not affected', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_SANDBOX: '5', MALIPO_RATE_LIMIT_LIVE: '1000' })
  const [greedy, other] = [await malipo.merchant(), await malipo.merchant()]
  const [authorization, others] = await Promise.all(
    [greedy, other].map(async (merchant) => ({ authorization: `Bearer ${await merchant.token()}` })),
  )

  const burst = await Promise.all(Array.from({ length: 30 }, () => call(malipo.url, 'GET', users, authorization)))

  const refused = burst.filter(({ status }) => status === 429)
  assert.ok(refused.length >= 20 && refused.length <= 25, `${refused.length} refused`)
  assert.equal(refused[0]?.body['errorCode'], 'RATE_LIMIT_EXCEEDED')
  assert.equal(refused[0]?.body['retryable'], true)
  assert.equal(refused[0]?.headers.get('retry-after'), '1')
  for (const { headers } of burst) {
    assert.equal(headers.get('ratelimit-limit'), '5')
    assert.match(headers.get('ratelimit-remaining') ?? '', /^[0-4]$/)
    assert.match(headers.get('ratelimit-reset') ?? '', /^[01]$/)
  }
  assert.equal((await call(malipo.url, 'GET', users, others)).status, 200)
})

test('a request that does not arrive in time gets a retryable error, not a refusal', async (t) => {
  const malipo = await testMalipo(t)
  const { port, hostname } = new URL(malipo.url)
  const socket = connect(Number(port), hostname)
  socket.write(`POST /api/b2b/fiat/payout HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n`)
  const answer: Buffer[] = []
  socket.on('data', (part) => answer.push(part))
  await once(socket, 'close')

  assert.match(
    Buffer.concat(answer).toString(),
    /^HTTP\/1.1 503 [\s\S]*\r\nretry-after: 1\r\n[\s\S]*"errorCode":"OVERLOADED"/,
  )
})

test('invalid bytes and too large or too many headers get 400 in the usual error format', async (t) => {
  const malipo = await testMalipo(t)

  const many = Array.from({ length: 101 }, (_, number) => `X-${number}: \r\n`).join('')
  for (const bytes of [
    'nonsense\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\n${many}\r\n`,
  ]) {
    const answer = await raw(malipo, bytes)
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.equal(JSON.parse(answer.slice(answer.indexOf('{'))).errorCode, 'VALIDATION_ERROR')
  }
})

test('an internal error gets 500, is logged with its request id, and reveals no internals', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const authorization = `Bearer ${await merchant.token()}`
  await malipo.ask('alter table webhook_endpoints rename to webhook_endpoints_away')
  t.after(() => malipo.ask('alter table webhook_endpoints_away rename to webhook_endpoints'))

  const { status, body } = await call(malipo.url, 'GET', users, { authorization, 'x-request-id': 'order-7' })

  assert.deepEqual(
    [status, body],
    [
      500,
      {
        success: false,
        message: 'Internal error.',
        errorCode: 'INTERNAL_SERVER_ERROR',
        requestId: 'order-7',
        retryable: true,
        fix: catalogue.INTERNAL.fix,
        docs: '/docs/errors#INTERNAL_SERVER_ERROR',
      },
    ],
  )
  assert.ok(malipo.log.some((line) => line.includes('"level":"error"') && line.includes('"requestId":"order-7"')))
})

test('no log line contains a token or an API key', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const token = await merchant.token()

  await merchant.call('GET', `${users}?token=${token}`)
  await call(malipo.url, 'GET', `/api/nowhere/${merchant.apiKey}`, { authorization: `Bearer ${token}` })

  const logged = malipo.log.join('')
  assert.ok(logged.length > 0)
  for (const secret of [token, merchant.apiKey]) assert.ok(!logged.includes(secret))
})

test('an unavailable database gives 503 with retry-after, and readiness reports it', async (t) => {
  const malipo = await testMalipo(t, { DATABASE_URL: 'postgres://malipo:none@127.0.0.1:9/malipo' })
  const pair = { publicKey: makeKey('pk', 'sandbox', 0), apiKey: makeKey('sk', 'sandbox', 0) }

  const answer = await exchange(malipo.url, pair)
  const ready = await call(malipo.url, 'GET', '/health/ready')

  assert.deepEqual(
    [answer.status, answer.body['errorCode'], answer.headers.get('retry-after')],
    [503, 'OVERLOADED', '1'],
  )
  assert.deepEqual([ready.status, ready.body['checks']], [503, { database: 'does not respond' }])
  assert.equal((await call(malipo.url, 'GET', '/health/live')).status, 200)
})

test('metrics need their token, and are not served when none is configured', async (t) => {
  const [closed, guarded] = [await testMalipo(t), await testMalipo(t, { MALIPO_METRICS_TOKEN: 'a-long-enough-token' })]
  const metrics = (malipo: Malipo, authorization = '') => fetch(`${malipo.url}/metrics`, { headers: { authorization } })
  await call(guarded.url, 'GET', '/nowhere')
  await exchange(guarded.url, { publicKey: 'pk_test_x', apiKey: 'sk_test_x' })

  const text = await (await metrics(guarded, 'Bearer a-long-enough-token')).text()

  for (const name of [
    'malipo_http_request_duration_seconds_count',
    'malipo_db_pool_waiting',
    'process_cpu_seconds_total',
  ])
    assert.match(text, new RegExp(`^${name}`, 'm'))
  assert.match(text, /^malipo_auth_failures_total\{at="exchange"\} 1$/m)
  assert.equal((await metrics(closed)).status, 404)
  assert.equal((await metrics(guarded)).status, 404)
  assert.equal((await metrics(guarded, 'Bearer another-long-token')).status, 404)
})

test('refused requests count against the rate limit like any other', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_SANDBOX: '2' })
  const merchant = await malipo.merchant({ scopes: ['reference:read'] })
  const authorization = `Bearer ${await merchant.token()}`

  for (const path of [users, '/api/%zz', '/api/nowhere']) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call(malipo.url, 'GET', path, { authorization })),
    )
    assert.ok(answers.filter(({ status }) => status === 429).length >= 15, path)
  }
})

test('every 401 response states how to authenticate', async (t) => {
  const malipo = await testMalipo(t)
  const wrongPair = await exchange(malipo.url, { publicKey: 'pk_test_x', apiKey: 'sk_test_x' })

  for (const { status, headers } of [wrongPair, await call(malipo.url, 'GET', users)]) {
    assert.equal(status, 401)
    assert.equal(headers.get('www-authenticate'), 'Bearer error="invalid_token"')
  }
})

test('a lock timeout is reported as overload, not as an internal error', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  await merchant.token()
  const { superuserUrl } = await testDatabase()
  const blocker = openTestDatabase(superuserUrl)
  t.after(() => blocker.close())

  await blocker.write.transaction(async (tx) => {
    await tx.query(sql`select from merchants for update`)
    const { status, body } = await merchant.call('PUT', users, { firstName: 'Achieng' })
    assert.deepEqual([status, body['errorCode']], [503, 'OVERLOADED'])
  })
})

test('the reference page and the OpenAPI document need no token, and the page loads nothing', async (t) => {
  const malipo = await testMalipo(t)

  const page = await fetch(`${malipo.url}/docs`)
  const document = (await (await fetch(`${malipo.url}/openapi.json`)).json()) as { openapi: string; paths: object }

  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
  assert.equal(document.openapi, '3.1.0')
  assert.ok('/api/b2b/users' in document.paths)
  assert.ok('/api/sandbox/b2b/utilities/clock/advance' in document.paths, 'what is in the sandbox alone')
  assert.ok(!('/api/sandbox/b2b/users' in document.paths), 'nothing twice')
})
