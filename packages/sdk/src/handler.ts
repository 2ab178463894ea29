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

/** The ids of handled webhooks. A `Set` is enough for one process; several processes need a shared table. */
export interface SeenIds {
  has(id: string): boolean | Promise<boolean>
  add(id: string): unknown
}

export interface HandlerOptions extends Pick<VerifyOptions, 'toleranceSeconds'> {
  readonly secret: WebhookSecret
  /** One function per kind of event. An event of any other kind is accepted and ignored. */
  readonly on: { readonly [Name in EventName]?: ((event: WebhookEvent) => unknown) | undefined }
  /** Default: the last 10,000 ids, in memory. */
  readonly seen?: SeenIds | undefined
  /** Default: 64 KiB. */
  readonly maxBytes?: number | undefined
  /** Receives the errors that your own code throws; default: a process warning. */
  readonly onError?: ((error: unknown, event: WebhookEvent) => unknown) | undefined
}

/** The part of Node's `IncomingMessage` that the handler needs. */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly readableEnded?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: listeners of every kind, as Node declares them
  on(event: string, listener: (...args: any[]) => void): unknown
}

/** The part of Node's `ServerResponse` that the handler needs. */
export interface OutgoingResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(text: string): unknown
}

/**
 * A listener for `http.createServer`, or an Express route before any body parser. It verifies each webhook, handles it once
 * even if it arrives several times, and returns 2xx only after your code ran: if your code throws, Malipo retries later.
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
    const received = await receive(options, request)
    if ('status' in received) return received
    const id = webhookIdIn(request.headers)
    const first = underWay.get(id)
    const working = first ?? handleOnce(id, received).finally(() => underWay.delete(id))
    underWay.set(id, working)
    try {
      await working
      return { status: 200, text: 'ok' }
    } catch (error) {
      if (!first) reportError(options, error, received)
      return { status: 500, text: 'the handler failed' }
    }
  }
  return async (request: IncomingRequest, response: OutgoingResponse): Promise<void> => {
    const reply = await handle(request).catch(() => ({ status: 500, text: 'the request could not be read' }))
    sendReply(response, reply)
  }
}

interface Reply {
  readonly status: number
  readonly text: string
}

async function receive(options: HandlerOptions, request: IncomingRequest): Promise<WebhookEvent | Reply> {
  const { secret, toleranceSeconds, maxBytes = 64 * 1024 } = options
  if (request.method !== 'POST') return { status: 405, text: 'use POST' }
  const raw = await rawBody(request, maxBytes)
  if (typeof raw === 'object' && 'status' in raw) return raw
  try {
    return verify(raw, request.headers, secret, { toleranceSeconds })
  } catch (error) {
    return { status: 400, text: (error as WebhookVerificationError).message }
  }
}

/** The received bytes: kept by a framework, or else still to be read. */
async function rawBody(request: IncomingRequest, maxBytes: number): Promise<string | Uint8Array | Reply> {
  const { body } = request as { body?: unknown }
  const tooLarge = { status: 413, text: `the body is larger than ${maxBytes} bytes` }
  if (typeof body === 'string' || body instanceof Uint8Array)
    return Buffer.byteLength(body) > maxBytes ? tooLarge : body
  if (request.readableEnded)
    return { status: 500, text: 'the body was already parsed: mount the handler before any body parser' }
  return (await readAll(request, maxBytes)) ?? tooLarge
}

/** Undefined as soon as the body is too large; the rest is discarded. */
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

function reportError({ onError }: HandlerOptions, error: unknown, event: WebhookEvent): void {
  if (onError) onError(error, event)
  else process.emitWarning(`The handler of webhook ${event.id} failed: ${error instanceof Error ? error.stack : error}`)
}

/** A refusal closes the connection, so that the server need not read the rest of the request. */
function sendReply(response: OutgoingResponse, { status, text }: Reply): void {
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

/** The functions for a webhook receiver. They need only the secret, not a key pair. */
export const webhooks = { verify, handler, testHeaders }

/** A webhook sent to your URL, and its result. */
export interface WebhookRecord extends Omit<Schemas['WebhookRecord'], 'event' | 'data'> {
  event: EventName
  data: WebhookData
}

export type WebhookFilter = Omit<NonNullable<Operations['getWebhooks']['query']>, 'limit'>

export interface Webhooks {
  readonly verify: typeof verify
  readonly handler: typeof handler
  readonly testHeaders: typeof testHeaders
  /** The newest 200 (the API's limit), newest first. Filter by days or reference to find older ones. */
  list(filter?: WebhookFilter, options?: CallOptions): List<WebhookRecord>
  get(id: string, options?: CallOptions): Promise<WebhookRecord>
  /** Sends the same body under the same id to the current URL. */
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
