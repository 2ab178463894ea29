import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords, requireGoodPassword } from './passwords.ts'
import { makeTotpSecret, stepAt, stepOfCode, totpCode } from './totp.ts'

test('a password matches its own hash and no other, and a missing hash matches nothing', async () => {
  const passwords = createPasswords()
  const hash = await passwords.hash('maji ya kunywa 7')

  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w-]{22}\$[\w-]{43}$/)
  assert.equal(await passwords.matches('maji ya kunywa 7', hash), true)
  assert.equal(await passwords.matches('maji ya kunywa 8', hash), false)
  assert.equal(await passwords.matches('maji ya kunywa 7', undefined), false)
  assert.notEqual(await passwords.hash('maji ya kunywa 7'), hash)
})

test('a hash with another cost still matches, and is not current', async () => {
  const passwords = createPasswords()
  const cheaper = '$argon2id$v=19$m=8192,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$'
  const { argon2Sync } = await import('node:crypto')
  const parameters = { message: 'maji ya kunywa 7', nonce: Buffer.from('saltsaltsaltsalt'), parallelism: 1 }
  const tag = argon2Sync('argon2id', { ...parameters, tagLength: 32, memory: 8192, passes: 2 }).toString('base64url')

  assert.equal(await passwords.matches('maji ya kunywa 7', cheaper + tag), true)
  assert.equal(passwords.isCurrent(cheaper + tag), false)
  assert.equal(passwords.isCurrent(await passwords.hash('maji ya kunywa 7')), true)
})

test('a short, common or repeated password, or one with the own address, is refused', () => {
  const refused = [
    'short',
    'password1234',
    'Password-1234!',
    'qwertyuiop123',
    'aaaaaaaaaaaaaa',
    'abcabcabcabcabc',
    'x wanjiru.k 2026',
  ]

  for (const password of refused)
    assert.throws(() => requireGoodPassword(password, 'wanjiru.k@example.com'), { key: 'VALIDATION' }, password)
  requireGoodPassword('maji ya kunywa 7', 'wanjiru.k@example.com')
})

test('codes are those of RFC 6238, and count one step early and late', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' // The RFC's test secret, 12345678901234567890.
  const published = { 59: '287082', 1111111109: '081804', 1234567890: '005924', 2000000000: '279037' }

  for (const [seconds, code] of Object.entries(published))
    assert.equal(totpCode(secret, stepAt(Number(seconds) * 1000)), code)
  const [atMs, step] = [1_234_567_890_000, stepAt(1_234_567_890_000)]
  const found = [-2, -1, 0, 1, 2].map((drift) => stepOfCode(secret, totpCode(secret, step + drift), atMs))
  assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined])
  assert.equal(stepOfCode(secret, '', atMs), undefined)
  assert.match(makeTotpSecret(), /^[A-Z2-7]{32}$/)
})
