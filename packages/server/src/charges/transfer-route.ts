import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { keyedRequest } from '../idempotency/keys.ts'
import { PaymentHeaders, scenarioIn } from '../payments/accept/payment-headers.ts'
import { ExternalReference, VirtualAccount } from '../transactions/schema.ts'
import { Email } from './schema.ts'
import { chargeByTransfer } from './transfer.ts'

const TransferCharge = Type.Object(
  {
    amount: Type.Number({ description: 'What the customer pays, in major units' }),
    currency: Type.String({ maxLength: 100, description: 'NGN or KES' }),
    email: Email,
    externalReference: ExternalReference,
  },
  { additionalProperties: false, title: 'TransferCharge' },
)

const OpenedAccount = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    data: Type.Object({
      transactionId: Type.String(),
      virtualAccount: VirtualAccount,
      nextAction: Type.Object({ type: Type.Literal('BANK_TRANSFER') }),
    }),
  },
  { title: 'OpenedAccount' },
)

export function transferRoute(app: App, ctx: Context): void {
  app.post(
    '/fiat/deposit/bank-transfer',
    {
      config: {
        scope: 'charges:write',
        errors: [
          'SANDBOX_ONLY',
          'PROVIDER_NOT_FOUND',
          'REFERENCE_USED',
          'UNSUPPORTED_CURRENCY',
          'CURRENCY_NOT_ENABLED',
          'IDEMPOTENCY_KEY_IN_PROGRESS',
          'IDEMPOTENCY_KEY_REUSED',
          'PROVIDER_UNAVAILABLE',
        ],
      },
      schema: {
        summary: 'Charge by bank transfer',
        description:
          'Opens an account that accepts money for this charge for two hours. Transfers that arrive within a day after that still count. When the amount is reached, the charge is SUCCESSFUL, with everything received. After a 503, send the same request again: it continues the same charge.',
        tags: ['Charges'],
        headers: PaymentHeaders,
        body: TransferCharge,
        response: { 200: OpenedAccount },
      },
    },
    async (request, reply) => {
      const owner = bearerOf(request)
      const scenario = scenarioIn(owner, request.headers)
      const { response, isReplay } = await chargeByTransfer(
        ctx,
        owner,
        request.body,
        keyedRequest(request, owner),
        scenario,
      )
      if (isReplay) reply.header('idempotency-replayed', 'true')
      return response
    },
  )
}
