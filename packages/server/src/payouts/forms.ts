import { type TProperties, Type } from 'typebox'
import { Destination, PayoutMethod } from '../external-accounts/schema.ts'

const closed = { additionalProperties: false }
const text = (description: string) => Type.String({ maxLength: 50, description })

const holder = {
  accountName: Type.String({ maxLength: 100, description: 'Name of the account holder' }),
}

/** The payout method of each destination, with the fields it needs. */
const methods = {
  MoMo: {
    title: 'PayoutToMobileMoney',
    method: {
      ...holder,
      accountNumber: text('Phone number in international form, such as +254703456789'),
      code: Type.Optional(text('Operator id; needed where the number does not identify the operator')),
    },
  },
  'Bank Account': {
    title: 'PayoutToBank',
    method: {
      ...holder,
      accountNumber: text('Account number'),
      code: text('Bank code, from `GET /utilities/banks`'),
      branchCode: Type.Optional(text('Required in Uganda and Tanzania')),
    },
  },
  Paybill: {
    title: 'PayoutToPaybill',
    method: {
      ...holder,
      accountNumber: text('Your account with the business'),
      businessNumber: text('Paybill number of the business'),
    },
  },
  Till: {
    title: 'PayoutToTill',
    method: { ...holder, accountNumber: text('Till number') },
  },
} as const

/**
 * A payout as the document and the SDK describe it: to an external account, or to one kind of destination with the fields that
 * it needs. The server validates the flat form, so that each missing field is reported by its name.
 */
export function payoutForms(sum: TProperties, wallet: TProperties): object[] {
  const country = Type.String({ maxLength: 100, description: 'Two-letter ISO 3166-1 code of the beneficiary' })
  const currency = Type.String({ maxLength: 100, description: 'What the beneficiary gets' })
  const direct = Object.entries(methods).map(([destination, { title, method }]) => {
    const fields = {
      ...sum,
      currency,
      country,
      destination: Type.Literal(destination, { description: 'The kind of account' }),
      payoutMethod: Type.Object(method, { ...closed, description: 'The account that is paid' }),
      ...wallet,
    }
    return Type.Object(fields, { ...closed, title })
  })
  const stored = Type.Object(
    {
      ...sum,
      externalAccountId: Type.String({ maxLength: 100, description: 'The external account that is paid' }),
      currency: Type.Optional(currency),
      country: Type.Optional(country),
      destination: Type.Optional(Destination),
      payoutMethod: Type.Optional({
        ...PayoutMethod,
        description: 'May be left out; if sent, it must match the external account',
      }),
      ...wallet,
    },
    { ...closed, title: 'PayoutToExternalAccount' },
  )
  return [stored, ...direct]
}
