import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKey, makeKey } from './keys.ts'

test('a key shows its kind and environment', () => {
  assert.match(makeKey('pk', 'live'), /^pk_live_[0-9A-Za-z]{49}$/)
  assert.match(makeKey('sk', 'sandbox'), /^sk_test_[0-9A-Za-z]{49}$/)
})

test('every generated key is recognised, as its own kind only', () => {
  for (let count = 0; count < 1000; count += 1) {
    const key = makeKey('sk', 'live')
    assert.ok(isKey('sk', key), key)
    assert.ok(!isKey('pk', key), key)
  }
})

test('a key with any one character changed is not recognised', () => {
  const key = makeKey('sk', 'sandbox')

  for (let index = 8; index < key.length; index += 1) {
    const other = key.charAt(index) === 'a' ? 'b' : 'a'
    assert.ok(!isKey('sk', key.slice(0, index) + other + key.slice(index + 1)))
  }
})

test('text that only resembles a key is not recognised', () => {
  for (const text of ['', 'sk_test_', 'sk_test_guess', `sk_prod_${'a'.repeat(49)}`, `${makeKey('sk', 'live')}\n`])
    assert.ok(!isKey('sk', text), text)
})
