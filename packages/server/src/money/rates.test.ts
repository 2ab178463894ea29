import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyAmount, anyPair, anyRate, waysOf } from '../testing/any-rates.ts'
import type { Currency } from './currencies.ts'
import {
  type CrossPayment,
  creditFor,
  debitFor,
  divide,
  formatRate,
  isFarFrom,
  multiply,
  type Pair,
  parseRate,
  type Rate,
  withMarkup,
} from './rates.ts'
import type { Rounding } from './rounding.ts'

function rate(text: string): Rate {
  const read = parseRate(text)
  assert(read, text)
  return read
}

const usdKes: Pair = { base: 'USD', quote: 'KES', buy: rate('128.50'), sell: rate('130.25') }

test('a rate is parsed from its text and written back unchanged', () => {
  for (const text of ['1', '129.35', '0.0077', '129.50', '3700', '0.000000000000000001', '1.000000000000000000'])
    assert.equal(formatRate(rate(text)), text)
  assert.deepEqual(rate('129.50'), { digits: 12_950n, scale: 2 })
  fc.assert(
    fc.property(anyRate, (each) => {
      assert.deepEqual(parseRate(formatRate(each)), each)
    }),
  )
})

test('a text that is not a rate above zero with at most 18 decimals is refused', () => {
  const bad = [
    '',
    '0',
    '0.00',
    '-1',
    '-0.5',
    '+1',
    '1e3',
    '1,5',
    '.5',
    '5.',
    ' 1',
    '1 ',
    '01',
    'NaN',
    'Infinity',
    '1/3',
  ]

  for (const text of [...bad, '0.0000000000000000001', '1.0000000000000000000'])
    assert.equal(parseRate(text), undefined, JSON.stringify(text))
})

test('a conversion is exact across currencies of zero, two and three decimals', () => {
  const multiplied: [bigint, Currency, string, Currency, bigint][] = [
    [100n, 'KES', '28.5', 'UGX', 28n], // 1.00 KES is 28.5 UGX
    [150_000n, 'KES', '28.5', 'UGX', 42_750n],
    [1n, 'UGX', '0.035', 'KES', 3n], // 0.035 KES
    [1000n, 'UGX', '0.035', 'KES', 3500n],
    [1000n, 'TND', '42.15', 'KES', 4215n], // 1.000 TND is 42.15 KES
    [1n, 'TND', '1200', 'UGX', 1n], // 0.001 TND is 1.2 UGX
    [5n, 'UGX', '0.0008', 'TND', 4n],
    [100n, 'KES', '0.0237', 'TND', 23n], // 0.0237 TND
  ]

  for (const [minor, from, text, to, down] of multiplied)
    assert.equal(multiply(minor, from, rate(text), to, 'down'), down, `${minor} ${from} × ${text} ${to}`)
})

test('a division is exact across currencies of zero, two and three decimals', () => {
  const divided: [bigint, Currency, string, Currency, bigint][] = [
    [28n, 'UGX', '28.5', 'KES', 99n], // 28 UGX ÷ 28.5 is 0.98 KES and a bit, so 0.99
    [57n, 'UGX', '28.5', 'KES', 200n],
    [4215n, 'KES', '42.15', 'TND', 1000n],
    [1n, 'KES', '42.15', 'TND', 1n], // 0.000237… TND
    [1n, 'TND', '0.0008', 'UGX', 2n], // 1.25 UGX
    [7n, 'KES', '0.035', 'UGX', 2n],
  ]

  for (const [minor, from, text, to, up] of divided)
    assert.equal(divide(minor, from, rate(text), to, 'up'), up, `${minor} ${from} ÷ ${text} ${to}`)
})

