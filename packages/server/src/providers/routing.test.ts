import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Capability, Connector } from './contract.ts'
import { createRouting } from './routing.ts'

const connector = (id: string, ...capabilities: Capability[]): [string, Connector] => [
  id,
  { id, capabilities, requestsPerSecond: 1, close: async () => undefined },
]
const cards = { operation: 'charge.card', country: '*', target: '*' } as const
const unusable = new Set<string>()
const routing = createRouting(
  [
    { ...cards, currency: 'KES', providers: ['one', 'two'] },
    { ...cards, country: 'KE', currency: 'KES', providers: ['two'] },
    { ...cards, currency: 'USD', providers: ['two', 'three'] },
  ],
  {
    live: new Map(),
    sandbox: new Map([
      connector('one', { ...cards, currency: 'KES' }),
      connector('two', { ...cards, currency: '*' }),
      connector('three', { ...cards, currency: 'GBP' }),
    ]),
  },
  (_, provider) => !unusable.has(provider),
)
const idsFor = (country: string, currency: string) =>
  routing.providersOf('sandbox', { ...cards, country, currency }).map(({ id }) => id)

test('a route for any country serves countries without their own route, in its currency only', () => {
  assert.deepEqual(idsFor('UG', 'KES'), ['one', 'two'])
  assert.deepEqual(idsFor('KE', 'KES'), ['two'])
  assert.deepEqual(idsFor('UG', 'UGX'), [])
})

test('a provider that is missing, or does not support the operation, is skipped', () => {
  assert.deepEqual(idsFor('UG', 'USD'), ['two'])
  assert.deepEqual(routing.providersOf('live', { ...cards, country: 'UG', currency: 'USD' }), [])
})

test('a paused or unhealthy provider comes last, and stays when it is the only one', (t) => {
  t.after(() => unusable.clear())

  unusable.add('one')
  assert.deepEqual(idsFor('UG', 'KES'), ['two', 'one'])
  unusable.add('two')
  assert.deepEqual(idsFor('UG', 'KES'), ['one', 'two'])
  assert.deepEqual(idsFor('KE', 'KES'), ['two'])
})
