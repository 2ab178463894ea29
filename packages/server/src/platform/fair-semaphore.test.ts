import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createFairSemaphore } from './fair-semaphore.ts'

function open(max: number, waitMaxMs = 60_000) {
  const semaphore = createFairSemaphore(max, waitMaxMs)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    semaphore,
    begun,
    begin: (name: string) =>
      semaphore.run(name.charAt(0), () => {
        begun.push(name)
        const { promise, resolve } = Promise.withResolvers<void>()
        ends.set(name, resolve)
        return promise
      }),
    end: async (name: string) => {
      ends.get(name)?.()
      await nextTurn()
    },
  }
}

test('slow work of one key leaves a quarter of the slots to others', () => {
  const { begin, begun, semaphore } = open(4)

  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void begin(name)

  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1'])
  assert.equal(semaphore.waiting(), 1)
})

test('waiting keys take turns, each in the order of its own work', async () => {
  const { begin, begun, end, semaphore } = open(1)
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void begin(name)

  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await end(name)

  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  assert.equal(semaphore.waiting(), 0)
})

test('work that waits too long is refused and takes no turn', async () => {
  const { begin, begun, end, semaphore } = open(1, 20)
  void begin('a1')

  await assert.rejects(begin('b1'), { key: 'OVERLOADED' })
  await end('a1')
  void begin('c1')

  assert.deepEqual(begun, ['a1', 'c1'])
  assert.equal(semaphore.waiting(), 0)
})

test('failed work frees its slot', async () => {
  const { semaphore, begin, begun } = open(1)

  await assert.rejects(semaphore.run('a', () => Promise.reject(new Error('failed'))))
  void begin('b1')

  assert.deepEqual(begun, ['b1'])
})
