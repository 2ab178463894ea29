import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createVault } from './seal.ts'

const key = (id: string, version: 1 | 2) => ({ id, key: createSecretKey(randomBytes(32)), version })
const older = key('2026-10', 1)
const newer = key('2026-11', 2)
const vault = createVault([newer, older])
const place = 'webhook_endpoints|secret|mer_1|live'
const at = (time: string) => () => Date.parse(time)
const bodyOf = (sealed: string) => sealed.slice(sealed.lastIndexOf('.') + 1)

test('sealed text opens in its own place', () => {
  assert.equal(vault.open(vault.seal('whsec_x', place), place), 'whsec_x')
})

test('sealed text moved to another place does not open', () => {
  const sealed = vault.seal('whsec_x', place)

  assert.throws(() => vault.open(sealed, 'webhook_endpoints|secret|mer_2|live'))
})

test('a changed byte anywhere keeps sealed text closed', () => {
  const sealed = vault.seal('whsec_x', place)
  const [head, bytes] = [sealed.slice(0, sealed.lastIndexOf('.')), Buffer.from(bodyOf(sealed), 'base64url')]

  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
    assert.throws(() => vault.open(`${head}.${changed.toString('base64url')}`, place))
  }
})

test('text sealed by an older key still opens, and the newest key seals', () => {
  const before = createVault([older])

  assert.equal(vault.open(before.seal('whsec_x', place), place), 'whsec_x')
  assert.ok(vault.matches('sk_1', 'api key', before.hash('sk_1', 'api key')))
  assert.ok(vault.seal('whsec_x', place).startsWith('2026-11.'))
})

test('a key removed from the list is named when it is needed', () => {
  const sealed = vault.seal('whsec_x', place)

  assert.throws(() => createVault([older]).open(sealed, place), /no secret key called 2026-11/)
})

test('a hash recognises its text, for its purpose only', () => {
  const hash = vault.hash('sk_1', 'api key')

  assert.ok(vault.matches('sk_1', 'api key', hash))
  assert.ok(!vault.matches('sk_2', 'api key', hash))
  assert.ok(!vault.matches('sk_1', 'card', hash))
})

test('a key of version 2 has a data key for each day and purpose, and names the day', () => {
  const monday = createVault([newer], at('2026-11-16T23:59:59Z'))
  const tuesday = createVault([newer], at('2026-11-17T00:00:00Z'))
  const sealed = monday.seal('whsec_x', place)

  assert.match(sealed, /^2026-11\.20261116\.[\w-]+$/)
  assert.match(tuesday.seal('whsec_x', place), /^2026-11\.20261117\./)
  assert.equal(tuesday.open(sealed, place), 'whsec_x')
  assert.throws(() => monday.open(sealed.replace('20261116', '20261117'), place), 'another day')
  assert.throws(() => monday.open(`2026-11.${bodyOf(sealed)}`, place), 'no day')
  assert.throws(() => monday.open(sealed, 'callbacks.content mer_1'), 'another purpose')
})

test('a key that became version 2 opens its old values and reports them as not newest', () => {
  const before = createVault([older])
  const after = createVault([{ ...older, version: 2 }])
  const sealed = before.seal('whsec_x', place)

  assert.equal(after.open(sealed, place), 'whsec_x')
  assert.match(sealed, new RegExp(before.newestPattern))
  assert.doesNotMatch(sealed, new RegExp(after.newestPattern))
  assert.match(after.seal('whsec_x', place), new RegExp(after.newestPattern))
  assert.doesNotMatch(after.seal('whsec_x', place), new RegExp(vault.newestPattern), 'another key')
  assert.doesNotMatch(after.seal('whsec_x', place), new RegExp(before.newestPattern), 'another version')
})

test('values of ten thousand days open, repeatedly', () => {
  const days = Array.from({ length: 10_000 }, (_, day) => Date.UTC(2026, 0, 1 + day))
  const sealed = days.map((ms) => createVault([newer], () => ms).seal(String(ms), place))

  for (const [index, ms] of [...days.entries(), ...days.entries()])
    assert.equal(vault.open(sealed[index] ?? '', place), String(ms))
})

test('a context that does not start with its table is refused', () => {
  for (const context of ['', ' x', '|a|b', 'transactions.counterparty']) assert.throws(() => vault.seal('x', context))
})
