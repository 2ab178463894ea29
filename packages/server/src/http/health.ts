import type { ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { skewMs } from '../platform/clock.ts'
import { pendingMigrations } from '../platform/migrate.ts'
import { fewestMonthsAhead } from '../platform/partitions.ts'
import type { App } from './app.ts'

const skewMaxMs = 2000
const checkedForMs = 1000

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
  const checks = remembered(checkedForMs, () => check(ctx))
  app.get('/health/live', { config: { isPublic: true } }, () => ({ status: 'ok' }))
  app.get('/health/ready', { config: { isPublic: true } }, async (_, reply) => {
    const found = isDraining ? { draining: 'the process is shutting down' } : await checks()
    const isReady = Object.values(found).every((word) => word === 'ok')
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ready' : 'not ready',
      checks: found,
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

/** Migrations first: a database that is older than this code cannot be asked the rest. */
async function check({ db, log }: Context): Promise<Record<string, string>> {
  try {
    const pending = await pendingMigrations(db.write)
    if (pending.length > 0) return { migrations: `not applied: ${pending.join(', ')}; run malipo migrate` }
    const [skew, months] = await Promise.all([skewMs(db.write), fewestMonthsAhead(db.write)])
    return {
      database: 'ok',
      clock: Math.abs(skew) <= skewMaxMs ? 'ok' : `${skew} ms away from the database`,
      partitions: months >= 1 ? 'ok' : 'the next month has no partition; is a worker running?',
      migrations: 'ok',
    }
  } catch (err) {
    log.warn({ err }, 'the database did not answer the readiness check')
    return { database: 'does not answer' }
  }
}

/** Asks at most once in so many milliseconds, whoever asks: anybody may call, so it must stay cheap. */
function remembered<Value>(forMs: number, ask: () => Promise<Value>): () => Promise<Value> {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<Value> | undefined
  return () => {
    if (answer && performance.now() - askedAt < forMs) return answer
    askedAt = performance.now()
    answer = ask()
    return answer
  }
}
