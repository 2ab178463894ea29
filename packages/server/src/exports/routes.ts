import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { seesNumbers } from '../people/sees-numbers.ts'
import type { FairSemaphore } from '../platform/fair-semaphore.ts'
import { FilterFields, readFilter } from '../transactions/filter.ts'
import { readStatementQuery, StatementFields } from '../wallets/statement-query.ts'
import { type Format, mediaTypes, writerOf } from './records.ts'
import { startOf } from './start.ts'
import { exportStatement, statementColumns } from './statement.ts'
import { exportTransactions, transactionColumns } from './transactions.ts'

const FormatFields = {
  format: Type.Optional(
    Type.Union([Type.Literal('csv'), Type.Literal('ndjson')], { description: 'csv or ndjson; csv if omitted' }),
  ),
  bom: Type.Optional(
    Type.Union([Type.Literal('0'), Type.Literal('1')], {
      description: '1: CSV starts with a byte order mark, by which spreadsheets recognise UTF-8',
    }),
  ),
}

const TransactionsQuery = Type.Object({ ...FilterFields, ...FormatFields }, { additionalProperties: false })
const StatementQuery = Type.Object({ ...StatementFields, ...FormatFields }, { additionalProperties: false })

const Exported = (columns: readonly string[]) =>
  Type.String({
    description: `Columns of CSV and fields of NDJSON: ${columns.join(', ')}`,
    'x-media-types': ['text/csv', 'application/x-ndjson'],
  })

const tags = ['Exports']
const config = { scope: 'transactions:read', errors: ['UNSUPPORTED_CURRENCY'] } as const
const rules =
  'Streams, however many there are. An export that fails half-way ends with a broken connection, never as if it were complete. At most 2 exports of a merchant run at once; the next gets 429 with `Retry-After`.'

/** Everything at once, for accounting: transactions, and the lines of a wallet. */
export function exportRoutes(app: App, ctx: Context): void {
  const send = createSender(app, ctx)
  transactionsRoute(app, ctx, send)
  statementRoute(app, ctx, send)
}

const transactionsExport = {
  summary: 'Export transactions',
  description: `Newest first: every transaction accepted before the request once, in its state when it is written. ${rules}`,
  tags,
  response: { 200: Exported(transactionColumns) },
}

function transactionsRoute(app: App, ctx: Context, send: Sender): void {
  app.get(
    '/exports/transactions',
    { config, schema: { ...transactionsExport, querystring: TransactionsQuery } },
    (request, reply) => sendTransactions(ctx, send, request, reply, request.query),
  )
}

/** The same for people, whose browsers and proxies keep URLs: what they search for may be a phone number. */
export function privateExportRoute(app: App, ctx: Context): void {
  const send = createSender(app, ctx)
  app.post(
    '/exports/transactions',
    {
      config,
      schema: { ...transactionsExport, summary: 'Export transactions found by a text', body: TransactionsQuery },
    },
    (request, reply) => sendTransactions(ctx, send, request, reply, request.body),
  )
}

async function sendTransactions(
  ctx: Context,
  send: Sender,
  request: FastifyRequest,
  reply: FastifyReply,
  { format = 'csv', bom, ...query }: Static<typeof TransactionsQuery>,
): Promise<string> {
  const writer = writerOf(format, transactionColumns, { hasMark: bom === '1' })
  const filter = readFilter(query)
  const { id: before } = await startOf(ctx.db.write)
  const order = { owner: bearerOf(request), filter, before, writer, isMasked: !seesNumbers(request) }
  return send(request, reply, { name: 'transactions', format }, () => exportTransactions(ctx, order))
}

function statementRoute(app: App, ctx: Context, send: Sender): void {
  app.get(
    '/exports/statement',
    {
      config,
      schema: {
        summary: "Export a wallet's statement",
        description: `Oldest first: the lines of a wallet with its balance after each, up to the time of the request. ${rules}`,
        tags,
        querystring: StatementQuery,
        response: { 200: Exported(statementColumns) },
      },
    },
    async (request, reply) => {
      const { format = 'csv', bom, ...query } = request.query
      const owner = bearerOf(request)
      const wallet = await readStatementQuery(ctx.db.read, owner, query)
      const writer = writerOf(format, statementColumns, { hasMark: bom === '1' })
      const { microseconds: now } = await startOf(ctx.db.write)
      const to = wallet.to < now ? wallet.to : now
      const order = { owner, ...wallet, to, writer, isMasked: !seesNumbers(request) }
      return send(request, reply, { name: `statement-${wallet.currency}`, format }, () => exportStatement(ctx, order))
    },
  )
}

type Sender = ReturnType<typeof createSender>

interface File {
  readonly name: string
  readonly format: Format
}

/**
 * Streams pages as the client reads them. A client that leaves ends the export; a failure breaks the connection. A process that
 * stops ends its exports, because they may take longer than it may wait. HEAD gets the headers and reads nothing: the framework
 * would read the stream to its end, for no client.
 */
function createSender(app: App, { exports, log }: Context) {
  const open = new Set<Readable>()
  app.addHook('preClose', async () => {
    for (const stream of open) stream.destroy()
  })
  return (request: FastifyRequest, reply: FastifyReply, { name, format }: File, pages: () => AsyncIterable<string>) => {
    const streamed = () => {
      const { merchant_id, env } = bearerOf(request)
      const release = exports[env].take(merchant_id)
      if (!release) throw tooManyExports()
      const stream = Readable.from(inTurn(exports.pages, merchant_id, pages()), options)
      open.add(stream)
      stream.once('error', (err) => log.error({ err, requestId: request.id }, 'export failed'))
      stream.once('close', () => {
        open.delete(stream)
        release()
      })
      return stream
    }
    const body = request.method === 'HEAD' ? Readable.from([], options) : streamed()
    reply.header('content-disposition', `attachment; filename="malipo-${name}.${format}"`)
    reply.header('cache-control', 'no-store')
    // The schema describes the text; Fastify takes its stream.
    return reply.type(mediaTypes[format]).send(body) as unknown as string
  }
}

const options = { objectMode: false, highWaterMark: 64 * 1024 }

/** Makes each page in its turn. While the reader takes one, other exports make theirs. */
async function* inTurn(turns: FairSemaphore, key: string, pages: AsyncIterable<string>): AsyncGenerator<string> {
  const iterator = pages[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await turns.run(key, () => iterator.next())
    if (done) return
    yield value
  }
}

const tooManyExports = () =>
  new AppError('RATE_LIMIT_EXCEEDED', {
    message: 'Too many exports run at once.',
    headers: { 'retry-after': '10' },
    fix: 'Wait until one of your exports has ended, then send the request again.',
  })
