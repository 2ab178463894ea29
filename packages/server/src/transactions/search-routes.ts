import { type Static, Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { Owner } from '../platform/db.ts'
import { isToSend } from './explain.ts'
import { FilterFields, readFilter } from './filter.ts'
import { presentFound } from './present.ts'
import { isFrozen, readTransactions } from './read.ts'
import { readRefundFields } from './refund-fields.ts'
import { findPage, newestId } from './search.ts'
import { FoundTransaction } from './transaction-schema.ts'

const SearchQuery = Type.Object(
  {
    ...FilterFields,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: '20 if omitted' })),
    cursor: Type.Optional(Type.String({ maxLength: 100, description: 'The `nextCursor` of the page before' })),
  },
  { additionalProperties: false },
)

const config = { scope: 'transactions:read', errors: ['UNSUPPORTED_CURRENCY'] } as const

const described = {
  summary: 'Search transactions',
  tags: ['Transactions'],
  response: {
    200: Type.Object({
      success: Type.Literal(true),
      data: Type.Array(FoundTransaction),
      nextCursor: Type.String({ description: 'The `cursor` of the next page; empty at the end' }),
    }),
  },
}
const rules =
  'Newest first. Pages have neither gaps nor repetitions, whatever is accepted meanwhile. A page may be short although there are more, if 10,000 transactions were examined for it: continue with `nextCursor` until it is empty.'

/** Finding transactions by everything that people remember of one. */
export function searchRoute(app: App, ctx: Context): void {
  app.get(
    '/search/transactions',
    { config, schema: { ...described, description: rules, querystring: SearchQuery } },
    (request) => search(ctx, bearerOf(request), request.query),
  )
}

/** The same for people, whose browsers and proxies keep URLs: what they search for may be a phone number. */
export function privateSearchRoute(app: App, ctx: Context): void {
  const description = `The text to search for is in the body, because URLs are kept in histories and logs. ${rules}`
  app.post(
    '/search/transactions',
    {
      config,
      schema: { ...described, summary: 'Search transactions by a text', description, body: SearchQuery },
    },
    (request) => search(ctx, bearerOf(request), request.body),
  )
}

async function search(ctx: Context, owner: Owner, { limit = 20, cursor, ...query }: Static<typeof SearchQuery>) {
  const { rows, next } = await findPage(ctx, owner, {
    filter: readFilter(query),
    before: readCursor(cursor),
    limit,
    read: (of, ids) => readTransactions(ctx.db.read, of, ids),
  })
  const isHeld = rows.some(isToSend) && (await isFrozen(ctx.db.read, owner))
  const refundsOf = await readRefundFields(ctx.db.read, owner, rows)
  const data = rows.map((row) => presentFound(ctx, row, { isFrozen: isHeld && isToSend(row), refunds: refundsOf(row) }))
  return { success: true as const, data, nextCursor: next === undefined ? '' : showCursor(next) }
}

/** Opaque, so that it is not taken for one of the merchant's transactions: it only names a moment. */
const showCursor = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

function readCursor(cursor: string | undefined): string {
  if (cursor === undefined) return newestId
  const hex = /^[\w-]{22}$/.test(cursor) ? Buffer.from(cursor, 'base64url').toString('hex') : ''
  if (hex.length !== 32) throw invalid([{ field: 'cursor', message: 'cursor is not the nextCursor of a page' }])
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
