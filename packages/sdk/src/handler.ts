import type { WebhookVerificationError } from './errors.ts'
import type { Operations, Schemas } from './generated/api.ts'
import { type List, listOf } from './lists.ts'
import type { CallOptions, Transport } from './transport.ts'
import {
  type EventName,
  testHeaders,
  type VerifyOptions,
  verify,
  type WebhookData,
  type WebhookEvent,
  type WebhookSecret,
  webhookIdIn,
} from './webhooks.ts'

/** Which webhooks were handled already. A `Set` will do for one process; several need a table they share. */
export interface SeenIds {
  has(id: string): boolean | Promise<boolean>
  add(id: string): unknown
}

export interface HandlerOptions extends Pick<VerifyOptions, 'toleranceSeconds'> {
  readonly secret: WebhookSecret
  /** What to do with each kind of event. A kind that is not here is taken and left. */
  readonly on: { readonly [Name in EventName]?: ((event: WebhookEvent) => unknown) | undefined }
  /** The last 10,000 ids in memory when left out. */
  readonly seen?: SeenIds | undefined
  /** 64 KiB when left out. */
  readonly maxBytes?: number | undefined
  /** Told of what your own code threw; a warning of the process when left out. */
  readonly onError?: ((error: unknown, event: WebhookEvent) => unknown) | undefined
}

/** As much of Node's `IncomingMessage` as is needed. */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly readableEnded?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: listeners of every kind, as Node declares them
  on(event: string, listener: (...args: any[]) => void): unknown
}

/** As much of Node's `ServerResponse` as is needed. */
export interface OutgoingResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(text: string): unknown
}

/**
 * A listener for `http.createServer`, or a route of Express before any body parser. It verifies, handles each webhook once
 * however often it comes, and says 2xx only when your code has run: what throws is tried again later by Malipo.
 */
function handler(options: HandlerOptions) {
  const { seen = recentIds() } = options
  const underWay = new Map<string, Promise<void>>()

  const handleOnce = async (id: string, event: WebhookEvent) => {
    if (await seen.has(id)) return
    await options.on[event.event]?.(event)
    await seen.add(id)
  }
  const handle = async (request: IncomingRequest): Promise<Reply> => {
    const told = await receive(options, request)
    if ('status' in told) return told
    const id = webhookIdIn(request.headers)
    const first = underWay.get(id)
    const working = first ?? handleOnce(id, told).finally(() => underWay.delete(id))
    underWay.set(id, working)
    try {
      await working
      return { status: 200, text: 'ok' }
    } catch (error) {
      if (!first) complain(options, error, told)
      return { status: 500, text: 'the handler failed' }
    }
  }
  return async (request: IncomingRequest, response: OutgoingResponse): Promise<void> => {
    const reply = await handle(request).catch(() => ({ status: 500, text: 'the request could not be read' }))
    answer(response, reply)
  }
}

interface Reply {
  readonly status: number
  readonly text: string
}

async function receive(options: HandlerOptions, request: IncomingRequest): Promise<WebhookEvent | Reply> {
  const { secret, toleranceSeconds, maxBytes = 64 * 1024 } = options
  if (request.method !== 'POST') return { status: 405, text: 'webhooks are posted' }
  const raw = await rawBody(request, maxBytes)
  if (typeof raw === 'object' && 'status' in raw) return raw
  try {
    return verify(raw, request.headers, secret, { toleranceSeconds })
  } catch (error) {
    return { status: 400, text: (error as WebhookVerificationError).message }
  }
}

/** The bytes as they came: those a framework kept, else those still to be read. */
async function rawBody(request: IncomingRequest, maxBytes: number): Promise<string | Uint8Array | Reply> {
  const { body } = request as { body?: unknown }
  const tooLarge = { status: 413, text: `more than ${maxBytes} bytes` }
  if (typeof body === 'string' || body instanceof Uint8Array)
    return Buffer.byteLength(body) > maxBytes ? tooLarge : body
  if (request.readableEnded)
    return { status: 500, text: 'the body was read before the handler: put it before any body parser' }
  return (await readAll(request, maxBytes)) ?? tooLarge
}

/** Undefined as soon as there is too much of it; the rest is let go by. */
function readAll(request: IncomingRequest, maxBytes: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      if (size > maxBytes) resolve(undefined)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

function complain({ onError }: HandlerOptions, error: unknown, event: WebhookEvent): void {
  if (onError) onError(error, event)
  else process.emitWarning(`The handler of webhook ${event.id} failed: ${error instanceof Error ? error.stack : error}`)
}

/** The connection ends with a refusal, so that nobody has to read what is left of the request. */
function answer(response: OutgoingResponse, { status, text }: Reply): void {
  const ending = status < 300 ? {} : { connection: 'close' }
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...ending })
  response.end(text)
}

const recentMost = 10_000

function recentIds(): SeenIds {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id)
      const [oldest] = ids
      if (ids.size > recentMost && oldest !== undefined) ids.delete(oldest)
    },
  }
}

/** What a receiver needs. No key pair is needed for it, only the secret. */
export const webhooks = { verify, handler, testHeaders }

/** What was sent to your URL, and what came of it. */
export interface WebhookRecord extends Omit<Schemas['WebhookRecord'], 'event' | 'data'> {
  event: EventName
  data: WebhookData
}

export type WebhookFilter = Omit<NonNullable<Operations['getWebhooks']['query']>, 'limit'>

export interface Webhooks {
  readonly verify: typeof verify
  readonly handler: typeof handler
  readonly testHeaders: typeof testHeaders
  /** Newest first; the newest 200, as many as the API shows. Days and a reference lead to older ones. */
  list(filter?: WebhookFilter, options?: CallOptions): List<WebhookRecord>
  get(id: string, options?: CallOptions): Promise<WebhookRecord>
  /** The same body under the same id, to the URL of this moment. */
  resend(id: string, options?: CallOptions): Promise<{ message: string }>
}

const recordsMost = 200

export function webhooksOf({ call }: Transport): Webhooks {
  return {
    ...webhooks,
    list: (filter = {}, options) =>
      listOf(async () => {
        const { body } = await call('getWebhooks', { query: { ...filter, limit: recordsMost } }, options)
        return { items: body.data as unknown as WebhookRecord[], next: undefined }
      }),
    get: async (id, options) => {
      const { body } = await call('getWebhookId', { path: { id } }, options)
      return body.data as unknown as WebhookRecord
    },
    resend: async (id, options) => {
      const { body } = await call('postWebhooksIdResend', { path: { id } }, options)
      return { message: body.message }
    },
  }
}
