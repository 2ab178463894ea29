import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyBodyParser, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import { authRoutes, publishedKeysRoute } from '../auth/routes.ts'
import { bankLogoRoute } from '../charges/bank-logo.ts'
import { chargeRoutes } from '../charges/routes.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { externalAccountRoutes } from '../external-accounts/routes.ts'
import { payoutRoutes } from '../payouts/routes.ts'
import { referenceRoutes } from '../reference/routes.ts'
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
        if (prefix === sandboxRoot) simulateRoute(business, ctx)
        externalAccountRoutes(business, ctx)
        referenceRoutes(business, ctx)
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
  app.addHook('onRequest', async (request, reply) => void setHeaders(request, reply))
  app.addHook('onRequest', (request) => identify(ctx, request))
  app.addHook('onRequest', rateLimit.admit)
  app.addHook('onRequest', async (request) => authorise(request))
  app.addHook('preHandler', async (request, reply) => {
    const { unitsOf } = request.routeOptions.config as Access
    if (unitsOf) await rateLimit.owe(request, reply, unitsOf(request.body) - 1)
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

const unreadable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'the headers are larger than 16 KiB',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request took longer than 15 seconds to arrive',
}

/** Bytes that are no HTTP request still get an answer in our form, and the connection ends. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const refusal = new AppError('VALIDATION', {
    message: `Validation error: ${unreadable[error.code ?? ''] ?? 'this is not an HTTP request'}`,
  })
  const body = JSON.stringify(envelope(refusal, `req_${randomUUID()}`))
  const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`)
}
