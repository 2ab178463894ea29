/** Fields of responses that hold the phone or account number of a person. Names of people stay readable. */
const numberFields = new Set([
  ...['phoneNumber', 'accountNumber', 'accountId', 'number', 'destination', 'account'],
  // A name, or a number where no name is known.
  'counterparty',
])

/** Enough to recognise a number that one already knows, and too little to use it. */
export const maskNumber = (number: string): string => `••••${number.length > 6 ? number.slice(-4) : ''}`

/** `destination` is a number in some responses, and in others a kind such as `MoMo`, which stays. */
const hasDigit = (text: string) => /\d/.test(text)

/** The same response for readers who may not see phone and account numbers in full. */
export function maskNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'instructions'
        ? maskInTexts(inner)
        : typeof inner === 'string' && numberFields.has(name) && hasDigit(inner)
          ? maskNumber(inner)
          : maskNumbers(inner),
    ]),
  )
}

/** Instructions to a payer repeat the number of the account. */
const maskInTexts = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((text) => (typeof text === 'string' ? text.replaceAll(/\d{6,}/g, maskNumber) : text))
    : value
