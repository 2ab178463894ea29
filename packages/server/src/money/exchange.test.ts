import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyAmount, anyPair, waysOf } from '../testing/any-rates.ts'
import { exchangeIn, exchangeOut } from './exchange.ts'
import { type CrossPayment, creditFor, debitFor, formatRate, type Pair, parseRate } from './rates.ts'

const often = { numRuns: 1000 }

function pairOf(base: Pair['base'], quote: Pair['quote'], low: string, high: string): Pair {
  const [buy, sell] = [parseRate(low), parseRate(high)]
  assert(buy && sell)
  return { base, quote, buy, sell }
}

const usdKes = pairOf('USD', 'KES', '128.50', '130.25') // In the middle 129.375.

test('the wallet pays or gets what the table says, and the spread is the way to the middle of the two rates', () => {
  const shown = (exchange: ReturnType<typeof exchangeOut>) =>
    [exchange.walletAmount, exchange.spread, exchange.side, formatRate(exchange.rate)] as const
  const [shillings, dollars] = [
    { currency: 'KES', wallet: 'USD' } as const,
    { currency: 'USD', wallet: 'KES' } as const,
  ]
  const amount = 100_000n

  assert.deepEqual(shown(exchangeOut(usdKes, { amount, ...shillings })), [779n, 6n, 'buy', '128.50']) // Midway 773.
  assert.deepEqual(shown(exchangeOut(usdKes, { amount, ...dollars })), [13_025_000n, 87_500n, 'sell', '130.25'])
  assert.deepEqual(shown(exchangeIn(usdKes, { amount, ...shillings })), [767n, 5n, 'sell', '130.25']) // Midway 772.
  assert.deepEqual(shown(exchangeIn(usdKes, { amount, ...dollars })), [12_850_000n, 87_500n, 'buy', '128.50'])
})

test('amounts of one unit cost one and bring none, between currencies of two decimals and none', () => {
  const usdUgx = pairOf('USD', 'UGX', '3650.1', '3700')
  const payment: CrossPayment = { amount: 1n, currency: 'UGX', wallet: 'USD' }

  assert.deepEqual([exchangeOut(usdUgx, payment).walletAmount, exchangeOut(usdUgx, payment).spread], [1n, 0n])
  assert.deepEqual([exchangeIn(usdUgx, payment).walletAmount, exchangeIn(usdUgx, payment).spread], [0n, 0n])
  assert.equal(exchangeOut(usdUgx, { amount: 1n, currency: 'USD', wallet: 'UGX' }).walletAmount, 37n)
  assert.equal(exchangeIn(usdUgx, { amount: 1n, currency: 'USD', wallet: 'UGX' }).walletAmount, 36n)
})

test('a spread is never negative, never more than is paid, and nothing where both rates are the same', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (pair, amount) => {
      for (const { here, there } of waysOf(pair)) {
        const payment = { amount, currency: there, wallet: here }
        const [out, into] = [exchangeOut(pair, payment), exchangeIn(pair, payment)]
        const level = { ...pair, sell: pair.buy }

        assert.equal(out.walletAmount, debitFor(pair, payment))
        assert.equal(into.walletAmount, creditFor(pair, payment))
        assert.ok(out.spread >= 0n && out.spread <= out.walletAmount && into.spread >= 0n)
        assert.deepEqual([exchangeOut(level, payment).spread, exchangeIn(level, payment).spread], [0n, 0n])
      }
    }),
    often,
  )
})

test('what a payment is worth midway lies between what the other wallet pays for it and what it gets of it', () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (pair, amount) => {
      for (const { here, there } of waysOf(pair)) {
        const payment = { amount, currency: there, wallet: here }
        const [out, into] = [exchangeOut(pair, payment), exchangeIn(pair, payment)]
        const [dear, cheap] = [out.walletAmount - out.spread, into.walletAmount + into.spread]

        assert.ok(into.walletAmount <= cheap && cheap <= dear && dear <= out.walletAmount)
        assert.ok(dear - cheap <= 1n)
      }
    }),
    often,
  )
})
