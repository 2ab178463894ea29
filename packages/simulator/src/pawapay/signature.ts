import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** RFC 9421 as pawaPay uses it, in both directions. Signatures use the wall clock, since the other side knows no other. */
export interface SignedRequest {
  readonly method: string
  readonly authority: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
}

const covered = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type']
const lifetimeSeconds = 60
const skewSeconds = 30

export interface Signer {
  readonly keyId: string
  readonly key: KeyObject
}

export function signPost(
  { url, host, body }: { readonly url: URL; readonly host: string; readonly body: string },
  { keyId, key }: Signer,
): Record<string, string> {
  const now = new Date()
  const created = Math.floor(now.getTime() / 1000)
  const names = covered.map((name) => `"${name}"`).join(' ')
  const parameters = `(${names});alg="ecdsa-p256-sha256";keyid="${keyId}";created=${created};expires=${created + lifetimeSeconds}`
  const headers = {
    'content-type': 'application/json; charset=UTF-8',
    'content-digest': `sha-512=:${createHash('sha512').update(body).digest('base64')}:`,
    'signature-date': now.toISOString(),
  }
  const request = { method: 'POST', authority: host, path: url.pathname, headers, raw: Buffer.from(body) }
  const signature = sign('sha256', signatureBase(request, covered, parameters), { key, dsaEncoding: 'der' })
  return {
    ...headers,
    'signature-input': `sig-pp=${parameters}`,
    signature: `sig-pp=:${signature.toString('base64')}:`,
  }
}

/** What is wrong with a request's signature. Undefined when it is valid. */
export function findSignatureProblem(request: SignedRequest, { keyId, key }: Signer): string | undefined {
  const input = /^([a-z*][a-z0-9_.*-]*)=(\(([^)]*)\)(.*))$/.exec(header(request.headers, 'signature-input'))
  if (input === null) return 'Signature-Input is missing or cannot be read.'
  const [, label = '', parameters = '', list = '', rest = ''] = input
  const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
  const missing = ['@method', '@path', 'content-digest'].find((name) => !names.includes(name))
  if (missing !== undefined) return `The signature does not cover ${missing}.`
  if (!rest.includes(`;keyid="${keyId}"`)) return 'The key id is not registered.'
  return (
    findTimeProblem(rest) ??
    findDigestProblem(header(request.headers, 'content-digest'), request.raw) ??
    findValueProblem(request, { label, names, parameters, rest, key })
  )
}

export function makeKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
}

export const readKey = (pem: string): KeyObject => createPrivateKey(pem)

const header = (headers: IncomingHttpHeaders, name: string) => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}

function findTimeProblem(rest: string): string | undefined {
  const now = Math.floor(Date.now() / 1000)
  const read = (name: string) => Number(new RegExp(`;${name}=(\\d+)`).exec(rest)?.[1] ?? Number.NaN)
  if (read('created') > now + skewSeconds) return 'The signature was made in the future.'
  if (read('expires') + skewSeconds < now) return 'The signature has expired.'
  return undefined
}

function findDigestProblem(value: string, raw: Buffer): string | undefined {
  const found = /^(sha-256|sha-512)=:([A-Za-z0-9+/=]+):$/.exec(value)
  if (found === null) return 'Content-Digest is missing or cannot be read.'
  const [, name = '', digest] = found
  const actual = createHash(name.replace('-', '')).update(raw).digest('base64')
  return actual === digest ? undefined : 'Content-Digest does not fit the body.'
}

interface Value {
  readonly label: string
  readonly names: readonly string[]
  readonly parameters: string
  readonly rest: string
  readonly key: KeyObject
}

/** How each algorithm is verified. The provider's library supports ECDSA as DER only. */
const algorithms: Record<string, (key: KeyObject, base: Buffer, signature: Buffer) => boolean> = {
  'ecdsa-p256-sha256': (key, base, signature) => fitsEcdsa('sha256', key, base, signature),
  'ecdsa-p384-sha384': (key, base, signature) => fitsEcdsa('sha384', key, base, signature),
  'rsa-v1_5-sha256': (key, base, signature) => verify('sha256', base, key, signature),
  'rsa-pss-sha512': (key, base, signature) => verify('sha512', base, { key, padding: 6, saltLength: 64 }, signature),
}

const fitsEcdsa = (hash: string, key: KeyObject, base: Buffer, signature: Buffer) =>
  verify(hash, base, { key, dsaEncoding: 'der' }, signature)

function findValueProblem(request: SignedRequest, { label, names, parameters, rest, key }: Value) {
  const prefix = `${label}=:`
  const value = header(request.headers, 'signature')
  if (!value.startsWith(prefix) || !value.endsWith(':')) return 'Signature is missing or cannot be read.'
  const signature = Buffer.from(value.slice(prefix.length, -1), 'base64')
  const algorithm = /;alg="([^"]+)"/.exec(rest)?.[1]
  if (algorithm === undefined) return 'Signature-Input does not name its algorithm.'
  const base = signatureBase(request, names, parameters)
  return isGood(algorithm, key, base, signature) ? undefined : 'The signature does not verify.'
}

function isGood(algorithm: string, key: KeyObject, base: Buffer, signature: Buffer): boolean {
  try {
    return Object.hasOwn(algorithms, algorithm) && algorithms[algorithm]?.(key, base, signature) === true
  } catch {
    // The registered key has another type than the algorithm that the caller names.
    return false
  }
}

function signatureBase(request: SignedRequest, names: readonly string[], parameters: string): Buffer {
  const derived: Record<string, string> = {
    '@method': request.method,
    '@authority': request.authority,
    '@path': request.path,
  }
  const lines = names.map((name) => `"${name}": ${derived[name] ?? header(request.headers, name)}`)
  return Buffer.from([...lines, `"@signature-params": ${parameters}`].join('\n'))
}
