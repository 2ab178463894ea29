import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore } from './semaphore.ts'

test('work runs up to the limit, in order, and failed work frees its slot', async () => {
  const inTurn = createSemaphore(2)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const run = (name: string) => {
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    return inTurn(() => {
      begun.push(name)
      return end.promise
    })
  }
  const all = ['a', 'b', 'c', 'd'].map(run)

  assert.deepEqual(begun, ['a', 'b'])
  ends.get('a')?.reject(new Error('failed'))
  await assert.rejects(all[0] ?? Promise.resolve())
  assert.deepEqual(begun, ['a', 'b', 'c'])
  for (const name of ['b', 'c', 'd']) ends.get(name)?.resolve()
  await Promise.all(all.slice(1))
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
  assert.equal(await inTurn(async () => 'free again'), 'free again')
})
