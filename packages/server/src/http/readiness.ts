import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { liveFeesProblem } from '../ledger/fee-table.ts'
import { skewMaxMs, skewMs } from '../platform/clock.ts'
import { DatabaseMoved, DatabaseOfAnotherCell, isReadOnly } from '../platform/connections.ts'
import { type Probe, sql } from '../platform/db.ts'
import { pendingMigrations } from '../platform/migrate.ts'
import { partitionsLeft, shortage } from '../platform/partitions.ts'

interface Checked {
  readonly checks: Readonly<Record<string, string>>
  /** Full hours and months after the current one that have a partition. */
  readonly partitionsLeft?: { readonly hours: number; readonly months: number }
}

/** Checks continuously whether this process can do its work. */
export interface Readiness {
  start(): void
  /** The latest result. Waits only for the first check, and at most a second. */
  current(): Promise<Checked>
  stop(): Promise<void>
}

const probeEveryMs = 1000
/** The interval while a check fails: so the pools learn soon that the database is back, or has moved. */
const probeAgainMs = 250
/** A shorter failure takes no process out of service: clients retry the requests that met it. */
const unwritableMaxMs = 10_000
const firstProbeMs = 1000

export function watchReadiness(ctx: Context): Readiness {
  const over = new AbortController()
  const state = createState(ctx)
  let probing: Promise<void> | undefined
  let first: Promise<void> | undefined
  const run = async () => {
    const probe = ctx.db.openProbe()
    while (!over.signal.aborted) {
      first = state.probe(probe)
      await first
      const restMs = state.isHealthy() ? probeEveryMs : probeAgainMs
      await pause(restMs * (0.5 + Math.random()), undefined, { signal: over.signal }).catch(() => undefined)
    }
    await probe.close()
  }
  const start = () => {
    probing ??= run()
  }
  return {
    start,
    current: async () => {
      start()
      if (!state.isKnown()) await Promise.race([first, pause(firstProbeMs, undefined, { ref: false })])
      return state.current()
    },
    stop: async () => {
      over.abort()
      await probing
    },
  }
}

/** The results of the checks so far. */
function createState(ctx: Context) {
  let found: Checked = { checks: { database: 'is not checked yet' } }
  let isKnown = false
  let problem: string | undefined
  let writtenAt = Number.NEGATIVE_INFINITY
  const probe = async (probe: Probe) => {
    const startedAt = performance.now()
    try {
      found = await check(ctx, probe)
      if (problem !== undefined) ctx.log.info('database writable again')
      problem = undefined
      writtenAt = startedAt
    } catch (error) {
      if (problem === undefined) ctx.log.warn({ err: error }, 'database not writable')
      problem = problemOf(error as Error)
      // Not ready at once: another server may take over soon, but this one will not become writable.
      if (isLasting(error as Error)) writtenAt = Number.NEGATIVE_INFINITY
    }
    isKnown = true
  }
  return {
    probe,
    isHealthy: () => isKnown && problem === undefined,
    isKnown: () => isKnown,
    current: (): Checked => {
      const isLate = performance.now() - writtenAt > unwritableMaxMs
      return isKnown && isLate ? { checks: { database: problem ?? 'does not respond' } } : found
    },
  }
}

const isOfAnother = (error: Error) => error instanceof DatabaseMoved || error instanceof DatabaseOfAnotherCell
const isLasting = (error: Error) => isOfAnother(error) || isReadOnly(error)

function problemOf(error: Error): string {
  if (isOfAnother(error) || error instanceof CommitHangs) return error.message
  return isReadOnly(error) ? 'is read-only: a standby, or in recovery' : 'does not respond'
}

/** Reads succeed and a commit hangs. */
class CommitHangs extends Error {
  constructor(cause: unknown) {
    super('commits hang: check the synchronous standby', { cause })
  }
}

/** Migrations first: the other queries fail on a schema that is older than this code. */
async function check({ connectors }: Context, probe: Probe): Promise<Checked> {
  const pending = await pendingMigrations(probe)
  if (pending.length > 0) return { checks: { migrations: `not applied: ${pending.join(', ')}; run malipo migrate` } }
  const [moved] = await probe.query<{ is_moved: boolean }>(sql`select is_moved()`)
  if (moved?.is_moved) throw new DatabaseMoved()
  const isLive = connectors.live.size > 0
  const [skew, left, fees] = await Promise.all([
    skewMs(probe),
    partitionsLeft(probe),
    isLive ? liveFeesProblem(probe) : undefined,
  ])
  await probe.write().catch((error: Error) => {
    throw /timeout/.test(error.message) ? new CommitHangs(error) : error
  })
  const checks = {
    database: 'ok',
    clock: Math.abs(skew) <= skewMaxMs ? 'ok' : `${skew} ms off the database clock`,
    partitions: shortage(left) ?? 'ok',
    migrations: 'ok',
    ...(isLive && { fees: fees ?? 'ok' }),
  }
  return { checks, partitionsLeft: { hours: left.hours, months: left.fewestMonths } }
}
