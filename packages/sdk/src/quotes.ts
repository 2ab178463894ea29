import type { Schemas } from './generated/api.ts'
import { type Amount, bodyOf } from './payments.ts'
import type { CallOptions, Transport } from './transport.ts'

type AmountName = 'amount' | 'toAmount' | 'debitAmount'
/** Of each form of the body separately; each amount may be an exact string. */
type WithAmounts<Body> = Body extends unknown
  ? {
      [Name in keyof Body]: Name extends AmountName
        ? Body[Name] extends number
          ? Amount
          : Body[Name] | Amount
        : Body[Name]
    }
  : never

/** A payout or a conversion without its reference. A payout by `amount` or by `debitAmount`. */
export type QuoteRequest = WithAmounts<Schemas['QuoteRequest']>
export type Quote = Schemas['Quote']
/** By `amount`, which leaves the first wallet, by `toAmount`, which the second gets, or by `quoteId`. */
export type Conversion = WithAmounts<Schemas['Conversion']>

/** A conversion that was made. Final. */
export type Converted = Omit<Schemas['Converted'], 'success' | 'message'>

/** Prices that hold for a minute. */
export interface Quotes {
  /** Holds no money. Execute it with its `quoteId`, once: as a payout, or as a conversion. */
  create(request: QuoteRequest, options?: CallOptions): Promise<Quote>
}

/** Between your own wallets, final at once. Safe to repeat: every call carries an Idempotency-Key. */
export interface Conversions {
  create(conversion: Conversion, options?: CallOptions): Promise<Converted>
}

export function quotesOf({ call }: Transport): Quotes {
  return { create: async (request, options) => (await call('postQuotes', bodyOf(request), options)).body.data }
}

export function conversionsOf({ call }: Transport): Conversions {
  return {
    create: async (conversion, options) => {
      const { success: _, message: __, ...made } = (await call('postConversions', bodyOf(conversion), options)).body
      return made
    },
  }
}
