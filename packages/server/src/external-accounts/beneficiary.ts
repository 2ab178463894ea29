import { type Detail, invalid } from '../errors.ts'
import { type Currency, isCurrency } from '../money/currencies.ts'
import { bankOf } from '../reference/banks.ts'
import type { ReferenceData } from '../reference/data.ts'
import { momoAccount } from '../reference/momo.ts'

export const destinations = ['MoMo', 'Bank Account', 'Paybill', 'Till'] as const
export type Destination = (typeof destinations)[number]

/** The recipient and account of a payout. Fields that a destination does not have are empty texts. */
export interface Beneficiary {
  readonly country: string
  readonly currency: Currency
  readonly destination: Destination
  readonly account_name: string
  /** A phone number in E.164, or the number of a bank account, a business's customer or a till. */
  readonly account_number: string
  /** The operator's id or the bank's code. */
  readonly code: string
  readonly branch_code: string
  readonly business_number: string
}

export interface BeneficiaryInput {
  readonly country: string
  readonly currency: string
  readonly destination: Destination
  readonly payoutMethod: PayoutMethod
}

export interface PayoutMethod {
  readonly accountName?: string
  readonly accountNumber?: string
  readonly code?: string
  readonly branchCode?: string
  readonly businessNumber?: string
}

/** The request's name for a field of the payout method, such as `payoutMethod.code`. */
export type FieldName = (name: keyof PayoutMethod) => string

const branchCountries = ['UG', 'TZ']

/** Turns a merchant's input into a valid beneficiary, or throws an error that names the field. */
export function beneficiaryOf(data: ReferenceData, input: BeneficiaryInput, fieldOf: FieldName): Beneficiary {
  const { country, destination, payoutMethod } = input
  const currency = currencyIn(data, country, input.currency)
  const required = requiredFields[destination].filter((name) => !payoutMethod[name])
  const [first, ...rest] = required.map((name): Detail => {
    const field = fieldOf(name)
    return { field, message: `${field} is required for ${destination}` }
  })
  if (first) throw invalid([first, ...rest])
  const common = {
    country,
    currency,
    destination,
    account_name: lineOf(payoutMethod.accountName, fieldOf('accountName')),
  }
  return { ...common, ...readers[destination](data, common, payoutMethod, fieldOf) }
}

const requiredFields = {
  MoMo: ['accountName', 'accountNumber'],
  'Bank Account': ['accountName', 'accountNumber', 'code'],
  Paybill: ['accountName', 'accountNumber', 'businessNumber'],
  Till: ['accountName', 'accountNumber'],
} as const satisfies Record<Destination, readonly (keyof PayoutMethod)[]>

type Place = Pick<Beneficiary, 'country' | 'currency' | 'destination'>
type Account = Pick<Beneficiary, 'account_number' | 'code' | 'branch_code' | 'business_number'>
type Reader = (data: ReferenceData, place: Place, method: PayoutMethod, fieldOf: FieldName) => Account

const readers: Record<Destination, Reader> = {
  MoMo: (data, { country, currency }, method, fieldOf) => {
    const fields = {
      phone: fieldOf('accountNumber'),
      operator: fieldOf('code'),
      required: 'MOMO_CODE_REQUIRED',
    } as const
    const input = { currency, phone: method.accountNumber ?? '', operator: method.code ?? '' }
    const { phone, operator } = momoAccount(data, input, fields)
    if (phone.country !== country)
      throw invalid([
        { field: fields.phone, message: `${fields.phone} is a number of ${phone.country}, not ${country}` },
      ])
    return { account_number: phone.e164, code: operator.id, branch_code: '', business_number: '' }
  },
  'Bank Account': (data, { country, currency }, method, fieldOf) => {
    const branch_code = branchOf(country, method.branchCode ?? '', fieldOf('branchCode'))
    const accountNumber = (method.accountNumber ?? '').replaceAll(/[\s-]/g, '')
    const fields = { code: fieldOf('code'), accountNumber: fieldOf('accountNumber') }
    const bank = bankOf(data, { country, currency, code: method.code ?? '', accountNumber }, fields)
    return { account_number: accountNumber, code: bank.code, branch_code, business_number: '' }
  },
  Paybill: (_, place, method, fieldOf) => {
    refuseOutsideKenya(place)
    const business_number = digitsOf(method.businessNumber, fieldOf('businessNumber'))
    const account_number = lineOf(method.accountNumber, fieldOf('accountNumber'))
    return { account_number, code: '', branch_code: '', business_number }
  },
  Till: (_, place, method, fieldOf) => {
    refuseOutsideKenya(place)
    const account_number = digitsOf(method.accountNumber, fieldOf('accountNumber'))
    return { account_number, code: '', branch_code: '', business_number: '' }
  },
}

function currencyIn(data: ReferenceData, country: string, currency: string): Currency {
  if (!data.countries.has(country))
    throw invalid([
      {
        field: 'country',
        message: `country ${country} is not supported; GET /utilities/countries lists the supported ones`,
      },
    ])
  if (!isCurrency(currency))
    throw invalid([
      { field: 'currency', message: `currency ${currency} is not supported; codes are upper case, such as KES` },
    ])
  return currency
}

/** The specification's own words: integrators match them. Mobile money has no branches, so it is never required there. */
function branchOf(country: string, branchCode: string, field: string): string {
  if (branchCode === '' && branchCountries.includes(country))
    throw invalid([{ field, message: 'Branch code is required for UG and TZ.' }])
  if (!/^[A-Za-z0-9-]{0,20}$/.test(branchCode))
    throw invalid([{ field, message: `${field} must be at most 20 letters and digits` }])
  return branchCode
}

function refuseOutsideKenya({ country, currency, destination }: Place): void {
  if (country === 'KE' && currency === 'KES') return
  throw invalid([{ field: 'destination', message: `destination ${destination} exists in Kenya only, in KES` }])
}

function digitsOf(text: string | undefined, field: string): string {
  if (text !== undefined && /^\d{4,10}$/.test(text)) return text
  throw invalid([{ field, message: `${field} must be 4 to 10 digits` }])
}

/** One line with visible text, as a receipt shows it. */
function lineOf(text: string | undefined, field: string): string {
  const line = (text ?? '').trim()
  if (/\S/.test(line) && line.length <= 100 && !/\p{Cc}/u.test(line)) return line
  throw invalid([{ field, message: `${field} must be a line of 1 to 100 characters` }])
}
