import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { Currency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { dayAfter } from '../platform/zones.ts'
import { type Flow, readWalletFlow, sumOf, type WalletFlow } from '../wallets/flow.ts'
import { readStatementQuery, StatementFields } from '../wallets/statement-query.ts'
import { closed, dataOf } from './schema.ts'

const ShownFlow = Type.Object(
  {
    kind: Type.String({
      description: 'charge, payout, refund, fee, exchange, conversion, adjustment, funding or archived',
    }),
    method: Type.String({ description: 'Of charges and payouts; otherwise empty' }),
    amount: Type.Number(),
    count: Type.Integer({ description: 'Lines of the statement' }),
  },
  { title: 'Flow' },
)

const MoneyFlow = Type.Object(
  {
    currency: Type.String(),
    country: Type.String(),
    opening: Type.Number(),
    in: Type.Array(ShownFlow),
    totalIn: Type.Number(),
    out: Type.Array(ShownFlow),
    totalOut: Type.Number(),
    closing: Type.Number(),
    totals: Type.Object(
      { in: Type.Number(), out: Type.Number(), fees: Type.Number() },
      {
        description:
          '`opening` plus `in` is `out` plus `fees` plus `closing`, exactly. `fees` are less those that were given back; `in` and `out` are without fees',
      },
    ),
  },
  { title: 'MoneyFlow' },
)

const { currency, country } = StatementFields
const day = (description: string) => Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$', description })
const Query = Type.Object(
  { currency, country, startDate: day('YYYY-MM-DD, in UTC'), endDate: day('The last day, inclusive') },
  closed,
)

const daysMax = 92

/** Where a wallet's money came from and where it went. */
export function moneyFlowRoute(app: App, ctx: Context): void {
  app.get(
    '/money-flow',
    {
      config: { errors: ['UNSUPPORTED_CURRENCY'] },
      schema: {
        summary: "Add up a wallet's money in and out",
        description:
          'From the ledger, for at most 92 days. `opening` plus `totalIn` is `totalOut` plus `closing`, exactly. Each part adds up lines of the statement; lines of archived months that were not added up before are one part.',
        tags: ['Wallets'],
        querystring: Query,
        response: { 200: dataOf(MoneyFlow) },
      },
    },
    async (request) => {
      const owner = bearerOf(request)
      const wanted = await readStatementQuery(ctx.db.read, owner, request.query)
      if (dayAfter(request.query.startDate, daysMax) <= request.query.endDate)
        throw invalid([{ field: 'endDate', message: `endDate is more than ${daysMax} days after startDate` }])
      const flow = await readWalletFlow(ctx.db.read, owner, wanted)
      return { success: true as const, data: present(flow, wanted) }
    },
  )
}

function present(
  { opening, into, out, closing }: WalletFlow,
  wallet: { readonly currency: Currency; readonly country: string },
) {
  const shown = (minor: bigint) => numberFromMinor(minor, wallet.currency)
  const parts = (flows: readonly Flow[]) => flows.map(({ amount, ...flow }) => ({ ...flow, amount: shown(amount) }))
  const [feesIn, feesOut] = [into, out].map((flows) => sumOf(flows.filter(({ kind }) => kind === 'fee'))) as [
    bigint,
    bigint,
  ]
  return {
    currency: wallet.currency,
    country: wallet.country,
    opening: shown(opening),
    in: parts(into),
    totalIn: shown(sumOf(into)),
    out: parts(out),
    totalOut: shown(sumOf(out)),
    closing: shown(closing),
    totals: { in: shown(sumOf(into) - feesIn), out: shown(sumOf(out) - feesOut), fees: shown(feesOut - feesIn) },
  }
}
