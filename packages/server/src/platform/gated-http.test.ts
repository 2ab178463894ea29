import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { startCanary } from '../testing/canary.ts'
import { type GateOptions, openGate, type PostOrder } from './gated-http.ts'
import { createPinnedPools, NoConnection } from './pinned-pools.ts'

/** A gate that may call this machine, and a function to post through it. */
function bench(t: TestContext, options: Partial<GateOptions> = {}) {
  const gate = openGate({ allowedRanges: ['127.0.0.0/8'], timeoutMs: 15_000, ...options })
  t.after(() => gate.close())
  const post = (url: string, order: Partial<PostOrder> = {}) =>
    gate.post({ url, headers: {}, body: '{}', isHttpAllowed: true, ...order })
  return { gate, post }
}

async function answering(t: TestContext, answer: RequestListener): Promise<string> {
  const { port } = await startCanary(t, { host: '127.0.0.1', respond: answer })
  return `http://127.0.0.1:${port}/`
}

/** A raw TCP server: `serve` handles each connection. */
async function rawServer(t: TestContext, serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a posted body arrives byte for byte, and the response comes back', async (t) => {
  const seen: unknown[] = []
  const url = await answering(t, async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { method, headers } = request
    seen.push(method, request.url, headers.host, headers['webhook-id'], Buffer.concat(parts).toString('hex'))
    response.writeHead(503, { 'retry-after': '120' }).end('later')
  })
  const { post } = bench(t)
  const path = `${url}hooks?x=1&y=%2F`

  const posted = await post(path, { headers: { 'webhook-id': 'evt_1' }, body: Buffer.from('00ff0a', 'hex') })

  assert.deepEqual(seen, ['POST', '/hooks?x=1&y=%2F', new URL(url).host, 'evt_1', '00ff0a'])
  const { durationMs, ...rest } = posted
  assert.deepEqual(rest, { kind: 'responded', status: 503, body: 'later', retryAfter: '120' })
  assert(Number.isInteger(durationMs) && durationMs >= 0)
})

test('an allowed range lets calls through, by address and as localhost; without it none pass', async (t) => {
  const { port } = await startCanary(t)
  const open = bench(t, { allowedRanges: ['127.0.0.0/8', '::1'] })
  const four = bench(t)
  const none = bench(t, { allowedRanges: [] })

  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost', 'shop.localhost'])
    assert.equal((await open.post(`http://${host}:${port}/`)).kind, 'responded', host)
  assert.equal((await four.post(`http://localhost:${port}/`)).kind, 'responded')
  for (const host of ['[::1]', '[::ffff:127.0.0.1]', '10.0.0.1'])
    assert.equal((await four.post(`http://${host}:${port}/`)).kind, 'refused', host)
  assert.equal((await none.post(`http://localhost:${port}/`)).kind, 'refused')
})

test('http is called only where the caller allows it', async (t) => {
  const canary = await startCanary(t, { host: '127.0.0.1' })
  const { post } = bench(t)

  const posted = await post(`http://127.0.0.1:${canary.port}/`, { isHttpAllowed: false })

  assert.deepEqual(posted, {
    kind: 'refused',
    detail: 'the URL must start with https://',
    durationMs: posted.durationMs,
  })
  assert.equal(canary.connections(), 0)
})

test('a URL with forbidden parts is refused, although its address is allowed', async (t) => {
  const canary = await startCanary(t, { host: '127.0.0.1' })
  const { post } = bench(t)
  const at = `127.0.0.1:${canary.port}`

  for (const [url, detail] of [
    [`http://amina@${at}/`, 'the URL must not contain a user name or password'],
    [`http://:secret@${at}/`, 'the URL must not contain a user name or password'],
    [`http://${at}/#part`, 'the URL must not contain a fragment'],
    [`http://${at}/#`, 'the URL must not contain a fragment'],
    [`http://${at}/a b`, 'the URL cannot be read'],
    [`http://${at}/${'x'.repeat(2048)}`, 'the URL is longer than 2048 characters'],
    ['http://127.0.0.1:22/', 'the port is not allowed'],
    ['http://127.0.0.1:1023/', 'the port is not allowed'],
    [`ftp://${at}/`, 'the URL must start with https:// or http://'],
  ]) {
    const { durationMs, ...posted } = await post(url ?? '')
    assert.deepEqual(posted, { kind: 'refused', detail })
  }
  assert.equal(canary.connections(), 0)
})

