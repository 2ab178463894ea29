import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { until } from '../dev-stack/until.ts'
import { createLog } from './log.ts'
import { connectNats } from './nats.ts'
import { type Bell, openBell } from './wakeups.ts'

const log = createLog({ level: 'fatal' })
const never = 1_000_000

/** A look that only counts. */
function counter() {
  let count = 0
  const look = async () => {
    count += 1
  }
  return { look, count: () => count }
}

async function openConnected(t: { after(work: () => Promise<void>): void }, cell = 0): Promise<Bell> {
  const { natsUrl } = await testDatabase()
  const bell = openBell({ url: natsUrl, log, cell })
  t.after(() => bell.close())
  await until('the bell', () => bell.isConnected())
  return bell
}

test('a ring in one process makes another look', async (t) => {
  const [one, two] = [await openConnected(t), await openConnected(t)]
  const looks = counter()
  const watch = two.onRing('news', never, looks.look)
  t.after(() => watch.stop())
  await until('the first look', () => looks.count() === 1)

  await until('a look after a ring', () => {
    one.ring('news')
    return looks.count() >= 2
  })
})

test('without a NATS a ring is heard in its own process, nothing is complained of, and it closes', async () => {
  const lines: string[] = []
  const bell = openBell({
    url: undefined,
    log: createLog({ level: 'debug', write: (line) => lines.push(line) }),
    cell: 0,
  })
  const looks = counter()
  const watch = bell.onRing('news', never, looks.look)
  await until('the first look', () => looks.count() === 1)

  bell.ring('news')

  await until('a look after a ring', () => looks.count() === 2)
  assert.equal(bell.isConnected(), false)
  await watch.stop()
  await bell.close()
  assert.deepEqual(lines, [])
})

test('a ring before the connection is there is not lost', async (t) => {
  const { natsUrl } = await testDatabase()
  const listener = await openConnected(t)
  const looks = counter()
  const watch = listener.onRing('early', never, looks.look)
  t.after(() => watch.stop())

  await until('the listener to hear', () => {
    listener.ring('early')
    return looks.count() >= 2
  })
  const before = looks.count()

  const ringer = openBell({ url: natsUrl, log, cell: 0 })
  ringer.ring('early')
  await ringer.close()

  await until('the look after the ring', () => looks.count() > before)
})

test('however often a topic is rung in one turn, it rings once', async (t) => {
  const { natsUrl } = await testDatabase()
  const bell = await openConnected(t)
  const heard: string[] = []
  const listener = await connectNats(natsUrl)
  t.after(() => listener.close())
  listener.subscribe('malipo.0.>', { callback: (_, { subject }) => void heard.push(subject) })
  await listener.flush()

  for (let times = 0; times < 100; times += 1) bell.ring('often')
  bell.ring('last')

  await until('the last ring', () => heard.includes('malipo.0.last'))
  assert.deepEqual(
    heard.filter((subject) => subject === 'malipo.0.often'),
    ['malipo.0.often'],
  )
})

test('cells do not hear each other', async (t) => {
  const [mine, other] = [await openConnected(t, 1), await openConnected(t, 2)]
  const heard: string[] = []
  const watches = [
    mine.onRing('news', never, async () => void heard.push('mine')),
    other.onRing('news', never, async () => void heard.push('other')),
  ]
  t.after(() => Promise.all(watches.map((watch) => watch.stop())).then(() => undefined))

  await until('two looks here', () => {
    mine.ring('news')
    return heard.filter((who) => who === 'mine').length >= 2
  })

  assert.equal(heard.filter((who) => who === 'other').length, 1)
})

test('looks go on without NATS, one at a time, and after one that failed', async (t) => {
  const bell = openBell({ url: 'nats://127.0.0.1:9', log, cell: 0 })
  t.after(() => bell.close())
  let looks = 0
  let atOnce = 0
  let atOnceMax = 0
  const watch = bell.onRing('news', 1, async () => {
    atOnce += 1
    atOnceMax = Math.max(atOnceMax, atOnce)
    looks += 1
    await Promise.resolve()
    atOnce -= 1
    if (looks === 2) throw new Error('this look fails')
  })

  await until('five looks', () => looks >= 5)
  await watch.stop()

  assert.equal(atOnceMax, 1)
  assert.ok(!bell.isConnected())
})

test('a wake during a look means one more look after it, however many they were', async (t) => {
  const bell = await openConnected(t)
  const first = Promise.withResolvers<void>()
  let looks = 0
  const watch = bell.onRing('slow', never, () => {
    looks += 1
    return first.promise
  })
  const echoes = counter()
  const echo = bell.onRing('echo', never, echoes.look)
  t.after(() => Promise.all([watch.stop(), echo.stop()]).then(() => undefined))
  await until('rings to be heard', () => {
    bell.ring('slow')
    bell.ring('echo') // Comes after the ring before it, so that this has been heard when that has.
    return echoes.count() >= 3
  })

  assert.equal(looks, 1)
  first.resolve()
  await until('the second look', () => looks >= 2)
})

test('a bell whose NATS is gone or deaf closes within moments and fails nobody', async () => {
  const sockets: Socket[] = []
  const deaf = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(deaf, 'listening')
  const { port } = deaf.address() as { port: number }
  const bells = [`nats://127.0.0.1:${port}`, 'nats://127.0.0.1:9'].map((url) => openBell({ url, log, cell: 0 }))
  const startedAt = performance.now()

  for (const bell of bells) {
    bell.ring('news')
    await bell.close()
    bell.ring('news')
  }
  deaf.close()
  for (const socket of sockets) socket.destroy()

  assert.ok(performance.now() - startedAt < 6000)
})

test('a NATS that is deaf is tried again and again without gathering connections', async (t) => {
  let [open, tries] = [0, 0]
  const deaf = createServer((socket) => {
    open += 1
    tries += 1
    socket.on('error', () => undefined)
    socket.once('close', () => {
      open -= 1
    })
    socket.resume()
  }).listen(0, '127.0.0.1')
  await once(deaf, 'listening')
  t.after(() => deaf.close())
  const { port } = deaf.address() as { port: number }
  const bell = openBell({ url: `nats://127.0.0.1:${port}`, log, cell: 0 })
  t.after(() => bell.close())

  await until('three tries', () => tries === 3)

  assert.ok(open <= 1, `${open} are open`)
})

test('a bell that lost its connection is connected again, and hears', async (t) => {
  const { natsUrl } = await testDatabase()
  const carried = new Set<Socket>()
  const relay = createServer((socket) => {
    const onward = connect(Number(new URL(natsUrl).port), '127.0.0.1')
    for (const each of [socket, onward]) {
      carried.add(each)
      each.on('error', () => undefined)
    }
    socket.pipe(onward).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.after(() => relay.close())
  const { port } = relay.address() as { port: number }
  const bell = openBell({ url: `nats://127.0.0.1:${port}`, log, cell: 7 })
  t.after(() => bell.close())
  const looks = counter()
  const watch = bell.onRing('news', never, looks.look)
  t.after(() => watch.stop())
  await until('the bell', () => bell.isConnected())

  for (const socket of carried) socket.destroy()
  await until('the loss to be seen', () => !bell.isConnected())
  await until('the bell again', () => bell.isConnected())
  const before = looks.count()

  await until('a ring to be heard', () => {
    bell.ring('news')
    return looks.count() > before
  })
})
