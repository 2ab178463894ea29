import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { PublicKey } from '../config-values.ts'
import type { VaultKey } from '../platform/seal.ts'
import type { TokenClaims } from './credentials.ts'

const algorithm = 'EdDSA'
const type = 'at+jwt'
const lengthMax = 2048

/** Signs and verifies tokens of every audience. A token of one audience is not valid for another. */
export interface TokenSigner {
  /** The same claims always give the same token, because Ed25519 signatures are deterministic: no token is ever stored. */
  sign(audience: string, subject: string, content: JWTPayload, claims: TokenClaims): Promise<string>
  /** The content of an unexpired token that Malipo signed for this audience; undefined for any other text. */
  verify(audience: string, token: string): Promise<JWTPayload | undefined>
  /** The public halves, for `/.well-known/jwks.json`. */
  readonly published: { readonly keys: readonly object[] }
}

export type Seed = Pick<VaultKey, 'id' | 'key'>

/** The first key signs. Every key verifies and is published, so that a key rotation refuses no valid token. */
export function createTokenSigner(issuer: string, seeds: readonly [Seed, ...Seed[]]): TokenSigner {
  const signers = seeds.map(({ id, key }) => ({ id, privateKey: privateKeyOf(key) }))
  const verifiers = new Map(signers.map(({ id, privateKey }) => [id, createPublicKey(privateKey)]))
  const [current] = signers as [(typeof signers)[number]]
  return {
    sign: (audience, subject, content, claims) =>
      new SignJWT(content)
        .setProtectedHeader({ alg: algorithm, typ: type, kid: current.id })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt(claims.token_issued_at)
        .setExpirationTime(claims.token_expires_at)
        .setJti(claims.token_id)
        .sign(current.privateKey),
    verify: async (audience, token) =>
      token.length <= lengthMax && isCanonical(token) ? verify(token, { issuer, audience }, verifiers) : undefined,
    published: { keys: [...verifiers].map(([id, key]) => publishedKey({ id, x: pointOf(key) })) },
  }
}

/**
 * Whether the signature has its canonical spelling. Base64 decoders ignore spaces, padding and the last bits, so one token would
 * have many spellings, and every limit that counts by token would see each as a new token.
 */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

const verification = { algorithms: [algorithm], typ: type, requiredClaims: ['iat', 'exp', 'jti'] }

/** Only Malipo's own keys, algorithm and type are accepted: a token's header only selects a key id to look up. */
async function verify(
  token: string,
  expected: { readonly issuer: string; readonly audience: string },
  keys: ReadonlyMap<string, KeyObject>,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, ({ kid = '' }) => known(keys.get(kid)), { ...verification, ...expected })
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

function known(key: KeyObject | undefined): KeyObject {
  if (!key) throw new errors.JWKSNoMatchingKey()
  return key
}

/** The public half of a seed, as in a JSON Web Key. */
export const publicHalfOf = (seed: KeyObject) => pointOf(createPublicKey(privateKeyOf(seed)))

const pointOf = (key: KeyObject) => key.export({ format: 'jwk' }).x ?? ''

/** Wraps an Ed25519 seed in the format that node:crypto reads (RFC 8410). */
function privateKeyOf(seed: KeyObject): KeyObject {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed.export()])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

/** In the form of `/.well-known/jwks.json`. */
export function publishedKey({ id, x }: PublicKey): object {
  return { kty: 'OKP', crv: 'Ed25519', x, kid: id, alg: algorithm, use: 'sig' }
}
