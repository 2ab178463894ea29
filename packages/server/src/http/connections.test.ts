import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { type ConnectionLimits, createLimitedServer, postpone, proveConnection } from './connections.ts'

async function listen(t: TestContext, limits: Partial<ConnectionLimits>, handle: RequestListener = () => undefined) {
  const slow: Socket[] = []
  const onSlowBody = (socket: Socket) => {
    slow.push(socket)
    socket.destroy()
  }
  const defaults = {
    connectionsMax: 100,
    perAddressMax: 100,
    trustedProxies: [],
    onSlowBody,
    onConnect: () => undefined,
  }
  const server = createLimitedServer({ ...defaults, ...limits }, handle)
  const accepted: Socket[] = []
  server.on('connection', (socket) => accepted.push(socket))
  let parsed = 0
  server.on('request', () => {
    parsed += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    server,
    slow,
    accepted,
    parsed: () => parsed,
    /** Connects from its own loopback address. */
    open: async (localAddress = '127.0.0.1', text = '') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      sockets.push(socket)
      socket.on('error', () => undefined)
      const before = accepted.length
      await once(socket, 'connect')
      await until('the server to see it', () => accepted.length > before)
      socket.write(text)
      return socket
    },
  }
}

const isOpen = (socket: Socket) => !socket.destroyed && socket.readyState === 'open'
const isClosed = (what: string, socket: Socket) => until(what, () => socket.destroyed)

test('a process at its connection limit closes its oldest unused one for a new one', async (t) => {
  const { open } = await listen(t, { connectionsMax: 2 })
  const [first, second] = [await open('127.0.0.2'), await open('127.0.0.3')]
  const third = await open('127.0.0.4')

  await isClosed('the oldest to be closed', first)
  assert.deepEqual([second, third].map(isOpen), [true, true])
})

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('connections with a request in progress stay, and the new one is refused', async (t) => {
  let handled = 0
  const { open } = await listen(t, { connectionsMax: 2 }, () => {
    handled += 1
  })
  const busy = [await open('127.0.0.2', get), await open('127.0.0.3', get)]
  await until('their requests to be handled', () => handled === 2)

  await isClosed('the new one to be refused', await open('127.0.0.4'))

  assert.deepEqual(busy.map(isOpen), [true, true])
})

test('a connection whose client does not read its response makes room', async (t) => {
  const { open } = await listen(t, { connectionsMax: 1 }, (_, response) => response.end(Buffer.alloc(20_000_000)))
  const unread = await open('127.0.0.2', get)
  await until('its response to be sent in part', () => unread.bytesRead > 0)
  unread.pause()

  const next = await open('127.0.0.3')

  unread.resume()
  await isClosed('the one that does not read to be closed', unread)
  assert.ok(isOpen(next))
})

/** Opens connections that carried a merchant's token; without a merchant they carried none. */
async function listenToMerchants(t: TestContext, connectionsMax: number) {
  const { open, accepted } = await listen(t, { connectionsMax })
  return async (merchant: string | undefined, address = '127.0.0.1') => {
    const socket = await open(address)
    const seen = accepted.at(-1)
    assert.ok(seen)
    if (merchant !== undefined) proveConnection(seen, merchant)
    return socket
  }
}

test('the merchant with the most connections makes room, oldest first', async (t) => {
  const openAs = await listenToMerchants(t, 4)
  const [small, large, largeAgain] = [await openAs('small'), await openAs('large'), await openAs('large')]
  const unused = await openAs(undefined, '127.0.0.2')

  await openAs('another')

  await isClosed('the oldest of the merchant with the most to be closed', large)
  assert.deepEqual([small, largeAgain, unused].map(isOpen), [true, true, true])
})

