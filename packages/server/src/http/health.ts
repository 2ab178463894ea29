import type { ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import type { App } from './app.ts'
import { watchReadiness } from './readiness.ts'

export interface Health {
  /**
   * From now on this process says that it is not ready, so that no new work is sent to it, and ends each connection with
   * its next answer: one that is closed later, at the end, may have a request on its way.
   */
  drain(): void
}

/** `/health/live`: the process runs. `/health/ready`: work may be sent to it, and if not, why. */
export function registerHealth(app: App, ctx: Context): Health {
  let isDraining = false
  const readiness = watchReadiness(ctx)
  app.addHook('onListen', async () => readiness.start())
  app.addHook('onClose', () => readiness.stop())
  app.get('/health/live', { config: { isPublic: true } }, () => ({ status: 'ok' }))
  app.get('/health/ready', { config: { isPublic: true } }, async (_, reply) => {
    const found = isDraining ? { checks: { draining: 'the process is shutting down' } } : await readiness.current()
    const isReady = Object.values(found.checks).every((word) => word === 'ok')
    if (!isReady) reply.header('retry-after', '1')
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ready' : 'not ready',
      ...found,
      bell: bellOf(ctx), // No reason to be taken out of service.
    })
  })
  return {
    drain: () => {
      isDraining = true
      app.server.prependListener('request', (_, answer: ServerResponse) => void answer.setHeader('connection', 'close'))
    },
  }
}

const bellOf = ({ bell, config }: Context) =>
  bell.isConnected() ? 'ok' : `${config.natsUrl === undefined ? 'none' : 'away'}; work is found by looking`
