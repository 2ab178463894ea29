import fc from 'fast-check'
import { type Currency, currencies, isCurrency } from '../money/currencies.ts'
import { type Pair, type Rate, withMarkup } from '../money/rates.ts'

/** Minor units of any currency, up to more than exist. */
export const anyAmount = fc.bigInt({ min: 0n, max: 10n ** 18n })

const anyScale = fc.integer({ min: 0, max: 18 })
export const anyRate = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 20n }), anyScale)
  .map(([digits, scale]): Rate => ({ digits, scale }))

/** Any two currencies with any rates. A third of the pairs have no spread: there rounding alone must not gain. */
export const anyPair = fc
  .record({
    currencies: fc.uniqueArray(fc.constantFrom(...Object.keys(currencies).filter(isCurrency)), {
      minLength: 2,
      maxLength: 2,
    }),
    buy: anyRate,
    spread: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n }), fc.bigInt({ min: 0n, max: 10n ** 20n })),
    finer: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ currencies: [base = 'USD', quote = 'KES'], buy, spread, finer }): Pair => {
    const scale = Math.min(buy.scale + finer, 18)
    const sell = { digits: buy.digits * 10n ** BigInt(scale - buy.scale) + spread, scale }
    return { base, quote, buy, sell }
  })

/** Any provider pair with any markup; a third have none. */
export const anyQuotedPair = fc
  .tuple(anyPair, fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 2000 })))
  .map(([pair, basisPoints]) => withMarkup(pair, basisPoints))

/** Both directions of a pair, so that a property is tried from each of its wallets. */
export const waysOf = ({ base, quote }: Pair): readonly { readonly here: Currency; readonly there: Currency }[] => [
  { here: base, there: quote },
  { here: quote, there: base },
]
