import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyAmount, anyPair, anyQuotedPair, waysOf } from '../testing/any-rates.ts'
import { exchangeIn, exchangeOut } from './exchange.ts'
import { type CrossPayment, creditFor, debitFor, formatRate, type Pair, parseRate, type QuotedPair } from './rates.ts'

const often = { numRuns: 1000 }

function ratesOf(low: string, high: string): Pick<Pair, 'buy' | 'sell'> {
  const [buy, sell] = [parseRate(low), parseRate(high)]
  assert(buy && sell)
  return { buy, sell }
}

const usdKes: QuotedPair = {
  base: 'USD',
  quote: 'KES',
  ...ratesOf('128.50', '130.25'),
  provider: ratesOf('129.00', '129.75'),
}

test("the wallet pays or gets the table's rate, and the markup is the gap to the provider's", () => {
  const shown = (exchange: ReturnType<typeof exchangeOut>) =>
    [exchange.walletAmount, exchange.markup, exchange.side, formatRate(exchange.rate)] as const
  const [shillings, dollars] = [
    { currency: 'KES', wallet: 'USD' } as const,
    { currency: 'USD', wallet: 'KES' } as const,
  ]
  const amount = 100_000n

  assert.deepEqual(shown(exchangeOut(usdKes, { amount, ...shillings })), [779n, 3n, 'buy', '128.50']) // 776 at 129.
  assert.deepEqual(shown(exchangeOut(usdKes, { amount, ...dollars })), [13_025_000n, 50_000n, 'sell', '130.25'])
  assert.deepEqual(shown(exchangeIn(usdKes, { amount, ...shillings })), [767n, 3n, 'sell', '130.25']) // 770 at 129.75.
  assert.deepEqual(shown(exchangeIn(usdKes, { amount, ...dollars })), [12_850_000n, 50_000n, 'buy', '128.50'])
})

test('a payment below one wallet unit costs one and credits none, with two decimals or none', () => {
  const rates = ratesOf('3650.1', '3700')
  const usdUgx: QuotedPair = { base: 'USD', quote: 'UGX', ...rates, provider: rates }
  const payment: CrossPayment = { amount: 1n, currency: 'UGX', wallet: 'USD' }

  assert.deepEqual([exchangeOut(usdUgx, payment).walletAmount, exchangeOut(usdUgx, payment).markup], [1n, 0n])
  assert.deepEqual([exchangeIn(usdUgx, payment).walletAmount, exchangeIn(usdUgx, payment).markup], [0n, 0n])
  assert.equal(exchangeOut(usdUgx, { amount: 1n, currency: 'USD', wallet: 'UGX' }).walletAmount, 37n)
  assert.equal(exchangeIn(usdUgx, { amount: 1n, currency: 'USD', wallet: 'UGX' }).walletAmount, 36n)
})

test("without a markup an exchange earns nothing, however wide the provider's spread", () => {
  fc.assert(
    fc.property(anyPair, anyAmount, (pair, amount) => {
      for (const { here, there } of waysOf(pair)) {
        const payment = { amount, currency: there, wallet: here }
        const plain = { ...pair, provider: pair }

        assert.deepEqual([exchangeOut(plain, payment).markup, exchangeIn(plain, payment).markup], [0n, 0n])
      }
    }),
    often,
  )
})

test("a markup is never negative, and the wallet amount without it matches the provider's rate", () => {
  fc.assert(
    fc.property(anyQuotedPair, anyAmount, (pair, amount) => {
      for (const { here, there } of waysOf(pair)) {
        const payment = { amount, currency: there, wallet: here }
        const [out, into] = [exchangeOut(pair, payment), exchangeIn(pair, payment)]
        const provided = { base: pair.base, quote: pair.quote, ...pair.provider }

        assert.equal(out.walletAmount, debitFor(pair, payment))
        assert.equal(into.walletAmount, creditFor(pair, payment))
        assert.ok(out.markup >= 0n && out.markup <= out.walletAmount && into.markup >= 0n)
        assert.equal(out.walletAmount - out.markup, debitFor(provided, payment))
        assert.equal(into.walletAmount + into.markup, creditFor(provided, payment))
      }
    }),
    often,
  )
})
