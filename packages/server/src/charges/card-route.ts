import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { keyedRequest } from '../idempotency/keys.ts'
import { PaymentHeaders, scenarioIn } from '../payments/accept/payment-headers.ts'
import { ExternalReference, FailureReason, NextAction } from '../transactions/schema.ts'
import { chargeCard } from './card.ts'
import { Address, Email } from './schema.ts'

const name = (whose: string) =>
  Type.String({ minLength: 1, maxLength: 100, description: `The customer's ${whose} name` })

const CardCharge = Type.Object(
  {
    amount: Type.Number({ description: 'What the customer pays, in major units' }),
    currency: Type.String({ maxLength: 100, description: 'Three-letter currency code' }),
    email: Email,
    firstName: name('first'),
    lastName: name('last'),
    ipAddress: Type.String({ maxLength: 45, description: "The customer's IP address" }),
    externalReference: ExternalReference,
    cardDetails: Type.Object(
      {
        number: Type.String({ maxLength: 40 }),
        cvv: Type.String({ maxLength: 10 }),
        expMonth: Type.String({ maxLength: 2, description: 'Such as 09' }),
        expYear: Type.String({ maxLength: 4, description: 'Such as 2030' }),
      },
      { additionalProperties: false, description: 'Never stored in clear, never logged' },
    ),
    address: Type.Optional(Address),
    device3DSInfo: Type.Optional(
      Type.Object(
        {
          colorDepth: Type.Integer(),
          screenHeight: Type.Integer(),
          screenWidth: Type.Integer(),
          userAgent: Type.String({ maxLength: 1000 }),
          timeZone: Type.Integer({ description: 'Minutes' }),
          deviceId: Type.String({ maxLength: 200 }),
        },
        { additionalProperties: false, description: "The customer's browser; needed for USD, EUR and GBP" },
      ),
    ),
    successRedirectUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: "Where the bank's page returns the customer to" }),
    ),
    redirectUrl: Type.Optional(Type.String({ maxLength: 2048, description: 'The same as successRedirectUrl' })),
  },
  { additionalProperties: false, title: 'CardCharge' },
)

const StartedCardCharge = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    data: Type.Object({
      transactionId: Type.String(),
      status: Type.String(),
      nextAction: NextAction,
      failureReason: Type.Optional(FailureReason),
    }),
  },
  { title: 'StartedCardCharge' },
)

export function cardRoute(app: App, ctx: Context): void {
  app.post(
    '/fiat/deposit/card',
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
          'RATE_LIMIT_EXCEEDED',
          'PROVIDER_UNAVAILABLE',
        ],
      },
      schema: {
        summary: 'Charge a card',
        description:
          'Responds within 8 seconds. `data.nextAction` is the next step of the customer: none, a PIN, a code or an address (sent to authorise), or a page of their bank. If the provider takes longer, the charge stays PENDING with stage UNCONFIRMED, and a webhook reports the outcome.',
        tags: ['Charges'],
        headers: PaymentHeaders,
        body: CardCharge,
        response: { 200: StartedCardCharge },
      },
    },
    async (request, reply) => {
      const owner = bearerOf(request)
      const scenario = scenarioIn(owner, request.headers)
      const { response, isReplay } = await chargeCard(ctx, owner, request.body, keyedRequest(request, owner), scenario)
      if (isReplay) reply.header('idempotency-replayed', 'true')
      return response
    },
  )
}
