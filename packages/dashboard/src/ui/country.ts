const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** `Kenya` for `KE`; what is not a country's code stays as it is. */
export const countryText = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code)