test('of an endless reply 64 KiB are read and 2 KiB kept', async (t) => {
  let [written, isClosed] = [0, false]
  const url = await answering(t, (_, response) => {
    response.on('close', () => {
      isClosed = true
    })
    const write = () => {
      while (!isClosed && response.write('é'.repeat(8192))) written += 16_384
      if (!isClosed) response.once('drain', write)
    }
    write()
  })
  const { post } = bench(t)

  const posted = await post(url)

  assert.equal(posted.kind === 'responded' && posted.status, 200)
  assert.equal(posted.kind === 'responded' && posted.body, 'é'.repeat(1024))
  await until('the connection to be closed', () => isClosed)
  assert(written < 2 ** 24, `${written}`) // Only what the system's buffers took.
})

for (const [about, bytes, expected] of [
  ['plain', 'ok', 'ok'],
  ['empty', '', ''],
  ['lines', 'a\r\nb\tc\n', 'a\nb\tc\n'],
  ['control characters', 'a\0b\x1b[31mred\x7f\x9b\r', 'a�b�[31mred���'],
  ['characters that turn the direction', 'a\u202eb\u2066c', 'a�b�c'],
  ['bytes that are no UTF-8', Buffer.from('61ff62c3', 'hex'), 'a�b'],
  ['a character cut in two by the limit', `${'x'.repeat(2047)}é`, 'x'.repeat(2047)],
  ['replacements that take more room', Buffer.alloc(3000, 0xff), '�'.repeat(682)],
] as const) {
  test(`a reply is kept as text that can be stored and shown: ${about}`, async (t) => {
    const url = await answering(t, (_, response) => response.end(bytes))
    const posted = await bench(t).post(url)

    assert.equal(posted.kind === 'responded' && posted.body, expected)
    assert(Buffer.byteLength(expected) <= 2048)
  })
}

const drip = (socket: Socket, text: string) => {
  const timer = setInterval(() => socket.write(text), 20)
  socket.on('close', () => clearInterval(timer))
}

for (const [about, serve] of Object.entries<(socket: Socket) => void>({
  'says nothing': () => undefined,
  'never ends its headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    drip(socket, 'a: b\r\n')
  },
  'drips its body': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
    drip(socket, 'x')
  },
  'stops in its body': (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx'),
  'only ever sends early hints': (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
})) {
  test(`the deadline ends a call to a server that ${about}`, async (t) => {
    let isClosed = false
    const url = await rawServer(t, (socket) => {
      socket.once('close', () => {
        isClosed = true
      })
      socket.once('data', () => serve(socket))
    })

    const { durationMs, ...posted } = await bench(t, { timeoutMs: 300 }).post(url)

    assert.deepEqual(posted, { kind: 'timeout', detail: 'no complete response in time' })
    assert(durationMs >= 290 && durationMs < 2000, `${durationMs}`)
    await until('the connection to be closed', () => isClosed)
  })
}

test('the deadline includes the time of name servers', async (t) => {
  const { post } = bench(t, { timeoutMs: 100, lookup: () => new Promise(() => undefined) })

  assert.equal((await post('http://slow.example:8080/')).kind, 'timeout')
})

const closed = 'the connection was closed before the response was complete'
for (const [about, reply, detail] of [
  ['closes without a word', '', closed],
  ['closes in its headers', 'HTTP/1.1 200 OK\r\na: ', closed],
  ['closes in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx', closed],
  ['speaks something else', 'SSH-2.0-OpenSSH_9.2\r\n', 'the response is not HTTP'],
  [
    'wants to change the protocol',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
    closed,
  ],
  ['has headers without end', `HTTP/1.1 200 OK\r\n${'a: bbbbbbbbbbbb\r\n'.repeat(2000)}`, 'the headers are too long'],
] as const) {
  test(`a server that ${about} breaks the attempt`, async (t) => {
    const url = await rawServer(t, (socket) => socket.once('data', () => socket.end(reply)))
    const { durationMs, ...posted } = await bench(t, { timeoutMs: 5000 }).post(url)

    assert.deepEqual(posted, { kind: 'broken', detail })
  })
}

