import {
  inlined,
  type ApiDocument as OpenApi,
  type Operation,
  operationsOf,
  type Schema,
} from '../../packages/server/src/http/reference/document.ts'

export interface ApiDocument {
  readonly operations: readonly Operation[]
  /** The schema of every refusal that is not specific to an operation. */
  readonly failure: Schema
  /** The operation that matches a request, if the document has one. */
  operationFor(method: string, target: string): Operation | undefined
}

export function readDocument(text: string): ApiDocument {
  const document = inlined(JSON.parse(text) as OpenApi)
  const operations = operationsOf(document)
  const failure = document.components?.schemas?.['Failure']
  if (!failure) throw new Error('the document has no schema Failure')
  return { operations, failure, operationFor: (method, target) => find(operations, method, target) }
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
