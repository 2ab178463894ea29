import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { until } from '../dev-stack/until.ts'
import { createLog } from './log.ts'
import { connectNats } from './nats.ts'
import { openWakeups, type Wakeups } from './wakeups.ts'

const log = createLog({ level: 'fatal' })
const never = 1_000_000

/** A poll that only counts. */
function counter() {
  let count = 0
  const poll = async () => {
    count += 1
  }
  return { poll, count: () => count }
}

async function openConnected(t: { after(work: () => Promise<void>): void }, cell = 0): Promise<Wakeups> {
  const { natsUrl } = await testDatabase()
  const wakeups = openWakeups({ url: natsUrl, log, cell })
  t.after(() => wakeups.close())
  await until('NATS', () => wakeups.isConnected())
  return wakeups
}

test('a wake in one process makes another poll', async (t) => {
  const [one, two] = [await openConnected(t), await openConnected(t)]
  const polls = counter()
  const watch = two.onWake('work', never, polls.poll)
  t.after(() => watch.stop())
  await until('the first look', () => polls.count() === 1)

  await until('a poll after a wakeup', () => {
    one.wake('work')
    return polls.count() >= 2
  })
})

test('without NATS a wake reaches its own process, nothing is logged, and close works', async () => {
  const lines: string[] = []
  const wakeups = openWakeups({
    url: undefined,
    log: createLog({ level: 'debug', write: (line) => lines.push(line) }),
    cell: 0,
  })
  const polls = counter()
  const watch = wakeups.onWake('work', never, polls.poll)
  await until('the first look', () => polls.count() === 1)

  wakeups.wake('work')

  await until('a poll after a wakeup', () => polls.count() === 2)
  assert.equal(wakeups.isConnected(), false)
  await watch.stop()
  await wakeups.close()
  assert.deepEqual(lines, [])
})

test('a wake before the connection is ready is not lost', async (t) => {
  const { natsUrl } = await testDatabase()
  const listener = await openConnected(t)
  const polls = counter()
  const watch = listener.onWake('early', never, polls.poll)
  t.after(() => watch.stop())

  await until('the listener to hear', () => {
    listener.wake('early')
    return polls.count() >= 2
  })
  const before = polls.count()

  const waker = openWakeups({ url: natsUrl, log, cell: 0 })
  waker.wake('early')
  await waker.close()

  await until('the poll after the wakeup', () => polls.count() > before)
})

test('a topic woken many times in one turn is published once', async (t) => {
  const { natsUrl } = await testDatabase()
  const wakeups = await openConnected(t)
  const heard: string[] = []
  const listener = await connectNats(natsUrl)
  t.after(() => listener.close())
  listener.subscribe('malipo.0.>', { callback: (_, { subject }) => void heard.push(subject) })
  await listener.flush()

  for (let times = 0; times < 100; times += 1) wakeups.wake('often')
  wakeups.wake('last')

  await until('the last wakeup', () => heard.includes('malipo.0.last'))
  assert.deepEqual(
    heard.filter((subject) => subject === 'malipo.0.often'),
    ['malipo.0.often'],
  )
})

test("cells do not receive each other's wakeups", async (t) => {
  const [mine, other] = [await openConnected(t, 1), await openConnected(t, 2)]
  const heard: string[] = []
  const watches = [
    mine.onWake('work', never, async () => void heard.push('mine')),
    other.onWake('work', never, async () => void heard.push('other')),
  ]
  t.after(() => Promise.all(watches.map((watch) => watch.stop())).then(() => undefined))

  await until('two looks here', () => {
    mine.wake('work')
    return heard.filter((who) => who === 'mine').length >= 2
  })

  assert.equal(heard.filter((who) => who === 'other').length, 1)
})

test('polling continues without NATS, one poll at a time, and after a failed poll', async (t) => {
  const wakeups = openWakeups({ url: 'nats://127.0.0.1:9', log, cell: 0 })
  t.after(() => wakeups.close())
  let polls = 0
  let atOnce = 0
  let atOnceMax = 0
  const watch = wakeups.onWake('work', 1, async () => {
    atOnce += 1
    atOnceMax = Math.max(atOnceMax, atOnce)
    polls += 1
    await Promise.resolve()
    atOnce -= 1
    if (polls === 2) throw new Error('this look fails')
  })

  await until('five looks', () => polls >= 5)
  await watch.stop()

  assert.equal(atOnceMax, 1)
  assert.ok(!wakeups.isConnected())
})

test('a failed poll is repeated within seconds, however long its interval is', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const wakeups = openWakeups({ url: undefined, log, cell: 0 })
  let polls = 0
  const watch = wakeups.onWake('partitions', never, async () => {
    polls += 1
    if (polls === 1) throw new Error('no connection')
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  await settled()

  t.mock.timers.tick(5000)
  await settled()
  t.mock.timers.tick(5000)
  await settled()

  assert.equal(polls, 2)
  await watch.stop()
  await wakeups.close()
})

test('any number of wakes during a poll cause one more poll', async (t) => {
  const wakeups = await openConnected(t)
  const first = Promise.withResolvers<void>()
  let polls = 0
  const watch = wakeups.onWake('slow', never, () => {
    polls += 1
    return first.promise
  })
  const echoes = counter()
  const echo = wakeups.onWake('echo', never, echoes.poll)
  t.after(() => Promise.all([watch.stop(), echo.stop()]).then(() => undefined))
  await until('wakeups to arrive', () => {
    wakeups.wake('slow')
    wakeups.wake('echo') // Sent after the wake before it, so that wake has arrived when this one has.
    return echoes.count() >= 3
  })

  assert.equal(polls, 1)
  first.resolve()
  await until('the second look', () => polls >= 2)
})

test('wakeups with an unreachable or hanging NATS close within moments without an error', async () => {
  const sockets: Socket[] = []
  const deaf = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(deaf, 'listening')
  const { port } = deaf.address() as { port: number }
  const wakeupClients = [`nats://127.0.0.1:${port}`, 'nats://127.0.0.1:9'].map((url) =>
    openWakeups({ url, log, cell: 0 }),
  )
  const startedAt = performance.now()

  for (const wakeups of wakeupClients) {
    wakeups.wake('work')
    await wakeups.close()
    wakeups.wake('work')
  }
  deaf.close()
  for (const socket of sockets) socket.destroy()

  assert.ok(performance.now() - startedAt < 6000)
})

test('a hanging NATS is retried without accumulating connections', async (t) => {
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
  const wakeups = openWakeups({ url: `nats://127.0.0.1:${port}`, log, cell: 0 })
  t.after(() => wakeups.close())

  await until('three tries', () => tries === 3)

  assert.ok(open <= 1, `${open} are open`)
})

test('wakeups reconnect after a lost connection and arrive again', async (t) => {
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
  const wakeups = openWakeups({ url: `nats://127.0.0.1:${port}`, log, cell: 7 })
  t.after(() => wakeups.close())
  const polls = counter()
  const watch = wakeups.onWake('work', never, polls.poll)
  t.after(() => watch.stop())
  await until('NATS', () => wakeups.isConnected())

  for (const socket of carried) socket.destroy()
  await until('the loss to be seen', () => !wakeups.isConnected())
  await until('NATS again', () => wakeups.isConnected())
  const before = polls.count()

  await until('a wakeup to arrive', () => {
    wakeups.wake('work')
    return polls.count() > before
  })
})
