import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { keyedRequest } from '../idempotency/keys.ts'
import { PaymentHeaders, scenarioIn } from '../payments/accept/payment-headers.ts'
import { ExternalReference, NextAction } from '../transactions/schema.ts'
import { chargeMomo } from './momo.ts'

const MomoCharge = Type.Object(
  {
    amount: Type.Number({ description: 'What the customer pays, in major units' }),
    currency: Type.String({ maxLength: 100, description: 'Three-letter currency code' }),
    externalReference: ExternalReference,
    phoneNumber: Type.Optional(
      Type.String({ maxLength: 30, description: 'In international form; or externalAccountId' }),
    ),
    externalAccountId: Type.Optional(
      Type.String({ maxLength: 100, description: 'A mobile money account; or phoneNumber' }),
    ),
    momoOperatorId: Type.Optional(
      Type.String({ maxLength: 100, description: 'Required if the number does not identify the operator' }),
    ),
    momoOperator: Type.Optional(Type.String({ maxLength: 100, description: 'The same as momoOperatorId' })),
    otpCode: Type.Optional(Type.String({ maxLength: 20, description: 'For operators with authType PREAUTH' })),
    walletCurrency: Type.Optional(
      Type.String({ maxLength: 100, description: 'Wallet to credit; `currency` if omitted' }),
    ),
    voucherPin: Type.Optional(Type.String({ maxLength: 20, description: 'For vouchers: 12 or 16 digits' })),
    successRedirectUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Where the customer returns to after paying' }),
    ),
    failureRedirectUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Where the customer returns to without paying' }),
    ),
  },
  { additionalProperties: false, title: 'MomoCharge' },
)

const Started = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    transactionId: Type.String(),
    status: Type.String(),
    nextAction: NextAction,
  },
  { title: 'StartedCharge' },
)

export function momoRoute(app: App, ctx: Context): void {
  app.post(
    '/fiat/deposit/momo',
    {
      config: {
        scope: 'charges:write',
        errors: [
          'MOMO_OPERATOR_ID_REQUIRED',
          'OTP_CODE_REQUIRED',
          'EXTERNAL_ACCOUNT_MISSING',
          'SANDBOX_ONLY',
          'PROVIDER_NOT_FOUND',
          'REFERENCE_USED',
          'UNSUPPORTED_CURRENCY',
          'CURRENCY_NOT_ENABLED',
          'WALLET_CURRENCY_NOT_SUPPORTED',
          'AMOUNT_OUT_OF_BOUNDS',
          'FX_RATE_UNAVAILABLE',
          'IDEMPOTENCY_KEY_IN_PROGRESS',
          'IDEMPOTENCY_KEY_REUSED',
        ],
      },
      schema: {
        summary: 'Charge by mobile money',
        tags: ['Charges'],
        headers: PaymentHeaders,
        body: MomoCharge,
        response: { 200: Started },
      },
    },
    async (request, reply) => {
      const owner = bearerOf(request)
      const scenario = scenarioIn(owner, request.headers)
      const { response, isReplay } = await chargeMomo(ctx, owner, request.body, keyedRequest(request, owner), scenario)
      if (isReplay) reply.header('idempotency-replayed', 'true')
      return response
    },
  )
}
