import { Type } from 'typebox'
import { destinations } from './beneficiary.ts'

const Short = (description: string) => Type.Optional(Type.String({ maxLength: 50, description }))

/** The payout destination as merchants write it, for external accounts and for payouts. */
export const PayoutMethod = Type.Object(
  {
    accountName: Type.Optional(Type.String({ maxLength: 100 })),
    accountNumber: Short(
      'A phone number in international form, an account number, a customer of a business, or a till',
    ),
    code: Short('Operator id or bank code'),
    branchCode: Short('For banks in Uganda and Tanzania'),
    businessNumber: Short('For Paybill'),
  },
  { additionalProperties: false },
)

export const Destination = Type.Union(destinations.map((word) => Type.Literal(word)))