test('a port without a listener is unreachable, and the error reveals no address', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  const { post } = bench(t, { lookup: async () => ['127.0.0.1', '127.0.0.2'] })

  for (const host of ['127.0.0.1', 'shop.example']) {
    const { durationMs, ...posted } = await post(`http://${host}:${port}/`)
    assert.deepEqual(posted, { kind: 'unreachable', detail: 'the connection was refused' })
  }
})

test('a name with several addresses is reached by the one that responds', async (t) => {
  const { port } = await startCanary(t, { host: '127.0.0.3' })
  const { post } = bench(t, { lookup: async () => ['127.0.0.1', '127.0.0.2', '127.0.0.3'] })

  assert.equal((await post(`http://shop.example:${port}/`)).kind, 'responded')
})

test('a connection is reused while the name keeps its addresses', async (t) => {
  const canary = await startCanary(t, { host: '127.0.0.1' })
  let addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
  const { post } = bench(t, { lookup: async () => addresses })

  for (let attempt = 0; attempt < 20; attempt += 1) {
    assert.equal((await post(`http://shop.example:${canary.port}/`)).kind, 'responded')
    addresses = [...addresses.slice(1), ...addresses.slice(0, 1)] // Name servers rotate addresses; the name is unchanged.
  }

  assert.equal(canary.requests(), 20)
  assert(canary.connections() <= 2, `${canary.connections()}`) // A call may come just before the previous connection is returned.
})

test('once a name has another address, its kept connection is not reused, however fresh', async (t) => {
  const old = await startCanary(t, { host: '127.0.0.1' })
  const next = await startCanary(t, { host: '127.0.0.2', port: old.port })
  let address = '127.0.0.1'
  const { post } = bench(t, { lookup: async () => [address] })
  const url = `http://shop.example:${old.port}/`

  await post(url)
  address = '127.0.0.2'
  await post(url)
  address = '10.0.0.1'
  const { kind } = await post(url)

  assert.equal(kind, 'refused')
  assert.deepEqual([old.requests(), next.requests()], [1, 1])
})

test('a kept connection is closed after 4 s, whatever the server suggests', async (t) => {
  let [closedAt, answeredAt] = [0, 0]
  const url = await rawServer(t, (socket) => {
    socket.once('close', () => {
      closedAt = performance.now()
    })
    socket.on('data', () => {
      socket.write('HTTP/1.1 204 No Content\r\nconnection: keep-alive\r\nkeep-alive: timeout=600\r\n\r\n')
      answeredAt = performance.now()
    })
  })

  await bench(t).post(url)
  await until('the connection to be closed', () => closedAt > 0)

  assert(closedAt - answeredAt < 8000, `${closedAt - answeredAt}`)
})

test('closing the gate ends kept connections and calls in progress', async (t) => {
  let isCalled = false
  const url = await rawServer(t, () => {
    isCalled = true
  })
  const { gate, post } = bench(t)
  const waiting = post(url)
  await until('the call to be under way', () => isCalled)

  await gate.close()

  assert.equal((await waiting).kind, 'broken')
})

test('a forbidden address gets no byte, even if it passed an earlier check', async (t) => {
  const canary = await startCanary(t, { host: '127.0.0.1' })
  const pools = createPinnedPools(() => undefined)
  t.after(() => pools.close())
  const { port } = canary
  const target = { origin: `http://shop.example:${port}`, hostname: 'shop.example', port, isSecure: false }

  const used = pools.use(target, ['127.0.0.1'], (pool) => pool.request({ method: 'POST', path: '/', body: '{}' }))

  await assert.rejects(used, (error: Error) => error instanceof NoConnection && error.isForbidden)
  assert.equal(canary.requests(), 0)
})
