import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKey, makeKey } from './keys.ts'

test('a key shows its kind, environment and cell', () => {
  assert.match(makeKey('pk', 'live', 0), /^pk_live_000[0-9A-Za-z]{49}$/)
  assert.match(makeKey('sk', 'sandbox', 0xabc), /^sk_test_abc[0-9A-Za-z]{49}$/)
})

test('every generated key is recognised, as its own kind only', () => {
  for (let cell = 0; cell < 1000; cell += 1) {
    const key = makeKey('sk', 'live', cell)
    assert.ok(isKey('sk', key), key)
    assert.ok(!isKey('pk', key), key)
  }
})

/** Made by an earlier release for this test, and known to no database. */
const earlier = ['sk', 'test', 'esteeFf6wFf20ePIvWH1tljwznLx2hHmjbZ0xl5423t47g0vH'].join('_')

test('a key of an earlier release, which names no cell, is recognised', () => {
  assert.ok(isKey('sk', earlier))
})

test('a key with any one character changed is not recognised', () => {
  for (const key of [makeKey('sk', 'sandbox', 7), earlier])
    for (let index = 8; index < key.length; index += 1) {
      const other = key.charAt(index) === 'a' ? 'b' : 'a'
      assert.ok(!isKey('sk', key.slice(0, index) + other + key.slice(index + 1)))
    }
})

test('text that only resembles a key is not recognised', () => {
  const key = makeKey('sk', 'live', 7)
  const short = key.slice(0, 8) + key.slice(11)
  for (const text of ['', 'sk_test_', 'sk_test_guess', `sk_prod_${'a'.repeat(49)}`, `${key}\n`, short])
    assert.ok(!isKey('sk', text), text)
})
