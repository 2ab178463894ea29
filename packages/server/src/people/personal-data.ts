/** Fields of responses that hold the phone or account number of a person. Names of people stay readable. */
const numberFields = new Set([
  ...['phoneNumber', 'accountNumber', 'accountId', 'number', 'destination', 'account'],
  // A name, or a number where no name is known.
  'counterparty',
])

/** Enough to recognise a number that one already knows, and too little to use it. */
export const maskNumber = (number: string): string => `••••${number.length > 6 ? number.slice(-4) : ''}`

/** Fewer digits may be an amount or a code. */
export const numberDigitsMin = 7

/** Whether a text to search for may be the number of a person. */
export const mayBeNumber = (text: string): boolean =>
  text.replaceAll(/\D/g, '').length >= numberDigitsMin && !/[A-Za-z]/.test(text)

/** `destination` is a number in some responses, and in others a kind such as `MoMo`, which stays. */
const hasDigit = (text: string) => /\d/.test(text)

/** The same response for readers who may not see phone and account numbers in full. */
export function maskNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      textsWithNumbers.has(name)
        ? maskInTexts(inner)
        : typeof inner === 'string' && numberFields.has(name) && hasDigit(inner)
          ? maskNumber(inner)
          : maskNumbers(inner),
    ]),
  )
}

/** Texts that repeat the number of the account that a payer transfers to. Amounts in them have separators. */
const textsWithNumbers = new Set(['instructions', 'sentence'])

function maskInTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskInTexts)
  return typeof value === 'string' ? value.replaceAll(/\d{6,}/g, maskNumber) : value
}
