import type { ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import type { App } from './app.ts'
import { watchReadiness } from './readiness.ts'

export interface Health {
  /**
   * From now on this process reports that it is not ready, so that no new work is sent to it. It closes each connection with its
   * next response: a connection that is closed later, at the end, may have a request in flight.
   */
  drain(): void
}

/** `/health/live`: the process runs. `/health/ready`: the process accepts work, and if not, why. */
export function registerHealth(app: App, ctx: Context): Health {
  let isDraining = false
  const readiness = watchReadiness(ctx)
  const find = async () => {
    const found = isDraining ? { checks: { draining: 'the process is shutting down' } } : await readiness.current()
    return { found, isReady: Object.values(found.checks).every((word) => word === 'ok') }
  }
  ctx.metrics.beforeScrape(async () => ctx.metrics.ready.set(Number((await find()).isReady)))
  app.addHook('onListen', async () => readiness.start())
  app.addHook('onClose', () => readiness.stop())
  app.get('/health/live', { config: { isPublic: true } }, () => ({ status: 'ok' }))
  app.get('/health/ready', { config: { isPublic: true } }, async (_, reply) => {
    const { found, isReady } = await find()
    if (!isReady) reply.header('retry-after', '1')
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ready' : 'not ready',
      ...found,
      wakeups: wakeupsOf(ctx), // Not a reason to take the process out of service.
    })
  })
  return {
    drain: () => {
      isDraining = true
      app.server.prependListener(
        'request',
        (_, response: ServerResponse) => void response.setHeader('connection', 'close'),
      )
    },
  }
}

const wakeupsOf = ({ wakeups, config }: Context) =>
  wakeups.isConnected() ? 'ok' : `${config.natsUrl === undefined ? 'NATS not configured' : 'NATS unavailable'}, polling`
