import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Rounding, roundedQuotient } from './rounding.ts'

test('each rounding matches its name, on both sides of zero', () => {
  /** From minus seven quarters to plus seven quarters. */
  const quarters: Record<Rounding, readonly bigint[]> = {
    up: [-2n, -2n, -2n, -1n, -1n, -1n, -1n, 0n, 1n, 1n, 1n, 1n, 2n, 2n, 2n],
    down: [-1n, -1n, -1n, -1n, 0n, 0n, 0n, 0n, 0n, 0n, 0n, 1n, 1n, 1n, 1n],
    'half-up': [-2n, -2n, -1n, -1n, -1n, -1n, 0n, 0n, 0n, 1n, 1n, 1n, 1n, 2n, 2n],
  }

  for (const rounding of ['up', 'down', 'half-up'] as const)
    for (const [index, expected] of quarters[rounding].entries())
      assert.equal(roundedQuotient(BigInt(index - 7), 4n, rounding), expected, `${index - 7}/4 ${rounding}`)
})

test('a quotient with an odd denominator is never exactly half', () => {
  assert.equal(roundedQuotient(1n, 3n, 'half-up'), 0n)
  assert.equal(roundedQuotient(2n, 3n, 'half-up'), 1n)
  assert.equal(roundedQuotient(-1n, 3n, 'half-up'), 0n)
  assert.equal(roundedQuotient(-2n, 3n, 'half-up'), -1n)
})

test('a rounded quotient is off by less than one, and half-up by at most a half', () => {
  const numerators = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
  const denominators = fc.bigInt({ min: 1n, max: 10n ** 20n })
  fc.assert(
    fc.property(numerators, denominators, (numerator, denominator) => {
      const excess = (rounding: Rounding) => {
        const error = roundedQuotient(numerator, denominator, rounding) * denominator - numerator
        return numerator < 0n ? -error : error
      }

      assert.ok(excess('up') >= 0n && excess('up') < denominator)
      assert.ok(excess('down') <= 0n && excess('down') > -denominator)
      assert.ok(excess('half-up') * 2n <= denominator && excess('half-up') * 2n > -denominator)
    }),
  )
})
