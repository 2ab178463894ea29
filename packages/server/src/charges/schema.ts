import { Type } from 'typebox'

export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@]+@[^\\s@.]+\\.[^\\s@]+$',
  description: "The customer's e-mail address",
})

const line = Type.String({ minLength: 1, maxLength: 200 })

export const Address = Type.Object(
  {
    street1: line,
    city: line,
    state: line,
    zip: Type.String({ minLength: 1, maxLength: 20 }),
    country: Type.String({ maxLength: 2, pattern: '^[A-Z]{2}$', description: 'Two letters' }),
  },
  { additionalProperties: false, title: 'BillingAddress' },
)
