import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** An OpenID Connect provider in the test, which signs in as whom the test says. */
export interface OidcProvider {
  readonly settings: Readonly<Record<string, string>>
  /** Signs in at the provider: takes the URL that Malipo sent the browser to, returns the one that the browser returns to. */
  signIn(url: string, claims: JWTPayload): string
  close(): void
}

const clientId = 'malipo-test'
const clientSecret = 'a secret of the test'

interface Issued {
  readonly claims: JWTPayload
  readonly challenge: string
}

export async function openOidcProvider(): Promise<OidcProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, Issued>()
  let issuer = ''
  const server = createServer((request, response) => void respond(request, response))
  const send = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/.well-known/openid-configuration')
      return send(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
    if (request.url === '/keys') return send(response, 200, { keys: [jwk] })
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    const issued = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!issued || form.get('client_secret') !== clientSecret || verifier !== issued.challenge)
      return send(response, 400, { error: 'invalid_grant' })
    const id_token = await new SignJWT({ auth_time: Math.floor(Date.now() / 1000), ...issued.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'test' })
      .setIssuer(issuer)
      .setAudience(clientId)
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey)
    return send(response, 200, { access_token: 'unused', token_type: 'Bearer', id_token })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return {
    settings: {
      MALIPO_OIDC_ISSUER: issuer,
      MALIPO_OIDC_CLIENT_ID: clientId,
      MALIPO_OIDC_CLIENT_SECRET: clientSecret,
    },
    signIn: (url, claims) => {
      const { searchParams: sent } = new URL(url)
      const code = randomUUID()
      codes.set(code, {
        claims: { nonce: sent.get('nonce'), ...claims },
        challenge: sent.get('code_challenge') ?? '',
      })
      const query = new URLSearchParams({ code, state: sent.get('state') ?? '' })
      return `${new URL(sent.get('redirect_uri') ?? '').pathname}?${query}`
    },
    close: () => void server.close(),
  }
}
