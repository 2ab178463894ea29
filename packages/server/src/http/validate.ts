import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { type Detail, invalid } from '../errors.ts'

Settings.Set({ maxErrors: 100 }) // Every field is named, not the first eight.

/**
 * Checks a part of a request against its schema and names every field that is wrong. A body is taken as it was sent;
 * numbers of a query string are read from their text, since everything there is text.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema)
  return (sent) => {
    const value = httpPart === 'body' ? sent : withNumbers(schema, sent)
    const unfit = unfitText(value)
    if (unfit !== undefined)
      return { error: invalid([{ field: unfit, message: `${unfit} has characters that are no text` }]) }
    if (validator.Check(value)) return { value }
    const [first, ...rest] = detailsOf(schema, validator.Errors(value))
    return { error: invalid([first ?? { field: 'body', message: 'the request is not as it should be' }, ...rest]) }
  }
}

/** Texts that are numbers, where numbers belong. Nothing is rounded: a fraction is no integer. */
function withNumbers(schema: TSchema, sent: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  if (typeof sent !== 'object' || sent === null) return sent
  const entries = Object.entries(sent).map(([name, value]) => {
    const isNumber = ['number', 'integer'].includes(properties[name]?.type ?? '')
    const isText = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
    return [name, isNumber && isText ? Number(value) : value]
  })
  return Object.fromEntries(entries)
}

/** The first field whose text no database or log can keep: with a NUL, or with half a character. */
function unfitText(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\u0000') || !value.isWellFormed() ? path || 'body' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const found = unfitText(inner, path === '' ? name : `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

function detailsOf(schema: TSchema, errors: readonly TLocalizedValidationError[]): Detail[] {
  const details = errors.flatMap((error) => describe(schema, error))
  return details.filter(({ field }, index) => details.findIndex((other) => other.field === field) === index)
}

function describe(schema: TSchema, error: TLocalizedValidationError): Detail[] {
  const path = error.instancePath.split('/').slice(1)
  const at = (...names: string[]) => [...path, ...names].join('.') || 'body'
  const say = (field: string, what: string) => ({ field, message: `${field} ${what}` })
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => say(at(name), 'is required'))
    case 'additionalProperties':
      return error.params.additionalProperties.map((name) => say(at(name), unknownField(schema, path, name)))
    case 'boolean':
      return [] // Said better by the additionalProperties error beside it.
    case 'type':
      return [say(at(), `must be ${withArticle(String(error.params.type))}`)]
    case 'enum':
      return [say(at(), `must be one of ${error.params.allowedValues.join(', ')}`)]
    case 'pattern':
      return [say(at(), 'has a form that is not allowed')]
    case 'minLength':
      return [say(at(), `must have at least ${error.params.limit} character${error.params.limit === 1 ? '' : 's'}`)]
    case 'maxLength':
      return [say(at(), `must have at most ${error.params.limit} characters`)]
    default:
      return [say(at(), error.message)]
  }
}

const withArticle = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

/** A field nobody asked for is most often one that is mistyped, and on money a silent default would be worse than this. */
function unknownField(schema: TSchema, path: readonly string[], name: string): string {
  const known = Object.keys(propertiesAt(schema, path))
  const meant = known.find((candidate) => isNear(candidate.toLowerCase(), name.toLowerCase()))
  return meant ? `is not known; did you mean ${meant}?` : 'is not known here'
}

function propertiesAt(schema: TSchema, path: readonly string[]): Record<string, TSchema> {
  const { properties = {} } = schema as { properties?: Record<string, TSchema> }
  const [name, ...rest] = path
  const inner = name === undefined ? undefined : properties[name]
  return inner ? propertiesAt(inner, rest) : properties
}

/** Whether one word becomes the other by at most one letter put in, taken out, changed, or swapped with the next. */
function isNear(left: string, right: string): boolean {
  const start = [...left].findIndex((letter, index) => letter !== right[index])
  if (start === -1) return right.length - left.length <= 1
  const [a, b] = [left.slice(start), right.slice(start)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1) || isSwapped
}
