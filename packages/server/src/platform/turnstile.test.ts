import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTurnstile } from './turnstile.ts'

function open(over: Partial<Parameters<typeof createTurnstile>[0]> = {}) {
  let nowMs = 0
  const turnstile = createTurnstile({
    atOnce: 2,
    perTurn: 10,
    patienceMs: 100,
    inLineMax: 3,
    now: () => nowMs,
    ...over,
  })
  const begun: string[] = []
  return {
    turnstile,
    begun,
    enter: (name: string) => turnstile.enter(() => begun.push(name)),
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('so much is begun at once, the rest in the order it came, each when another is over', () => {
  const { begun, enter } = open()
  const [first] = ['a', 'b', 'c', 'd'].map(enter)

  assert.deepEqual(begun, ['a', 'b'])
  first?.()
  assert.deepEqual(begun, ['a', 'b', 'c'])
})

test('of a crowd that comes at once only so much is begun in each turn of the event loop', async () => {
  const { begun, enter } = open({ atOnce: 10, perTurn: 2 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name)

  assert.equal(begun.length, 2)
  await nextTurn()
  assert.equal(begun.length, 4)
  await nextTurn()
  assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e'])
})

test('nobody joins a line whose first has waited for too long, or that is full, and again once it has moved on', () => {
  const { enter, pass } = open()
  const ends = ['a', 'b', 'c'].map(enter)

  pass(101)
  assert.equal(enter('too late'), undefined)
  ends[0]?.()
  for (const name of ['d', 'e', 'f']) assert.ok(enter(name))
  assert.equal(enter('too many'), undefined)
})

test('who leaves the line is not begun, and takes nobody else’s place', () => {
  const { begun, enter } = open()
  const [first, second] = ['a', 'b'].map(enter)
  const [gone] = ['c', 'd', 'e'].map(enter)

  gone?.()
  first?.()
  assert.deepEqual(begun, ['a', 'b', 'd'])
  second?.()
  assert.deepEqual(begun, ['a', 'b', 'd', 'e'])
})

test('work that waits for somebody else makes room, and counts again when it goes on', async () => {
  const { turnstile, begun, enter } = open()
  for (const name of ['a', 'b', 'c', 'd']) enter(name)
  const { promise, resolve } = Promise.withResolvers<string>()

  const waited = turnstile.aside(promise)
  assert.deepEqual(begun, ['a', 'b', 'c'])
  resolve('an answer')
  assert.equal(await waited, 'an answer')
  enter('e')
  assert.deepEqual(begun, ['a', 'b', 'c'])
})
