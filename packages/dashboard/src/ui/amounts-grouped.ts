import { exponents } from '../generated/values.ts'

const separated = new Intl.NumberFormat('en')
const amountInSentence = /\b(\d+(?:\.\d+)?) ([A-Z]{3})\b/g

/** A sentence of the API, which may name amounts as `46800.00 KES`, with them as on the page: `KES 46,800.00`. */
export function amountsGrouped(sentence: string): string {
  return sentence.replace(amountInSentence, (text, amount: string, currency: string) =>
    currency in exponents ? `${currency} ${amount.replace(/^\d+/, (whole) => separated.format(BigInt(whole)))}` : text,
  )
}
