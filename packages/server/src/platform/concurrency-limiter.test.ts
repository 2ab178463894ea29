import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'

type Kind = 'live' | 'sandbox'

function open({ atOnce = 2, perTurn = 10_000, queueMax = 1000 } = {}) {
  let nowMs = 0
  const limiter = createConcurrencyLimiter<Kind>({
    budgets: { live: { atOnce, queueMax }, sandbox: { atOnce: 4, queueMax, beside: { live: 1 } } },
    perTurn,
    targetMs: 100,
    intervalMs: 500,
    waitMaxMs: 3000,
    now: () => nowMs,
  })
  const begun: string[] = []
  const rejected: string[] = []
  const gone = new Set<string>()
  return {
    limiter,
    begun,
    rejected,
    gone,
    enter: (name: string, kind: Kind = 'live', key = 'merchant') =>
      limiter.enter(kind, {
        key,
        begin: () => begun.push(name),
        reject: () => rejected.push(name),
        isGone: () => gone.has(name),
      }),
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('requests run up to the limit, and the rest in order as others leave', () => {
  const { limiter, begun, enter } = open()
  for (const name of ['a', 'b', 'c', 'd']) enter(name)

  assert.deepEqual(begun, ['a', 'b'])
  limiter.leave('live', 'merchant')
  assert.deepEqual(begun, ['a', 'b', 'c'])
})

test('a burst starts a limited number of requests in each turn of the event loop', async () => {
  const { begun, enter } = open({ atOnce: 10, perTurn: 2 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name)

  assert.equal(begun.length, 2)
  await nextTurn()
  assert.equal(begun.length, 4)
  await nextTurn()
  assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e'])
})

test('a burst that waits beyond the target is handled whole if it ends within the interval', () => {
  const { limiter, begun, rejected, enter, pass } = open()
  for (let number = 0; number < 40; number += 1) enter(`${number}`)

  for (let number = 0; number < 38; number += 1) {
    pass(10)
    limiter.leave('live', 'merchant')
  }

  assert.equal(begun.length, 40)
  assert.deepEqual(rejected, [])
})

test('a stall of two seconds rejects nothing: waiting requests are handled after it', () => {
  const { limiter, begun, rejected, enter, pass } = open()
  for (let number = 0; number < 40; number += 1) enter(`${number}`)

  pass(2000)
  for (let number = 0; number < 38; number += 1) {
    pass(1)
    limiter.leave('live', 'merchant')
  }

  assert.equal(begun.length, 40)
  assert.deepEqual(rejected, [])
})

test('a persistent queue is shed until waits drop below the target, and then reopens', () => {
  const { limiter, rejected, enter, pass } = open()
  let sent = 0
  /** For this many milliseconds, three requests arrive and one is handled per 10 ms. */
  const overload = (ms: number) => {
    for (let at = 0; at < ms; at += 10) {
      for (const _ of [1, 2, 3]) enter(`${sent++}`)
      pass(10)
      limiter.leave('live', 'merchant')
    }
  }

  overload(300)
  assert.deepEqual([rejected.length, limiter.isShedding('live', 'merchant')], [0, false])
  overload(2000)
  assert.ok(rejected.length > 100, `${rejected.length} rejected`)
  for (const name of ['late 1', 'late 2']) enter(name)
  pass(100)
  assert.equal(limiter.isShedding('live', 'merchant'), true)
  for (let count = 0; count < 400; count += 1) {
    pass(1)
    limiter.leave('live', 'merchant')
  }
  assert.equal(limiter.isShedding('live', 'merchant'), false)
  const before = rejected.length
  for (const name of ['x', 'y', 'z']) enter(name)
  assert.equal(rejected.length, before)
})

test('a full queue rejects new requests', () => {
  const { rejected, limiter, enter } = open({ queueMax: 2 })

  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name)

  assert.deepEqual(rejected, ['e'])
  assert.ok(limiter.isShedding('live', 'merchant'))
})

test('a request that never advances is rejected after the maximum wait', async () => {
  const { rejected, enter, pass } = open()
  for (const name of ['a', 'b', 'c']) enter(name)

  pass(3000)
  await new Promise((resolve) => setTimeout(resolve, 300)) // The sweep has its own timer.

  assert.deepEqual(rejected, ['c'])
})

test('a request whose client has disconnected is not handled', () => {
  const { limiter, begun, gone, enter } = open()
  for (const name of ['a', 'b', 'c', 'd']) enter(name)

  gone.add('c')
  limiter.leave('live', 'merchant')

  assert.deepEqual(begun, ['a', 'b', 'd'])
})

test('a request that waits for an outside call frees its slot, and counts again after it', async () => {
  const { limiter, begun, enter } = open()
  for (const name of ['a', 'b', 'c', 'd']) enter(name)
  const { promise, resolve } = Promise.withResolvers<string>()

  const waited = limiter.outside('live', 'merchant', promise)
  assert.deepEqual(begun, ['a', 'b', 'c'])
  resolve('a reply')
  assert.equal(await waited, 'a reply')
  enter('e')
  assert.deepEqual(begun, ['a', 'b', 'c'])
})

test('sandbox requests take no live slots, and have fewer of their own beside live traffic', () => {
  const { limiter, begun, enter, pass } = open()

  for (const name of ['s1', 's2', 's3']) enter(name, 'sandbox')
  for (const name of ['s4', 's5']) enter(name, 'sandbox', 'another merchant')
  assert.deepEqual(begun, ['s1', 's2', 's3', 's4'])
  for (const name of ['l1', 'l2']) enter(name)
  assert.deepEqual(begun.slice(4), ['l1', 'l2'])
  for (const _ of [1, 2, 3]) limiter.leave('sandbox', 'merchant')
  assert.equal(begun.includes('s5'), false, 'one is at work, as many as beside live')
  for (const _ of [1, 2]) limiter.leave('live', 'merchant')
  pass(1000)
  limiter.leave('sandbox', 'another merchant')
  assert.equal(begun.includes('s5'), true)
})

test('among waiting requests, live ones start first', async () => {
  const { begun, enter } = open({ perTurn: 1 })
  for (const name of ['s1', 's2']) enter(name, 'sandbox')
  enter('l1')

  await nextTurn()

  assert.deepEqual(begun, ['s1', 'l1'])
})

test('one merchant gets at most three quarters of the slots', () => {
  const { limiter, begun, enter } = open({ atOnce: 4 })

  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) enter(name, 'live', 'a')
  enter('b1', 'live', 'b')

  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1'])
  limiter.leave('live', 'a')
  assert.deepEqual(begun.slice(4), ['a4'])
})

test('merchants with waiting requests take turns', () => {
  const { limiter, begun, enter } = open()
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) enter(name, 'live', 'a')
  for (const name of ['b1', 'b2']) enter(name, 'live', 'b')
  enter('c1', 'live', 'c')

  for (const key of ['a', 'a', 'a', 'b', 'c', 'a']) limiter.leave('live', key)

  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
})

test('a merchant with a persistent queue is shed, and another is not', () => {
  const { limiter, begun, rejected, enter, pass } = open()
  let sent = 0
  for (let at = 0; at < 2000; at += 10) {
    for (const _ of [1, 2, 3]) enter(`a${sent++}`, 'live', 'a')
    pass(10)
    limiter.leave('live', 'a')
  }
  pass(100)

  assert.equal(limiter.isShedding('live', 'a'), true)
  assert.equal(limiter.isShedding('live', 'b'), false)
  enter('b', 'live', 'b')
  for (const _ of [1, 2]) limiter.leave('live', 'a')
  assert.ok(begun.includes('b'))
  assert.ok(rejected.every((name) => name.startsWith('a')))
})
