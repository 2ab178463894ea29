import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from './app.ts'
import { idsOf } from './log-requests.ts'

/** Serves metrics to the holder of the metrics token. Without a configured token the route does not exist. */
export function registerMetrics(app: App, { config, metrics }: Context): void {
  const wanted = config.metricsToken && digest(`Bearer ${config.metricsToken.reveal()}`)
  app.get('/metrics', { config: { isPublic: true } }, async (request, reply) => {
    const isHolder = wanted !== undefined && timingSafeEqual(digest(request.headers.authorization ?? ''), wanted)
    if (!isHolder) throw new AppError('ROUTE_NOT_FOUND')
    return reply.type(metrics.registry.contentType).send(await metrics.scrape())
  })
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * Counts every response by its declared route, so that ids in paths create no new series, and logs it: an error always, a success
 * only at debug level, because at full load those lines would dominate the process.
 */
export function observeRequests(app: App, { metrics, log }: Context): void {
  app.addHook('onResponse', async (request, { statusCode: status, elapsedTime }) => {
    const { method, routeOptions } = request
    const route = routeOptions.url ?? 'unknown'
    metrics.requestDuration.observe({ route, method, status }, elapsedTime / 1000)
    const facts = { ...idsOf(request), method, route, status, durationMs: Math.round(elapsedTime) }
    if (status < 400) log.debug(facts, 'responded')
    else log.info(facts, 'refused')
  })
}
