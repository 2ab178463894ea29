import type { Database } from './db.ts'
import type { LogIdentity } from './log.ts'
import { clear, type Metrics } from './metrics.ts'
import { partitionsLeft } from './partitions.ts'
import type { Wakeups } from './wakeups.ts'

interface Sources {
  readonly identity: LogIdentity
  readonly db: Database
  /** By kind of request. */
  readonly limiter: { counts(): Readonly<Record<string, { readonly handled: number; readonly queued: number }>> }
  /** Undefined without NATS. */
  readonly wakeups: Wakeups | undefined
}

/** Reads the state of the process at each scrape. The partitions take one query of the catalog, everything else none. */
export function readProcess(metrics: Metrics, { identity, db, limiter, wakeups }: Sources): void {
  metrics.build.set({ ...identity, cell: String(identity.cell) }, 1)
  if (!wakeups) clear(metrics.natsConnected)
  metrics.beforeScrape(() => {
    for (const [kind, counts] of Object.entries(limiter.counts()))
      for (const [state, count] of Object.entries(counts)) metrics.requests.set({ kind, state }, count)
  })
  metrics.beforeScrape(() => {
    if (wakeups) metrics.natsConnected.set(wakeups.isConnected() ? 1 : 0)
    metrics.poolWaiting.set(db.waiting())
    for (const { pool, ...counts } of db.connections())
      for (const [state, count] of Object.entries(counts)) metrics.poolConnections.set({ pool, state }, count)
  })
  metrics.beforeScrape(() => readPartitions(metrics, db))
}

/** Without a database the series is absent: an alert on absence fires, one on a stale value would not. */
async function readPartitions({ hoursLeft, monthsLeft }: Metrics, db: Database): Promise<void> {
  const left = await partitionsLeft(db.write).catch(() => undefined)
  hoursLeft.reset()
  monthsLeft.reset()
  if (!left) return
  hoursLeft.set({ table: 'timers' }, left.hours)
  for (const [table, months] of left.months) monthsLeft.set({ table }, months)
}

/** Counts a run of a background job. */
export function countRun({ jobSuccess, jobFailures }: Metrics, task: string, hasFailed: boolean): void {
  if (hasFailed) jobFailures.inc({ task })
  else jobSuccess.set({ task }, Date.now() / 1000)
}
