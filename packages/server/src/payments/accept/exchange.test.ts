import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Currency } from '../../money/currencies.ts'
import { divide, multiply, parseRate, type QuotedPair } from '../../money/rates.ts'
import { anyAmount, anyQuotedPair, waysOf } from '../../testing/any-rates.ts'
import { isRateTooOld, type Sides, walletSideOf } from './exchange.ts'

const at = new Date('2026-11-15T12:00:00.123Z')
const often = { numRuns: 1000 }

/** Prices payments on the wallet's side at one quoted pair. */
function pricesOf(pair: QuotedPair) {
  const rateOf = async () => ({ ...pair, at })
  const price = async (way: 'payout' | 'charge', amount: bigint, currency: Currency, wallet_currency: Currency) =>
    (await walletSideOf(way, { amount, currency, wallet_currency }, rateOf)).wallet_amount
  return {
    /** What the wallet pays. */
    payOut: (amount: bigint, currency: Currency, wallet: Currency) => price('payout', amount, currency, wallet),
    /** What the wallet receives. */
    charge: (amount: bigint, currency: Currency, wallet: Currency) => price('charge', amount, currency, wallet),
  }
}

test('a payout from another wallet that is charged back into it never gains', async () => {
  await fc.assert(
    fc.asyncProperty(anyQuotedPair, anyAmount, async (pair, amount) => {
      const { payOut, charge } = pricesOf(pair)
      for (const { here, there } of waysOf(pair))
        assert.ok((await charge(amount, there, here)) <= (await payOut(amount, there, here)))
    }),
    often,
  )
})

test('a charge into another wallet pays out no more than was charged', async () => {
  await fc.assert(
    fc.asyncProperty(anyQuotedPair, anyAmount, async (pair, amount) => {
      const { payOut, charge } = pricesOf(pair)
      for (const { here, there } of waysOf(pair)) {
        const reached = await charge(amount, here, there)

        assert.ok((await payOut(amount, here, there)) >= reached)
        assert.ok((await payOut(amount + 1n, here, there)) > reached)
      }
    }),
    often,
  )
})

test('a payment in several parts never costs less or brings more than in one', async () => {
  const anyParts = fc.array(anyAmount, { minLength: 2, maxLength: 5 })
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, each) => total + each, 0n)
  await fc.assert(
    fc.asyncProperty(anyQuotedPair, anyParts, async (pair, parts) => {
      const { payOut, charge } = pricesOf(pair)
      for (const { here, there } of waysOf(pair)) {
        const all = (price: typeof payOut) => Promise.all(parts.map((part) => price(part, there, here)))

        assert.ok(sum(await all(payOut)) >= (await payOut(sum(parts), there, here)))
        assert.ok(sum(await all(charge)) <= (await charge(sum(parts), there, here)))
      }
    }),
  )
})

test('the rate stored with a payment is enough to recompute its amount', async () => {
  const anyWay = fc.constantFrom(['payout', 'up'] as const, ['charge', 'down'] as const)
  await fc.assert(
    fc.asyncProperty(anyQuotedPair, anyAmount, anyWay, async (pair, amount, [way, rounding]) => {
      for (const { here, there } of waysOf(pair)) {
        const sides: Sides = { amount, currency: there, wallet_currency: here }
        const { wallet_amount, rate } = await walletSideOf(way, sides, async () => ({ ...pair, at }))
        const convert = here === pair.base ? divide : multiply
        const kept = parseRate(rate?.value ?? '')

        assert.deepEqual([rate?.pair, rate?.at], [`${pair.base}/${pair.quote}`, at.toISOString()])
        assert.equal(wallet_amount, kept && convert(amount, there, kept, here, rounding))
      }
    }),
  )
})

test('a wallet in the currency of the payment needs no rate', async () => {
  const never = () => assert.fail('a rate was asked for')
  const sides: Sides = { amount: 7n, currency: 'KES', wallet_currency: 'KES' }

  for (const way of ['payout', 'charge'] as const)
    assert.deepEqual(await walletSideOf(way, sides, never), { wallet_amount: 7n, rate: null })
})

test('currencies without a common rate are refused, each direction with its own error', async () => {
  const sides: Sides = { amount: 7n, currency: 'KES', wallet_currency: 'XOF' }
  const nothing = async () => undefined

  await assert.rejects(walletSideOf('payout', sides, nothing), { key: 'DEBIT_CURRENCY_NOT_SUPPORTED' })
  await assert.rejects(walletSideOf('charge', sides, nothing), { key: 'WALLET_CURRENCY_NOT_SUPPORTED' })
})

test('a rate older than five minutes is too old at acceptance, and no rate never is', () => {
  const used = { pair: 'USD/KES', side: 'buy', value: '128.50', at: at.toISOString(), spread: '0' } as const
  const after = (ms: number) => new Date(at.getTime() + ms)

  assert.equal(isRateTooOld({ rate: used }, after(300_000)), false)
  assert.equal(isRateTooOld({ rate: used }, after(300_001)), true)
  assert.equal(isRateTooOld({ rate: null }, after(10 ** 9)), false)
})
