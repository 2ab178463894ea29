import Fastify, { type FastifyBodyParser, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import { bearerOf, hasBearer } from '../auth/request-bearer.ts'
import { authRoutes, publishedKeysRoute } from '../auth/routes.ts'
import { bankLogoRoute } from '../charges/bank-logo.ts'
import { chargeRoutes } from '../charges/routes.ts'
import type { Context } from '../context.ts'
import { conversionRoutes } from '../conversions/routes.ts'
import { dashboardRoutes, giveToMembers } from '../dashboard/routes.ts'
import { AppError, invalidBody } from '../errors.ts'
import { exportRoutes } from '../exports/routes.ts'
import { externalAccountRoutes } from '../external-accounts/routes.ts'
import { operatorRoutes } from '../operate/api/routes.ts'
import { payoutRoutes } from '../payouts/routes.ts'
import { hasPrincipal } from '../people/request-principal.ts'
import { referenceRoutes } from '../reference/routes.ts'
import { refundRoutes } from '../refunds/routes.ts'
import { requestLogRoutes } from '../request-log/routes.ts'
import { sandboxRoutes } from '../sandbox/routes.ts'
import { transactionRoutes } from '../transactions/routes.ts'
import { searchRoute } from '../transactions/search-routes.ts'
import { userRoutes } from '../users/routes.ts'
import { walletRoutes } from '../wallets/routes.ts'
import { endpointRoutes } from '../webhooks/endpoint-routes.ts'
import { simulateRoute, webhookRoutes } from '../webhooks/routes.ts'
import { createAddressLimit } from './address-limit.ts'
import { limitConcurrency, type RequestLimits, refuseEarly } from './admission.ts'
import type { Access, App } from './app.ts'
import { authorise, identify } from './authenticate.ts'
import { refusalOfShape } from './body-shape.ts'
import { registerCallbacks } from './callbacks.ts'
import { createLimitedServer, proveConnection } from './connections.ts'
import { type Health, registerHealth } from './health.ts'
import { logRequests, nameWork } from './log-requests.ts'
import { createMalformedRefusals } from './malformed.ts'
import { observeRequests, registerMetrics } from './metrics.ts'
import { registerPeople } from './people.ts'
import { createRateLimit } from './rate-limit.ts'
import { registerReference } from './reference/routes.ts'
import { refuseWith } from './refuse.ts'
import { guards, requestId } from './response-headers.ts'
import { collectRoutes, refuseOtherMethods, refuseUnknownMethods } from './routes.ts'
import { serializerCompiler } from './serialize.ts'
import { traceRequests } from './trace-requests.ts'
import { validatorCompiler } from './validate.ts'

export interface Server {
  readonly app: App
  readonly health: Health
}

const sandboxRoot = '/api/sandbox/b2b'

/** The routes of every process: health and metrics. */
export function createWorkerServer(ctx: Context): Server {
  const app = createApp(ctx)
  return { app, health: registerCommon(app, ctx) }
}

/**
 * The common routes and the APIs. Every business path exists below `/api/b2b`, again below `/api/sandbox/b2b`, and most of them for
 * people below `/dashboard/v1`.
 */
export function createApiServer(ctx: Context): Server {
  const app = createApp(ctx)
  giveToMembers(app)
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
        searchRoute(business, ctx)
        exportRoutes(business, ctx)
        chargeRoutes(business, ctx)
        payoutRoutes(business, ctx)
        refundRoutes(business, ctx)
        conversionRoutes(business, ctx)
        webhookRoutes(business, ctx)
        endpointRoutes(business, ctx)
        requestLogRoutes(business, ctx)
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
  registerPeople(app, ctx)
  operatorRoutes(app, ctx)
  dashboardRoutes(app, ctx)
  registerReference(app, routes, ctx.config.publicUrl)
  app.register((last, _, done) => {
    refuseOtherMethods(last, routes)
    done()
  })
  return { app, health }
}

function createApp(ctx: Context): App {
  const rateLimit = createRateLimit(ctx.config)
  const addressLimit = createAddressLimit(ctx)
  const requestLimits = { rateLimit, addressLimit }
  const { connectionsMax, connectionsPerAddress: perAddressMax, trustedProxies } = ctx.config
  const malformed = createMalformedRefusals(ctx)
  const { refuseSlowBody: onSlowBody, refuseConnect: onConnect } = malformed
  const limits = { connectionsMax, perAddressMax, trustedProxies, onSlowBody, onConnect }
  const app: App = Fastify({
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: [...ctx.config.trustedProxies],
    bodyLimit: 64 * 1024,
    serverFactory: (handle) =>
      createLimitedServer(limits, malformed.refuseMalformed(refuseEarly(ctx, requestLimits, handle))),
    return503OnClosing: false, // While draining, requests on open connections are served as usual.
    forceCloseConnections: 'idle',
    clientErrorHandler: malformed.refuseUnreadable,
    frameworkErrors: (error, request, reply) =>
      void refuseUnroutable(ctx, error, request, setHeaders(request, reply), requestLimits),
  })
  app.removeContentTypeParser(['text/plain', 'application/json'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, parseJson(app))
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(refuseWith(ctx.log))
  app.setNotFoundHandler(() => {
    throw new AppError('ROUTE_NOT_FOUND')
  })
  nameWork(app)
  traceRequests(app)
  app.addHook('onRequest', async (request, reply) => {
    setHeaders(request, reply)
    addressLimit.admit(request)
    await identify(ctx, request)
    rateLimit.admit(request, reply)
    await authorise(ctx, request)
    refuseUnknownMethods(request)
    if (hasBearer(request)) proveConnection(request.raw.socket, bearerOf(request).merchant_id)
  })
  limitConcurrency(app, ctx)
  logRequests(app, ctx)
  app.addHook('onResponse', (request, { statusCode }, done) => {
    addressLimit.countRejected(request, statusCode)
    done()
  })
  app.addHook('preHandler', async (request) => {
    // The body may have taken seconds, in which a role or a session ended.
    if (!hasPrincipal(request) || request.method === 'GET' || request.method === 'HEAD') return
    await identify(ctx, request)
    await authorise(ctx, request)
  })
  app.addHook('preHandler', (request, reply, done) => {
    const { unitsOf } = request.routeOptions.config as Access
    if (unitsOf) rateLimit.owe(request, reply, unitsOf(request.body) - 1)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    rateLimit.countSize(request, reply, payload)
    done()
  })
  return app
}

/** Many clients send a content type and no body; where a body is required its schema reports it. */
function parseJson(app: App): FastifyBodyParser<string> {
  const parse = app.getDefaultJsonParser('error', 'error') as FastifyBodyParser<string>
  return (request, body, done) => {
    if (body === '') return done(null, undefined)
    const refusal = refusalOfShape(body)
    if (refusal) return done(refusal)
    return parse(request, body, (error, value) => done(error && isJson(body) ? forbiddenName() : error, value))
  }
}

/** The parser also rejects valid JSON: names that would change the prototype of an object. */
const forbiddenName = () =>
  invalidBody('the body has a field named __proto__, or prototype below constructor, which is not allowed')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function registerCommon(app: App, ctx: Context): Health {
  observeRequests(app, ctx)
  registerMetrics(app, ctx)
  return registerHealth(app, ctx)
}

function setHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers({ 'x-request-id': request.id, ...guards })
}

/** A path that cannot be decoded does not exist, and like any other it is not revealed without a token. */
async function refuseUnroutable(
  ctx: Context,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { rateLimit, addressLimit }: RequestLimits,
): Promise<void> {
  const admit = async () => {
    addressLimit.admit(request)
    await identify(ctx, request)
    rateLimit.admit(request, reply)
  }
  const refusal = await admit().then(
    () => (error.code === 'FST_ERR_BAD_URL' ? new AppError('ROUTE_NOT_FOUND') : error),
    (refused: Error) => refused,
  )
  refuseWith(ctx.log)(refusal, request, reply)
  addressLimit.countRejected(request, reply.statusCode)
}
