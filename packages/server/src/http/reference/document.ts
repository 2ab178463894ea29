/** The one reader of the API's description: for `/docs`, the Markdown reference, the SDK's types and the fuzzer. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  /** A newer version may add values to `enum`. */
  readonly 'x-extensible'?: true
  readonly [limit: `${'min' | 'max' | 'exclusive' | 'multiple'}${string}`]: number
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

export interface Content {
  readonly description?: string
  readonly content?: { readonly 'application/json'?: { readonly schema?: Schema; readonly example?: unknown } }
}

interface Described {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly unknown[]
  readonly 'x-scope'?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Content>>
}

interface Tag {
  readonly name: string
  readonly description?: string
}

/** The document as it is served. Every part may be missing, so that a partial one can be read too. */
export interface ApiDocument {
  readonly info?: { readonly title?: string; readonly version?: string; readonly description?: string }
  readonly tags?: readonly Tag[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

export interface Operation {
  readonly id: string
  /** In upper case. */
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly summary: string
  readonly description: string | undefined
  readonly tag: string
  readonly scope: string | undefined
  /** No token is needed. */
  readonly isPublic: boolean
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly responses: Readonly<Record<string, Content>>
}

export interface Group extends Tag {
  readonly operations: readonly Operation[]
}

/** Every operation, in document order. References stay as they are: see {@link inlined}. */
export function operationsOf({ paths = {} }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId ?? `${method}${path}`,
      method: method.toUpperCase(),
      path,
      summary: described.summary ?? path,
      description: described.description,
      tag: described.tags?.[0] ?? 'Other',
      scope: described['x-scope'],
      isPublic: described.security?.length === 0,
      parameters: described.parameters ?? [],
      body: described.requestBody && schemaOf(described.requestBody),
      responses: described.responses ?? {},
    })),
  )
}

/** The operations by their tags, in the order of the given operations. */
export function groupsOf({ tags = [] }: ApiDocument, operations: readonly Operation[]): Group[] {
  return [...Map.groupBy(operations, ({ tag }) => tag)].map(([name, own]) => ({
    ...tags.find((tag) => tag.name === name),
    name,
    operations: own,
  }))
}

export const schemaOf = ({ content }: Content): Schema | undefined => content?.['application/json']?.schema

/** The schema of the response to a request that succeeded. */
export function answerSchema({ responses }: Operation): Schema | undefined {
  return responses['200'] && schemaOf(responses['200'])
}

/** The error codes of an operation, in order of their status. */
export function errorCodesOf({ responses }: Operation): string[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { description = '' }]) => codesIn(description))
}

/** The error codes in the description of a response: each is at the start of a line. */
export function codesIn(description: string): string[] {
  return [...description.matchAll(/^`([^`]+)`/gm)].map(([, code = '']) => code)
}

/** The document with every reference resolved. A component has its name as title; inside itself it is an object with its name. */
export function inlined(document: ApiDocument): ApiDocument {
  return resolved(document, document.components?.schemas ?? {}, []) as ApiDocument
}

type Schemas = Readonly<Record<string, unknown>>

function resolved(value: unknown, schemas: Schemas, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, schemas, within))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, allOf, ...plain } = value as { $ref?: unknown; allOf?: unknown }
  const own = Object.fromEntries(Object.entries(plain).map(([key, inner]) => [key, resolved(inner, schemas, within)]))
  const parts = Array.isArray(allOf) ? (resolved(allOf, schemas, within) as Schema[]) : []
  if (parts.length > 0) return [...parts, own as Schema].reduce(merged)
  if (typeof $ref !== 'string') return own
  const name = $ref.slice($ref.lastIndexOf('/') + 1)
  if (within.includes(name)) return { type: 'object', title: name, ...own }
  return { title: name, ...(resolved(schemas[name] ?? {}, schemas, [...within, name]) as object), ...own }
}

function merged(left: Schema, right: Schema): Schema {
  const properties = { ...left.properties, ...right.properties }
  return { ...left, ...right, properties, required: [...(left.required ?? []), ...(right.required ?? [])] }
}
