import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Currency, currencies, exponentOf, isCurrency } from './currencies.ts'
import { formatMinor, minorFromNumber, numberFromMinor, parseMinor } from './money.ts'

const all = Object.keys(currencies).filter(isCurrency)
const anyCurrency = fc.constantFrom(...all)
const anyAmount = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
/** A double carries 15 significant digits exactly. */
const anyCarried = fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n })

test('every amount of every currency is read back from its text', () => {
  for (const currency of all)
    fc.assert(
      fc.property(anyAmount, (minor) => {
        assert.equal(parseMinor(formatMinor(minor, currency), currency), minor)
      }),
    )
})

test('a text has exactly the decimals of its currency', () => {
  fc.assert(
    fc.property(anyAmount, anyCurrency, (minor, currency) => {
      const [whole, fraction = '', ...rest] = formatMinor(minor, currency).split('.')

      assert.match(whole ?? '', /^-?(0|[1-9]\d*)$/)
      assert.equal(fraction.length, exponentOf(currency))
      assert.equal(BigInt(`${whole}${fraction}`), minor)
      assert.deepEqual(rest, [])
    }),
  )
})

test('amounts have their usual notation', () => {
  const written: [bigint, Currency, string][] = [
    [150_000n, 'KES', '1500.00'],
    [-5n, 'KES', '-0.05'],
    [0n, 'KES', '0.00'],
    [1500n, 'UGX', '1500'],
    [-1n, 'UGX', '-1'],
    [7n, 'TND', '0.007'],
    [-1005n, 'TND', '-1.005'],
  ]

  for (const [minor, currency, text] of written) assert.equal(formatMinor(minor, currency), text)
})

test('an amount may be written with fewer decimals than its currency has', () => {
  const read: [string, Currency, bigint][] = [
    ['12', 'KES', 1200n],
    ['12.5', 'KES', 1250n],
    ['0.01', 'KES', 1n],
    ['-12.5', 'KES', -1250n],
    ['-0', 'KES', 0n],
    ['1.5', 'TND', 1500n],
    ['12', 'UGX', 12n],
    ['9007199254740993.01', 'KES', 900_719_925_474_099_301n],
  ]

  for (const [text, currency, minor] of read) assert.equal(parseMinor(text, currency), minor, text)
})

test('a text that is not clearly one amount is refused', () => {
  const bad = [
    '',
    '-',
    '.',
    '.5',
    '5.',
    '-.5',
    '1e2',
    '1E2',
    '1e-1',
    '+5',
    ' 5',
    '5 ',
    '5\n',
    '1 000',
    '1,000',
    '1_000',
  ]
  const worse = ['1,5', '--5', '5-', '1.2.3', '007', '00', '-01', '0x10', '5n', 'NaN', 'Infinity', 'KES 5', '٥', '５']

  for (const text of [...bad, ...worse])
    for (const currency of ['KES', 'UGX', 'TND'] as const)
      assert.equal(parseMinor(text, currency), undefined, `${JSON.stringify(text)} ${currency}`)
})

test('more decimals than the currency has are refused, even when they are zeros', () => {
  for (const text of ['12.500', '12.505', '0.001']) assert.equal(parseMinor(text, 'KES'), undefined, text)
  for (const text of ['12.0', '12.5']) assert.equal(parseMinor(text, 'UGX'), undefined, text)
  for (const text of ['1.0000', '1.0005']) assert.equal(parseMinor(text, 'TND'), undefined, text)
})

test('every amount of up to fifteen digits is read back from its JSON number', () => {
  fc.assert(
    fc.property(anyCarried, anyCurrency, (minor, currency) => {
      const json = JSON.stringify(numberFromMinor(minor, currency))

      assert.equal(minorFromNumber(JSON.parse(json), currency), minor)
    }),
    { numRuns: 2000 },
  )
})

test('whole amounts become whole numbers, and others keep their decimals', () => {
  assert.equal(JSON.stringify(numberFromMinor(150_000n, 'KES')), '1500')
  assert.equal(JSON.stringify(numberFromMinor(150_050n, 'KES')), '1500.5')
  assert.equal(JSON.stringify(numberFromMinor(-5n, 'KES')), '-0.05')
  assert.equal(JSON.stringify(numberFromMinor(1005n, 'TND')), '1.005')
  assert.ok(Object.is(numberFromMinor(0n, 'KES'), 0))
})

test('numbers that binary fractions distort are read as written', () => {
  const traps = [
    '8.2',
    '4.35',
    '1.15',
    '0.07',
    '0.29',
    '0.57',
    '1.1',
    '3.3',
    '16.4',
    '19.99',
    '64.1',
    '1025.12',
    '2.55',
  ]
  for (const text of traps) {
    assert.equal(minorFromNumber(Number(text), 'KES'), parseMinor(text, 'KES'), text)
    assert.equal(minorFromNumber(-Number(text), 'KES'), parseMinor(`-${text}`, 'KES'), text)
  }
  assert.equal(minorFromNumber(8.2, 'KES'), 820n)
  assert.equal(minorFromNumber(4.35, 'KES'), 435n)
  assert.equal(minorFromNumber(1.005, 'TND'), 1005n)
  assert.equal(minorFromNumber(2.675, 'TND'), 2675n)
})

test('a number distorted by float arithmetic is refused, not rounded', () => {
  for (const value of [0.1 + 0.2, 1.1 * 3, 1.005, 2.675, 4.35 * 100.01])
    assert.equal(minorFromNumber(value, 'KES'), undefined, String(value))
  assert.equal(minorFromNumber(12.5, 'UGX'), undefined)
})

test('a number without a plain decimal text is refused', () => {
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e21, -1e21, 1e300, 1e-7, 5e-324]

  for (const value of values)
    for (const currency of ['KES', 'UGX', 'TND'] as const)
      assert.equal(minorFromNumber(value, currency), undefined, `${value} ${currency}`)
})

test('minus zero is zero', () => {
  assert.equal(minorFromNumber(-0, 'KES'), 0n)
  assert.equal(minorFromNumber(-0, 'UGX'), 0n)
})

test('an amount that shares its number with another is neither read nor written', () => {
  const safe = BigInt(Number.MAX_SAFE_INTEGER)
  for (const minor of [safe, -safe]) assert.equal(minorFromNumber(numberFromMinor(minor, 'UGX'), 'UGX'), minor)
  const lost: [bigint, Currency][] = [
    [safe + 1n, 'UGX'],
    [safe + 2n, 'UGX'],
    [-safe - 1n, 'UGX'],
    [-safe - 2n, 'UGX'],
    [900_719_925_474_099_301n, 'KES'],
    [10n ** 21n, 'UGX'],
    [10n ** 400n, 'TND'],
  ]

  for (const [minor, currency] of lost) {
    assert.throws(() => numberFromMinor(minor, currency), RangeError, `${minor} ${currency}`)
    assert.equal(minorFromNumber(Number(formatMinor(minor, currency)), currency), undefined, `${minor} ${currency}`)
  }
})

test('an amount of any size is carried exactly or refused, never changed', () => {
  const nearTheEnd = fc.bigInt({ min: 10n ** 15n, max: 2n ** 54n })
  fc.assert(
    fc.property(nearTheEnd, anyCurrency, (minor, currency) => {
      const value = Number(formatMinor(minor, currency))
      const [below, above] = [minor - 1n, minor + 1n].map((each) => Number(formatMinor(each, currency)))
      const isShared = value === below || value === above

      assert.equal(minorFromNumber(value, currency), isShared ? undefined : minor)
    }),
    { numRuns: 2000 },
  )
})
