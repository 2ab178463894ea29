import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createVault } from './seal.ts'

const key = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) })
const older = key('2026-10')
const newer = key('2026-11')
const vault = createVault([newer, older])
const place = 'webhook_endpoints|secret|mer_1|live'

test('what was sealed opens in its own place', () => {
  assert.equal(vault.open(vault.seal('whsec_x', place), place), 'whsec_x')
})

test('sealed text moved to another place does not open', () => {
  const sealed = vault.seal('whsec_x', place)

  assert.throws(() => vault.open(sealed, 'webhook_endpoints|secret|mer_2|live'))
})

test('a changed byte anywhere keeps sealed text shut', () => {
  const sealed = vault.seal('whsec_x', place)
  const bytes = Buffer.from(sealed.slice(sealed.indexOf('.') + 1), 'base64url')

  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
    assert.throws(() => vault.open(`${newer.id}.${changed.toString('base64url')}`, place))
  }
})

test('what an older key wrote is still read, and the newest key writes', () => {
  const before = createVault([older])

  assert.equal(vault.open(before.seal('whsec_x', place), place), 'whsec_x')
  assert.ok(vault.matches('sk_1', 'api key', before.hash('sk_1', 'api key')))
  assert.ok(vault.seal('whsec_x', place).startsWith('2026-11.'))
})

test('a key taken out of the list is named when it is missed', () => {
  const sealed = vault.seal('whsec_x', place)

  assert.throws(() => createVault([older]).open(sealed, place), /no secret key called 2026-11/)
})

test('a hash recognises its text, for its purpose only', () => {
  const hash = vault.hash('sk_1', 'api key')

  assert.ok(vault.matches('sk_1', 'api key', hash))
  assert.ok(!vault.matches('sk_2', 'api key', hash))
  assert.ok(!vault.matches('sk_1', 'card', hash))
})
