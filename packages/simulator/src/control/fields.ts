type Fields = Readonly<Record<string, unknown>>

/** What a body holds; nothing when it is not an object. */
export const fieldsOf = (json: unknown): Fields =>
  typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : {}
