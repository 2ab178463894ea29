import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Currency, exponentOf } from '../money/currencies.ts'
import { tenTo } from '../money/decimals.ts'
import { convertFrom, convertTo, exchangeIn, exchangeOut } from '../money/exchange.ts'
import { feeOf } from '../money/fees.ts'
import type { QuotedPair } from '../money/rates.ts'
import { loadReferenceData } from '../reference/data.ts'
import { amountMax } from '../reference/momo.ts'
import { anyAmount, anyQuotedPair, waysOf } from '../testing/any-rates.ts'
import { largestPaidBy } from './largest-amount.ts'

/** Every pair that Malipo quotes, at any rates: runs for each of them. */
const often = { numRuns: 50 }
const { pairs } = loadReferenceData()

interface Leg {
  readonly pair: QuotedPair
  readonly here: Currency
  readonly there: Currency
}

/** Both directions of every pair at these rates. */
function legsAt({ buy, sell, provider }: QuotedPair): Leg[] {
  return pairs.flatMap(({ base, quote }) => {
    const pair = { base, quote, buy, sell, provider }
    return waysOf(pair).map((way) => ({ pair, ...way }))
  })
}

/** Half of the amounts are the smallest ones, where rounding weighs most. */
const someAmount = fc.oneof(fc.bigInt({ min: 1n, max: 300n }), anyAmount)
/** The request refuses a target of 0. */
const someTarget = someAmount.filter((amount) => amount > 0n)
const someFee = fc.record({ fixed: fc.bigInt({ min: 0n, max: 500n }), basisPoints: fc.integer({ min: 0, max: 2000 }) })

/** The ways to convert `amount`: by what leaves, and by the largest target that it pays for. Each gives what arrives. */
function conversionsOf(pair: QuotedPair, amount: bigint, from: Currency, to: Currency): bigint[] {
  const costOf = (target: bigint) => (target === 0n ? 0n : convertTo(pair, target, from, to).fromAmount)
  const byAmount = convertFrom(pair, amount, from, to).toAmount
  const byTarget = largestPaidBy(amount, costOf, { currency: to, decimals: undefined })
  return [byAmount, byTarget]
}

/** What can come back of an amount that went there at the rates of the leg and returns at those of another pair. */
function backOf({ pair, here, there }: Leg, returning: QuotedPair, amount: bigint): bigint[] {
  const reached = conversionsOf(pair, amount, here, there).filter((sum) => sum > 0n)
  return reached.flatMap((sum) => conversionsOf(returning, sum, there, here))
}

test('there and back at the same rates never gains, over all pairs, by amount and by target', () => {
  fc.assert(
    fc.property(anyQuotedPair, someAmount, (rates, amount) => {
      for (const leg of legsAt(rates))
        for (const back of backOf(leg, leg.pair, amount)) assert.ok(back <= amount, `${amount} ${leg.here}: ${back}`)
    }),
    often,
  )
})

test('an exact target that is converted back brings no more than it cost', () => {
  fc.assert(
    fc.property(anyQuotedPair, someTarget, (rates, target) => {
      for (const { pair, here, there } of legsAt(rates)) {
        const { fromAmount, markup } = convertTo(pair, target, here, there)

        assert.ok(fromAmount > 0n && markup >= 0n)
        for (const back of conversionsOf(pair, target, there, here)) assert.ok(back <= fromAmount)
      }
    }),
    often,
  )
})

test('a payout quoted by its debit, charged or converted back, brings no more than the debit', () => {
  fc.assert(
    fc.property(anyQuotedPair, someAmount, someFee, (rates, debit, rule) => {
      for (const { pair, here, there } of legsAt(rates)) {
        const costOf = (amount: bigint) => {
          const { walletAmount } = exchangeOut(pair, { amount, currency: there, wallet: here })
          return walletAmount + feeOf(rule, walletAmount)
        }
        const paid = largestPaidBy(debit, costOf, { currency: there, decimals: undefined })
        const charged = exchangeIn(pair, { amount: paid, currency: there, wallet: here }).walletAmount

        assert.ok(paid === 0n || costOf(paid) <= debit)
        assert.ok(costOf(paid + 1n) > debit || paid > amountMax, 'no larger amount can be paid')
        for (const back of [charged, ...conversionsOf(pair, paid, there, here)]) assert.ok(back <= debit)
      }
    }),
    often,
  )
})

/**
 * A quote keeps its rate while the market moves, for its life of a minute. Each leg has its own rates here, in any relation: what
 * comes back is at most the amount times the rate that gave over the rate that took. So nothing is gained unless the rate moved
 * past the whole spread between the two, and then no more than it moved.
 */
test('with a stale quote for either leg the gain is bounded by the move of the rate', () => {
  fc.assert(
    fc.property(anyQuotedPair, anyQuotedPair, someAmount, (first, second, amount) => {
      for (const leg of legsAt(first)) {
        const { pair: one, here } = leg
        const two = { ...second, base: one.base, quote: one.quote }
        const [bought, sold] = here === one.base ? [one.buy, two.sell] : [two.buy, one.sell]
        const [given, taken] = [bought.digits * tenTo(sold.scale), sold.digits * tenTo(bought.scale)]
        const most = given <= taken ? amount : (amount * given) / taken

        for (const back of backOf(leg, two, amount)) assert.ok(back <= most)
      }
    }),
    often,
  )
})

test('the largest amount in steps of the rail is exact for any fee rule and limit', () => {
  const bounds = fc.option(fc.bigInt({ min: 0n, max: 5000n }), { nil: undefined })
  fc.assert(
    fc.property(someFee, bounds, bounds, someAmount, (part, one = 0n, other = 1n << 60n, limit) => {
      const rule = { ...part, min: one < other ? one : other, max: one < other ? other : one }
      const costOf = (amount: bigint) => amount + feeOf(rule, amount)
      for (const [currency, decimals] of [
        ['KES', 0],
        ['KES', undefined],
        ['UGX', 2],
      ] as const) {
        const exponent = exponentOf(currency)
        const step = tenTo(exponent - Math.min(decimals ?? exponent, exponent))
        const paid = largestPaidBy(limit, costOf, { currency, decimals })

        assert.equal(paid % step, 0n)
        assert.ok(paid === 0n || costOf(paid) <= limit)
        assert.ok(costOf(paid + step) > limit || paid > amountMax)
      }
    }),
    { numRuns: 2000 },
  )
})
