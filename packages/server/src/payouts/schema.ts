import { Type } from 'typebox'
import { ConversionSides, conversionSides } from '../conversions/forms.ts'
import { Destination, PayoutMethod } from '../external-accounts/schema.ts'
import { ExternalReference } from '../transactions/schema.ts'
import { payoutForms } from './forms.ts'

const closed = { additionalProperties: false }
const Wallet = {
  debitCurrency: Type.Optional(Type.String({ maxLength: 100, description: 'Wallet to debit; `currency` if omitted' })),
  debitCountry: Type.Optional(Type.String({ maxLength: 100, description: 'Country scope of that wallet' })),
}
const amount = Type.Number({ description: 'The exact amount the beneficiary receives, in major units' })
const refundOf = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'A charge that this payout refunds, where its provider makes no refunds',
  }),
)
const debitAmount = Type.Number({ description: 'What may leave the wallet, fee included, in major units' })
const quoteId = Type.String({ maxLength: 100, description: 'Executes this quote; nothing else is needed beside it' })
const Payee = {
  externalAccountId: Type.Optional(Type.String({ maxLength: 100, description: 'Instead of the next four' })),
  currency: Type.Optional(Type.String({ maxLength: 100 })),
  country: Type.Optional(Type.String({ maxLength: 100, description: 'Two-letter country code' })),
  destination: Type.Optional(Destination),
  payoutMethod: Type.Optional(PayoutMethod),
}

const Quoted = Type.Object(
  {
    externalReference: ExternalReference,
    quoteId,
    amount: Type.Optional(Type.Number({ description: 'If sent, it must be the quoted one' })),
    refundOf,
  },
  { ...closed, title: 'PayoutByQuote' },
)

/** A payout. The amount is needed unless a quote has it. */
export const PayoutBody = Type.Object(
  {
    amount: Type.Optional(amount),
    debitAmount: Type.Optional(debitAmount),
    externalReference: ExternalReference,
    quoteId: Type.Optional(quoteId),
    refundOf,
    ...Payee,
    ...Wallet,
  },
  {
    ...closed,
    if: { required: ['quoteId'] },
    else: { required: ['amount'] },
    'x-documented': {
      title: 'Payout',
      anyOf: [...payoutForms({ amount, externalReference: ExternalReference }, { ...Wallet, refundOf }), Quoted],
    },
  },
)

const itemsMax = 1000
export const BulkBody = Type.Object(
  {
    payouts: Type.Array(Type.Unknown({ 'x-documented': PayoutBody }), {
      minItems: 1,
      maxItems: itemsMax,
      description: 'Each as the body of a single payout',
    }),
  },
  closed,
)

const perUnit = 100
/** How many requests a bulk counts as. */
export const bulkUnits = (body: unknown) => Math.ceil((body as { payouts: unknown[] }).payouts.length / perUnit)

const AmountOrDebit = {
  amount: Type.Optional(Type.Number({ description: 'What the beneficiary receives; or send `debitAmount`' })),
  debitAmount: Type.Optional(Type.Number({ description: 'What may leave the wallet, fee included' })),
}

/** What to quote: a payout or a conversion, without its reference. */
export const QuoteBody = Type.Object(
  { ...ConversionSides, ...AmountOrDebit, ...Payee, ...Wallet },
  {
    ...closed,
    'x-documented': {
      title: 'QuoteRequest',
      anyOf: [
        ...payoutForms(AmountOrDebit, Wallet).map((form) => retitled(form, /^Payout/, 'QuoteOfPayout')),
        ...conversionSides({}, 'QuoteOfConversion'),
      ],
    },
  },
)

function retitled(form: object, from: RegExp, to: string): object {
  return { ...form, title: String((form as { title?: unknown }).title).replace(from, to) }
}
