import type { Operation, Schema } from '../../packages/server/src/http/reference/document.ts'
import { misfit } from '../../packages/server/src/testing/schema-check.ts'
import type { SentRequest } from './draft.ts'
import type { RawRequest } from './framing.ts'
import type { Received } from './send.ts'
import type { World } from './world.ts'

export const problemKinds = ['5xx', 'slow', 'undocumented', 'mismatched', 'no response'] as const

export interface Problem {
  readonly kind: (typeof problemKinds)[number]
  /** Equal for problems of the same cause. */
  readonly what: string
}

/** These wait for a payment or a provider, within their own limits. */
const waitMs: Readonly<Record<string, number | undefined>> = {
  postUtilitiesClockAdvance: 4000,
  postUtilitiesSimulateWebhook: 6000,
  postFiatDepositMomo: 9000,
  postFiatDepositCard: 9000,
  postFiatDepositBankTransfer: 9000,
  postFiatDepositTransactionIdAuthorise: 9000,
  postUtilitiesAccountResolve: 11_000,
  postFiatPayoutValidate: 3000,
}

/** Refusals before any route, so that no operation lists them. */
const beforeRoutes: readonly string[] = ['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED']

/** Problems of the response to a request, by the document. */
export function checkResponse({ document }: World, sent: SentRequest, received: Received): Problem[] {
  const operation = document.operationFor(sent.method, sent.target)
  const { status, tookMs } = received
  const name = operation ? operation.id : 'no operation'
  const what = (why: string) => `${name} ${status}: ${why}`
  const slowMs = waitMs[name] ?? 1000
  return [
    ...(isFault(received) ? [{ kind: '5xx', what: what(codeIn(received)) } as const] : []),
    ...(tookMs > slowMs ? [{ kind: 'slow', what: what(`over ${slowMs} ms`) } as const] : []),
    ...undocumented(operation, sent, received).map((why) => ({ kind: 'undocumented', what: what(why) }) as const),
    ...mismatches(document.failure, operation, sent, received).map(
      (why) => ({ kind: 'mismatched', what: what(why) }) as const,
    ),
  ]
}

/** Problems of the responses to raw bytes on a connection. */
export function checkRaw(world: World, request: RawRequest, received: readonly Received[]): Problem[] {
  const { name, allowed } = request
  if (received.length === 0 && !allowed.includes(0)) return [{ kind: 'no response', what: name }]
  return received.flatMap((each) => checkOneRaw(world, request, each))
}

function checkOneRaw({ document }: World, { name, allowed }: RawRequest, received: Received): Problem[] {
  const { status, tookMs, text, headers } = received
  const what = `${name} ${status}`
  const isAllowed = allowed.includes(status) || isOverload(received)
  const isEmpty = text === '{}' && headers['x-error-code'] !== undefined
  const why = status >= 400 && !isEmpty ? refusalMisfit(document.failure, received) : undefined
  return [
    ...(isFault(received) ? [{ kind: '5xx', what } as const] : []),
    ...(isAllowed ? [] : [{ kind: 'undocumented', what } as const]),
    ...(tookMs > 1500 ? [{ kind: 'slow', what } as const] : []),
    ...(why === undefined ? [] : [{ kind: 'mismatched', what: `${what}: ${why}` } as const]),
  ]
}

/** The service reports that it is busy, and when to retry. */
export function isOverload(received: Received): boolean {
  return received.status === 503 && codeIn(received) === 'OVERLOADED' && received.headers['retry-after'] !== undefined
}

/** A documented 503 is a refusal like any other. */
const isFault = ({ status }: Received) => status >= 500 && status !== 503

function codeIn({ text, headers }: Received): string {
  const { errorCode } = (parsed(text) ?? {}) as { errorCode?: unknown }
  return typeof errorCode === 'string' ? errorCode : (headers['x-error-code'] ?? '')
}

function undocumented(operation: Operation | undefined, { target }: SentRequest, received: Received): string[] {
  const code = codeIn(received)
  if (!operation || beforeRoutes.includes(code)) return []
  // The document says once, for all paths, that those below the sandbox's root are for sandbox tokens.
  if (code === 'SANDBOX_ONLY' && /^\/\w*%?\w+\/sandbox\//.test(target) && !operation.path.startsWith('/api/sandbox/'))
    return []
  const documented = operation.responses[received.status]
  if (!documented) return [`status not documented, ${code}`]
  const isListed = code === '' || documented.description?.includes(`\`${code}\``)
  return isListed ? [] : [`code ${code} not documented`]
}

function mismatches(
  failure: Schema,
  operation: Operation | undefined,
  { method }: SentRequest,
  received: Received,
): string[] {
  const { status, headers, text } = received
  const found = headerProblems(received)
  if (method === 'HEAD') return text === '' ? found : [...found, 'a body after HEAD']
  if (!operation && status < 400) return found
  const content = contentOf(operation, received)
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (type !== 'application/json') return content[type] ? found : [...found, `type ${headers['content-type']}`]
  const schema = content[type]?.schema ?? failure
  const value = parsed(text)
  if (value === undefined) return [...found, 'not JSON']
  const why = misfit(schema, value)
  return [...found, ...(why === undefined ? [] : [why]), ...requestIdProblem(value, headers)]
}

type Content = Readonly<Record<string, { readonly schema?: Schema } | undefined>>

/** The documented content of a response, by its type. What is refused before its route is known has none of its own. */
function contentOf(operation: Operation | undefined, received: Received): Content {
  const isOwn = operation !== undefined && !beforeRoutes.includes(codeIn(received))
  return (isOwn && operation.responses[received.status]?.content) || {}
}

const requiredHeaders: Readonly<Record<string, readonly string[] | undefined>> = {
  401: ['www-authenticate'],
  405: ['allow'],
  429: ['retry-after'],
  503: ['retry-after'],
}

function headerProblems({ status, headers }: Received): string[] {
  const wanted = ['x-request-id', 'x-api-version', 'x-content-type-options', 'cache-control', 'content-security-policy']
  return [...wanted, ...(requiredHeaders[status] ?? [])]
    .filter((name) => headers[name] === undefined)
    .map((name) => `no header ${name}`)
}

function refusalMisfit(failure: Schema, received: Received): string | undefined {
  const value = parsed(received.text)
  if (value === undefined) return 'not JSON'
  return misfit(failure, value) ?? headerProblems(received)[0] ?? requestIdProblem(value, received.headers)[0]
}

function requestIdProblem(value: unknown, headers: Received['headers']): string[] {
  const { requestId } = value as { requestId?: unknown }
  return requestId === undefined || requestId === headers['x-request-id'] ? [] : ['requestId is not X-Request-Id']
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
