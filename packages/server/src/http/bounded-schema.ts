import type { TSchema } from 'typebox'

type Json = Readonly<Record<string, unknown>>

/**
 * The schema of a request with its patterns bounded: none runs on text that is longer than its field may be, since reporting what
 * is wrong tries every rule of a field, not only the first that fails. A text without a length stops the start.
 */
export function bounded(schema: TSchema): TSchema {
  return boundedPart(schema, 'schema') as TSchema
}

function boundedPart(part: unknown, path: string): unknown {
  if (Array.isArray(part)) return part.map((each, index) => boundedPart(each, `${path}.${index}`))
  if (typeof part !== 'object' || part === null) return part
  const { type, maxLength, pattern } = part as Json
  if (type === 'string' && !isListed(part)) {
    if (typeof maxLength !== 'number') throw new Error(`${path} is a text of a request without maxLength`)
    return typeof pattern === 'string' ? { ...part, pattern: boundedPattern(pattern, maxLength) } : part
  }
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, boundedPart(each, `${path}.${name}`)]))
}

/** One of a few texts needs no length. */
const isListed = (part: object) => 'const' in part || 'enum' in part

/** Text that is too long fits: maxLength refuses it. A character takes at most two code units. */
function boundedPattern(source: string, lengthMax: number): RegExp {
  const pattern = new RegExp(source, 'u')
  const test = (text: string) => text.length > 2 * lengthMax || pattern.test(text)
  return Object.assign(new RegExp(source, 'u'), { test })
}
