import { Type } from 'typebox'
import { answerExchange } from '../auth/answer-exchange.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { exchangeMachine } from './machines.ts'

const KeyPairBody = Type.Object(
  { publicKey: Type.String({ minLength: 1, maxLength: 200, description: "The machine's public key, `opk_…`" }) },
  { additionalProperties: false },
)

const ApiKeyHeader = Type.Object({
  'api-key': Type.String({ minLength: 1, maxLength: 200, description: 'The API key of the same pair, `osk_…`' }),
})

const IssuedToken = Type.Object({
  success: Type.Literal(true),
  token: Type.String({ description: 'Send it as `Authorization: Bearer …` to `/operator/v1/…`' }),
  expiresAt: Type.Integer({ description: 'Unix seconds; request a new token about 60 s earlier' }),
})

/** The token exchange of the operator's machines. */
export function machineRoutes(app: App, ctx: Context): void {
  app.post(
    '/auth/generate-bearer-token',
    {
      config: {
        isPublic: true,
        budget: 'sign_in',
        errors: ['INVALID_API_KEY', 'ADDRESS_NOT_ALLOWED', 'RATE_LIMIT_EXCEEDED'],
      },
      schema: {
        summary: 'Get an access token for a machine',
        description: 'Exchanges the key pair of a machine of the operator for a token that is valid for an hour.',
        tags: ['Authentication'],
        headers: ApiKeyHeader,
        body: KeyPairBody,
        response: { 200: IssuedToken },
      },
    },
    (request) => answerExchange(ctx, request, exchangeMachine),
  )
}
