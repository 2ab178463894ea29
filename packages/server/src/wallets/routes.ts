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
        description: "The wallet's country; required only if the currency has several",
      }),
    ),
    startDate: Type.Optional(Day),
    endDate: Type.Optional({ ...Day, description: 'The last day, inclusive' }),
    cursor: Type.Optional(
      Type.String({
        maxLength: 16,
        pattern: '^\\d{1,16}$',
        description: 'From the `Link` header of the previous page',
      }),
    ),
  },
  { additionalProperties: false },
)

const StatementLine = Type.Object({
  at: Type.String({ description: 'ISO 8601 date-time' }),
  transactionId: Type.String({ description: 'Empty in a line of type `archived`' }),
  externalReference: Type.String({ description: 'Empty if none of your requests caused it' }),
  type: Type.String({
    description: 'Of the payment or posting; `archived` sums up lines of a month that the operator has archived',
  }),
  kind: Type.String({ description: `${lineKinds.slice(0, -1).join(', ')} or ${lineKinds.at(-1)}` }),
  amount: Type.Number({ description: 'Negative for debits' }),
  balance: Type.Number({ description: 'The balance after it' }),
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
          'Lines oldest first, at most 100 beside those of type `archived`. `opening` plus the lines is `closing`. If there are more, the `Link` header has the URL of the next page, which opens with this closing balance.',
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
  if (!isDay) throw invalid([{ field, message: `${field} is not a calendar day` }])
  return BigInt(at) * 1000n
}

function linkTo(path: string, cursor: bigint): string {
  const url = new URL(path, 'http://localhost')
  url.searchParams.set('cursor', String(cursor))
  return `<${url.pathname}${url.search}>; rel="next"`
}
