import type { JWTPayload } from 'jose'
import type { PublicKey } from '../config-values.ts'
import type { Environment } from '../platform/db.ts'
import { cellOf, readId, showId } from '../platform/ids.ts'
import type { TokenClaims } from './credentials.ts'
import { createTokenSigner, publishedKey, type Seed } from './token-signer.ts'

const audience = 'malipo'

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

/** The access tokens of merchants' key pairs. The keys of other cells are published only: they verify no token here. */
export function createTokens(
  issuer: string,
  seeds: readonly [Seed, ...Seed[]],
  ofOtherCells: readonly PublicKey[] = [],
): Tokens {
  const signer = createTokenSigner(issuer, seeds)
  return {
    sign: ({ merchant_id, env, credential_id, scopes }, claims) => {
      // For routers: Malipo itself does not read the cell.
      const content = {
        env,
        cell: cellOf(credential_id),
        cid: showId('credential', credential_id),
        scope: scopes.join(' '),
      }
      return signer.sign(audience, showId('merchant', merchant_id), content, claims)
    },
    verify: async (token) => {
      const payload = await signer.verify(audience, token)
      return payload && claimsOf(payload)
    },
    published: { keys: [...signer.published.keys, ...ofOtherCells.map(publishedKey)] },
  }
}

function claimsOf({ sub = '', env, cid, scope, exp = 0 }: JWTPayload): Claims | undefined {
  const merchantId = readId('merchant', sub)
  const credentialId = readId('credential', String(cid))
  const isKnown = (env === 'live' || env === 'sandbox') && typeof scope === 'string'
  if (!isKnown || merchantId === undefined || credentialId === undefined) return undefined
  return { merchant_id: merchantId, env, credential_id: credentialId, scopes: scope.split(' '), expiresAt: exp }
}
