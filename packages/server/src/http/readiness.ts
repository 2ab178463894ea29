import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { liveFeesProblem } from '../ledger/fee-table.ts'
import { skewMs } from '../platform/clock.ts'
import { DatabaseMoved, isReadOnly } from '../platform/connections.ts'
import { type Probe, sql } from '../platform/db.ts'
import { pendingMigrations } from '../platform/migrate.ts'
import { partitionsLeft, shortage } from '../platform/partitions.ts'

interface Checked {
  readonly checks: Readonly<Record<string, string>>
  /** Whole hours and months after this one that have a partition. */
  readonly partitionsLeft?: { readonly hours: number; readonly months: number }
}

/** Looks all the time whether this process can do its work. */
export interface Readiness {
  start(): void
  /** What is known now. Waits for the first look only, and for a second at most. */
  current(): Promise<Checked>
  stop(): Promise<void>
}

const skewMaxMs = 2000
const lookEveryMs = 1000
/** While something is wrong: so the pools learn soon that the database is back, or another server. */
const lookAgainMs = 250
/** A shorter failure takes no process out of service: the requests that met it are sent again. */
const unwritableMaxMs = 10_000
const firstLookMs = 1000

export function watchReadiness(ctx: Context): Readiness {
  const over = new AbortController()
  const state = createState(ctx)
  let looking: Promise<void> | undefined
  let first: Promise<void> | undefined
  const run = async () => {
    const probe = ctx.db.openProbe()
    while (!over.signal.aborted) {
      first = state.look(probe)
      await first
      const restMs = state.isWell() ? lookEveryMs : lookAgainMs
      await pause(restMs * (0.5 + Math.random()), undefined, { signal: over.signal }).catch(() => undefined)
    }
    await probe.close()
  }
  const start = () => {
    looking ??= run()
  }
  return {
    start,
    current: async () => {
      start()
      if (!state.isKnown()) await Promise.race([first, pause(firstLookMs, undefined, { ref: false })])
      return state.current()
    },
    stop: async () => {
      over.abort()
      await looking
    },
  }
}

/** What the looks have found so far. */
function createState(ctx: Context) {
  let found: Checked = { checks: { database: 'is not checked yet' } }
  let isKnown = false
  let trouble: string | undefined
  let writtenAt = Number.NEGATIVE_INFINITY
  const look = async (probe: Probe) => {
    const startedAt = performance.now()
    try {
      found = await check(ctx, probe)
      if (trouble !== undefined) ctx.log.info('database writable again')
      trouble = undefined
      writtenAt = startedAt
    } catch (error) {
      if (trouble === undefined) ctx.log.warn({ err: error }, 'database not writable')
      trouble = troubleOf(error as Error)
      // Another server may take over in a moment; this one will not.
      if (error instanceof DatabaseMoved || isReadOnly(error as Error)) writtenAt = Number.NEGATIVE_INFINITY
    }
    isKnown = true
  }
  return {
    look,
    isWell: () => isKnown && trouble === undefined,
    isKnown: () => isKnown,
    current: (): Checked => {
      const isLate = performance.now() - writtenAt > unwritableMaxMs
      return isKnown && isLate ? { checks: { database: trouble ?? 'does not answer' } } : found
    },
  }
}

function troubleOf(error: Error): string {
  if (error instanceof DatabaseMoved || error instanceof CommitHangs) return error.message
  return isReadOnly(error) ? 'is read-only: a standby, or in recovery' : 'does not answer'
}

/** Reads are answered and a commit is not. */
class CommitHangs extends Error {
  constructor(cause: unknown) {
    super('commits hang: is the synchronous standby away?', { cause })
  }
}

/** Migrations first: a database that is older than this code cannot be asked the rest. */
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
    clock: Math.abs(skew) <= skewMaxMs ? 'ok' : `${skew} ms away from the database`,
    partitions: shortage(left) ?? 'ok',
    migrations: 'ok',
    ...(isLive && { fees: fees ?? 'ok' }),
  }
  return { checks, partitionsLeft: { hours: left.hours, months: left.fewestMonths } }
}
