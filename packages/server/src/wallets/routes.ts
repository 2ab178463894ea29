import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { countryOf } from '../merchants/home-country.ts'
import { currencyOf } from '../reference/momo.ts'
import { lineKinds } from './line-kinds.ts'
import { presentStatement } from './present.ts'
import { readStatement } from './statement.ts'

const Day = Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD, in UTC' })

const StatementQuery = Type.Object(
  {
    currency: Type.String({ maxLength: 100, description: 'Three-letter code of the wallet' }),
    country: Type.Optional(
      Type.String({
        maxLength: 2,
        pattern: '^[A-Z]{2}$',
        description: "The wallet's country; needed only where a currency has several",
      }),
    ),
    startDate: Type.Optional(Day),
    endDate: Type.Optional({ ...Day, description: 'The last day that is included' }),
    cursor: Type.Optional(
      Type.String({ maxLength: 16, pattern: '^\\d{1,16}$', description: 'From the `Link` header of the page before' }),
    ),
  },
  { additionalProperties: false },
)

const StatementLine = Type.Object({
  at: Type.String({ description: 'ISO 8601 date-time' }),
  transactionId: Type.String({ description: 'Empty in a line of type `archived`' }),
  externalReference: Type.String({ description: 'Empty for what no request of yours caused' }),
  type: Type.String({
    description: 'Of the payment or posting; `archived` sums up lines of a month that the operator has archived',
  }),
  kind: Type.String({ description: `${lineKinds.slice(0, -1).join(', ')} or ${lineKinds.at(-1)}` }),
  amount: Type.Number({ description: 'Negative for what left the wallet' }),
  balance: Type.Number({ description: 'What was there after it' }),
})

const Statement = Type.Object(
  {
    success: Type.Literal(true),
    data: Type.Object({ opening: Type.Number(), lines: Type.Array(StatementLine), closing: Type.Number() }),
  },
  { title: 'Statement' },
)

const pageLines = 100
const dayUs = 86_400_000_000n

/** A wallet's statement. */
export function walletRoutes(app: App, ctx: Context): void {
  app.get(
    '/wallets/statement',
    {
      config: { scope: 'transactions:read', errors: ['UNSUPPORTED_CURRENCY'] },
      schema: {
        summary: "Read a wallet's statement",
        description:
          'Lines oldest first, at most 100 beside those of type `archived`. `opening` and the lines make `closing`; where there is more, the header `Link` leads to the next page, which opens with this closing.',
        tags: ['Wallets'],
        querystring: StatementQuery,
        response: { 200: Statement },
      },
    },
    async (request, reply) => {
      const bearer = bearerOf(request)
      const { startDate = '1970-01-01', endDate = '9999-12-31', cursor } = request.query
      const currency = currencyOf(request.query.currency)
      const [from, until] = [dayOf('startDate', startDate), dayOf('endDate', endDate)]
      if (from > until) throw invalid([{ field: 'endDate', message: 'endDate is before startDate' }])
      const country = request.query.country ?? (await countryOf(ctx.db.read, bearer, currency))
      const first = cursor === undefined ? from : BigInt(cursor)
      const wanted = { currency, country, from: first < from ? from : first, to: until + dayUs, limit: pageLines }
      const page = await readStatement(ctx.db.read, bearer, wanted)
      if (page.next !== undefined) reply.header('link', linkTo(request.url, page.next))
      return presentStatement(page, currency)
    },
  )
}

/** The start of a day in microseconds. */
function dayOf(field: string, day: string): bigint {
  const at = Date.parse(`${day}T00:00:00Z`)
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
  if (!isDay) throw invalid([{ field, message: `${field} is no day of the calendar` }])
  return BigInt(at) * 1000n
}

function linkTo(path: string, cursor: bigint): string {
  const url = new URL(path, 'http://localhost')
  url.searchParams.set('cursor', String(cursor))
  return `<${url.pathname}${url.search}>; rel="next"`
}
