import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { lineKinds } from './line-kinds.ts'
import { presentStatement } from './present.ts'
import { readStatement } from './statement.ts'
import { readStatementQuery, StatementFields } from './statement-query.ts'

const StatementQuery = Type.Object(
  {
    ...StatementFields,
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
  method: Type.String({ description: "The payment's method; empty if no payment caused it" }),
  counterparty: Type.String({ description: 'The name of the payer or beneficiary, or the number if no name is known' }),
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
      const { cursor, ...query } = request.query
      const { currency, from, ...wallet } = await readStatementQuery(ctx.db.read, bearer, query)
      const first = cursor === undefined ? from : BigInt(cursor)
      const wanted = { ...wallet, currency, from: first < from ? from : first, limit: pageLines }
      const page = await readStatement(ctx.db.read, bearer, wanted)
      if (page.next !== undefined) reply.header('link', linkTo(request.url, page.next))
      return presentStatement(ctx.vault, page, currency)
    },
  )
}

function linkTo(path: string, cursor: bigint): string {
  const url = new URL(path, 'http://localhost')
  url.searchParams.set('cursor', String(cursor))
  return `<${url.pathname}${url.search}>; rel="next"`
}
