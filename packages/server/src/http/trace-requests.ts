import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerOf, hasBearer } from '../auth/request-bearer.ts'
import { showId } from '../platform/ids.ts'
import { redact } from '../platform/redact.ts'
import { duringStep, isTracing, openStep, recordRequest, type Step } from '../platform/traces.ts'
import { callerOf } from '../platform/work-ids.ts'
import type { Access, App } from './app.ts'

const steps = new WeakMap<FastifyRequest, Step>()

/**
 * A request that works on a payment is a step of it. Reads, refused requests and bulk requests are in no trace; a callback has a step
 * for each payment that it names. The caller's own trace is linked and never joined: no stranger chooses what is recorded.
 */
export function traceRequests(app: App): void {
  if (!isTracing()) return
  app.addHook('onRequest', (request, _reply, done) => {
    const { unitsOf, budget } = request.routeOptions.config as Access
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead || unitsOf || budget === 'callback') return done()
    const step = openStep()
    steps.set(request, step)
    return duringStep(step, done)
  })
  // Again when the body has arrived, because the events of the body belong to the connection.
  app.addHook('preValidation', (request, _reply, done) => {
    const step = steps.get(request)
    return step ? duringStep(step, done) : done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const step = steps.get(request)
    if (step) record(step, request, reply)
    done()
  })
}

function record(step: Step, request: FastifyRequest, { statusCode }: FastifyReply): void {
  const { method, headers, routeOptions } = request
  const route = routeOptions.url ?? 'unknown'
  const facts = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': statusCode,
    'malipo.request_id': redact(request.id), // The caller may have chosen it.
    ...(hasBearer(request) && { 'malipo.merchant_id': showId('merchant', bearerOf(request).merchant_id) }),
  }
  recordRequest(step, `${method} ${route}`, facts, callerOf(headers['traceparent']))
}
