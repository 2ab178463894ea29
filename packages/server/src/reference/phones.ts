import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'

export interface Phone {
  /** E.164 with its plus. */
  readonly e164: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  /** The digits after the dialling code. */
  readonly national: string
}

/** Benin's numbers got two more digits in 2024. Many people, and pawaPay's test numbers, still leave them out. */
const shortBenin = /^\+229(?!01)(\d{8})$/

/** Reads a mobile number in international form, with or without its plus. Undefined for any other text. */
export function readPhone(text: string): Phone | undefined {
  const digits = text.replaceAll(/[\s().-]/g, '')
  if (!/^\+?[1-9]\d{6,14}$/.test(digits)) return undefined
  const plus = digits.startsWith('+') ? digits : `+${digits}`
  return mobile(parsePhoneNumberFromString(plus.replace(shortBenin, '+22901$1')))
}

function mobile(parsed: ReturnType<typeof parsePhoneNumberFromString>): Phone | undefined {
  const isMobile = ['MOBILE', 'FIXED_LINE_OR_MOBILE'].includes(parsed?.getType() ?? '')
  if (!parsed?.country || !isMobile) return undefined
  return { e164: parsed.number, country: parsed.country, national: parsed.nationalNumber }
}

/**
 * Every mobile number in E.164 that a person may mean: in international form, with a plus, `00` or neither, or as it is dialled
 * within any of these countries.
 */
export function possiblePhones(text: string, countries: Iterable<string>): string[] {
  const digits = latin(text)
    .replace(/^tel:/i, '')
    .replace(/\(0\)/, '')
    .replaceAll(/[\s()./\p{Pd}\p{Cf}]/gu, '')
  if (!/^\+?\d{7,15}$/.test(digits)) return []
  const isInternational = /^(\+|00)/.test(digits)
  const homes = isInternational ? [] : [...countries].filter((code): code is CountryCode => isSupportedCountry(code))
  const found = [
    readPhone(digits.replace(/^00/, '+')),
    ...homes.map((home) => mobile(parsePhoneNumberFromString(digits, home))),
  ]
  return [...new Set(found.flatMap((phone) => phone?.e164 ?? []))]
}

/** Full-width characters as usual ones, and the digits of Arabic and Persian as Latin ones: their last four bits are the digit. */
const latin = (text: string) =>
  text.normalize('NFKC').replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16))
