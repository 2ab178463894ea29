import { Agent, buildConnector, request } from 'undici'
import { platformTiming } from './timing.ts'

/** Calls one other service. Connections are kept, so that a call needs no handshake. */
export interface Outbound {
  call(order: OutboundCall): Promise<OutboundReply>
  close(): Promise<void>
}

interface OutboundCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** After the base URL, starting with a slash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/**
 * The outcome of a call. `not_reached` means that no connection was made, so nothing can have arrived. Once a byte may have been
 * sent, a failure is `broken_off` or `timeout`, and the other side may have acted on the request.
 */
export type OutboundReply =
  | {
      readonly kind: 'responded'
      readonly status: number
      readonly headers: Record<string, string>
      readonly text: string
    }
  | { readonly kind: 'not_reached' | 'broken_off' | 'timeout'; readonly detail: string }

export interface OutboundOptions {
  readonly baseUrl: string
  readonly connectionsMax: number
  /** The longest reply that is read. */
  readonly bytesMax?: number
}

class NotReached extends Error {}
class TooLong extends Error {}

export function openOutbound({ baseUrl, connectionsMax, bytesMax = 1_000_000 }: OutboundOptions): Outbound {
  const connect = buildConnector({ timeout: platformTiming.outboundConnectTimeoutMs })
  const agent = new Agent({
    connections: connectionsMax,
    pipelining: 1,
    keepAliveTimeout: platformTiming.outboundIdleMs,
    keepAliveMaxTimeout: platformTiming.outboundIdleMs, // A server's own hint may shorten it, not lengthen it.
    connect: (options, callback) =>
      connect(options, (error, socket) =>
        socket ? callback(null, socket) : callback(new NotReached(error.message, { cause: error }), null),
      ),
  })
  return {
    call: (order) => call(agent, baseUrl, bytesMax, order),
    close: () => agent.destroy(),
  }
}

async function call(agent: Agent, baseUrl: string, bytesMax: number, order: OutboundCall): Promise<OutboundReply> {
  const { method, path, headers = {}, body, signal } = order
  try {
    const reply = await request(`${baseUrl}${path}`, {
      method,
      headers,
      signal,
      dispatcher: agent,
      ...(body !== undefined && { body }),
    })
    const text = await readAll(reply.body, bytesMax)
    return { kind: 'responded', status: reply.statusCode, headers: plain(reply.headers), text }
  } catch (error) {
    const { message } = error as Error
    if (error instanceof NotReached) return { kind: 'not_reached', detail: message }
    return { kind: signal.aborted ? 'timeout' : 'broken_off', detail: message }
  }
}

async function readAll(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > bytesMax) throw new TooLong(`the response is longer than ${bytesMax} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function plain(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))
}
