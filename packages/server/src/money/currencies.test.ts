import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencies, exponentOf, isCurrency } from './currencies.ts'

const all = Object.keys(currencies).filter(isCurrency)

test('a currency has its ISO 4217 decimals', () => {
  const unusual = all.filter((currency) => exponentOf(currency) !== 2)

  assert.deepEqual(
    new Map(unusual.map((currency) => [currency, exponentOf(currency)])),
    new Map(Object.entries({ BIF: 0, DJF: 0, GNF: 0, RWF: 0, TND: 3, UGX: 0, XAF: 0, XOF: 0 })),
  )
})

test('currencies of several countries have no country, and no two others share one', () => {
  const shared = all.filter((currency) => !('country' in currencies[currency]))
  const countries = Object.values(currencies).flatMap((each) => ('country' in each ? [each.country] : []))

  assert.deepEqual(new Set(shared), new Set(['EUR', 'GBP', 'USD', 'XAF', 'XOF']))
  assert.equal(new Set(countries).size, all.length - shared.length)
  for (const country of countries) assert.match(country, /^[A-Z]{2}$/)
})

test('only a known currency code is recognised', () => {
  for (const code of ['KES', 'UGX', 'TND', 'USD', 'XOF']) assert.ok(isCurrency(code), code)
  for (const code of ['', 'kes', 'KES ', 'XXX', 'SLL', 'toString', 'constructor', '__proto__'])
    assert.ok(!isCurrency(code), code)
})
