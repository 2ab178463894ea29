import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Environment } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import type { VaultKey } from '../platform/seal.ts'
import type { TokenClaims } from './credentials.ts'

const algorithm = 'EdDSA'
const type = 'at+jwt'
const audience = 'malipo'
const lengthMax = 2048

/** The claims of a verified token. */
export interface Claims {
  readonly merchant_id: string
  readonly env: Environment
  readonly credential_id: string
  readonly scopes: readonly string[]
  readonly expiresAt: number
}

export interface Tokens {
  /** The same claims always give the same token, because Ed25519 signatures are deterministic: no token is ever stored. */
  sign(bearer: Omit<Claims, 'expiresAt'>, claims: TokenClaims): Promise<string>
  /** The claims of an unexpired token that Malipo signed; undefined for any other text. */
  verify(token: string): Promise<Claims | undefined>
  /** The public halves, for `/.well-known/jwks.json`. */
  readonly published: { readonly keys: readonly object[] }
}

type Seed = Pick<VaultKey, 'id' | 'key'>

/** The first key signs. Every key verifies and is published, so that a key rotation refuses no valid token. */
export function createTokens(issuer: string, seeds: readonly [Seed, ...Seed[]]): Tokens {
  const signers = seeds.map(({ id, key }) => ({ id, privateKey: privateKeyOf(key) }))
  const verifiers = new Map(signers.map(({ id, privateKey }) => [id, createPublicKey(privateKey)]))
  const [current] = signers as [(typeof signers)[number]]
  return {
    sign: ({ merchant_id, env, credential_id, scopes }, claims) =>
      new SignJWT({ env, cid: showId('credential', credential_id), scope: scopes.join(' ') })
        .setProtectedHeader({ alg: algorithm, typ: type, kid: current.id })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(showId('merchant', merchant_id))
        .setIssuedAt(claims.token_issued_at)
        .setExpirationTime(claims.token_expires_at)
        .setJti(claims.token_id)
        .sign(current.privateKey),
    verify: async (token) =>
      token.length <= lengthMax && isCanonical(token) ? verify(token, issuer, verifiers) : undefined,
    published: { keys: [...verifiers].map(([id, key]) => publicJwk(id, key)) },
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

const verification = { algorithms: [algorithm], typ: type, audience, requiredClaims: ['iat', 'exp', 'jti'] }

/** Only Malipo's own keys, algorithm and type are accepted: a token's header only selects a key id to look up. */
async function verify(
  token: string,
  issuer: string,
  keys: ReadonlyMap<string, KeyObject>,
): Promise<Claims | undefined> {
  try {
    const { payload } = await jwtVerify(token, ({ kid = '' }) => known(keys.get(kid)), { ...verification, issuer })
    return claimsOf(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

function known(key: KeyObject | undefined): KeyObject {
  if (!key) throw new errors.JWKSNoMatchingKey()
  return key
}

function claimsOf({ sub = '', env, cid, scope, exp = 0 }: JWTPayload): Claims | undefined {
  const merchantId = readId('merchant', sub)
  const credentialId = readId('credential', String(cid))
  const isKnown = (env === 'live' || env === 'sandbox') && typeof scope === 'string'
  if (!isKnown || merchantId === undefined || credentialId === undefined) return undefined
  return { merchant_id: merchantId, env, credential_id: credentialId, scopes: scope.split(' '), expiresAt: exp }
}

/** Wraps an Ed25519 seed in the format that node:crypto reads (RFC 8410). */
function privateKeyOf(seed: KeyObject): KeyObject {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed.export()])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

function publicJwk(kid: string, key: KeyObject): object {
  return { ...key.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' }
}
