import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFailedLogins } from './failed-logins.ts'

test('after ten failures in a minute an address must wait until the minute ends', () => {
  let now = 1_000_000
  const logins = createFailedLogins(() => now)

  const first = Array.from({ length: 10 }, (_, index) => logins.count('192.0.2.1', `${index}`))
  assert.deepEqual(new Set(first), new Set([undefined]))
  now += 20_000
  assert.equal(logins.count('192.0.2.1', 'x'), 40)
  now += 40_000
  assert.equal(logins.count('192.0.2.1', 'y'), undefined)
})

test('failures of one address do not count against another', () => {
  const logins = createFailedLogins()

  for (let count = 0; count < 50; count += 1) logins.count('192.0.2.1', 'x')

  assert.equal(logins.count('192.0.2.2', 'x'), undefined)
})

test('a wrong pair is remembered as wrong for a minute, and no other pair is', () => {
  let now = 1_000_000
  const logins = createFailedLogins(() => now)

  logins.count('192.0.2.1', 'wrong')

  assert.deepEqual([logins.isKnown('wrong'), logins.isKnown('other')], [true, false])
  now += 60_000
  assert.equal(logins.isKnown('wrong'), false)
})
