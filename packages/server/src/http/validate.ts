import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { type Detail, invalid } from '../errors.ts'
import { bounded } from './bounded-schema.ts'
import { oncePerSchema } from './once-per-schema.ts'
import type { Schema } from './reference/document.ts'
import { choicesOf } from './reference/fields.ts'

Settings.Set({ maxErrors: 100 }) // Reports every field, not only the first eight.

/**
 * Validates a part of a request against its schema and reports every wrong field. A body is taken as sent; numbers in a query
 * string are parsed, because everything there is text.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = validatorOf(schema)
  return (sent) => {
    const value = httpPart === 'body' ? sent : withParsed(schema, sent)
    const unfit = unfitText(value)
    if (unfit) {
      const field = unfit.join('.') || 'body'
      return { error: invalid([{ field, message: `${field} has characters that are not valid text` }]) }
    }
    if (validator.Check(value)) return { value }
    const [first, ...rest] = detailsOf(schema, validator.Errors(value))
    return { error: invalid([first ?? { field: 'body', message: 'the request is invalid' }, ...rest]) }
  }
}

const validatorOf = oncePerSchema((schema) => Compile(bounded(schema)))

/** Parses numbers and booleans where the schema wants them. Nothing is rounded: a fraction is not an integer. */
function withParsed(schema: TSchema, sent: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  if (typeof sent !== 'object' || sent === null) return sent
  const entries = Object.entries(sent).map(([name, value]) => {
    return [name, typeof value === 'string' ? parsed(value, properties[name]?.type) : value]
  })
  return Object.fromEntries(entries)
}

function parsed(value: string, type: string | undefined): unknown {
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  const isNumber = (type === 'number' || type === 'integer') && /^-?\d+(\.\d+)?$/.test(value)
  return isNumber ? Number(value) : value
}

/** The path to the first text that no database or log can store: with a NUL, or with half a surrogate pair. */
function unfitText(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value.includes('\u0000') || !value.isWellFormed() ? [] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const name in value) {
    const inner = unfitText((value as Record<string, unknown>)[name])
    if (inner) return [name, ...inner]
  }
  return undefined
}

/** At most one detail per field, and at most this many. */
const detailsMax = 100

function detailsOf(schema: TSchema, errors: readonly TLocalizedValidationError[]): Detail[] {
  const byField = new Map<string, Detail>()
  for (const detail of errors.flatMap((error) => describe(schema, error)))
    if (byField.size < detailsMax && !byField.has(detail.field)) byField.set(detail.field, detail)
  return [...byField.values()]
}

/** An unknown field name is repeated only up to this length. */
const fieldMax = 200

function describe(schema: TSchema, error: TLocalizedValidationError): Detail[] {
  const path = error.instancePath.split('/').slice(1)
  const at = (...names: string[]) => [...path, ...names].join('.').slice(0, fieldMax).toWellFormed() || 'body'
  const say = (field: string, what: string) => ({ field, message: `${field} ${what}` })
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => say(at(name), 'is required'))
    case 'additionalProperties':
      return error.params.additionalProperties
        .slice(0, detailsMax)
        .map((name) => say(at(name), unknownField(schema, path, name)))
    case 'boolean':
    case 'if':
      return [] // The error beside it says it better.
    case 'type':
      return [say(at(), `must be ${withArticle(String(error.params.type))}`)]
    case 'enum':
      return [say(at(), `must be one of ${error.params.allowedValues.join(', ')}`)]
    case 'const':
    case 'anyOf':
      return [say(at(), allowedValues(schema, path) ?? error.message)]
    case 'pattern':
      return [say(at(), patternWords(schema, path))]
    case 'minLength':
      return [say(at(), `must have at least ${error.params.limit} character${error.params.limit === 1 ? '' : 's'}`)]
    case 'maxLength':
      return [say(at(), `must have at most ${error.params.limit} characters`)]
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return [say(at(), `must be ${boundWords[error.keyword]} ${error.params.limit}`)]
    default:
      return [say(at(), error.message)]
  }
}

const boundWords = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'above',
  exclusiveMaximum: 'below',
} as const

function allowedValues(schema: TSchema, path: readonly string[]): string | undefined {
  const choices = choicesOf(schemaAt(schema as Schema, path))
  return choices.length === 0 ? undefined : `must be ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}`
}

/** A field whose schema says which form it has in words is reported with them. */
function patternWords(schema: TSchema, path: readonly string[]): string {
  const { 'x-form': form } = schemaAt(schema as Schema, path) as { 'x-form'?: string }
  return form ?? 'has a form that is not allowed'
}

function schemaAt(schema: Schema, path: readonly string[]): Schema {
  const [name, ...rest] = path
  if (name === undefined) return schema
  return schemaAt(schema.items ?? schema.properties?.[name] ?? {}, rest)
}

const withArticle = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

/** An unknown field is most often mistyped, and on money a silent default would be worse than an error. */
function unknownField(schema: TSchema, path: readonly string[], name: string): string {
  const known = Object.keys(propertiesAt(schema, path))
  const meant = known.find((candidate) => isNear(candidate.toLowerCase(), name.toLowerCase()))
  return meant ? `is not known; did you mean ${meant}?` : 'is not a parameter of this call'
}

function propertiesAt(schema: TSchema, path: readonly string[]): Record<string, TSchema> {
  const { properties = {} } = schema as { properties?: Record<string, TSchema> }
  const [name, ...rest] = path
  const inner = name === undefined ? undefined : properties[name]
  return inner ? propertiesAt(inner, rest) : properties
}

/** Whether the words differ by at most one letter inserted, removed, changed, or swapped with the next. */
function isNear(left: string, right: string): boolean {
  const start = [...left].findIndex((letter, index) => letter !== right[index])
  if (start === -1) return right.length - left.length <= 1
  const [a, b] = [left.slice(start), right.slice(start)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1) || isSwapped
}
