import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { DayFields, type Days, readDays } from '../platform/days.ts'
import { readId, showId } from '../platform/ids.ts'
import { type EntriesWanted, readEntries, type StoredEntry } from './read.ts'

const LoggedRequest = Type.Object(
  {
    at: Type.String(),
    method: Type.String(),
    path: Type.String({
      description: 'The route below `/api/b2b`, with the names of its parameters and not their values',
    }),
    status: Type.Integer(),
    errorCode: Type.Optional(Type.String()),
    durationMs: Type.Integer(),
    requestId: Type.String({ description: 'The same as the header `X-Request-Id` of the response' }),
    credential: Type.String({ description: 'The public key of the key pair, or the id of the person' }),
    address: Type.String({ description: 'The IP address of your server; empty for a person' }),
    transactionId: Type.Optional(Type.String()),
    body: Type.Optional(
      Type.Unknown({ description: 'The body of a refused request or of one that moves money, masked, at most 4 KiB' }),
    ),
  },
  { title: 'LoggedRequest' },
)

const LogQuery = Type.Object(
  {
    status: Type.Optional(
      Type.String({
        maxLength: 3,
        pattern: '^(?:[1-5]\\d\\d|[1-5][xX]{2})$',
        description: 'A status such as 422, or a class such as 4xx',
      }),
    ),
    path: Type.Optional(Type.String({ maxLength: 200, description: 'A route as the entries show it' })),
    requestId: Type.Optional(Type.String({ maxLength: 128, description: 'Only the request with this id' })),
    transactionId: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Only requests that name this transaction, in their path or response',
      }),
    ),
    ...DayFields,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: '50 if omitted' })),
    cursor: Type.Optional(Type.String({ maxLength: 100, description: '`nextCursor` of the previous page' })),
  },
  { additionalProperties: false },
)

/** The log of the merchant's own requests, for its developers. */
export function requestLogRoutes(app: App, ctx: Context): void {
  app.get(
    '/request-log',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        summary: 'List your requests and their responses',
        description:
          'Newest first, kept for at least 7 days. An entry appears about a second after its response. A page may have fewer entries than its limit: continue while it has a `nextCursor`.',
        tags: ['Webhooks'],
        querystring: LogQuery,
        response: {
          200: Type.Object({
            success: Type.Literal(true),
            data: Type.Array(LoggedRequest),
            nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page' })),
          }),
        },
      },
    },
    async (request) => {
      const { entries, next } = await readEntries(ctx.db.read, bearerOf(request), wantedOf(request.query))
      const nextCursor = next === undefined ? {} : { nextCursor: showId('request', next) }
      return { success: true as const, data: entries.map(present), ...nextCursor }
    },
  )
}

interface LogFilter extends Days {
  readonly status?: string
  readonly path?: string
  readonly requestId?: string
  readonly transactionId?: string
  readonly limit?: number
  readonly cursor?: string
}

function wantedOf(query: LogFilter): EntriesWanted {
  const { status = 'any', path, requestId, transactionId, limit = 50, cursor } = query
  const days = readDays(query, { oldest: '1970-01-01' })
  const before = cursor === undefined ? undefined : readId('request', cursor)
  if (cursor !== undefined && before === undefined)
    throw invalid([{ field: 'cursor', message: 'cursor must be the nextCursor of a page' }])
  const transaction_id = transactionId === undefined ? undefined : readId('transaction', transactionId)
  if (transactionId !== undefined && transaction_id === undefined)
    throw invalid([{ field: 'transactionId', message: 'transactionId is not the id of a transaction' }])
  return { ...statusesOf(status), ...days, path, requestId, transaction_id, before, limit }
}

function statusesOf(text: string): { statusFrom: number; statusTo: number } {
  if (text === 'any') return { statusFrom: 0, statusTo: 999 }
  if (/^\d+$/.test(text)) return { statusFrom: Number(text), statusTo: Number(text) }
  const hundreds = Number(text.slice(0, 1)) * 100
  return { statusFrom: hundreds, statusTo: hundreds + 99 }
}

function present(entry: StoredEntry) {
  return {
    at: entry.at.toISOString(),
    method: entry.method,
    path: entry.path,
    status: entry.status,
    ...(entry.error_code !== '' && { errorCode: entry.error_code }),
    durationMs: entry.duration_ms,
    requestId: entry.request_id,
    credential: entry.credential,
    address: entry.address,
    ...(entry.transaction_id && { transactionId: showId('transaction', entry.transaction_id) }),
    ...(entry.body !== null && { body: JSON.parse(entry.body) as unknown }),
  }
}
