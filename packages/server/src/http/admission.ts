import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { tokenOf } from '../auth/bearer-token.ts'
import { bearerOf, hasBearer } from '../auth/request-bearer.ts'
import type { Context, RequestKind } from '../context.ts'
import { AppError, catalogue } from '../errors.ts'
import { hasPrincipal, principalOf } from '../people/request-principal.ts'
import { countedAs } from '../platform/addresses.ts'
import { addressRefusal, type createAddressLimit, isCallbackPath, isExchangePath } from './address-limit.ts'
import type { Access, App } from './app.ts'
import { postpone } from './connections.ts'
import { type createRateLimit, rateRefusal } from './rate-limit.ts'
import { envelope, helpLink } from './refuse.ts'
import { guards, requestId } from './response-headers.ts'

/** How many requests a merchant and an address may send. */
export interface RequestLimits {
  readonly rateLimit: ReturnType<typeof createRateLimit>
  readonly addressLimit: ReturnType<typeof createAddressLimit>
}

type Headers = Readonly<Record<string, string | number>>

/**
 * Refuses a request cheaply, before the framework sees it: while requests of its kind are shed, or when its merchant or address
 * is over its limit. Tokens that are new to this process pass through, as do health and metrics while their address is within its
 * limit.
 */
export function refuseEarly(ctx: Context, limits: RequestLimits, handle: RequestListener): RequestListener {
  const reasonOf = createReasons(ctx, limits)
  const refuseSoon = paced((request: IncomingMessage, response: ServerResponse, refuse: Refusal, headers: Headers) =>
    refuse(request, response, headers),
  )
  return (request, response) => {
    const reason = reasonOf(request)
    if (!reason) return handle(request, response)
    const { refuse, headers = {}, isPostponed, isAtLimit } = reason
    // A client over its own rate limit says nothing about the process.
    if (isAtLimit) ctx.metrics.rejected.inc()
    if (isPostponed) postpone(response, postponedMs, () => refuse(request, response, headers))
    else refuseSoon(request, response, refuse, headers)
  }
}

/**
 * Equals the retry delay that a refused client receives: it bounds how fast one address can repeat requests on its connections.
 */
const postponedMs = 1000

/** Why a request is refused, and how. */
interface Reason {
  readonly refuse: Refusal
  readonly headers?: Headers
  readonly isPostponed?: true
  /** The process is at its limit, not the client. */
  readonly isAtLimit?: true
}

/** Decides from the headers alone why a request is refused. */
function createReasons({ tokenCache, limiter }: Context, { rateLimit, addressLimit }: RequestLimits) {
  const overloaded = createRefusal(new AppError('OVERLOADED'))
  const tooMany = createRefusal(rateRefusal())
  const tooManyFromAddress = createRefusal(addressRefusal())
  return (request: IncomingMessage): Reason | undefined => {
    const { url = '', headers } = request
    const bearer = tokenCache.peek(tokenOf(headers.authorization))
    const kind = kindOfPath(url) ?? bearer?.env
    const key = bearer?.merchant_id ?? addressLimit.addressOf(request)
    if (kind && limiter.isShedding(kind, key)) return { refuse: overloaded, isAtLimit: true }
    if (!bearer) return addressLimit.isOver(request) ? { refuse: tooManyFromAddress, isPostponed: true } : undefined
    return rateLimit.isOver(bearer) ? { refuse: tooMany, headers: rateLimit.headersOf(bearer) } : undefined
  }
}

function kindOfPath(url: string): RequestKind | undefined {
  if (isCallbackPath(url)) return 'callback'
  return isExchangePath(url) ? 'exchange' : undefined
}

/** Refusals in one turn of the event loop. More would delay the requests in progress. */
const refusalsPerTurn = 32

/** Does at most `refusalsPerTurn` items in one turn of the event loop and the rest in the next turns. */
function paced<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
  const due: Args[] = []
  const next = () => {
    for (const args of due.splice(0, refusalsPerTurn)) work(...args)
    if (due.length > 0) setImmediate(next)
  }
  return (...args) => {
    if (due.push(args) === 1) setImmediate(next)
  }
}

type Refusal = (request: IncomingMessage, response: ServerResponse, headers: Headers) => void

function createRefusal(error: AppError): Refusal {
  const { status } = catalogue[error.key]
  const common = {
    ...guards,
    ...helpLink(error),
    'retry-after': '1',
    'content-type': 'application/json; charset=utf-8',
  }
  const [before = '', after = ''] = JSON.stringify(envelope(error, '\u0000')).split('\\u0000')
  return (request, response, headers) => {
    const id = requestId(request)
    const body = before + JSON.stringify(id).slice(1, -1) + after
    response.writeHead(status, { ...common, ...headers, 'x-request-id': id, 'content-length': body.length })
    response.end(body)
  }
}

/**
 * Every request with a budget takes a slot once its body is complete, and leaves it when its response is ready. A client that
 * sends or reads slowly holds no slot. Health, metrics and published documents need none.
 */
export function limitConcurrency(app: App, { limiter, metrics }: Context): void {
  const places = new WeakMap<FastifyRequest, { readonly kind: RequestKind; readonly key: string }>()
  app.addHook('preValidation', (request, _reply, done) => {
    const kind = kindOf(request)
    if (kind === undefined) return done()
    const key = keyOf(request)
    limiter.enter(kind, {
      key,
      begin: () => {
        places.set(request, { kind, key })
        done()
      },
      reject: () => {
        metrics.rejected.inc()
        done(new AppError('OVERLOADED'))
      },
      isGone: () => request.raw.socket.destroyed,
    })
  })
  app.addHook('onSend', (request: FastifyRequest, _reply: FastifyReply, _payload: unknown, done: () => void) => {
    const place = places.get(request)
    if (place && places.delete(request)) limiter.leave(place.kind, place.key)
    done()
  })
}

function kindOf(request: FastifyRequest): RequestKind | undefined {
  if (hasBearer(request)) return bearerOf(request).env
  if (hasPrincipal(request)) return 'people'
  return (request.routeOptions.config as Access).budget
}

/** Within a kind, merchants, people and addresses get slots in turn. */
function keyOf(request: FastifyRequest): string {
  if (hasBearer(request)) return bearerOf(request).merchant_id
  return hasPrincipal(request) ? principalOf(request).id : countedAs(request.ip)
}
