import { Type } from 'typebox'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { answerExchange } from './answer-exchange.ts'
import { exchange } from './token-exchange.ts'

const KeyPairBody = Type.Object(
  { publicKey: Type.String({ minLength: 1, maxLength: 200, description: 'The public key of the pair, `pk_…`' }) },
  { additionalProperties: false },
)

const ApiKeyHeader = Type.Object({
  'api-key': Type.String({ minLength: 1, maxLength: 200, description: 'The API key of the same pair, `sk_…`' }),
})

const IssuedToken = Type.Object(
  {
    success: Type.Literal(true),
    token: Type.String({ description: 'Send it as `Authorization: Bearer …`' }),
    expiresAt: Type.Integer({ description: 'Unix seconds; request a new token about 60 s earlier' }),
  },
  { title: 'IssuedToken' },
)

/** The token exchange, the only business path without a token. */
export function authRoutes(app: App, ctx: Context): void {
  app.post(
    '/auth/generate-bearer-token',
    {
      config: {
        isPublic: true,
        budget: 'exchange',
        errors: ['INVALID_API_KEY', 'ADDRESS_NOT_ALLOWED', 'RATE_LIMIT_EXCEEDED'],
      },
      schema: {
        summary: 'Get an access token',
        description:
          'Exchanges a key pair for a token that is valid for an hour. While the current token has more than five minutes left, the same token is returned.',
        tags: ['Authentication'],
        headers: ApiKeyHeader,
        body: KeyPairBody,
        response: { 200: IssuedToken },
      },
    },
    (request) => answerExchange(ctx, request, exchange),
  )
}

/** Publishes the public keys that verify access tokens. */
export function publishedKeysRoute(app: App, ctx: Context): void {
  app.get('/.well-known/jwks.json', { config: { isPublic: true } }, (_, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(ctx.tokens.published),
  )
}
