import { randomUUID } from 'node:crypto'
import { createServer, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyBodyParser, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import { authRoutes, publishedKeysRoute } from '../auth/routes.ts'
import { bankLogoRoute } from '../charges/bank-logo.ts'
import { chargeRoutes } from '../charges/routes.ts'
import type { Context } from '../context.ts'
import { AppError, catalogue } from '../errors.ts'
import { externalAccountRoutes } from '../external-accounts/routes.ts'
import { payoutRoutes } from '../payouts/routes.ts'
import { referenceRoutes } from '../reference/routes.ts'
import { sandboxRoutes } from '../sandbox/routes.ts'
import { transactionRoutes } from '../transactions/routes.ts'
import { userRoutes } from '../users/routes.ts'
import { walletRoutes } from '../wallets/routes.ts'
import { simulateRoute, webhookRoutes } from '../webhooks/routes.ts'
import { admitting } from './admission.ts'
import { guards, requestId } from './answer-headers.ts'
import type { Access, App } from './app.ts'
import { authorise, identify } from './authenticate.ts'
import { registerCallbacks } from './callbacks.ts'
import { type Health, registerHealth } from './health.ts'
import { observeRequests, registerMetrics } from './metrics.ts'
import { createRateLimit } from './rate-limit.ts'
import { registerReference } from './reference/routes.ts'
import { envelope, refuseWith } from './refuse.ts'
import { collectRoutes, refuseOtherMethods } from './routes.ts'
import { validatorCompiler } from './validate.ts'

export interface Server {
  readonly app: App
  readonly health: Health
}

const sandboxRoot = '/api/sandbox/b2b'

/** What every process answers: whether it is well, and what it counted. */
export function createWorkerServer(ctx: Context): Server {
  const app = createApp(ctx)
  return { app, health: registerCommon(app, ctx) }
}

/** The same and the API: every business path below `/api/b2b`, and again below `/api/sandbox/b2b`. */
export function createApiServer(ctx: Context): Server {
  const app = createApp(ctx)
  const routes = collectRoutes(app)
  const health = registerCommon(app, ctx)
  publishedKeysRoute(app, ctx)
  registerCallbacks(app, ctx)
  bankLogoRoute(app)
  for (const prefix of ['/api/b2b', sandboxRoot]) {
    app.register(
      (business, _, done) => {
        authRoutes(business, ctx)
        userRoutes(business, ctx)
        walletRoutes(business, ctx)
        transactionRoutes(business, ctx)
        chargeRoutes(business, ctx)
        payoutRoutes(business, ctx)
        webhookRoutes(business, ctx)
        externalAccountRoutes(business, ctx)
        referenceRoutes(business, ctx)
        if (prefix === sandboxRoot) {
          simulateRoute(business, ctx)
          sandboxRoutes(business, ctx)
        }
        done()
      },
      { prefix },
    )
  }
  registerReference(app, routes)
  app.register((last, _, done) => {
    refuseOtherMethods(last, routes)
    done()
  })
  return { app, health }
}

const connections = {
  maxHeaderSize: 16 * 1024,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
}

function createApp(ctx: Context): App {
  const rateLimit = createRateLimit(ctx.config)
  const app: App = Fastify({
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: [...ctx.config.trustedProxies],
    bodyLimit: 64 * 1024,
    serverFactory: (handle) => createServer(connections, admitting(ctx, handle)).setTimeout(20_000),
    return503OnClosing: false, // What still arrives on an open connection while draining is answered as usual.
    forceCloseConnections: 'idle',
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, request, reply) =>
      void refuseUnroutable(ctx, error, request, setHeaders(request, reply), rateLimit),
  })
  app.removeContentTypeParser(['text/plain', 'application/json'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, parseJson(app))
  app.setValidatorCompiler(validatorCompiler)
  app.setErrorHandler(refuseWith(ctx.log))
  app.setNotFoundHandler(() => {
    throw new AppError('ROUTE_NOT_FOUND')
  })
  app.addHook('onRequest', async (request, reply) => {
    setHeaders(request, reply)
    await identify(ctx, request)
    rateLimit.admit(request, reply)
    authorise(request)
  })
  app.addHook('preHandler', (request, reply, done) => {
    const { unitsOf } = request.routeOptions.config as Access
    if (unitsOf) rateLimit.owe(request, reply, unitsOf(request.body) - 1)
    done()
  })
  return app
}

/** Many clients name a type and send nothing; where a body is needed its schema says so. */
function parseJson(app: App): FastifyBodyParser<string> {
  const parse = app.getDefaultJsonParser('error', 'error') as FastifyBodyParser<string>
  return (request, body, done) => (body === '' ? done(null, undefined) : parse(request, body, done))
}

function registerCommon(app: App, ctx: Context): Health {
  observeRequests(app, ctx)
  registerMetrics(app, ctx)
  return registerHealth(app, ctx)
}

function setHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers({ 'x-request-id': request.id, ...guards })
}

/** A path that cannot be decoded leads nowhere, and like any other it is not talked about without a token. */
async function refuseUnroutable(
  ctx: Context,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimit: ReturnType<typeof createRateLimit>,
): Promise<void> {
  const refusal = await identify(ctx, request)
    .then(() => rateLimit.admit(request, reply))
    .then(
      () => (error.code === 'FST_ERR_BAD_URL' ? new AppError('ROUTE_NOT_FOUND') : error),
      (refused: Error) => refused,
    )
  refuseWith(ctx.log)(refusal, request, reply)
}

/** Bytes that are no HTTP request still get an answer in our form, and the connection ends. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const refusal = unreadableAs(error.code)
  const body = JSON.stringify(envelope(refusal, `req_${randomUUID()}`))
  const { status } = catalogue[refusal.key]
  const headers = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
  if (status === 503) headers.push('Retry-After: 1')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * What did not arrive in time may have been held up by us, who stood still and came back to half a request: whoever sent it must
 * not take that for a refusal of what it says.
 */
function unreadableAs(code: string | undefined): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('OVERLOADED')
  const why = code === 'HPE_HEADER_OVERFLOW' ? 'the headers are larger than 16 KiB' : 'this is not an HTTP request'
  return new AppError('VALIDATION', { message: `Validation error: ${why}` })
}
