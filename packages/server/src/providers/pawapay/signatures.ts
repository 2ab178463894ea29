import { constants, createHash, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import type { InboundRequest } from '../contract.ts'
import { type Parameters, readBytes, readSignatureInput, type SignatureInput } from './structured-fields.ts'

/** HTTP message signatures (RFC 9421) over a content digest (RFC 9530), as pawaPay writes and expects them. */

export interface Signer {
  /** As registered with pawaPay. */
  readonly keyId: string
  /** On the curve P-256. */
  readonly privateKey: KeyObject
}

/**
 * How the two numbers of an ECDSA signature are encoded. pawaPay's own libraries sign and verify ASN.1 DER; the RFC
 * encodes them raw, one after the other.
 */
export type SignatureForm = 'der' | 'raw'

const encodingOf = { der: 'der', raw: 'ieee-p1363' } as const satisfies Record<SignatureForm, string>

export interface Unsigned {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly contentType: string
}

const label = 'sig-pp'
const covered = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type']
const livesForS = 60

/** The headers that prove that a request is from us. */
export function signatureHeaders(
  message: Unsigned,
  { keyId, privateKey }: Signer,
  form: SignatureForm,
  nowMs: number,
): Record<string, string> {
  const url = new URL(message.url)
  const createdAtS = Math.floor(nowMs / 1000)
  const date = new Date(nowMs).toISOString()
  const digest = `sha-512=:${hash('sha512', Buffer.from(message.body)).toString('base64')}:`
  const list = covered.map((each) => `"${each}"`).join(' ')
  const input = `(${list});alg="ecdsa-p256-sha256";keyid="${keyId}";created=${createdAtS};expires=${createdAtS + livesForS}`
  const values = [message.method, url.host, url.pathname, date, digest, message.contentType]
  const base = writeBase(covered, values, input)
  const signature = sign('sha256', Buffer.from(base), { key: privateKey, dsaEncoding: encodingOf[form] })
  return {
    'Content-Type': message.contentType,
    'Content-Digest': digest,
    'Signature-Date': date,
    'Signature-Input': `${label}=${input}`,
    Signature: `${label}=:${signature.toString('base64')}:`,
    'Accept-Signature': 'ecdsa-p256-sha256,ecdsa-p384-sha384,rsa-pss-sha512,rsa-v1_5-sha256',
    'Accept-Digest': 'sha-512,sha-256',
  }
}

/** Without all of these a signature could be moved to another request. */
const mustCover = ['@method', '@authority', '@path', 'content-digest']
/** How far the provider's clock may be from ours. */
const skewS = 30
/** How long a signature without an expiry is valid. */
const ageMaxS = 300

export type FindKey = (keyId: string) => Promise<KeyObject | undefined>

/** What a signature is checked against. */
export interface Expected {
  readonly findKey: FindKey
  readonly form: SignatureForm
}

/**
 * Undefined when the signature is valid for exactly this request, otherwise the reason. Header names must be in lower
 * case, as Node delivers them. The key lookup comes last, so malformed input costs no lookup.
 */
export async function findFlaw(
  request: InboundRequest,
  expected: Expected,
  nowMs: number,
): Promise<string | undefined> {
  const input = readSignatureInput(headerOf(request, 'signature-input'))
  const signature = input && readBytes(headerOf(request, 'signature'), input.label)
  if (!input || !signature) return 'it has no readable signature'
  return findFlawOutside(input, request, nowMs) ?? findFlawWithin(input, request, signature, expected)
}

function findFlawOutside(input: SignatureInput, request: InboundRequest, nowMs: number): string | undefined {
  const missing = mustCover.find((each) => !input.components.includes(each))
  if (missing !== undefined) return `its signature does not cover ${missing}`
  if (!isDigestOf(request.body, headerOf(request, 'content-digest'))) return 'its digest does not match its body'
  return findWrongTime(input.parameters, nowMs / 1000)
}

async function findFlawWithin(
  { components, parameters, text }: SignatureInput,
  request: InboundRequest,
  signature: Buffer,
  { findKey, form }: Expected,
): Promise<string | undefined> {
  const values = components.map((each) => componentOf(each, request))
  if (values.includes(undefined)) return 'its signature covers a missing component'
  const { keyid, alg } = parameters
  const key = typeof keyid === 'string' ? await findKey(keyid) : undefined
  if (key === undefined) return 'it is not signed with a key of the provider'
  const base = Buffer.from(writeBase(components, values, text))
  return algorithmsOf(key, form).some((each) => isSignedBy(key, each, { named: alg, base, signature }))
    ? undefined
    : 'its signature is wrong'
}

function writeBase(components: readonly string[], values: readonly (string | undefined)[], input: string): string {
  const lines = components.map((each, index) => `"${each}": ${values[index]}`)
  return [...lines, `"@signature-params": ${input}`].join('\n')
}

function headerOf({ headers }: InboundRequest, name: string): string {
  return headers[name]?.trim() ?? ''
}

function componentOf(component: string, { method, path, authority, headers }: InboundRequest): string | undefined {
  if (component === '@method') return method
  if (component === '@path') return path.split('?', 1)[0]
  if (component === '@authority') return authority
  if (component === '@query') return path.includes('?') ? path.slice(path.indexOf('?')) : '?'
  return component.startsWith('@') ? undefined : headers[component]?.trim()
}

function findWrongTime({ created, expires }: Parameters, nowS: number): string | undefined {
  if (typeof created !== 'number') return 'its signature does not say when it was made'
  if (created > nowS + skewS) return 'its signature is from the future'
  const endsAtS = typeof expires === 'number' ? expires : created + ageMaxS
  return endsAtS + skewS < nowS ? 'its signature has expired' : undefined
}

const digests = { 'sha-512': 'sha512', 'sha-256': 'sha256' } as const

/** Whether at least one known digest is present, and every known digest matches. */
function isDigestOf(body: Buffer, header: string): boolean {
  const given = Object.entries(digests).flatMap(([name, algorithm]) => {
    const digest = readBytes(header, name)
    return digest ? [{ digest, algorithm }] : []
  })
  return given.length > 0 && given.every(({ digest, algorithm }) => isSame(digest, hash(algorithm, body)))
}

function isSame(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

function hash(algorithm: string, body: Buffer): Buffer {
  return createHash(algorithm).update(body).digest()
}

interface Signed {
  readonly named: string | number | undefined
  readonly base: Buffer
  readonly signature: Buffer
}

/** The key determines the algorithm. The message may name one only if it agrees. */
function isSignedBy(key: KeyObject, { name, digest, options }: Algorithm, { named, base, signature }: Signed): boolean {
  return (named === undefined || named === name) && verify(digest, base, { key, ...options }, signature)
}

interface Algorithm {
  readonly name: string
  readonly digest: string
  readonly options: object
}

function algorithmsOf(key: KeyObject, form: SignatureForm): readonly Algorithm[] {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  const options = { dsaEncoding: encodingOf[form] }
  if (type === 'ec' && details?.namedCurve === 'prime256v1')
    return [{ name: 'ecdsa-p256-sha256', digest: 'sha256', options }]
  if (type === 'ec' && details?.namedCurve === 'secp384r1')
    return [{ name: 'ecdsa-p384-sha384', digest: 'sha384', options }]
  if (type !== 'rsa') return []
  return [
    {
      name: 'rsa-pss-sha512',
      digest: 'sha512',
      options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 },
    },
    { name: 'rsa-v1_5-sha256', digest: 'sha256', options: { padding: constants.RSA_PKCS1_PADDING } },
  ]
}
