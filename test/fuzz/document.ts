/** A JSON schema, as far as the API's document uses it. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

interface Response {
  readonly description: string
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } }
}

interface Spec {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  readonly responses: Readonly<Record<string, Response>>
}

export interface Operation {
  readonly id: string
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly isPublic: boolean
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly responses: Readonly<Record<string, Response>>
}

export interface ApiDocument {
  readonly operations: readonly Operation[]
  /** The schema of every refusal that is not specific to an operation. */
  readonly failure: Schema
  /** The operation that matches a request, if the document has one. */
  operationFor(method: string, target: string): Operation | undefined
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Spec>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export function readDocument(text: string): ApiDocument {
  const { components } = JSON.parse(text) as OpenApi
  const { paths } = inlined(JSON.parse(text), components.schemas) as OpenApi
  const operations = Object.entries(paths).flatMap(([path, specs]) =>
    Object.entries(specs).map(([method, spec]) => ({
      id: spec.operationId,
      method: method.toUpperCase(),
      path,
      isPublic: spec.security?.length === 0,
      parameters: spec.parameters ?? [],
      body: spec.requestBody?.content['application/json'].schema,
      responses: spec.responses,
    })),
  )
  const failure = components.schemas['Failure']
  if (!failure) throw new Error('the document has no schema Failure')
  return { operations, failure, operationFor: (method, target) => find(operations, method, target) }
}

/** The document with every reference inlined. None of its schemas contains itself. */
function inlined(part: unknown, schemas: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(part)) return part.map((each) => inlined(each, schemas))
  if (typeof part !== 'object' || part === null) return part
  const { $ref } = part as { $ref?: string }
  if ($ref !== undefined) return inlined(schemas[$ref.split('/').at(-1) ?? ''], schemas)
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, inlined(each, schemas)]))
}

const isParameter = (segment: string) => segment.startsWith('{')

function find(operations: readonly Operation[], method: string, target: string): Operation | undefined {
  const path = pathOf(target)
  if (path === undefined) return undefined
  const fits = (operation: Operation, wanted: string) => {
    const [template, segments] = [operation.path.split('/'), wanted.split('/')]
    return (
      template.length === segments.length &&
      template.every((each, index) => (isParameter(each) ? segments[index] !== '' : each === segments[index]))
    )
  }
  const readMethod = method === 'HEAD' ? 'GET' : method
  const among = operations.filter((operation) => operation.method === readMethod)
  const exact = among.filter((operation) => fits(operation, path))
  const [found] = exact.length > 0 ? exact : among.filter((each) => fits(each, path.replace('/api/sandbox/', '/api/')))
  return found
}

/** Undecodable paths match no operation. An encoded slash stays within its segment. */
function pathOf(target: string): string | undefined {
  try {
    const [path = ''] = target.replace(/^http:\/\/[^/]*/, '').split(/[?#]/)
    return path.split('/').map(decodeURIComponent).map(encodeURIComponent).join('/')
  } catch {
    return undefined
  }
}