test('connections without a token count as one merchant, and their busiest address makes room', async (t) => {
  const openAs = await listenToMerchants(t, 6)
  const [merchant, merchantAgain] = [await openAs('merchant'), await openAs('merchant')]
  const alone = await openAs(undefined, '127.0.0.2')
  const crowd = [
    await openAs(undefined, '127.0.0.3'),
    await openAs(undefined, '127.0.0.3'),
    await openAs(undefined, '127.0.0.3'),
  ]

  await openAs(undefined, '127.0.0.4')

  await isClosed('the oldest of the address with the most to be closed', crowd[0] as Socket)
  assert.deepEqual([merchant, merchantAgain, alone, ...crowd.slice(1)].map(isOpen), [true, true, true, true, true])
})

test('a connection that its client reset before it was accepted is closed', async (t) => {
  const { server } = await listen(t, {})
  const reset = new Socket()
  assert.equal(reset.remoteAddress, undefined)

  server.emit('connection', reset)

  assert.ok(reset.destroyed)
})

test('a connection that proves its merchant after it was chosen to make room is kept', async (t) => {
  const { open, accepted } = await listen(t, { connectionsMax: 8 })
  const unused: Socket[] = []
  for (let opened = 0; opened < 8; opened += 1) unused.push(await open('127.0.0.2'))
  const [first, second, third] = unused as [Socket, Socket, Socket]
  await open('127.0.0.3')
  await isClosed('the oldest to be closed', first)

  proveConnection(accepted[1] ?? assert.fail(), 'merchant')
  await open('127.0.0.3')

  await isClosed('the next of the same address to be closed', third)
  assert.ok(isOpen(second))
})

test('a postponed refusal is sent later, and until then its connection makes room for others', async (t) => {
  let [handled, refused] = [0, 0]
  const { open } = await listen(t, { connectionsMax: 1 }, (_, response) => {
    handled += 1
    postpone(response, handled === 1 ? 50 : 60_000, () => {
      refused += 1
      response.writeHead(429).end()
    })
  })
  const client = await open('127.0.0.2', get)
  const [reply] = (await once(client, 'data')) as [Buffer]
  assert.match(String(reply), /^HTTP\/1\.1 429 /)

  client.write(get)
  await until('the next request to be handled', () => handled === 2)
  const other = await open('127.0.0.3')

  await isClosed('the connection with a postponed refusal to be closed', client)
  assert.ok(isOpen(other))
  assert.equal(refused, 1)
})

test('pipelining too many requests closes the connection, and repeating it blocks the address', async (t) => {
  let handled = 0
  const { open, accepted, parsed } = await listen(t, {}, () => {
    handled += 1
  })
  const [other, idle, proven] = [await open('127.0.0.3'), await open('127.0.0.2'), await open('127.0.0.2')]
  const seen = accepted.at(-1)
  assert.ok(seen)
  proveConnection(seen, 'another merchant')
  await isClosed('the one that sends ahead to be closed', await open('127.0.0.2', get.repeat(1000)))
  assert.deepEqual([handled, isOpen(idle)], [16, true])
  assert.equal(parsed(), 17, 'the rest of what had arrived was not parsed')

  const more: Socket[] = []
  while (more.length < 80) more.push(await open('127.0.0.2'))
  for (const socket of more) socket.write(get.repeat(1000))

  await isClosed('all without a token to be closed', idle)
  for (const socket of more) await isClosed('each of them to be closed', socket)
  assert.deepEqual([other, proven].map(isOpen), [true, true])
  assert.ok(handled < 16 * more.length, 'they were all read')
})

const chunkedPost = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
const inChunks = (count: number, bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(count)

test('a body in tiny chunks is cut off, and a body in many chunks is not', async (t) => {
  let received = 0
  const { open } = await listen(t, {}, (request, response) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    request.on('end', () => response.end('read'))
  })

  await isClosed('the one with tiny chunks to be closed', await open('127.0.0.2', chunkedPost + inChunks(5000, 1)))
  assert.ok(received <= 257, `${received} bytes of it were read`)

  const fair = await open('127.0.0.3', `${chunkedPost}${inChunks(600, 20)}0\r\n\r\n`)
  const [response] = (await once(fair, 'data')) as [Buffer]
  assert.match(response.toString(), /read/)
})

