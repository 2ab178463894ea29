/** The description of an API as types, and a table of the paths of its operations: for the SDK and for the dashboard. */

import {
  type ApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  responseSchema,
  type Schema,
} from '../../packages/server/src/http/reference/document.ts'

export interface Described {
  /** What all paths start with. Its parameters are not the operations'. */
  readonly root: string
  /** Second names of operations. */
  readonly without?: ReadonlySet<string>
}

export function apiTypes(document: ApiDocument, { root, without = new Set() }: Described): string {
  const wanted = operationsOf(document).filter(({ id, path }) => path.startsWith(`${root}/`) && !without.has(id))
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `${note(schema.description, 1)}  ${name}: ${typeScript(schema, 1)}`,
  )
  return `/**
 * What operations name.
 *
 * @public
 */
export interface Schemas {
${schemas.join('\n')}
}

/** What each operation takes, and what it answers. */
export interface Operations {
${wanted.map((operation) => operationType(operation, root)).join('\n')}
}

/** Where each operation is, and whether it takes an Idempotency-Key. */
export const operations = {
${wanted.map((operation) => operationRow(operation, root)).join('\n')}
} as const satisfies Record<keyof Operations, { method: string; path: string; isKeyed?: true }>
`
}

function operationRow({ id, method, path, parameters }: Operation, root: string): string {
  const isKeyed = parameters.some(({ name }) => name === 'idempotency-key') ? ', isKeyed: true' : ''
  return `  ${id}: { method: '${method}', path: '${path.slice(root.length)}'${isKeyed} },`
}

function operationType(operation: Operation, root: string): string {
  const { id, summary, body } = operation
  const parameters = operation.parameters.filter(({ name }) => !root.includes(`{${name}}`))
  const lines = [
    ...parametersType('path', parameters),
    ...parametersType('query', parameters),
    ...(body ? [`body: ${typeScript(body, 2)}`] : []),
    `answer: ${typeScript(responseSchema(operation) ?? {}, 2)}`,
  ]
  return `${note(summary, 1)}  ${id}: {\n${lines.map((line) => `    ${line}`).join('\n')}\n  }`
}

function parametersType(place: string, parameters: readonly Parameter[]): string[] {
  const own = parameters.filter((parameter) => parameter.in === place)
  if (own.length === 0) return []
  const described = own.map(({ name, schema, description }) => [
    name,
    { ...schema, ...(description && { description }) },
  ])
  const required = own.filter((parameter) => parameter.required).map(({ name }) => name)
  const type = typeScript({ type: 'object', properties: Object.fromEntries(described), required }, 2)
  return [`${place}${required.length === 0 ? '?' : ''}: ${type}`]
}

const plain: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

function typeScript(schema: Schema, depth: number): string {
  const { $ref, const: value, enum: values, anyOf, type = '', items = {} } = schema
  if ($ref !== undefined) return `Schemas['${$ref.split('/').at(-1)}']`
  if (value !== undefined) return literal(value)
  if (values) return [...values.map(literal), ...(schema['x-extensible'] ? ['(string & {})'] : [])].join(' | ')
  if (anyOf) return anyOf.map((each) => typeScript(each, depth)).join(' | ')
  if (type === 'array') return `${inBrackets(typeScript(items, depth))}[]`
  if (type === 'object') return objectType(schema, depth)
  return plain[String(type)] ?? 'unknown'
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

const inBrackets = (type: string) => (type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type)

/** Objects may always carry unknown fields; a type that said so would accept every misspelt name. */
function objectType({ properties = {}, patternProperties = {}, required = [] }: Schema, depth: number) {
  const isSecondName = ([name, { description = '' }]: readonly [string, Schema]) =>
    !required.includes(name) && description.startsWith('The same as ')
  const named = Object.entries(properties)
    .filter((property) => !isSecondName(property))
    .map(([name, schema]) => {
      const type = typeScript(schema, depth + 1)
      const member = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`
      return `${note(schema.description, depth + 1)}${indent(depth + 1)}${member}`
    })
  const patterned = Object.entries(patternProperties).map(
    ([pattern, schema]) => `${indent(depth + 1)}[${keyOf(pattern)}]: ${typeScript(schema, depth + 1)}`,
  )
  const lines = [...named, ...patterned]
  return lines.length === 0 ? 'object' : `{\n${lines.join('\n')}\n${indent(depth)}}`
}

/** `^[A-Z]{3}Wallet$` is any text that ends in Wallet. */
const keyOf = (pattern: string) => {
  const end = pattern.replaceAll(/\^|\$|\.\*|\[[^\]]*\]|\{[^}]*\}/g, '')
  return end === '' ? 'name: string' : `name: \`\${string}${end}\``
}

const indent = (depth: number) => '  '.repeat(depth)

function note(text: string | undefined, depth: number): string {
  return text === undefined ? '' : `${indent(depth)}/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')} */\n`
}
