import { randomUUID } from 'node:crypto'
import { AuthenticationError, NetworkError, type RawAnswer, refusalOf, TimeoutError } from './errors.ts'
import { type Operations, operations, type Schemas, version } from './generated/api.ts'
import { backoffMs, leavesDoubt, mayRepeat, pause } from './retries.ts'
import { createTokens, type Minted, type Tokens } from './token.ts'

export type Environment = 'sandbox' | 'live'

/** What may be said of a single call. */
export interface CallOptions {
  /** Aborting it ends the call with its reason. What was asked for may have happened all the same. */
  readonly signal?: AbortSignal | undefined
  /** For each try; what the client was made with when left out. */
  readonly timeoutMs?: number | undefined
  readonly maxRetries?: number | undefined
  /** Made for you when left out. Give your own to repeat a call safely from another process. */
  readonly idempotencyKey?: string | undefined
}

export interface Settings {
  readonly publicKey: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly environment: Environment
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly fetch: typeof fetch
}

export interface Request {
  readonly method: string
  /** Below the root of the environment. */
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Saying it twice does it once. */
  readonly isRepeatable: boolean
  /** It carries an Idempotency-Key. */
  readonly isKeyed?: boolean
  /** The transaction it is about, by its id or reference. */
  readonly subject?: string | undefined
}

export interface Answer<Body> {
  readonly body: Body
  readonly headers: Headers
}

type Name = keyof Operations
type Input<Called extends Name> = Omit<Operations[Called], 'answer'>

export interface Transport {
  readonly environment: Environment
  /** Calls an operation that the API's description knows. */
  call<Called extends Name>(
    name: Called,
    input: Input<Called>,
    options?: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<Operations[Called]['answer']>>
  send(request: Request, options?: CallOptions): Promise<Answer<unknown>>
}

const roots = { live: '/api/b2b', sandbox: '/api/sandbox/b2b' } as const

/** They change nothing, although they are posted. */
const postedReads: readonly Name[] = ['postUtilitiesAccountResolve', 'postAuthGenerateBearerToken']

/** A wrong PIN costs a try each time it is said: no key remembers refusals. */
const saidOnce: readonly Name[] = ['postFiatDepositTransactionIdAuthorise']

export function createTransport(settings: Settings): Transport {
  const tokens = createTokens(() => mint(settings))
  const send: Transport['send'] = (request, options = {}) => persist(settings, request, options, tokens)
  return {
    environment: settings.environment,
    send,
    call: async (name, input, options, headers) =>
      (await send({ ...requestFor(name, input), ...(headers && { headers }) }, options)) as Answer<never>,
  }
}

async function mint(settings: Settings): Promise<Minted> {
  const { publicKey, apiKey } = settings
  const request = requestFor('postAuthGenerateBearerToken', { body: { publicKey } })
  const { body, headers } = await persist(settings, { ...request, headers: { 'api-key': apiKey } }, {})
  const { token, expiresAt } = body as Schemas['IssuedToken']
  const serverNow = Date.parse(headers.get('date') ?? '') || Date.now()
  return { token, lifetimeMs: expiresAt * 1000 - serverNow }
}

function requestFor<Called extends Name>(name: Called, input: Input<Called>): Request {
  const { method, path, ...rest } = operations[name]
  const {
    path: names = {},
    query = {},
    body,
  } = input as {
    path?: Record<string, string>
    query?: Record<string, unknown>
    body?: object
  }
  const isKeyed = 'isKeyed' in rest
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, each: string) => encodeURIComponent(names[each] ?? '')),
    query,
    ...(body && { body }),
    isKeyed,
    isRepeatable: (isKeyed || method !== 'POST' || postedReads.includes(name)) && !saidOnce.includes(name),
    subject: (body as { externalReference?: string } | undefined)?.externalReference ?? names['transactionId'],
  }
}

/**
 * Tries until there is an answer, for as long as trying again is safe and may help. Every try carries the same key. A token
 * that is refused is replaced once.
 */