test('a conversion rounds exact halves as requested, the same way on both sides of zero', () => {
  const expected: Record<Rounding, bigint> = { up: 3n, down: 2n, 'half-up': 3n }
  for (const rounding of ['up', 'down', 'half-up'] as const) {
    const half = expected[rounding]

    assert.equal(multiply(5n, 'KES', rate('0.5'), 'USD', rounding), half, rounding)
    assert.equal(multiply(-5n, 'KES', rate('0.5'), 'USD', rounding), -half, rounding)
    assert.equal(divide(250n, 'KES', rate('1'), 'UGX', rounding), half, rounding)
    assert.equal(divide(-250n, 'KES', rate('1'), 'UGX', rounding), -half, rounding)
    assert.equal(multiply(249n, 'KES', rate('1'), 'UGX', rounding), rounding === 'up' ? 3n : 2n, rounding)
  }
})

test('a rate that a binary fraction distorts converts without an extra unit', () => {
  assert.equal(multiply(100n, 'USD', rate('1.1'), 'EUR', 'up'), 110n)
  assert.equal(multiply(300n, 'USD', rate('1.1'), 'EUR', 'up'), 330n)
  assert.equal(multiply(100n, 'USD', rate('4.35'), 'GHS', 'down'), 435n)
  assert.equal(divide(330n, 'USD', rate('1.1'), 'EUR', 'up'), 300n)
  assert.equal(multiply(1000n, 'TND', rate('1.005'), 'USD', 'half-up'), 101n)
})

test('dividing a converted amount returns the original within one unit', () => {
  fc.assert(
    fc.property(anyAmount, anyRate, anyPair, (amount, each, { base, quote }) => {
      const least = multiply(amount, base, each, quote, 'down')
      const most = multiply(amount, base, each, quote, 'up')

      assert.ok(most - least === 0n || most - least === 1n)
      assert.ok(divide(least, quote, each, base, 'down') <= amount)
      assert.ok(divide(most, quote, each, base, 'up') >= amount)
    }),
  )
})

test('the four conversions use the side and rounding that favour Malipo', () => {
  const pay = (payment: CrossPayment) => debitFor(usdKes, payment)
  const receive = (payment: CrossPayment) => creditFor(usdKes, payment)
  const amount = 100_000n

  assert.equal(pay({ amount, currency: 'KES', wallet: 'USD' }), 779n) // 1000 ÷ 128.50 = 7.782…
  assert.equal(pay({ amount, currency: 'USD', wallet: 'KES' }), 13_025_000n) // 1000 × 130.25
  assert.equal(receive({ amount, currency: 'KES', wallet: 'USD' }), 767n) // 1000 ÷ 130.25 = 7.677…
  assert.equal(receive({ amount, currency: 'USD', wallet: 'KES' }), 12_850_000n) // 1000 × 128.50
  assert.equal(pay({ amount: 1n, currency: 'KES', wallet: 'USD' }), 1n)
  assert.equal(receive({ amount: 1n, currency: 'KES', wallet: 'USD' }), 0n)
})

test('a payout across currencies is never free', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (pair, amount) => {
      for (const { here, there } of waysOf(pair)) {
        const debit = debitFor(pair, { amount, currency: there, wallet: here })

        assert.equal(debit > 0n, amount > 0n)
      }
    }),
  )
})

test('a payout charged back to the same wallet never gains, in either direction', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (pair, amount) => {
      for (const { here, there } of waysOf(pair)) {
        const payment = { amount, currency: there, wallet: here }

        assert.ok(creditFor(pair, payment) <= debitFor(pair, payment))
      }
    }),
    { numRuns: 1000 },
  )
})

test('charging into the other wallet and back never gains, in either direction', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (pair, amount) => {
      for (const { here, there } of waysOf(pair)) {
        const reached = creditFor(pair, { amount, currency: here, wallet: there })
        const returned = creditFor(pair, { amount: reached, currency: there, wallet: here })

        assert.ok(returned <= amount)
      }
    }),
    { numRuns: 1000 },
  )
})

