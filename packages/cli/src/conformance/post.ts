import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The receiver's response, and its duration. A redirect is a response like any other: it is not followed. */
export type Reply = Outcome & { readonly durationMs: number }

type Outcome =
  | { readonly kind: 'responded'; readonly status: number }
  | { readonly kind: 'silent' }
  | { readonly kind: 'broken'; readonly code: string }

/** The service's own timeout for a whole delivery. */
export const timeoutMs = 15_000

/** Posts as the service does: one attempt, at most 15 seconds. */
export function post(endpoint: string, delivery: Delivery, signal: AbortSignal | undefined): Promise<Reply> {
  const startedAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const request = open(endpoint, delivery)
  const giveUp = (outcome: Outcome) => {
    resolve(outcome)
    request.destroy()
  }
  const timer = setTimeout(giveUp, timeoutMs, { kind: 'silent' })
  const stop = () => giveUp({ kind: 'broken', code: 'interrupted' })
  signal?.addEventListener('abort', stop)
  request.on('error', (error: NodeJS.ErrnoException) => resolve({ kind: 'broken', code: error.code ?? error.message }))
  request.on('response', (response) => {
    response.on('error', () => resolve({ kind: 'broken', code: 'ECONNRESET' }))
    response.on('end', () => resolve({ kind: 'responded', status: response.statusCode ?? 0 }))
    response.resume()
  })
  request.end(delivery.body)
  return promise
    .finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    })
    .then((outcome) => ({ ...outcome, durationMs: Math.round(performance.now() - startedAt) }))
}

/**
 * Starts a delivery and cuts the connection: in the middle of the body, or after the whole body without waiting for a
 * response. In both cases the receiver must accept the next attempt.
 */
export function breakOff(endpoint: string, delivery: Delivery, where: 'middle' | 'end'): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const request = open(endpoint, delivery)
  request.on('error', () => resolve())
  request.on('close', () => resolve())
  const half = Buffer.from(delivery.body).subarray(0, Math.floor(Buffer.byteLength(delivery.body) / 2))
  if (where === 'middle') request.write(half, () => request.destroy())
  else request.end(delivery.body, () => request.destroy())
  return promise
}

function open(endpoint: string, { headers, body }: Delivery) {
  const request = endpoint.startsWith('https:') ? secureRequest : plainRequest
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  return request(endpoint, { method: 'POST', headers: { ...headers, ...length }, agent: false })
}
