import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { makerOf } from '../payments/controls/maker.ts'
import { Rate } from '../transactions/schema.ts'
import { inMerchantTurn } from './bulk.ts'
import { nameOf } from './payee-name.ts'
import { payoutReader } from './read-payout.ts'
import { BulkBody, bulkUnits, PayoutBody } from './schema.ts'
import { presentTotal, presentTried, tryPayouts } from './validate.ts'

const figure = (description: string) => Type.Optional(Type.Number({ description }))
const word = (description: string) => Type.Optional(Type.String({ description }))

const Problem = Type.Object(
  {
    field: Type.String({ description: 'The field of the request that it is about' }),
    errorCode: Type.String({ description: 'What the payout would get' }),
    message: Type.String(),
    fix: Type.String({ description: 'What to do about it' }),
  },
  { title: 'PayoutProblem' },
)

const outcome = {
  isAcceptable: Type.Boolean({ description: 'Whether the payout would be accepted now' }),
  problems: Type.Array(Problem, { description: 'Every reason to refuse it; empty if it is acceptable' }),
  externalReference: word('Your id of the payout'),
  amount: figure('What the beneficiary gets'),
  currency: word('Of that amount'),
  fee: figure("In the wallet's currency"),
  debitAmount: figure('What leaves the wallet, fee included'),
  debitCurrency: word('Of the wallet that pays'),
  debitCountry: word('Of the wallet that pays'),
  rate: Type.Optional(Rate),
  needsApproval: Type.Optional(
    Type.Boolean({ description: 'It would be accepted and wait until a person of yours approves it' }),
  ),
  operator: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
  limits: Type.Optional(
    Type.Object({ min: Type.Number(), max: Type.Number() }, { description: "The operator's limits, in `currency`" }),
  ),
}

const ValidatedPayout = Type.Object(
  {
    ...outcome,
    accountName: word("The holder's name by the provider, where it resolves names; empty if it knows no such account"),
    nameMatch: figure('From 0 to 1: how well that name matches the one in the request'),
  },
  { title: 'ValidatedPayout' },
)

const ValidatedBulk = Type.Object(
  {
    isAcceptable: Type.Boolean({ description: 'Whether all of them would be accepted' }),
    items: Type.Array(Type.Object(outcome, { title: 'ValidatedItem' }), { description: 'In the order of the request' }),
    totals: Type.Array(
      Type.Object(
        {
          currency: Type.String(),
          country: Type.String(),
          amount: Type.Number({ description: 'Without the fees' }),
          fee: Type.Number({ description: 'All fees' }),
          debitAmount: Type.Number({ description: 'Amount and fees' }),
          available: Type.Number({ description: 'What the wallet has now' }),
          missing: Type.Number({ description: 'What it lacks; 0 if it has enough' }),
        },
        { title: 'WalletTotal' },
      ),
      { description: 'For each wallet, of the payouts that only missing funds could refuse' },
    ),
  },
  { title: 'ValidatedBulk' },
)

const tags = ['Payouts']
const scope = 'payouts:write'

export function validateRoutes(app: App, ctx: Context): void {
  app.post(
    '/fiat/payout/validate',
    {
      config: { scope, errors: [] },
      schema: {
        summary: 'Validate a payout',
        description:
          'Takes the body of a payout and reports every problem at once, its price and the name of the account holder. Makes nothing and takes no reference.',
        tags,
        body: Type.Object({}, { additionalProperties: true, 'x-documented': PayoutBody }),
        response: { 200: Type.Object({ success: Type.Literal(true), data: ValidatedPayout }) },
      },
    },
    async (request) => {
      const owner = bearerOf(request)
      const origin = { ...makerOf(owner), isBulk: false }
      const { tried } = await tryPayouts(ctx, owner, [request.body], payoutReader(request), origin)
      const [one] = tried
      if (!one) throw new Error('a payout was not tried')
      const name = one.beneficiary && (await nameOf(ctx, owner, one.beneficiary))
      return { success: true as const, data: { ...presentTried(ctx, one), ...name } }
    },
  )

  app.post(
    '/fiat/payouts/bulk/validate',
    {
      config: { scope, errors: [], unitsOf: bulkUnits },
      bodyLimit: 1024 * 1024,
      schema: {
        summary: 'Validate payouts in bulk',
        description:
          'Takes the body of a bulk and reports every problem of every payout, in order, and what each wallet would pay. Names of account holders are not looked up. Makes nothing.',
        tags,
        body: BulkBody,
        response: { 200: Type.Object({ success: Type.Literal(true), data: ValidatedBulk }) },
      },
    },
    async (request) => {
      const owner = bearerOf(request)
      const origin = { ...makerOf(owner), isBulk: true }
      const { payouts } = request.body
      const { tried, totals } = await inMerchantTurn(owner, () =>
        tryPayouts(ctx, owner, payouts, payoutReader(request), origin),
      )
      const items = tried.map((each) => presentTried(ctx, each))
      const isAcceptable = items.every((item) => item.isAcceptable)
      return { success: true as const, data: { isAcceptable, items, totals: totals.map(presentTotal) } }
    },
  )
}
