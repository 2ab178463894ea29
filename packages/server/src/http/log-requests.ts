import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerOf, hasBearer } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { readId, showId } from '../platform/ids.ts'
import { redact } from '../platform/redact.ts'
import { callerOf, idsOfPayment, type WorkIds, withWorkIds } from '../platform/work-ids.ts'
import { maskBody } from '../request-log/mask.ts'
import type { Access, App } from './app.ts'
import { errorCodeOf } from './refuse.ts'

const transactions = new WeakMap<FastifyRequest, string>()

/**
 * Gives every request of a known merchant to the request log, after its response was sent. A request that authenticates as no
 * merchant has no entry: it belongs to none. Requests that are refused before the framework sees them have none either. What people
 * only look at in the dashboard has none: a developer would not find the requests of the merchant's server among it.
 */
export function logRequests(app: App, { requestLog }: Context): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const shown = transactionIn(payload)
    if (shown !== undefined) transactions.set(request, shown)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (hasBearer(request) && !isReadOfPerson(request, reply)) requestLog.add(entryOf(request, reply))
    done()
  })
}

/** Searches are reads by POST. An export takes data away, so it has an entry. */
function isReadOfPerson(request: FastifyRequest, { statusCode }: FastifyReply): boolean {
  const { member } = request.routeOptions.config as Access
  const isRead = request.method === 'GET' || request.method === 'HEAD' || member?.endsWith(':read') === true
  return bearerOf(request).kind !== 'key pair' && statusCode < 400 && isRead && member !== 'payments:export'
}

function entryOf(request: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply) {
  const { merchant_id, env, ...bearer } = bearerOf(request)
  const isKept = status >= 400 || isOfMoney(request)
  return {
    merchant_id,
    env,
    method: request.method,
    path: templateOf(request),
    status,
    error_code: status >= 400 ? errorCodeOf(request) : '',
    duration_ms: Math.round(elapsedTime),
    request_id: redact(request.id),
    credential: bearer.kind === 'key pair' ? bearer.public_key : bearer.actor.id,
    // Where people work is in the audit trail, which fewer of their colleagues read.
    address: bearer.kind === 'key pair' ? request.ip : '',
    transaction_id: transactionOf(request),
    body: (isKept && maskBody(request.body)) || null,
  }
}

/**
 * Never the path itself, which has ids and references. A path is the same under both roots, and one that does not exist is only
 * named by its root.
 */
function templateOf({ is404, routeOptions: { url } }: FastifyRequest): string {
  return is404 || url === undefined ? '/api/*' : url.replace(/^\/api\/sandbox\//, '/api/').replaceAll(/:(\w+)/g, '{$1}')
}

const moneyScopes: ReadonlySet<string | undefined> = new Set(['charges:write', 'payouts:write', 'refunds:write'])
const moneyPermissions: ReadonlySet<string | undefined> = new Set(['payouts:create', 'payouts:approve'])

function isOfMoney({ method, routeOptions }: FastifyRequest): boolean {
  const { scope, member } = routeOptions.config as Access
  return method !== 'GET' && method !== 'HEAD' && (moneyScopes.has(scope) || moneyPermissions.has(member))
}

/**
 * Every line of a request's work has its ids: from the start, and again when its body has arrived, because the events of the body
 * belong to the connection.
 */
export function nameWork(app: App): void {
  const named = (request: FastifyRequest, _: FastifyReply, done: () => void) => withWorkIds(idsOf(request), done)
  app.addHook('onRequest', named)
  app.addHook('preValidation', named)
}

export function idsOf(request: FastifyRequest): WorkIds {
  const caller = callerOf(request.headers['traceparent'])
  const transaction = transactionOf(request)
  return {
    requestId: redact(request.id),
    ...(transaction !== null && idsOfPayment(transaction)),
    ...(caller && { traceId: caller.traceId }),
    ...(hasBearer(request) && { merchantId: showId('merchant', bearerOf(request).merchant_id) }),
  }
}

/** The one that the response names, or the one in the path. */
function transactionOf(request: FastifyRequest): string | null {
  const { transactionId: named } = (request.params ?? {}) as { readonly transactionId?: string }
  return readId('transaction', transactions.get(request) ?? named ?? '') ?? null
}

function transactionIn(payload: unknown): string | undefined {
  const { transactionId, data } = (payload ?? {}) as { readonly transactionId?: unknown; readonly data?: unknown }
  const shown = transactionId ?? (data as { readonly transactionId?: unknown } | undefined | null)?.transactionId
  return typeof shown === 'string' ? shown : undefined
}