test('paying out of one wallet and back out of the other costs at least what it brings', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (pair, amount) => {
      for (const { here, there } of waysOf(pair)) {
        const cost = debitFor(pair, { amount, currency: here, wallet: there })

        assert.ok(debitFor(pair, { amount: cost, currency: there, wallet: here }) >= amount)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a wallet can pay out across currencies exactly what charging its balance would credit', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (pair, balance) => {
      for (const { here, there } of waysOf(pair)) {
        const most = creditFor(pair, { amount: balance, currency: here, wallet: there })
        const debit = (amount: bigint) => debitFor(pair, { amount, currency: there, wallet: here })

        assert.ok(debit(most) <= balance)
        assert.ok(debit(most + 1n) > balance)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a pair that buys at more than it sells converts nothing, however its rates are written', () => {
  const payment = { amount: 1n, currency: 'KES', wallet: 'USD' } as const
  const crossed = { ...usdKes, buy: rate('130.250001') }
  const level = { ...usdKes, buy: rate('130.250000') }

  for (const convert of [debitFor, creditFor]) {
    assert.throws(() => convert(crossed, payment), /a buying rate above its selling rate/)
    assert.doesNotThrow(() => convert(level, payment))
  }
})

test('a pair converts only between its two currencies, and no negative amount', () => {
  const strange: CrossPayment[] = [
    { amount: 1n, currency: 'KES', wallet: 'KES' },
    { amount: 1n, currency: 'USD', wallet: 'USD' },
    { amount: 1n, currency: 'UGX', wallet: 'USD' },
    { amount: 1n, currency: 'KES', wallet: 'UGX' },
  ]

  for (const convert of [debitFor, creditFor]) {
    for (const payment of strange) assert.throws(() => convert(usdKes, payment), /does not convert/)
    assert.throws(() => convert(usdKes, { amount: -1n, currency: 'KES', wallet: 'USD' }), /not negative/)
    assert.throws(() => convert({ ...usdKes, quote: 'USD' }, { amount: 1n, currency: 'USD', wallet: 'USD' }))
  }
})

test('a markup lowers the buy rate, raises the sell rate, and is exact', () => {
  const shown = (basisPoints: number, pair = usdKes) => {
    const { buy, sell, provider } = withMarkup(pair, basisPoints)
    assert.deepEqual(provider, { buy: pair.buy, sell: pair.sell })
    return [formatRate(buy), formatRate(sell)]
  }
  const fine = { ...usdKes, buy: rate('0.000000000000000001'), sell: rate('0.000000000000000003') }

  assert.deepEqual(shown(0), ['128.50', '130.25'])
  assert.deepEqual(shown(100), ['127.215', '131.5525'])
  assert.deepEqual(shown(1), ['128.48715', '130.263025'])
  assert.deepEqual(shown(100, fine), ['0.000000000000000001', '0.000000000000000004'])
  for (const basisPoints of [-1, 0.5, 10_000, Number.NaN])
    assert.throws(() => withMarkup(usdKes, basisPoints), /markup/)
})

test('with any markup rates stay valid, and never give more or take less than the provider', () => {
  fc.assert(
    fc.property(anyPair, fc.integer({ min: 0, max: 2000 }), (pair, basisPoints) => {
      const { buy, sell } = withMarkup(pair, basisPoints)
      const isAtMost = (one: Rate, two: Rate) =>
        one.digits * 10n ** BigInt(two.scale) <= two.digits * 10n ** BigInt(one.scale)

      assert.ok(isAtMost(buy, pair.buy) && isAtMost(pair.sell, sell))
      for (const each of [buy, sell]) assert.deepEqual(parseRate(formatRate(each)), each)
    }),
  )
})

test('a rate is far from another when either side moved by more than the limit, up or down', () => {
  const level = { buy: rate('100'), sell: rate('110.0') }
  const isFar = (buy: string, sell: string) => isFarFrom({ buy: rate(buy), sell: rate(sell) }, level, 10)

  for (const [buy, sell] of [
    ['100', '110'],
    ['110', '121'],
    ['90', '99'],
    ['90.00', '121.000'],
  ] as const)
    assert.equal(isFar(buy, sell), false, `${buy} ${sell}`)
  for (const [buy, sell] of [
    ['110.01', '115'],
    ['89.99', '110'],
    ['100', '121.01'],
    ['95', '98.99'],
    ['1000', '1100'],
    ['10', '11'],
  ] as const)
    assert.equal(isFar(buy, sell), true, `${buy} ${sell}`)
})
