import type { TSchema } from 'typebox'

type Json = Readonly<Record<string, unknown>>

/**
 * Bounds the patterns of a request schema: none runs on text longer than its field allows, because error reporting tries every
 * rule of a field, not only the first that fails. A text field without maxLength fails at startup.
 */
export function bounded(schema: TSchema): TSchema {
  return boundedPart(schema, 'schema') as TSchema
}

function boundedPart(part: unknown, path: string): unknown {
  if (Array.isArray(part)) return part.map((each, index) => boundedPart(each, `${path}.${index}`))
  if (typeof part !== 'object' || part === null) return part
  const { type, maxLength, pattern } = part as Json
  if (type === 'string' && !isListed(part)) {
    if (typeof maxLength !== 'number') throw new Error(`${path} is a request string without maxLength`)
    return typeof pattern === 'string' ? { ...part, pattern: boundedPattern(pattern, maxLength) } : part
  }
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, boundedPart(each, `${path}.${name}`)]))
}

/** An enumerated text needs no maxLength. */
const isListed = (part: object) => 'const' in part || 'enum' in part

/** Text that is too long passes the pattern: maxLength refuses it. A character takes at most two code units. */
function boundedPattern(source: string, lengthMax: number): RegExp {
  const pattern = new RegExp(source, 'u')
  const test = (text: string) => text.length > 2 * lengthMax || pattern.test(text)
  return Object.assign(new RegExp(source, 'u'), { test })
}
