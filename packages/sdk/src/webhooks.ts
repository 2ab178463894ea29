import { createHmac, timingSafeEqual } from 'node:crypto'
import { WebhookVerificationError } from './errors.ts'
import type { Schemas } from './generated/api.ts'
import type { Status } from './transactions.ts'

export type EventName = 'transaction_created' | 'transaction_updated'

/** The transaction at the time of the event. */
export interface WebhookData extends Omit<Schemas['WebhookData'], 'status' | 'chargeStatus'> {
  status: Status
}

/** The content of a webhook, and of one event in the feed. */
export interface WebhookEvent extends Omit<Schemas['WebhookEvent'], 'event' | 'data'> {
  event: EventName
  data: WebhookData
}

/** Headers as frameworks provide them: an object with names in any case, or `Headers`. */
export type HeadersLike =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null }

/** `whsec_…`. During a rotation, pass both the old and the new secret. */
export type WebhookSecret = string | readonly string[]

export interface VerifyOptions {
  /** How far the sending time may be from now; default: 300. */
  readonly toleranceSeconds?: number | undefined
  readonly now?: Date | undefined
}

/**
 * Returns the event if Malipo sent it and it is unchanged; otherwise throws {@link WebhookVerificationError}. `raw` is the
 * body as received, before any parser.
 */
export function verify(
  raw: string | Uint8Array,
  headers: HeadersLike,
  secret: WebhookSecret,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): WebhookEvent {
  const [id, timestamp, signature] = [
    headerOf(headers, 'webhook-id'),
    headerOf(headers, 'webhook-timestamp'),
    headerOf(headers, 'webhook-signature'),
  ]
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('bad_header', 'webhook-timestamp is no number')
  const given = signature.split(/\s+/).flatMap((each) => (each.startsWith('v1,') ? [Buffer.from(each.slice(3))] : []))
  const right = keysOf(secret).map((key) => Buffer.from(signatureOf(`${id}.${timestamp}.`, raw, key)))
  const isOurs = right.some((one) => given.some((other) => one.length === other.length && timingSafeEqual(one, other)))
  if (!isOurs)
    throw new WebhookVerificationError(
      'bad_signature',
      'The signature does not match: the body is not as it was sent, or the secret is another one. Verify the bytes as they came, not JSON written anew.',
    )
  refuseOtherTimes(Number(timestamp), now, toleranceSeconds)
  return eventIn(raw)
}

/** The webhook's id, from the signed header. */
export const webhookIdIn = (headers: HeadersLike) => headerOf(headers, 'webhook-id')

/** Signs a body as Malipo does, for your own tests. Default id: the id in the body. */
export function testHeaders(
  raw: string | Uint8Array,
  secret: WebhookSecret,
  { id = eventIn(raw).id, at = new Date() }: { readonly id?: string | undefined; readonly at?: Date | undefined } = {},
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = keysOf(secret).map((key) => `v1,${signatureOf(`${id}.${timestamp}.`, raw, key)}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

function headerOf(headers: HeadersLike, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : valueIn(headers, name)
  const text = Array.isArray(value) ? value.join(' ') : value
  if (typeof text !== 'string' || text.trim() === '')
    throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`)
  return text.trim()
}

function valueIn(headers: object, name: string): unknown {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
}

/** The key bytes of the secrets. */
function keysOf(secret: WebhookSecret): Buffer[] {
  const secrets = [secret].flat()
  const isReadable = (each: unknown) =>
    typeof each === 'string' && /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(bare(each))
  if (secrets.length === 0 || !secrets.every(isReadable))
    throw new WebhookVerificationError(
      'bad_secret',
      'The secret is not in the form whsec_ and base 64: part of it may be missing, or it contains an extra space or quote.',
    )
  return secrets.map((each) => Buffer.from(bare(each), 'base64'))
}

const bare = (secret: string) => secret.replace(/^whsec_/, '')

function signatureOf(prefix: string, raw: string | Uint8Array, key: Buffer): string {
  return createHmac('sha256', key).update(prefix).update(raw).digest('base64')
}

function refuseOtherTimes(timestamp: number, now: Date, toleranceSeconds: number): void {
  const age = Math.floor(now.getTime() / 1000) - timestamp
  if (age > toleranceSeconds)
    throw new WebhookVerificationError('too_old', `It was sent ${age} s ago, and ${toleranceSeconds} s are allowed.`)
  if (age < -toleranceSeconds)
    throw new WebhookVerificationError(
      'from_the_future',
      `It was sent ${-age} s from now, and ${toleranceSeconds} s are allowed. Is the clock right?`,
    )
}

function eventIn(raw: string | Uint8Array): WebhookEvent {
  try {
    return JSON.parse(typeof raw === 'string' ? raw : Buffer.from(raw).toString()) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('bad_body', 'The body is signed, but is no JSON.')
  }
}
