import { invalid } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import type { Bank, ReferenceData } from './data.ts'

export interface BankQuery {
  readonly country: string
  readonly currency: Currency
  readonly code: string
  readonly accountNumber: string
}

/** The request's field names, for error messages. */
export interface BankFields {
  readonly code: string
  readonly accountNumber: string
}

/** The bank of an account, if the account number fits it. Otherwise throws an error that names the field. */
export function bankOf(data: ReferenceData, input: BankQuery, fields: BankFields): Bank {
  const { country, currency, code, accountNumber } = input
  const there = [...data.banks.values()].filter((bank) => bank.country === country && bank.currency === currency)
  const bank = there.find((candidate) => candidate.code === code)
  if (!bank) {
    const message =
      there.length === 0
        ? `${fields.code}: banks in ${country} are not paid in ${currency}`
        : `${fields.code} ${code} is not a bank in ${country}; GET /utilities/banks?country=${country} lists them`
    throw invalid([{ field: fields.code, message }])
  }
  if (!/^[A-Za-z0-9]{5,34}$/.test(accountNumber))
    throw invalid([
      { field: fields.accountNumber, message: `${fields.accountNumber} must be 5 to 34 letters and digits` },
    ])
  if (bank.account_digits !== null && !new RegExp(`^\\d{${bank.account_digits}}$`).test(accountNumber)) {
    const message = `${fields.accountNumber} must be ${bank.account_digits} digits at ${bank.name}`
    throw invalid([{ field: fields.accountNumber, message }])
  }
  return bank
}
