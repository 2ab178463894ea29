import { Type } from 'typebox'

/** What merchants call a payment. */
export const ExternalReference = Type.String({
  pattern: '^[\\x21-\\x7e]{1,100}$',
  description: 'Your own id for this payment, of 1 to 100 printable characters; unique for ever',
})

export const NextAction = Type.Object(
  {
    type: Type.String({ description: 'NONE, PIN_PROMPT, OTP, PIN, ADDRESS, REDIRECT or BANK_TRANSFER' }),
    instructions: Type.Optional(Type.Array(Type.String())),
    redirectUrl: Type.Optional(Type.String({ description: 'Where to send the customer' })),
    ussdCode: Type.Optional(Type.String()),
  },
  { title: 'NextAction' },
)

export const FailureReason = Type.Object({
  failureCode: Type.String(),
  failureMessage: Type.String(),
  providerCode: Type.Optional(Type.String()),
})

export const Explanation = Type.Object(
  {
    sentence: Type.String({ description: 'One sentence: what happened, what happens next, and by when' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'What happens next; null when nothing more will',
    }),
    by: Type.Union([Type.String(), Type.Null()], {
      description: 'ISO 8601: when that happens, or until when it must have; null where there is no such time',
    }),
  },
  { title: 'Explanation', description: 'Where the payment stands, in words for people' },
)

export const VirtualAccount = Type.Object(
  {
    permanent: Type.Boolean(),
    accountNumber: Type.String(),
    bankName: Type.String(),
    createdAt: Type.String(),
    expiresAt: Type.String({ description: 'The account takes money until then' }),
    note: Type.String(),
    amount: Type.String({ description: 'What to transfer' }),
    bankLogo: Type.String({ description: 'A picture with the name of the bank' }),
  },
  { title: 'VirtualAccount' },
)
