import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requirePlace } from '../auth/bearer.ts'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { currencies, isCurrency } from '../money/currencies.ts'
import { PayoutControlsView, Reason } from '../operate/api/schema.ts'
import { type CheckChange, setApprovalRules, setPayoutLimits, showPayoutControls } from '../operate/payout-controls.ts'
import { isAtLeastAsTight } from '../payments/controls/tighter.ts'
import type { Place } from '../people/principal.ts'
import { actingMembers } from './acting.ts'
import { closed, dataOf } from './schema.ts'

const Currency = Type.String({ maxLength: 3, description: 'Of the wallet that pays, or of what is paid' })
const someLimit = Type.Optional(Type.String({ maxLength: 30, description: 'Decimal text in major units, or `none`' }))

const Limits = Type.Object(
  {
    currency: Currency,
    perPayout: someLimit,
    perCredentialDay: someLimit,
    perMerchantDay: someLimit,
    perBeneficiaryDay: someLimit,
    reason: Reason,
  },
  closed,
)

const Rules = Type.Object(
  {
    above: someLimit,
    currency: Type.Optional({ ...Currency, description: 'Of `above`' }),
    newBeneficiaries: Type.Optional(Type.Boolean()),
    bulk: Type.Optional(Type.Boolean()),
    reason: Reason,
  },
  closed,
)

const tags = ['Payout controls']
const errors = ['OPERATION_REFUSED', 'CONTROLS_WEAKER'] as const
const description = 'In live only tighter than before: staff of the operator weaken them, with two people.'

/** Payout limits and approval rules of the environment. */
export function controlRoutes(app: App, ctx: Context): void {
  const asMember = actingMembers(ctx)

  app.get(
    '/payout-controls',
    { config: {}, schema: { summary: 'Show payout controls', tags, response: { 200: dataOf(PayoutControlsView) } } },
    async (request) => {
      const both = await asMember(request, showPayoutControls)
      return { success: true as const, data: both.find(({ env }) => env === bearerOf(request).env) } as never
    },
  )

  app.put(
    '/payout-controls/limits',
    {
      config: { errors },
      schema: {
        summary: 'Set payout limits of a currency',
        description,
        tags,
        body: Limits,
        response: { 200: dataOf(PayoutControlsView) },
      },
    },
    async (request) => {
      const bearer = bearerOf(request)
      requirePlace(bearer, placeOf(request.body.currency))
      const order = { ...request.body, env: bearer.env }
      const data = await asMember(request, (context, id) => setPayoutLimits(context, id, order, checkFor(request)))
      return { success: true as const, data } as never
    },
  )

  app.put(
    '/payout-controls/approvals',
    {
      config: { errors },
      schema: {
        summary: 'Set which payouts need approval',
        description,
        tags,
        body: Rules,
        response: { 200: dataOf(PayoutControlsView) },
      },
    },
    async (request) => {
      const order = { ...request.body, env: bearerOf(request).env }
      const data = await asMember(request, (context, id) => setApprovalRules(context, id, order, checkFor(request)))
      return { success: true as const, data } as never
    },
  )
}

/** One person may tighten live controls. Weakening them would let one person undo what protects against that person. */
function checkFor(request: FastifyRequest): CheckChange {
  if (bearerOf(request).env === 'sandbox') return () => undefined
  return (before, after) => {
    if (!isAtLeastAsTight(before, after)) throw new AppError('CONTROLS_WEAKER')
  }
}

/** A limit counts in a currency, which may belong to several countries. */
function placeOf(currency: string): Place {
  if (!isCurrency(currency)) return { currency }
  const own = currencies[currency]
  return { currency, country: 'country' in own ? own.country : undefined }
}
