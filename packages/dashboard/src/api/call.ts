import { stepUp } from './step-up.ts'

/** Calls the server as the signed-in person. Everything that is read or changed goes through here. */

/** A refusal of the server, or no response at all (`code` is `NO_RESPONSE`). */
export class CallError extends Error {
  readonly code: string
  readonly status: number
  readonly requestId: string | undefined
  readonly fix: string | undefined
  readonly details: readonly { readonly field: string; readonly message: string }[]

  constructor(status: number, body: Refusal) {
    super(body.message ?? 'Malipo did not respond.')
    this.status = status
    this.code = body.errorCode ?? 'NO_RESPONSE'
    this.requestId = body.requestId
    this.fix = body.fix
    this.details = body.details ?? []
  }
}

interface Refusal {
  readonly message?: string
  readonly errorCode?: string
  readonly requestId?: string
  readonly fix?: string
  readonly details?: CallError['details']
}

interface Route {
  readonly method: string
  readonly path: string
  readonly isKeyed?: true
}

export interface Input {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  /** Makes a repeated request the same request: once for each intention of the person. */
  readonly key?: string
  readonly signal?: AbortSignal
}

let csrf: string | null

/** The value that the session wants with every change. It comes with the person's own data. */
export function keepCsrf(value: string | null): void {
  csrf = value
}

export function urlOf(root: string, { path }: Pick<Route, 'path'>, input: Input): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input.path?.[name] ?? ''))
  const query = new URLSearchParams(
    Object.entries(input.query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
  return `${root}${filled}${query.size === 0 ? '' : `?${query}`}`
}

/** Remedies by error code. Each returns whether the request can be sent again. */
const remedies: Record<string, () => Promise<boolean>> = { STEP_UP_REQUIRED: stepUp }

/** Reads the session again after another window has changed it. It does not return when the session is another person's. */
export function onRenew(read: () => Promise<boolean>): void {
  remedies['CROSS_SITE_REQUEST'] = read
}

export async function call(root: string, route: Route, input: Input): Promise<unknown> {
  const response = await send(root, route, input)
  return withNext(await response.json().catch(() => ({})), response)
}

/** The response, for what is not JSON. Sends again when the cause of a refusal was removed, once for each. */
export function send(root: string, route: Route, input: Input, tried = ''): Promise<Response> {
  return sendOnce(root, route, input).catch(async (error) => {
    if (tried.includes(error.code) || !(await remedies[error.code]?.())) throw error
    return send(root, route, input, tried + error.code)
  })
}

/** The next page of a list, where its address is a header: the cursor becomes `nextCursor`, as lists in the body have it. */
function withNext(result: unknown, { headers }: Response): unknown {
  const [, next] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
  if (next === undefined) return result
  return { ...(result as object), nextCursor: new URL(next, location.origin).searchParams.get('cursor') }
}

async function sendOnce(root: string, route: Route, input: Input): Promise<Response> {
  const { body, key, signal } = input
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(route.method !== 'GET' && csrf && { 'x-malipo-csrf': csrf }),
    ...(route.isKeyed && key !== undefined && { 'idempotency-key': key }),
  }
  const response = await fetch(urlOf(root, route, input), {
    method: route.method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new CallError(0, {})
  })
  if (response.ok) return response
  throw new CallError(response.status, (await response.json().catch(() => ({}))) as Refusal)
}
