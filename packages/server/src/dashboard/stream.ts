import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { numberFromMinor } from '../money/money.ts'
import { publicStatus } from '../payments/model/state.ts'
import { grantsWith } from '../people/members.ts'
import type { Principal } from '../people/principal.ts'
import { principalOf } from '../people/request-principal.ts'
import { grantsOfSession } from '../people/sessions.ts'
import type { Owner } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { createSlots } from '../platform/slots.ts'
import { createLiveFeed, eventsAfter, type LiveEvent, type LiveFeed, lastNumberOf } from './live-feed.ts'
import { closed } from './schema.ts'

/** A person has few windows open. The total bounds what one process holds for its readers: at most about 200 kB each. */
const streamsMax = { perKey: 6, total: 500 }
/** Also how often session and role are checked, and how long a reader may take nothing. */
const heartbeatMs = 15_000
/** When a browser connects again. */
const retryMs = 2000
const bufferBytes = 64 * 1024
const mediaType = 'text/event-stream'

/** Payments as they happen, as server-sent events. */
export function streamRoute(app: App, ctx: Context): void {
  const open = createStreams(app, ctx)

  app.get(
    '/stream',
    {
      config: {},
      schema: {
        summary: 'Follow payments as they happen',
        description:
          'Server-sent events named `payment`, in the order of the feed of events, whose `id` is the number in the feed. The first event, `position`, has the number after which the stream continues. The header `Last-Event-ID`, or `since`, continues after an event without loss or repetition. A client whose `Accept` header does not name `text/event-stream` gets the events so far, and the response ends. The stream ends with the session or the role, and when its client reads nothing for 30 s. At most 6 streams of a person are open at once; the next gets 429 with `Retry-After`.',
        tags: ['Transactions'],
        querystring: Type.Object(
          {
            since: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: Number.MAX_SAFE_INTEGER,
                description: 'The `id` of the last event that you have; from now on if omitted',
              }),
            ),
          },
          closed,
        ),
        response: {
          200: Type.String({
            description:
              'The data of an event is JSON: transactionId, type, method, status, stage, amount, currency, at',
            'x-media-types': [mediaType],
          }),
        },
      },
    },
    async (request, reply) => {
      const owner = bearerOf(request)
      const position = await positionOf(ctx, owner, wantedPosition(request, request.query.since))
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type(mediaType)
      const isFollowing = request.method === 'GET' && (request.headers.accept ?? '').includes(mediaType)
      const body = isFollowing ? open(request, position) : await soFar(ctx, owner, position)
      // The schema describes the text; Fastify takes its stream.
      return reply.send(body as string)
    },
  )
}

/** A browser that connects again repeats the URL with its old `since`, so the header counts first. */
function wantedPosition({ headers }: FastifyRequest, since: number | undefined): bigint | undefined {
  const last = headers['last-event-id']
  if (last === undefined || last === '') return since === undefined ? undefined : BigInt(since)
  if (typeof last === 'string' && /^\d{1,16}$/.test(last)) return BigInt(last)
  throw invalid([{ field: 'Last-Event-ID', message: 'Last-Event-ID is not the id of an event' }])
}

/** Never after the newest event: a database that was restored may have fewer than a client has seen. */
async function positionOf({ db }: Context, owner: Owner, wanted: bigint | undefined): Promise<bigint> {
  const newest = await lastNumberOf(db.read, owner)
  return wanted === undefined || wanted > newest ? newest : wanted
}

async function soFar({ db }: Context, owner: Owner, position: bigint): Promise<string> {
  const events = await eventsAfter(db.read, owner, position)
  return headOf(position) + events.map(textOf).join('')
}

/** Opens streams, and ends them all when the process stops. */
function createStreams(app: App, ctx: Context) {
  const slots = createSlots(streamsMax)
  const feed = createLiveFeed(ctx)
  const streams = new Set<PassThrough>()
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.end()
  })
  return (request: FastifyRequest, position: bigint): PassThrough => {
    const principal = principalOf(request)
    const release = slots.take(principal.id)
    if (!release) throw tooManyStreams()
    const { merchant_id, env } = bearerOf(request)
    const stream = new PassThrough({ highWaterMark: bufferBytes })
    streams.add(stream)
    stream.write(headOf(position))
    const leave = follow(feed, { merchant_id, env }, position, stream)
    const beat = setInterval(() => void keepOpen(ctx, principal, { merchant_id, env }, stream), heartbeatMs)
    stream.once('close', () => {
      clearInterval(beat)
      leave()
      streams.delete(stream)
      release()
    })
    return stream
  }
}

/** Sends the events after a position. A client that has not read them gets no more meanwhile, so little is ever held for it. */
function follow(feed: LiveFeed, owner: Owner, position: bigint, stream: PassThrough): () => void {
  stream.on('drain', feed.wake)
  return feed.join({
    owner,
    position,
    isReady: () => stream.writable && !stream.writableNeedDrain,
    send: (events) => stream.write(events.map(textOf).join('')),
  })
}

const stalled = new WeakSet<PassThrough>()

/** A comment keeps proxies from closing the connection. A client that reads nothing between two of them is cut off. */
async function keepOpen({ db, log }: Context, principal: Principal, owner: Owner, stream: PassThrough): Promise<void> {
  if (stream.writableNeedDrain) {
    if (stalled.has(stream)) stream.destroy()
    stalled.add(stream)
    return
  }
  stalled.delete(stream)
  try {
    if (!(await mayStillRead(db.write, principal, owner))) return void stream.end()
    if (stream.writable) stream.write(':\n\n')
  } catch (err) {
    log.warn({ err }, 'session of a live stream not checked, stream ended')
    stream.end()
  }
}

async function mayStillRead(db: Context['db']['write'], principal: Principal, owner: Owner): Promise<boolean> {
  if (principal.session_id === undefined) return false
  const grants = await grantsOfSession(db, principal.session_id)
  const within = grants.filter(({ merchant_id }) => merchant_id === owner.merchant_id)
  return grantsWith(within, owner.env, 'payments:read').length > 0
}

const headOf = (position: bigint) => `retry: ${retryMs}\n\nid: ${position}\nevent: position\ndata: {}\n\n`

function textOf({ feed_number, transaction_id, type, method, state, stage, amount, currency, at }: LiveEvent): string {
  const data = {
    transactionId: showId('transaction', transaction_id),
    ...{ type, method, status: publicStatus[state].toUpperCase(), stage },
    amount: numberFromMinor(amount, currency),
    currency,
    at: at.toISOString(),
  }
  return `id: ${feed_number}\nevent: payment\ndata: ${JSON.stringify(data)}\n\n`
}

const tooManyStreams = () =>
  new AppError('RATE_LIMIT_EXCEEDED', {
    message: 'Too many live streams are open.',
    headers: { 'retry-after': '10' },
    fix: 'Close one of your windows that follow payments, then send the request again.',
  })
