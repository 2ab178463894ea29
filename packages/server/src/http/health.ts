import type { ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { liveFeesProblem } from '../ledger/fee-table.ts'
import { skewMs } from '../platform/clock.ts'
import { DatabaseMoved, sql } from '../platform/db.ts'
import { pendingMigrations } from '../platform/migrate.ts'
import { partitionsLeft, shortage } from '../platform/partitions.ts'
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
    const found = isDraining ? { checks: { draining: 'the process is shutting down' } } : await checks()
    const isReady = Object.values(found.checks).every((word) => word === 'ok')
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

interface Checked {
  readonly checks: Readonly<Record<string, string>>
  /** Whole hours and months after this one that have a partition. */
  readonly partitionsLeft?: { readonly hours: number; readonly months: number }
}

/** Migrations first: a database that is older than this code cannot be asked the rest. */
async function check({ db, log, connectors }: Context): Promise<Checked> {
  try {
    const pending = await pendingMigrations(db.write)
    if (pending.length > 0) return { checks: { migrations: `not applied: ${pending.join(', ')}; run malipo migrate` } }
    const [moved] = await db.write.query<{ is_moved: boolean }>(sql`select is_moved()`)
    if (moved?.is_moved) throw new DatabaseMoved()
    const isLive = connectors.live.size > 0
    const [skew, left, fees] = await Promise.all([
      skewMs(db.write),
      partitionsLeft(db.write),
      isLive ? liveFeesProblem(db.write) : undefined,
    ])
    const checks = {
      database: 'ok',
      clock: Math.abs(skew) <= skewMaxMs ? 'ok' : `${skew} ms away from the database`,
      partitions: shortage(left) ?? 'ok',
      migrations: 'ok',
      ...(isLive && { fees: fees ?? 'ok' }),
    }
    return { checks, partitionsLeft: { hours: left.hours, months: left.fewestMonths } }
  } catch (err) {
    if (err instanceof DatabaseMoved) return { checks: { database: err.message } }
    log.warn({ err }, 'the database did not answer the readiness check')
    return { checks: { database: 'does not answer' } }
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
