import { type TProperties, Type } from 'typebox'

const closed = { additionalProperties: false }
const country = (which: string) =>
  Type.Optional(
    Type.String({ maxLength: 100, description: `Country of the ${which} wallet, if several have its currency` }),
  )

const wallets = {
  fromCurrency: Type.String({ maxLength: 100, description: 'Wallet that pays' }),
  fromCountry: country('first'),
  toCurrency: Type.String({ maxLength: 100, description: 'Wallet that is credited' }),
  toCountry: country('second'),
}
const amount = Type.Number({ description: 'What leaves the first wallet, in major units' })
const toAmount = Type.Number({ description: 'What the second wallet gets, in major units' })

/** What to convert, as the server validates it: which fields belong together is checked later, so that each is named. */
export const ConversionSides = {
  fromCurrency: Type.Optional(wallets.fromCurrency),
  fromCountry: wallets.fromCountry,
  toCurrency: Type.Optional(wallets.toCurrency),
  toCountry: wallets.toCountry,
  amount: Type.Optional(amount),
  toAmount: Type.Optional(toAmount),
}

/** The same as the document and the SDK describe it: by one of the two amounts. */
export function conversionSides(common: TProperties, title: string) {
  return [
    Type.Object({ ...common, ...wallets, amount }, { ...closed, title: `${title}ByAmount` }),
    Type.Object({ ...common, ...wallets, toAmount }, { ...closed, title: `${title}ByTarget` }),
  ]
}

/** A conversion: by one of the two amounts, or by its quote. */
export function conversionForms(common: TProperties, title: string): object {
  const quoteId = Type.String({ maxLength: 100, description: 'The quote to execute' })
  const quoted = Type.Object({ ...common, quoteId }, { ...closed, title: `${title}ByQuote` })
  return { title, anyOf: [...conversionSides(common, title), quoted] }
}
