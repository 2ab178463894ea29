import { Type } from 'typebox'

/** What merchants call a payment. */
export const ExternalReference = Type.String({
  pattern: '^[\\x21-\\x7e]{1,100}$',
  description: 'Your own id for this payment, of 1 to 100 printable characters; unique for ever',
})

export const NextAction = Type.Object(
  {
    type: Type.String({ description: 'NONE, PIN_PROMPT or REDIRECT' }),
    instructions: Type.Optional(Type.Array(Type.String())),
    redirectUrl: Type.Optional(Type.String({ description: 'Where to send the customer' })),
    ussdCode: Type.Optional(Type.String()),
  },
  { title: 'NextAction' },
)
