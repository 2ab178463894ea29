import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FeeRule, feeOf, feeOn, keepRule, readRule } from './fees.ts'

const onePercent: FeeRule = { fixed: 0n, basisPoints: 100 }

const small = fc.bigInt({ min: 0n, max: 10n ** 6n })
const anyAmount = fc.bigInt({ min: 0n, max: 10n ** 30n })
const anyBasisPoints = fc.integer({ min: 0, max: 20_000 })

test('a fee is its fixed part plus its share of the amount', () => {
  assert.equal(feeOf(onePercent, 150_000n), 1500n)
  assert.equal(feeOf({ fixed: 30n, basisPoints: 290 }, 10_000n), 320n)
  assert.equal(feeOf({ fixed: 30n, basisPoints: 0 }, 10_000n), 30n)
  assert.equal(feeOf({ fixed: 0n, basisPoints: 0 }, 10_000n), 0n)
})

test('half a unit rounds up, and less is dropped', () => {
  assert.equal(feeOf(onePercent, 49n), 0n)
  assert.equal(feeOf(onePercent, 50n), 1n)
  assert.equal(feeOf(onePercent, 149n), 1n)
  assert.equal(feeOf(onePercent, 150n), 2n)
  assert.equal(feeOf({ fixed: 7n, basisPoints: 1 }, 4999n), 7n)
  assert.equal(feeOf({ fixed: 7n, basisPoints: 1 }, 5000n), 8n)
})

test('a fee is exact for an amount that no float can hold', () => {
  assert.equal(feeOf(onePercent, 900_719_925_474_099_350n), 9_007_199_254_740_994n)
})

test('a fee reaches its minimum and maximum and never exceeds them', () => {
  const rule = { ...onePercent, min: 10n, max: 500n }

  assert.equal(feeOf(rule, 0n), 10n)
  assert.equal(feeOf(rule, 1000n), 10n)
  assert.equal(feeOf(rule, 1050n), 11n)
  assert.equal(feeOf(rule, 49_949n), 499n)
  assert.equal(feeOf(rule, 50_000n), 500n)
  assert.equal(feeOf(rule, 10n ** 20n), 500n)
  assert.equal(feeOf({ ...onePercent, max: 0n }, 10_000n), 0n)
  assert.equal(feeOf({ fixed: 900n, basisPoints: 0, max: 500n }, 1n), 500n)
})

test('any fee lies within its bounds and grows with the amount', () => {
  fc.assert(
    fc.property(
      fc.record({ fixed: small, basisPoints: anyBasisPoints, min: small, range: small }),
      anyAmount,
      small,
      ({ fixed, basisPoints, min, range }, amount, more) => {
        const rule = { fixed, basisPoints, min, max: min + range }
        const fee = feeOf(rule, amount)

        assert.ok(fee >= rule.min && fee <= rule.max)
        assert.ok(feeOf(rule, amount + more) >= fee)
      },
    ),
  )
})

test('a fee without bounds is off by no more than half a unit and is never negative', () => {
  fc.assert(
    fc.property(small, anyBasisPoints, anyAmount, (fixed, basisPoints, amount) => {
      const fee = feeOf({ fixed, basisPoints }, amount)
      const excess = (fee - fixed) * 10_000n - amount * BigInt(basisPoints)

      assert.ok(fee >= 0n)
      assert.ok(excess <= 5000n && excess > -5000n)
    }),
  )
})

test('the fee on money received is never more than that money', () => {
  assert.equal(feeOn({ fixed: 900n, basisPoints: 0 }, 7n), 7n)
  assert.equal(feeOn({ ...onePercent, min: 10n }, 0n), 0n)
  assert.equal(feeOn(onePercent, 150_000n), 1500n)
  fc.assert(
    fc.property(small, anyBasisPoints, anyAmount, (fixed, basisPoints, received) => {
      const rule = { fixed, basisPoints }
      const [fee, uncapped] = [feeOn(rule, received), feeOf(rule, received)]

      assert.equal(fee, uncapped < received ? uncapped : received)
    }),
  )
})

test('a rule stored as JSON is read back unchanged', () => {
  const huge = 9_007_199_254_740_993n
  const rules: FeeRule[] = [
    onePercent,
    { fixed: huge, basisPoints: 0, min: huge, max: huge + 1n, isReturned: true },
    { fixed: 0n, basisPoints: 1, max: 0n },
  ]

  for (const rule of rules) assert.deepEqual(readRule(JSON.parse(JSON.stringify(keepRule(rule)))), rule)
  assert.deepEqual(keepRule({ fixed: 5n, basisPoints: 10, min: 1n }), { fixed: '5', basisPoints: 10, min: '1' })
})

test('an invalid rule is never charged', () => {
  for (const basisPoints of [-1, 0.5, 100.1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    assert.throws(() => feeOf({ fixed: 0n, basisPoints }, 100n), /basis points/)
  assert.throws(() => feeOf({ fixed: -1n, basisPoints: 0 }, 100n), /not negative/)
  assert.throws(() => feeOf({ ...onePercent, min: -1n }, 100n), /not negative/)
  assert.throws(() => feeOf({ ...onePercent, min: 2n, max: 1n }, 100n), /minimum fee/)
  assert.throws(() => feeOf({ ...onePercent, max: -1n }, 100n), /minimum fee/)
  assert.throws(() => feeOf(onePercent, -1n), /not negative/)
})
