import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { IdempotencyHeaders, keyedRequest } from '../idempotency/keys.ts'
import { authorise } from './authorise.ts'
import { Address } from './schema.ts'

const Authorise = Type.Object(
  {
    type: Type.Union([Type.Literal('otp'), Type.Literal('pin'), Type.Literal('address'), Type.Literal('avs')], {
      description: 'As in `nextAction`; avs is the same as address',
    }),
    value: Type.Union([Type.String({ maxLength: 2000 }), Address], {
      description: 'The PIN or code; or the address as an object or as JSON text',
    }),
  },
  { additionalProperties: false, title: 'Authorise' },
)

export function authoriseRoute(app: App, ctx: Context): void {
  app.post(
    '/fiat/deposit/:transactionId/authorise',
    {
      config: {
        scope: 'charges:write',
        errors: [
          'TRANSACTION_MISSING',
          'CHARGE_NOT_AWAITING',
          'AUTHORISATION_TYPE_MISMATCH',
          'AUTHORISATION_FAILED',
          'IDEMPOTENCY_KEY_REUSED',
          'PROVIDER_UNAVAILABLE',
        ],
      },
      schema: {
        summary: 'Authorise a charge',
        description:
          "Submits the customer's PIN, code or address. A wrong value is refused with `attemptsLeft`; the third one fails the charge. After a correct PIN the bank may also require a code: read the transaction, or wait for its webhook.",
        tags: ['Charges'],
        headers: IdempotencyHeaders,
        params: Type.Object({ transactionId: Type.String({ maxLength: 100 }) }),
        body: Authorise,
        response: { 200: Type.Object({ success: Type.Literal(true), message: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { transactionId } = request.params
      const owner = bearerOf(request)
      const { response, isReplay } = await authorise(
        ctx,
        owner,
        transactionId,
        request.body,
        keyedRequest(request, owner),
      )
      if (isReplay) reply.header('idempotency-replayed', 'true')
      return response
    },
  )
}
