import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

test('work of one key runs in order, even after a failure, and other keys do not wait', async () => {
  const inTurn = createTurns()
  const done: string[] = []
  const first = Promise.withResolvers<void>()
  const work = (name: string, until: Promise<void> = Promise.resolve()) =>
    until.then(() => {
      done.push(name)
      if (name === 'a1') throw new Error('a1 failed')
    })

  const all = [
    inTurn('a', () => work('a1', first.promise)),
    inTurn('a', () => work('a2')),
    inTurn('b', () => work('b1')),
  ]
  await all[2]
  assert.deepEqual(done, ['b1'])
  first.resolve()

  await assert.rejects(all[0] as Promise<void>, /a1 failed/)
  await all[1]
  assert.deepEqual(done, ['b1', 'a1', 'a2'])
})
