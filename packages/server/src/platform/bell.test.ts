import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../testing/servers.ts'
import { until } from '../testing/until.ts'
import { type Bell, openBell } from './bell.ts'
import { createLog } from './log.ts'

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

  one.ring('news')

  await until('the look after the ring', () => looks.count() === 2)
})

test('a ring before the connection is there is not lost', async (t) => {
  const { natsUrl } = await testDatabase()
  const listener = await openConnected(t)
  const looks = counter()
  const watch = listener.onRing('early', never, looks.look)
  t.after(() => watch.stop())

  const ringer = openBell({ url: natsUrl, log, cell: 0 })
  ringer.ring('early')
  await ringer.close()

  await until('the look after the ring', () => looks.count() === 2)
})

test('cells do not hear each other', async (t) => {
  const [mine, other] = [await openConnected(t, 1), await openConnected(t, 2)]
  const heard: string[] = []
  const watches = [
    mine.onRing('news', never, async () => void heard.push('mine')),
    other.onRing('news', never, async () => void heard.push('other')),
  ]
  t.after(() => Promise.all(watches.map((watch) => watch.stop())).then(() => undefined))

  mine.ring('news')
  await until('two looks here', () => heard.filter((who) => who === 'mine').length === 2)

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

test('a ring during a look means one more look after it', async (t) => {
  const bell = await openConnected(t)
  const waiting: (() => void)[] = []
  let looks = 0
  const watch = bell.onRing('slow', never, () => {
    looks += 1
    return new Promise((resolve) => waiting.push(resolve))
  })
  await until('the first look to begin', () => looks === 1)

  for (let count = 0; count < 5; count += 1) bell.ring('slow')
  const other = await openConnected(t)
  const heard = counter()
  const echo = other.onRing('echo', never, heard.look)
  bell.ring('echo') // Comes after the five, so that they have been heard when this has.
  await until('the echo', () => heard.count() === 2)
  waiting.shift()?.()
  await until('the second look to begin', () => looks === 2)
  waiting.shift()?.()
  await watch.stop()
  await echo.stop()

  assert.equal(looks, 2)
})
