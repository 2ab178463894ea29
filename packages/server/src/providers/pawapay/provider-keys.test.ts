import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { Outbound, OutboundReply } from '../../platform/outbound-http.ts'
import { createProviderKeys } from './provider-keys.ts'

const pem = String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }))
const answer = (body: unknown, status = 200): OutboundReply => ({
  kind: 'responded',
  status,
  headers: {},
  text: JSON.stringify(body),
})
const dayMs = 24 * 3600_000

function keysWith(...replies: readonly OutboundReply[]) {
  const world = { calls: 0, at: 0 }
  const outbound: Outbound = {
    call: async () => replies[world.calls++] ?? answer([]),
    close: async () => undefined,
  }
  return { world, find: createProviderKeys({ outbound, headers: () => ({}), now: () => world.at }) }
}

test('the keys are fetched once a day, however many callbacks arrive', async () => {
  const list = answer([{ id: 'one', key: pem }])
  const { world, find } = keysWith(list, list)

  assert.ok((await Promise.all(Array.from({ length: 20 }, () => find('one')))).every(Boolean))
  world.at = dayMs - 1
  assert.ok(await find('one'))
  assert.equal(world.calls, 1)
  world.at = dayMs
  assert.ok(await find('one'))
  assert.equal(world.calls, 2)
})

test('an unknown key id refetches the keys at most once a minute and finds a new key', async () => {
  const { world, find } = keysWith(answer([{ id: 'one', key: pem }]), answer([{ id: 'two', key: pem }]))
  await find('one')

  for (let forged = 0; forged < 50; forged++) assert.equal(await find(`forged-${forged}`), undefined)
  assert.equal(world.calls, 1)
  world.at = 60_000
  assert.ok(await find('two'))
  assert.equal(await find('one'), undefined, 'a withdrawn key is not accepted')
  assert.equal(world.calls, 2)
})

test('when the keys cannot be fetched, today’s stay valid and yesterday’s do not', async () => {
  const { world, find } = keysWith(
    answer([{ id: 'one', key: pem }]),
    answer('<html>', 503),
    { kind: 'timeout', detail: '' },
    answer({ not: 'a list' }),
  )
  await find('one')

  world.at = 60_000
  assert.equal(await find('two'), undefined)
  assert.ok(await find('one'))
  world.at = dayMs
  assert.equal(await find('one'), undefined)
  world.at += 60_000
  assert.equal(await find('one'), undefined)
  assert.equal(world.calls, 4)
})

test('an unreadable key does not affect the others', async () => {
  const { find } = keysWith(answer([{ id: 'bad', key: 'no key' }, 'nonsense', { id: 1 }, { id: 'one', key: pem }]))

  assert.ok(await find('one'))
  assert.equal(await find('bad'), undefined)
})
