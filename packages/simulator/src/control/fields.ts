type Fields = Readonly<Record<string, unknown>>

/** The fields of a body. Empty when it is not an object. */
export const fieldsOf = (json: unknown): Fields =>
  typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : {}
