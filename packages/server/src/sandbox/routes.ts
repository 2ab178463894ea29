import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { arm, disarm, listArmed } from '../scenarios/armed.ts'
import { scenarioNames } from '../scenarios/catalogue.ts'
import { ExternalReference } from '../transactions/schema.ts'
import { advanceClock, secondsMax } from './clock.ts'
import { testValues } from './test-values.ts'

const closed = { additionalProperties: false }
const what = Type.String({ description: 'What it does' })
const outcome = Type.String({ description: 'SUCCESSFUL, FAILED, PENDING, or the code of the failure or refusal' })

const NumberValue = Type.Object({
  value: Type.String({ description: 'An example to copy' }),
  ending: Type.String({ description: 'The digits that select it, in every country; empty for all other numbers' }),
  for: Type.String({ description: 'charge, payout, charge and payout, refund, or resolve' }),
  outcome,
  what,
})

const CardValue = Type.Object({
  number: Type.String(),
  expiry: Type.Optional(Type.String({ description: 'Set if it matters; otherwise use any future month' })),
  asks: Type.String({ description: 'nothing, pin, address or redirect' }),
  pins: Type.Optional(Type.Array(Type.String())),
  otps: Type.Optional(Type.Array(Type.String())),
  outcome,
  what,
})

const TestValues = Type.Object(
  {
    phones: Type.Array(NumberValue),
    cards: Type.Array(CardValue),
    accounts: Type.Array(NumberValue),
    refunds: Type.Array(NumberValue, { description: 'Whole amounts of refunds, by their last two digits' }),
    amounts: Type.Array(
      Type.Object({
        operator: Type.String(),
        country: Type.String(),
        currency: Type.String(),
        for: Type.String({ description: 'charge or payout' }),
        min: Type.Number(),
        max: Type.Number(),
        outcome,
        what,
      }),
    ),
    otps: Type.Array(
      Type.Object({
        value: Type.String(),
        kind: Type.String({ description: 'otp or pin' }),
        for: Type.String({ description: 'mobile money or card' }),
        what,
      }),
    ),
    scenarios: Type.Array(Type.Object({ name: Type.String(), what })),
  },
  { title: 'TestValues' },
)

const ScenarioName = Type.Enum(scenarioNames, { type: 'string', description: 'The scenario to run' })
const Armed = Type.Object(
  { externalReference: Type.String(), scenario: Type.String(), setAt: Type.String() },
  { title: 'ArmedScenario' },
)

const tags = ['Sandbox']
const params = Type.Object({ externalReference: ExternalReference })

/** Tools for integrators, registered only below the sandbox's own root. */
export function sandboxRoutes(app: App, ctx: Context): void {
  app.get(
    '/utilities/test-values',
    {
      config: { scope: 'reference:read', errors: ['SANDBOX_ONLY', 'PROVIDER_UNAVAILABLE'] },
      schema: {
        summary: 'List test values',
        description:
          'Phones, accounts, cards, codes and amounts that select the outcome of a payment or refund, and the scenarios.',
        tags,
        response: { 200: Type.Object({ success: Type.Literal(true), data: TestValues }) },
      },
    },
    async () => ({ success: true as const, data: await testValues(ctx) }),
  )

  sandboxToolRoutes(app, ctx)
}

/** What changes the sandbox of one merchant: scenarios of future payments, and the clock. Each refuses live. */
export function sandboxToolRoutes(app: App, ctx: Context): void {
  setScenarioRoute(app, ctx)
  scenarioRoutes(app, ctx)
  clockRoute(app, ctx)
}

function setScenarioRoute(app: App, ctx: Context): void {
  app.put(
    '/utilities/scenarios/:externalReference',
    {
      config: {
        scope: 'webhooks:write',
        errors: ['SANDBOX_ONLY', 'REFERENCE_USED', 'SCENARIO_LIMIT_REACHED'],
      },
      schema: {
        summary: 'Set a scenario for a future payment',
        description:
          'It applies once, to the charge or payout with this reference, and is removed after a week. The header `X-Sandbox-Scenario` of a request takes precedence.',
        tags,
        params,
        body: Type.Object({ scenario: ScenarioName }, closed),
        response: { 200: Type.Object({ success: Type.Literal(true), message: Type.String() }) },
      },
    },
    async (request) => {
      const { externalReference } = request.params
      const kept = await arm(ctx.db.write, bearerOf(request), externalReference, request.body.scenario)
      if (kept === 'used') throw new AppError('REFERENCE_USED')
      if (kept === 'too many') throw new AppError('SCENARIO_LIMIT_REACHED')
      return { success: true as const, message: 'The scenario waits for its payment.' }
    },
  )
}

function scenarioRoutes(app: App, ctx: Context): void {
  app.get(
    '/utilities/scenarios',
    {
      config: { scope: 'webhooks:read', errors: ['SANDBOX_ONLY'] },
      schema: {
        summary: 'List scenarios of future payments',
        tags,
        response: { 200: Type.Object({ success: Type.Literal(true), data: Type.Array(Armed) }) },
      },
    },
    async (request) => {
      const armed = await listArmed(ctx.db.read, bearerOf(request))
      const data = armed.map(({ reference: externalReference, scenario, set_at }) => {
        return { externalReference, scenario, setAt: set_at.toISOString() }
      })
      return { success: true as const, data }
    },
  )

  app.delete(
    '/utilities/scenarios/:externalReference',
    {
      config: { scope: 'webhooks:write', errors: ['SANDBOX_ONLY', 'SCENARIO_MISSING'] },
      schema: {
        summary: 'Remove a scenario',
        tags,
        params,
        response: { 200: Type.Object({ success: Type.Literal(true), message: Type.String() }) },
      },
    },
    async (request) => {
      const isRemoved = await disarm(ctx.db.write, bearerOf(request), request.params.externalReference)
      if (!isRemoved) throw new AppError('SCENARIO_MISSING')
      return { success: true as const, message: 'The scenario is removed.' }
    },
  )
}

function clockRoute(app: App, ctx: Context): void {
  app.post(
    '/utilities/clock/advance',
    {
      config: { scope: 'webhooks:write', errors: ['SANDBOX_ONLY'] },
      schema: {
        summary: 'Advance time',
        description:
          'Brings forward everything you wait for: the expiry of charges, the next queries to providers, the next attempts of webhooks. What becomes due happens at once. Other merchants are not affected, and recorded times do not change.',
        tags,
        body: Type.Object(
          { seconds: Type.Integer({ minimum: 1, maximum: secondsMax, description: 'From 1 to 2,592,000, 30 days' }) },
          closed,
        ),
        response: {
          200: Type.Object({
            success: Type.Literal(true),
            data: Type.Object(
              {
                seconds: Type.Integer(),
                payments: Type.Integer({ description: 'Open payments that were brought forward' }),
                webhooks: Type.Integer({ description: 'Webhooks that waited for a retry' }),
              },
              { title: 'AdvancedClock' },
            ),
          }),
        },
      },
    },
    async (request) => {
      const { seconds } = request.body
      return { success: true as const, data: { seconds, ...(await advanceClock(ctx, bearerOf(request), seconds)) } }
    },
  )
}
