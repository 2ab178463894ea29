import assert from 'node:assert/strict'
import { once } from 'node:events'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify'
import { createLog } from '../platform/log.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { refuseWith } from './refuse.ts'

interface RawResponse {
  readonly status: number
  readonly headers: string
  readonly body: Record<string, unknown>
}

/** Sends raw bytes on a new connection. */
async function raw(malipo: Malipo, bytes: string): Promise<RawResponse> {
  const { port, hostname } = new URL(malipo.url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  await once(socket, 'close')
  const text = Buffer.concat(parts).toString().replace('HTTP/1.1 100 Continue\r\n\r\n', '')
  const end = text.indexOf('\r\n\r\n')
  const headers = text.slice(0, end).toLowerCase()
  return { status: Number(text.slice(9, 12)), headers, body: JSON.parse(text.slice(end + 4) || '{}') }
}

const users = '/api/b2b/users'
const host = 'Host: x\r\n'

test('a request with no Host header, or two, gets 400 in the usual error format', async (t) => {
  const malipo = await testMalipo(t)
  const get = (lines: string) => raw(malipo, `GET /health/live HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)

  for (const lines of [`${host}Host: evil\r\n`, `${host}hOST: x\r\n`, '']) {
    const { status, headers, body } = await get(lines)
    assert.deepEqual([status, body['errorCode'], body['success']], [400, 'VALIDATION_ERROR', false], lines)
    assert.match(headers, /\r\nx-request-id: req_/)
  }
  assert.equal((await get(host)).status, 200)
  assert.equal((await raw(malipo, 'GET /health/live HTTP/1.0\r\n\r\n')).status, 200, 'HTTP/1.0 knows no Host')
})

test('a malformed request is logged with its request id, at a bounded rate, and links to its error', async (t) => {
  const malipo = await testMalipo(t)
  const linesOf = () => malipo.log.filter((line) => line.includes('malformed request refused'))
  const requests = [
    'GET /health/live HTTP/1.1\r\n\r\n',
    'not a request\r\n\r\n',
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  ]

  for (const request of requests) {
    const { headers, body } = await raw(malipo, request)
    assert.match(headers, /\r\nlink: <[^>]+#[a-z_]+>; rel="help"/, request.slice(0, 40))
    assert.ok(
      linesOf().some((line) => line.includes(`"requestId":"${body['requestId']}"`)),
      request.slice(0, 40),
    )
  }
  for (let sent = 0; sent < 100; sent += 1) await raw(malipo, 'not a request\r\n\r\n')

  assert.ok(linesOf().length < 100, `${linesOf().length} lines`)
})

test('a body that cannot be read gets details with the field body, and the true reason', async (t) => {
  const malipo = await testMalipo(t)
  const token = await (await malipo.merchant()).token()
  const put = async (body: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return (await (await fetch(`${malipo.url}${users}`, { method: 'PUT', headers, body })).json()) as object
  }

  for (const [body, message] of [
    ['{"firstName":', 'the body is not valid JSON'],
    ['['.repeat(30), 'the body is nested deeper than 20 levels'],
    [
      '{"__proto__":{"a":1}}',
      'the body has a field named __proto__, or prototype below constructor, which is not allowed',
    ],
  ]) {
    const { message: said, details } = (await put(body ?? '')) as { message: string; details: unknown }
    assert.deepEqual([said, details], [`Validation error: ${message}`, [{ field: 'body', message }]])
  }
})

test('a public key or an API key as a token gets a message of its own', async (t) => {
  const malipo = await testMalipo(t)
  const messageFor = async (token: string) => {
    const response = await fetch(`${malipo.url}${users}`, { headers: { authorization: `Bearer ${token}` } })
    return ((await response.json()) as { message: string }).message
  }

  assert.match(
    await messageFor('pk_test_a'),
    /^A public key is not an access token: send it with your API key to POST /,
  )
  assert.match(await messageFor('sk_test_a'), /^An API key is not an access token: exchange it/)
})

test('a malformed request on a reused connection gets the usual error format', async (t) => {
  const malipo = await testMalipo(t)
  const { port, hostname } = new URL(malipo.url)
  const socket = connect(Number(port), hostname)
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))

  socket.write(`GET /health/live HTTP/1.1\r\n${host}\r\n`)
  await once(socket, 'data')
  socket.write(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`)
  await once(socket, 'close')

  const text = Buffer.concat(parts).toString()
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400'])
  assert.match(text, /the headers are larger than 16 KiB/)
})

test('a malformed HEAD is refused without a body', async (t) => {
  const malipo = await testMalipo(t)

  const { status, body } = await raw(malipo, `HEAD /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`)

  assert.deepEqual([status, body], [400, {}])
})

test('a broken body gets 400, and garbage after a full request does not change its response', async (t) => {
  const malipo = await testMalipo(t)
  const authorization = `Authorization: Bearer ${await (await malipo.merchant()).token()}\r\n`
  const put = `PUT ${users} HTTP/1.1\r\n${host}${authorization}Content-Type: application/json\r\n`

  const broken = await raw(malipo, `${put}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`)
  const behind = await raw(malipo, `${put}Content-Length: 21\r\n\r\n{"firstName":"Amina"}GARBAGE\r\n\r\n`)

  assert.deepEqual([broken.status, broken.body['errorCode']], [400, 'VALIDATION_ERROR'])
  assert.notEqual(behind.status, 400)
})

test('an expectation other than 100-continue gets 400 in the usual error format', async (t) => {
  const malipo = await testMalipo(t)
  const post = (expect: string) =>
    raw(
      malipo,
      `POST ${users} HTTP/1.1\r\n${host}Expect: ${expect}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    )

  const { status, body } = await post('unicorns')

  assert.deepEqual([status, body['errorCode']], [400, 'VALIDATION_ERROR'])
  assert.equal((await post('100-continue')).status, 401)
})

test('a method that no path takes gets 405 in the usual error format, on any path', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_SANDBOX: '1000' })
  const authorization = `Authorization: Bearer ${await (await malipo.merchant()).token()}\r\n`
  const taken = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
  const others = [...METHODS.filter((method) => !taken.includes(method)), 'BREW', 'X-Y']

  for (const method of others)
    for (const path of method === 'CONNECT' ? ['x:443'] : [users, '/nowhere']) {
      const lines = `${host}${authorization}Connection: close\r\n\r\n`
      const { status, headers, body } = await raw(malipo, `${method} ${path} HTTP/1.1\r\n${lines}`)
      assert.deepEqual([status, body['errorCode']], [405, 'METHOD_NOT_ALLOWED'], `${method} ${path}`)
      assert.match(headers, /\r\nallow: get, head, post, put, patch, delete(\r\n|$)/)
    }
})

test('a path parameter longer than any id gets 404', async (t) => {
  const malipo = await testMalipo(t)
  const authorization = `Bearer ${await (await malipo.merchant()).token()}`
  const long = 'x'.repeat(101)
  const probes = [
    ['GET', `/api/b2b/transactions/${long}`],
    ['GET', `/api/sandbox/b2b/webhooks/${long}`],
    ['POST', `/api/b2b/webhooks/${long}/resend`],
    ['DELETE', `/api/b2b/external-accounts/${long}`],
    ['POST', `/callbacks/${long}`],
    ['POST', `/callbacks/sandbox/${long}`],
    ['GET', `/bank-logos/${long}.svg`],
  ] as const

  for (const [method, path] of probes) {
    const { status, body } = await malipo.call(method, path, { authorization })
    assert.deepEqual([status, body['errorCode']], [404, 'ROUTE_NOT_FOUND'], path)
  }
  assert.equal((await malipo.call('GET', `/api/b2b/transactions/${long}`)).status, 401)
  assert.equal((await malipo.call('GET', `/api/b2b/transactions/${'x'.repeat(100)}`, { authorization })).status, 404)
})

/** The response that the error handler sends for a thrown error. */
function refusalOf(thrown: Error): { status: number; body: Record<string, unknown> } {
  const sent = { status: 0, body: {} }
  const reply = {
    code: (status: number) => Object.assign(reply, void Object.assign(sent, { status })),
    headers: () => reply,
    send: (body: object) => Object.assign(reply, void Object.assign(sent, { body })),
  } as unknown as FastifyReply
  const request = { id: 'req_1', routeOptions: { config: {} } } as unknown as FastifyRequest
  refuseWith(createLog({ level: 'error', write: () => undefined }))(thrown, request, reply)
  return sent
}

test('no framework error about a request is reported as an internal error', () => {
  const refusing = Object.values(errorCodes)
    .map((make) => new make('x', 'y', 'z'))
    .filter(({ statusCode = 500 }) => statusCode < 500 || statusCode === 503)

  assert.ok(refusing.length >= 12, `${refusing.length} errors`)
  for (const error of refusing) {
    const { status, body } = refusalOf(error)
    const isExpected = error.statusCode === 503 ? status === 503 : status >= 400 && status < 500
    assert.ok(isExpected && body['errorCode'] !== 'INTERNAL_SERVER_ERROR', `${error.code}: ${status}`)
  }
  for (const statusCode of [402, 406, 408, 417, 418, 431, 451])
    assert.equal(refusalOf(Object.assign(new Error('x'), { statusCode })).status, 400, `${statusCode}`)
  assert.equal(refusalOf(new Error('x')).status, 500)
})

test('the error message in a header has at most 200 characters', async (t) => {
  const malipo = await testMalipo(t)
  const authorization = `Bearer ${await (await malipo.merchant()).token()}`

  const { status, headers } = await malipo.call('GET', `/api/b2b/transactions?${'a'.repeat(15_000)}=1`, {
    authorization,
  })

  assert.equal(status, 400)
  assert.equal(headers.get('x-error-code'), 'VALIDATION_ERROR')
  assert.ok((headers.get('x-error-message') ?? '').length <= 200)
})

test('a service with an https URL sends strict-transport-security on every response', async (t) => {
  const secure = await testMalipo(t, { MALIPO_PUBLIC_URL: 'https://pay.example.com' })
  const plain = await testMalipo(t)
  const policy = /\r\nstrict-transport-security: max-age=31536000\r\n/
  const requests = [
    `GET /health/live HTTP/1.1\r\n${host}`,
    `GET ${users} HTTP/1.1\r\n${host}`,
    `GET /nowhere HTTP/1.1\r\n${host}`,
    `GET /docs HTTP/1.1\r\n${host}Host: twice\r\n`,
    `PUT ${users} HTTP/1.1\r\n${host}Expect: x\r\n`,
  ].map((lines) => `${lines}Connection: close\r\n\r\n`)

  for (const bytes of requests) {
    const [withPolicy, without] = await Promise.all(
      [secure, plain].map((malipo) => raw(malipo, bytes).catch(() => undefined)),
    )
    assert.match(withPolicy?.headers ?? '', policy, bytes)
    assert.doesNotMatch(without?.headers ?? '', policy, bytes)
  }
})

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

test('a body nested too deep gets 400, with and without a token, in bulk and in a callback', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const json = { 'content-type': 'application/json', 'api-key': 'x' }
  const bearer = { ...json, authorization: `Bearer ${await merchant.token()}` }
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const response = await fetch(malipo.url + path, { method: 'POST', headers, body })
    return [response.status, ((await response.json()) as { errorCode?: string }).errorCode]
  }
  const refused = [400, 'VALIDATION_ERROR']

  for (const depth of [20, 21, 5000, 30_000])
    assert.deepEqual(await post('/api/b2b/auth/generate-bearer-token', json, `{"publicKey":${nested(depth)}}`), refused)
  assert.deepEqual(await post('/api/b2b/fiat/payouts/bulk', bearer, `{"payouts":[${nested(400_000)}]}`), refused)
  for (const path of ['/callbacks/pawapay', '/callbacks/sandbox/flutterwave', '/callbacks/nowhere'])
    assert.deepEqual(await post(path, json, `{"data":${nested(30_000)}}`), refused)
})

test('brackets inside a text do not count as nesting', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  const { status } = await merchant.call('PUT', users, { firstName: `"\\${'[{'.repeat(40)}` })

  assert.equal(status, 200)
})
