import { type TSchema, Type } from 'typebox'

export const closed = { additionalProperties: false }

/** A response with data. */
export const dataOf = <Data extends TSchema>(data: Data) => Type.Object({ success: Type.Literal(true), data })

export const Done = Type.Object({ success: Type.Literal(true) })
export const done = { success: true as const }

export const Texts = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })
