import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGatherer } from './batch-loader.ts'

test('what is asked for while a question is under way goes into the next, each with its own answer', async () => {
  const asked: string[][] = []
  const find = createGatherer(async (keys: readonly string[]) => {
    asked.push([...keys])
    await new Promise(setImmediate)
    return keys.map((key) => key.toUpperCase())
  })

  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'b'].map(find)), ['A', 'B', 'C', 'B'])
  assert.deepEqual(asked, [['a'], ['b', 'c', 'b']])
  assert.equal(await find('d'), 'D')
})

test('a question that fails is told to those who put it, and the next is put all the same', async () => {
  const find = createGatherer(async (keys: readonly string[]) => {
    await new Promise(setImmediate)
    if (keys.includes('bad')) throw new Error('no answer')
    return keys
  })

  const answers = await Promise.allSettled([find('a'), find('bad'), find('b'), find('a').then(() => find('c'))])

  assert.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected'],
  )
  assert.equal(await find('c'), 'c')
})
