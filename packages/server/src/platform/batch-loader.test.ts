import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatchLoader } from './batch-loader.ts'

test('keys that arrive during a load go into the next one, each with its own value', async () => {
  const asked: string[][] = []
  const find = createBatchLoader(async (keys: readonly string[]) => {
    asked.push([...keys])
    await new Promise(setImmediate)
    return keys.map((key) => key.toUpperCase())
  })

  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'b'].map(find)), ['A', 'B', 'C', 'B'])
  assert.deepEqual(asked, [['a'], ['b', 'c', 'b']])
  assert.equal(await find('d'), 'D')
})

test('a failed load rejects its own callers, and the next load still runs', async () => {
  const find = createBatchLoader(async (keys: readonly string[]) => {
    await new Promise(setImmediate)
    if (keys.includes('bad')) throw new Error('no response')
    return keys
  })

  const answers = await Promise.allSettled([find('a'), find('bad'), find('b'), find('a').then(() => find('c'))])

  assert.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected'],
  )
  assert.equal(await find('c'), 'c')
})
