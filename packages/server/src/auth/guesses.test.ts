import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGuesses } from './guesses.ts'

test('the eleventh failure of an address within a minute has to wait, and the next minute starts anew', () => {
  let now = 1_000_000
  const guesses = createGuesses(() => now)

  const first = Array.from({ length: 10 }, () => guesses.count('192.0.2.1'))
  assert.deepEqual(new Set(first), new Set([undefined]))
  now += 20_000
  assert.equal(guesses.count('192.0.2.1'), 40)
  now += 40_000
  assert.equal(guesses.count('192.0.2.1'), undefined)
})

test('failures of one address do not count against another', () => {
  const guesses = createGuesses()

  for (let count = 0; count < 50; count += 1) guesses.count('192.0.2.1')

  assert.equal(guesses.count('192.0.2.2'), undefined)
})
