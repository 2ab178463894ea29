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

/** What a genuine token says. */
export interface Claims {
  readonly merchant_id: string
  readonly env: Environment
  readonly credential_id: string
  readonly scopes: readonly string[]
  readonly expiresAt: number
}

export interface Tokens {
  /** The same claims always give the same token, since Ed25519 signatures are deterministic: no token is ever stored. */
  sign(bearer: Omit<Claims, 'expiresAt'>, claims: TokenClaims): Promise<string>
  /** The claims of a token we signed and that has not expired; nothing for any other text. */
  verify(token: string): Promise<Claims | undefined>
  /** The public halves, for `/.well-known/jwks.json`. */
  readonly published: { readonly keys: readonly object[] }
}

type Seed = Pick<VaultKey, 'id' | 'key'>

/** The first key signs; every key verifies and is published, so that keys are changed without refusing a living token. */
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
 * Whether the signature is spelled in the one way we spell it. Base64 readers ignore spaces, padding and the last bits, so one token
 * would have many spellings, and each would be an unknown token to every limit that counts by token.
 */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

const verification = { algorithms: [algorithm], typ: type, audience, requiredClaims: ['iat', 'exp', 'jti'] }

/** Only our own keys, algorithm and type count: what a token's header says of them chooses nothing but a name to look up. */
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

/** An Ed25519 seed in the wrapping that node:crypto reads (RFC 8410). */
function privateKeyOf(seed: KeyObject): KeyObject {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed.export()])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

function publicJwk(kid: string, key: KeyObject): object {
  return { ...key.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' }
}
