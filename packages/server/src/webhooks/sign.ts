import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

/** One delivery attempt of a webhook. A later attempt has the same id and body, and its own time. */
export interface Sending {
  readonly id: string
  readonly at: Date
  /** The exact bytes on the wire. */
  readonly body: string | Uint8Array
  /** As merchants know them, `whsec_…`: the current one, and the previous one while both are valid. */
  readonly secrets: readonly string[]
}

/** The request that a receiver got, and the secrets it knows. */
export interface Received {
  /** In any letter case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw body, before any parsing. */
  readonly body: string | Uint8Array
  readonly secrets: readonly string[]
  readonly now: Date
  readonly toleranceSeconds?: number
}

export type Verified = { readonly ok: true } | { readonly ok: false; readonly why: string }

const headerNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/** Signs as Standard Webhooks defines, with every secret, so that receivers with the old or the new one can verify. */
export function signatureHeaders({
  id,
  at,
  body,
  secrets,
}: Sending): Readonly<Record<(typeof headerNames)[number], string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = { id, timestamp, body: Buffer.from(body) }
  const signatures = secrets.map((secret) => `v1,${signatureOf(signed, keyOf(secret))}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/**
 * Verifies as a receiver should, and explains what is wrong. Checks the signature before the time, so that a developer with a
 * request from last week learns whether it is wrong or only old.
 */
export function verify({ headers: given, body, secrets, now, toleranceSeconds = 300 }: Received): Verified {
  const headers = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value?.trim() ?? '']))
  const [id = '', timestamp = '', signature = ''] = headerNames.map((name) => headers.get(name))
  const signed = { id, timestamp, body: Buffer.from(body) }
  const why =
    headersProblem(headers) ??
    secretsProblem(secrets) ??
    signatureProblem(signed, signature, secrets) ??
    timeProblem(Number(timestamp), now, toleranceSeconds)
  return why === undefined ? { ok: true } : { ok: false, why }
}

interface Signed {
  readonly id: string
  readonly timestamp: string
  readonly body: Uint8Array
}

function signatureOf({ id, timestamp, body }: Signed, key: KeyObject): string {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
}

/** The bytes of a secret. As plain bytes, Node takes five times as long to sign. */
const keyOf = (secret: string) => createSecretKey(bare(secret), 'base64')

const bare = (secret: string) => secret.replace(/^whsec_/, '')

function isSignedBy(signed: Signed, header: string, keys: readonly KeyObject[]): boolean {
  const given = signaturesIn(header).flatMap((each) => (each.startsWith('v1,') ? [Buffer.from(each.slice(3))] : []))
  const right = keys.map((key) => Buffer.from(signatureOf(signed, key)))
  return right.some((one) => given.some((other) => one.length === other.length && timingSafeEqual(one, other)))
}

const signaturesIn = (header: string) => header.split(/\s+/).filter((each) => each !== '')

/** Headers by which requests of other signature schemes are recognised. */
const otherSchemes: Readonly<Record<string, string>> = {
  'svix-signature': 'Svix before Standard Webhooks',
  'stripe-signature': 'Stripe',
  'x-hub-signature-256': 'GitHub and Meta',
  'x-hub-signature': 'GitHub and Meta',
  'x-paystack-signature': 'Paystack',
  'verif-hash': 'Flutterwave',
}

function headersProblem(headers: ReadonlyMap<string, string>): string | undefined {
  const missing = headerNames.filter((name) => !headers.get(name))
  const [other] = Object.entries(otherSchemes).filter(([name]) => headers.has(name))
  if (missing.includes('webhook-signature') && other)
    return `the header webhook-signature is missing; ${other[0]} is a signature of another scheme, that of ${other[1]}`
  if (missing.length > 0)
    return `the ${missing.length === 1 ? 'header' : 'headers'} ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`
  if (!/^\d{1,12}$/.test(headers.get('webhook-timestamp') ?? ''))
    return 'the header webhook-timestamp is not a number of seconds since 1970'
  return schemeProblem(signaturesIn(headers.get('webhook-signature') ?? ''))
}

function schemeProblem(signatures: readonly string[]): string | undefined {
  if (signatures.some((each) => each.startsWith('v1,'))) return undefined
  const [first = ''] = signatures
  const scheme = /^(\w+)[,=]/.exec(first)?.[1]
  if (scheme === 'v1a')
    return 'the signature has another scheme: v1a uses a key pair, and v1, which is expected, uses a secret'
  if (scheme === 't') return 'the signature has another scheme: t=…,v1=… is that of Stripe'
  return `the signature has another scheme: ${scheme ? `it begins with ${scheme}` : 'it has no version in front'}, and must look like v1,K5oZ…`
}

function secretsProblem(secrets: readonly string[]): string | undefined {
  if (secrets.length === 0) return 'no secret was given'
  const isReadable = (secret: string) =>
    /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(bare(secret))
  if (secrets.every(isReadable)) return undefined
  return 'the secret is not in the form whsec_ and base 64; part of it may be missing, or it contains an extra space or quote'
}

/** Tries the common changes to a body or a secret between the sender and the check. */
function signatureProblem(signed: Signed, header: string, secrets: readonly string[]): string | undefined {
  const keys = secrets.map(keyOf)
  if (isSignedBy(signed, header, keys)) return undefined
  const mismatch = 'the signature does not match'
  if (isSignedBy({ ...signed, body: trimmed(signed.body) }, header, keys))
    return `${mismatch}: spaces or a line break were added around the body; verify the bytes as received`
  const parsed = reserialised(signed.body)
  if (parsed && isSignedBy({ ...signed, body: parsed }, header, keys))
    return `${mismatch}: the body was parsed and serialised again; verify the bytes as received`
  if (isSignedBy(signed, header, secrets.flatMap(undecoded)))
    return `${mismatch}: it was computed with the text of the secret; the part after whsec_ is base 64 and must be decoded first`
  return `${mismatch}: the body was changed in transit, or the secret is wrong`
}

function reserialised(body: Uint8Array): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString())))
  } catch {
    return undefined
  }
}

const trimmed = (body: Uint8Array) => Buffer.from(Buffer.from(body).toString().trim())

const undecoded = (secret: string) =>
  [bare(secret), `whsec_${bare(secret)}`].map((text) => createSecretKey(text, 'utf8'))

function timeProblem(timestamp: number, now: Date, toleranceSeconds: number): string | undefined {
  const age = Math.floor(now.getTime() / 1000) - timestamp
  if (age > toleranceSeconds)
    return `the signature matches, but the timestamp is too old by ${age - toleranceSeconds} s: it is ${age} s old, and ${toleranceSeconds} s are allowed`
  if (age < -toleranceSeconds)
    return `the signature matches, but the timestamp lies ${-age} s in the future, and ${toleranceSeconds} s are allowed; check the clock`
  return undefined
}