async function persist(
  settings: Settings,
  asked: Request,
  options: CallOptions,
  tokens?: Tokens,
): Promise<Answer<unknown>> {
  const { maxRetries = settings.maxRetries, idempotencyKey = randomUUID(), signal } = options
  const headers = { ...asked.headers, ...(asked.isKeyed && { 'idempotency-key': idempotencyKey }) }
  let [tries, isRenewed, isAfterRetry] = [0, false, false]
  for (;;) {
    const token = await tokens?.get(signal) // It has tries of its own: what it throws is the end of the call.
    try {
      return await exchange(
        settings,
        { ...asked, headers: { ...headers, ...bearer(token) } },
        { options, isAfterRetry },
      )
    } catch (error) {
      if (error instanceof AuthenticationError && token !== undefined && !isRenewed) {
        isRenewed = true
        tokens?.drop(token)
        continue
      }
      if (tries >= maxRetries || !mayRepeat(error, asked.isRepeatable)) throw error
      tries += 1
      isAfterRetry ||= leavesDoubt(error)
      await pause(backoffMs(tries, error), signal)
    }
  }
}

const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` })

/** What one try has to know of its call. */
interface Tried {
  readonly options: CallOptions
  readonly isAfterRetry: boolean
}

/** One request and its answer. Whatever comes of it is told as one of our errors. */
async function exchange(settings: Settings, request: Request, tried: Tried): Promise<Answer<unknown>> {
  const requestId = `sdk_${randomUUID()}`
  const answer = await answerTo(settings, request, tried.options, requestId)
  const isFine = answer.status >= 200 && answer.status < 300 && answer.body !== undefined
  if (!isFine) throw refusalOf(answer, { requestId, isAfterRetry: tried.isAfterRetry })
  return { body: answer.body, headers: answer.headers }
}

async function answerTo(
  settings: Settings,
  request: Request,
  { signal, timeoutMs = settings.timeoutMs }: CallOptions,
  requestId: string,
): Promise<RawAnswer> {
  signal?.throwIfAborted()
  const end = new AbortController()
  const abort = () => end.abort()
  signal?.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(abort, timeoutMs)
  try {
    const response = await settings.fetch(urlOf(settings, request), initOf(request, requestId, end.signal))
    return { status: response.status, headers: response.headers, body: objectIn(await response.text()) }
  } catch (cause) {
    signal?.throwIfAborted()
    if (!end.signal.aborted) throw brokenOff(request, requestId, cause)
    throw new TimeoutError(`${nameOf(request)} had no answer within ${timeoutMs} ms.${advice(request)}`, {
      requestId,
      cause,
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function urlOf({ baseUrl, environment }: Settings, { path, query = {} }: Request): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${baseUrl}${roots[environment]}${path}${search.size === 0 ? '' : `?${search}`}`
}

/** Redirects are not followed: they would take the keys along to wherever they lead. */
function initOf({ method, body, headers }: Request, requestId: string, signal: AbortSignal): RequestInit {
  return {
    method,
    signal,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      'user-agent': `malipo-sdk/${version}`,
      'x-request-id': requestId,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  }
}

function objectIn(text: string): RawAnswer['body'] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Codes of failures before the first byte of a request could leave. */
const neverLeft = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function brokenOff(request: Request, requestId: string, cause: unknown): NetworkError {
  const { message, cause: inner } = cause as Error & { cause?: { code?: string; message?: string } }
  const outcome = neverLeft.has(inner?.code ?? '') ? 'not_sent' : 'unknown'
  const why = inner?.code ?? inner?.message ?? message
  const rest = outcome === 'unknown' ? advice(request) : ' Nothing was sent.'
  return new NetworkError(`${nameOf(request)} got no answer: ${why}.${rest}`, { requestId, outcome, cause })
}

const nameOf = ({ method, path }: Request) => `${method} ${path}`

/** How to find out, for what may have happened. */
function advice({ isRepeatable, isKeyed, subject }: Request): string {
  if (isRepeatable && !isKeyed) return ''
  const look = subject === undefined ? 'look' : `read it with transactions.get('${subject}')`
  return ` Whether it was done is not known: ${look} before you do it anew.`
}
