import type { Operation } from './document.ts'
import table from './examples.json' with { type: 'json' }

/** A complete request, and its response. The sender fills in `$NAMES`; `"…"` in the response stands for more. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly response: unknown
  /** The response becomes the shown one after a moment. */
  readonly isEventual?: true
}

/** By operation, in an order in which they can be run one after another. */
export const examples: Readonly<Record<string, Example | undefined>> = table as Record<string, Example>

const order = Object.keys(examples)

/** In the order of the examples. Operations without one come last. */
export function inExampleOrder(operations: readonly Operation[]): Operation[] {
  const placeOf = ({ id }: Operation) => (order.includes(id) ? order.indexOf(id) : order.length)
  return operations.toSorted((left, right) => placeOf(left) - placeOf(right))
}

/** The values of an example that a caller fills in, as the document and request collections show them. */
const samples: Readonly<Record<string, string>> = {
  MALIPO_API_KEY: 'sk_test_…',
  MALIPO_PUBLIC_KEY: 'pk_test_…',
  WEBHOOK_URL: 'https://shop.example.com/webhooks',
  TRANSACTION_ID: 'txn_01a1dcca607870008b1fa1b2c3d4e500',
  EXTERNAL_ACCOUNT_ID: 'ea_01a1dcca6078700091c2d3e4f5a6b7c8',
  WEBHOOK_ID: 'wh_01a1dcca607870008e5b057d3cc01da8',
  WEBHOOK_ENDPOINT_ID: 'we_01a1dcca607870009d4e5f60718293a4',
}

/** The same value for readers that run nothing: `$NAMES` are filled in, and the marks of what was left out are removed. */
export function filledIn(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$([A-Z_]+)/g, (all, name: string) => samples[name] ?? all)
  if (Array.isArray(value)) return value.filter((item) => item !== '…').map(filledIn)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== '…')
  return Object.fromEntries(kept.map(([key, inner]) => [key, filledIn(inner)]))
}

/** The path of an operation with the values of its example. */
export function exampleTarget({ id, path }: Operation): string {
  const { path: places = {}, query = {} } = examples[id] ?? {}
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => places[name] ?? whole)
  const words = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return words.length === 0 ? filled : `${filled}?${words.join('&')}`
}

/** A command to paste into a shell that has `TOKEN` set. `$NAMES` are variables of that shell. */
export function curlOf(operation: Operation, origin = '$MALIPO_URL'): string {
  const { id, method, isPublic } = operation
  const { headers = {}, body } = examples[id] ?? {}
  const json = body === undefined ? undefined : readable(body)
  const isPlain = method === 'GET' || (method === 'POST' && json !== undefined)
  const parts = [
    `curl -s ${isPlain ? '' : `-X ${method} `}"${origin}${exampleTarget(operation)}"`,
    ...(isPublic ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(json === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(json)}`]),
  ]
  return parts.join(' \\\n  ')
}

const lineMax = 60

/** On one line where it is short. */
function readable(body: unknown): string {
  const line = JSON.stringify(body)
  return line.length <= lineMax ? line : JSON.stringify(body, undefined, 2).replaceAll('\n', '\n  ')
}

/** In single quotes, unless the shell must expand a variable. */
const quoted = (json: string) =>
  json.includes('$') ? `"${json.replaceAll('"', '\\"')}"` : `'${json.replaceAll("'", `'\\''`)}'`
