import { invalid } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import type { Bank, ReferenceData } from './data.ts'

export interface BankWish {
  readonly country: string
  readonly currency: Currency
  readonly code: string
  readonly accountNumber: string
}

/** What a request calls its fields, so that a refusal can name them. */
export interface BankFields {
  readonly code: string
  readonly accountNumber: string
}

/** The bank of an account, once the account can be one of its own. Refuses, naming the field, when it cannot. */
export function bankOf(data: ReferenceData, wish: BankWish, fields: BankFields): Bank {
  const { country, currency, code, accountNumber } = wish
  const there = [...data.banks.values()].filter((bank) => bank.country === country && bank.currency === currency)
  const bank = there.find((candidate) => candidate.code === code)
  if (!bank) {
    const message =
      there.length === 0
        ? `${fields.code}: no bank in ${country} is paid in ${currency} here`
        : `${fields.code} ${code} is no bank in ${country}; GET /utilities/banks?country=${country} lists them`
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