test('a chunked request with an early response loses its connection', async (t) => {
  const { open } = await listen(t, {}, (_, response) => response.end('refused'))

  const socket = await open('127.0.0.2', chunkedPost + inChunks(10, 10))
  const [response] = (await once(socket, 'data')) as [Buffer]

  assert.match(response.toString(), /refused/)
  await isClosed('its connection to be closed', socket)
})

test('connections are limited per address, and other addresses are not affected', async (t) => {
  const { open } = await listen(t, { perAddressMax: 2 })
  const other = await open('127.0.0.3')
  const [first, second, third] = [await open(), await open(), await open()]

  await isClosed('the oldest of the address to be closed', first)
  assert.deepEqual([other, second, third].map(isOpen), [true, true, true])
})

test('an address that keeps exceeding its connection limit is refused until it pauses', async (t) => {
  let now = 0
  const { open } = await listen(t, { perAddressMax: 2, now: () => now })
  for (let opened = 0; opened < 510; opened += 1) await open('127.0.0.2')
  const [refused, other] = [await open('127.0.0.2'), await open('127.0.0.3')]
  await isClosed('one more to be refused', refused)
  assert.ok(isOpen(other))

  now = 1000
  const [served, next] = [await open('127.0.0.2'), await open('127.0.0.2')]
  assert.deepEqual([served, next].map(isOpen), [true, true])
  await open('127.0.0.2')
  await isClosed('the older of them to make room', served)
})

test('a trusted proxy has as many connections as the process', async (t) => {
  const { open } = await listen(t, { perAddressMax: 1, trustedProxies: ['127.0.0.0/8'] })

  const both = [await open(), await open()]

  assert.deepEqual(both.map(isOpen), [true, true])
})

test('a request whose body does not arrive makes room for others', async (t) => {
  const { open } = await listen(t, { connectionsMax: 1 })
  const slow = await open('127.0.0.2', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{')
  const next = await open('127.0.0.3')

  await isClosed('the slow one to be closed', slow)
  assert.ok(isOpen(next))
})

test('a request whose body does not arrive in time is refused, and a complete one is not', async (t) => {
  const replies: ServerResponse[] = []
  const { open, slow } = await listen(t, { bodyGraceMs: 100 }, (request, response) => {
    request.resume()
    replies.push(response)
  })
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n'
  const complete = await open('127.0.0.2', `${head}{}`)
  await until('its request to be handled', () => replies.length === 1)
  const incomplete = await open('127.0.0.3', `${head}{`)

  await isClosed('the slow one to be closed', incomplete)

  assert.equal(slow.length, 1)
  assert.ok(isOpen(complete))
})

test('a request gets one response only, even when its body never arrives', async (t) => {
  const { open, slow } = await listen(t, { bodyGraceMs: 100 }, (_, response) => response.end('refused'))

  const socket = await open('127.0.0.2', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{')
  socket.resume()
  await isClosed('its connection to be closed', socket)

  assert.equal(slow.length, 0)
})

test('an idle connection is closed, and one that waits for its response is not', async (t) => {
  const replies: ServerResponse[] = []
  const { open } = await listen(t, { silenceMs: 100 }, (_, response) => replies.push(response))
  const waiting = await open('127.0.0.2', get)
  await until('its request to be handled', () => replies.length === 1)
  const idle = await open('127.0.0.3')

  await isClosed('the idle one to be closed', idle)

  assert.ok(isOpen(waiting))
  replies[0]?.writeHead(200, { 'content-length': 2 }).write('h')
  const [received] = (await once(waiting, 'data')) as [Buffer]
  assert.match(received.toString(), /^HTTP\/1\.1 200 OK/)
  await isClosed('the connection whose response hangs to be closed', waiting)
})
