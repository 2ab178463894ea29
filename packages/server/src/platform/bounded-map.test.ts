import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedMap } from './bounded-map.ts'

test('a bounded map keeps the latest entries and drops the rest', () => {
  const map = new BoundedMap<number, string>(3)

  for (const key of [1, 2, 3]) map.set(key, 'first')
  map.set(1, 'again')
  map.set(4, 'first')

  assert.deepEqual([...map.keys()], [3, 1, 4])
})
