/** packages/sdk/src/generated/api.ts: the API's description as types, and as a table of paths of the operations. */

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Body {
  readonly content: { readonly 'application/json': { readonly schema: Schema } }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: { readonly '200': Body }
}

export interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Facts {
  readonly version: string
  readonly errorCodes: readonly string[]
}

interface Place {
  readonly method: string
  /** Below the root, which differs for the sandbox. */
  readonly path: string
  readonly operation: Operation
}

const root = '/api/b2b'

/** Second names of operations. */
const secondNames = new Set(['getWebhooksId'])

export function sdkTypes({ paths, components }: Described, { version, errorCodes }: Facts): string {
  const places = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const wanted = places.filter(
    ({ path, operation }) => path.startsWith(`${root}/`) && !secondNames.has(operation.operationId),
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${note(schema.description, 1)}  ${name}: ${typeOf(schema, 1)}`,
  )
  return `// Made by npm run generate from docs/reference/openapi.json. Change the routes instead.

export const version = '${version}'

/** Every code a refusal can have; a newer server may know more. */
export type ErrorCode =
${errorCodes.map((code) => `  | '${code}'`).join('\n')}

export interface Schemas {
${schemas.join('\n')}
}

/** What each operation takes, and what it answers. */
export interface Operations {
${wanted.map(({ operation }) => operationType(operation)).join('\n')}
}

/** Where each operation is, and whether it takes an Idempotency-Key. */
export const operations = {
${wanted.map(operationRow).join('\n')}
} as const satisfies Record<keyof Operations, { method: string; path: string; isKeyed?: true }>
`
}

function operationRow({ method, path, operation: { operationId, parameters = [] } }: Place): string {
  const isKeyed = parameters.some(({ name }) => name === 'idempotency-key') ? ', isKeyed: true' : ''
  return `  ${operationId}: { method: '${method.toUpperCase()}', path: '${path.slice(root.length)}'${isKeyed} },`
}

function operationType({ operationId, summary, parameters = [], requestBody, responses }: Operation): string {
  const lines = [
    ...parametersType('path', parameters),
    ...parametersType('query', parameters),
    ...(requestBody ? [`body: ${typeOf(schemaOf(requestBody), 2)}`] : []),
    `answer: ${typeOf(schemaOf(responses['200']), 2)}`,
  ]
  return `${note(summary, 1)}  ${operationId}: {\n${lines.map((line) => `    ${line}`).join('\n')}\n  }`
}

const schemaOf = ({ content }: Body) => content['application/json'].schema

function parametersType(place: string, parameters: readonly Parameter[]): string[] {
  const own = parameters.filter((parameter) => parameter.in === place)
  if (own.length === 0) return []
  const described = own.map(({ name, schema, description }) => [
    name,
    { ...schema, ...(description && { description }) },
  ])
  const required = own.filter((parameter) => parameter.required).map(({ name }) => name)
  const type = typeOf({ type: 'object', properties: Object.fromEntries(described), required }, 2)
  return [`${place}${required.length === 0 ? '?' : ''}: ${type}`]
}

const plain: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

function typeOf(schema: Schema, depth: number): string {
  const { $ref, const: value, enum: values, anyOf, type = '', items = {} } = schema
  if ($ref !== undefined) return `Schemas['${$ref.split('/').at(-1)}']`
  if (value !== undefined) return literal(value)
  if (values) return values.map(literal).join(' | ')
  if (anyOf) return anyOf.map((each) => typeOf(each, depth)).join(' | ')
  if (type === 'array') return `${inBrackets(typeOf(items, depth))}[]`
  if (type === 'object') return objectType(schema, depth)
  return plain[type] ?? 'unknown'
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
      const type = typeOf(schema, depth + 1)
      const member = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`
      return `${note(schema.description, depth + 1)}${indent(depth + 1)}${member}`
    })
  const patterned = Object.entries(patternProperties).map(
    ([pattern, schema]) => `${indent(depth + 1)}[${keyOf(pattern)}]: ${typeOf(schema, depth + 1)}`,
  )
  const lines = [...named, ...patterned]
  return lines.length === 0 ? 'object' : `{\n${lines.join('\n')}\n${indent(depth)}}`
}

/** `^[A-Z]{3}Wallet$` is any text that ends in Wallet. */
const keyOf = (pattern: string) => `name: \`\${string}${pattern.replaceAll(/\^|\$|\[[^\]]*\]|\{[^}]*\}/g, '')}\``

const indent = (depth: number) => '  '.repeat(depth)

function note(text: string | undefined, depth: number): string {
  return text === undefined ? '' : `${indent(depth)}/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')} */\n`
}
