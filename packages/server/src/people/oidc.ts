import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { Config } from '../config.ts'

/** What is kept between the request to the provider and its answer. */
export interface OidcRequest {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Proves presence in this session, instead of opening one. */
  readonly session_id?: string
}

/** Who signed in, as the provider reports in a signed token. */
export interface OidcIdentity {
  readonly issuer: string
  readonly subject: string
  /** Undefined unless the provider has verified it. */
  readonly email: string | undefined
  /** When the person proved its identity there, in milliseconds since 1970. */
  readonly authenticatedAt: number | undefined
}

/** Sign-in at an OpenID Connect provider: authorization code with PKCE, state and nonce. */
export interface Oidc {
  /** A request, whose state starts with a prefix that finds it again. */
  request(prefix: string, extra?: { readonly session_id?: string }): OidcRequest
  /** Where to send the browser. */
  urlFor(request: OidcRequest): Promise<string>
  /** Exchanges the code in the callback's URL. Fails for a wrong state, nonce, signature, issuer or audience. */
  identify(callback: string, request: OidcRequest): Promise<OidcIdentity>
}

const oidcCallbackPath = '/people/v1/sign-in/oidc/callback'

/** A proof of presence must be this recent, in seconds. */
const freshSeconds = 60

/** Undefined unless the provider is configured. Its settings are read from it at the first sign-in, and again after a failure. */
export function createOidc({ oidcIssuer, oidcClientId, oidcClientSecret, publicUrl }: Config): Oidc | undefined {
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcClientSecret === undefined) return undefined
  const redirect_uri = `${publicUrl}${oidcCallbackPath}`
  const isLocal = oidcIssuer.startsWith('http:')
  let found: Promise<Configuration> | undefined
  const discovered = () => {
    found ??= discovery(new URL(oidcIssuer), oidcClientId, {}, ClientSecretPost(oidcClientSecret.reveal()), {
      timeout: 10,
      execute: [enableNonRepudiationChecks, ...(isLocal ? [allowInsecureRequests] : [])],
    }).catch((error) => {
      found = undefined
      throw error
    })
    return found
  }
  return {
    request: (prefix, extra = {}) => ({
      state: `${prefix}.${randomState()}`,
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      ...extra,
    }),
    urlFor: async ({ state, nonce, verifier, session_id }) => {
      const fresh = session_id === undefined ? {} : { prompt: 'login', max_age: String(freshSeconds) }
      const url = buildAuthorizationUrl(await discovered(), {
        redirect_uri,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...fresh,
      })
      return url.href
    },
    identify: async (callback, { state, nonce, verifier, session_id }) => {
      const tokens = await authorizationCodeGrant(await discovered(), new URL(callback, publicUrl), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
        ...(session_id !== undefined && { maxAge: freshSeconds }),
      })
      const claims: Partial<IDToken> = tokens.claims() ?? {}
      const { iss = '', sub = '', email, email_verified, auth_time } = claims
      return {
        issuer: iss,
        subject: sub,
        email: email_verified === true && typeof email === 'string' ? email : undefined,
        authenticatedAt: typeof auth_time === 'number' ? auth_time * 1000 : undefined,
      }
    },
  }
}
