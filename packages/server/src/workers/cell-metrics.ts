import type { RetentionDays } from '../config/retention.ts'
import type { Context } from '../context.ts'
import { floatLevels } from '../ledger/float-marks.ts'
import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import type { Db } from '../platform/db.ts'
import { createLease } from '../platform/leases.ts'
import { clearCell, type Gauge, type Metrics } from '../platform/metrics.ts'
import type { WakeWatch } from '../platform/wakeups.ts'
import { caseGroups, commandResults, lags, laneRows, openGroups, webhookState } from './cell-state.ts'
import { emptiedTables, oldMonths } from './old-months.ts'

const readEveryMs = 15_000
/** After this without a read another worker takes over. */
const holdMs = 3 * readEveryMs

type Reading = Pick<Context, 'db' | 'metrics' | 'config'>

/**
 * One worker of the cell reads these metrics from the database, so a scrape costs no query, however many processes there are. A
 * worker that does not have the work, or cannot read, reports none of them: an alert on absence fires, one on an old value would not.
 */
export function startCellMetrics(ctx: Context): WakeWatch {
  const lease = createLease(ctx.db.write, 'cell_metrics', holdMs)
  const watch = ctx.wakeups.onWake('metrics', readEveryMs, async () => {
    try {
      if (await lease.hold()) await readCell(ctx)
      else clearCell(ctx.metrics)
    } catch (error) {
      clearCell(ctx.metrics)
      throw error
    }
  })
  const stop = async () => {
    await watch.stop()
    clearCell(ctx.metrics)
    await lease.release().catch(() => undefined) // It ends by itself.
  }
  return { ...watch, stop }
}

/** Reads everything first: between clearing and setting no scrape can come. */
export async function readCell({ db, metrics, config }: Reading): Promise<void> {
  const startedAt = performance.now()
  const parts = [
    await showOpen(db.write, metrics),
    await showLanes(db.write, metrics),
    await showWebhooks(db.write, metrics),
    await showFloats(db.write, metrics),
    await showSuspense(db.write, metrics),
    await showLags(db.write, metrics, config.natsUrl !== undefined),
    await showCommands(db.write, metrics),
    await showMonths(db.write, metrics, config),
  ]
  clearCell(metrics)
  for (const show of parts) show()
  metrics.stateRead.set(Date.now() / 1000)
  metrics.stateReadDuration.set((performance.now() - startedAt) / 1000)
}

type Show = () => void

async function showOpen(db: Db, metrics: Metrics): Promise<Show> {
  const groups = await openGroups(db)
  const inDoubt = groups
    .filter(({ state, doubt }) => doubt !== '' || state === 'unknown')
    .map((group) => ({ ...group, reason: group.doubt || 'unknown' }))
  return () => {
    for (const { env, provider, type, state, payments, due } of groups) {
      metrics.openPayments.inc({ env, provider, type, state }, payments)
      metrics.laneDue.inc({ env, provider }, due)
    }
    for (const { env, provider, reason, payments } of inDoubt)
      metrics.doubtPayments.inc({ env, provider, reason }, payments)
    const ages = groups.map(({ env, provider, type, state, oldest_seconds: value }) => {
      return { labels: { env, provider, type, state }, value }
    })
    setHighest(metrics.openOldest, ages)
    const waits = groups.map(({ env, provider, oldest_due_seconds }) => {
      return { labels: { env, provider }, value: oldest_due_seconds ?? 0 }
    })
    setHighest(metrics.laneOldestDue, waits)
    const doubts = inDoubt.map(({ env, provider, reason, oldest_seconds: value }) => {
      return { labels: { env, provider, reason }, value }
    })
    setHighest(metrics.doubtOldest, doubts)
  }
}

/** The rows of a lane are its own, `env/provider`, and those of operations with a limit, `env/provider/operation`. */
async function showLanes(db: Db, metrics: Metrics): Promise<Show> {
  const rows = await laneRows(db)
  return () => {
    for (const { lane, budget, is_paused, is_unhealthy } of rows) {
      const [env = '', provider = '', operation] = lane.split('/')
      metrics.laneBudget.set({ env, provider, operation: operation ?? 'all' }, budget)
      if (operation !== undefined) continue
      metrics.providerPaused.set({ env, provider }, Number(is_paused))
      metrics.providerUnhealthy.set({ env, provider }, Number(is_unhealthy))
    }
  }
}

async function showWebhooks(db: Db, metrics: Metrics): Promise<Show> {
  const rows = await webhookState(db)
  return () => {
    for (const { env, waiting, oldest_due_seconds, failing, disabled } of rows) {
      metrics.webhooksWaiting.set({ env }, waiting)
      metrics.webhookOldestDue.set({ env }, oldest_due_seconds ?? 0)
      metrics.webhookEndpoints.set({ env, state: 'failing' }, failing)
      metrics.webhookEndpoints.set({ env, state: 'disabled' }, disabled)
    }
  }
}

async function showFloats(db: Db, metrics: Metrics): Promise<Show> {
  const levels = await floatLevels(db)
  return () => {
    for (const { env, provider, country, currency, amount, mark } of levels) {
      const labels = { env, provider, country, currency }
      metrics.floatBalance.set(labels, major(amount, currency))
      if (mark !== null) metrics.floatBelowMark.set(labels, Number(amount < mark))
    }
  }
}

async function showSuspense(db: Db, metrics: Metrics): Promise<Show> {
  const groups = await caseGroups(db)
  return () => {
    for (const env of ['live', 'sandbox']) metrics.suspenseOldest.set({ env }, 0)
    for (const { env, provider, kind, currency, cases, amount } of groups) {
      metrics.suspenseCases.inc({ env, provider, kind }, cases)
      metrics.suspenseAmount.inc({ env, currency }, major(amount, currency))
    }
    const ages = groups.map(({ env, oldest_seconds: value }) => ({ labels: { env }, value }))
    setHighest(metrics.suspenseOldest, ages)
  }
}

async function showLags(db: Db, metrics: Metrics, hasStream: boolean): Promise<Show> {
  const found = await lags(db)
  return () => {
    if (!found) return
    metrics.ledgerUnsealed.set(Math.max(0, found.unsealed_seconds ?? 0))
    if (hasStream) metrics.relayLag.set(Math.max(0, found.relay_seconds ?? 0))
    if (found.archived_at !== null) metrics.walArchived.set(found.archived_at)
    metrics.walFailing.set(Number(found.is_archive_failing))
  }
}

async function showCommands(db: Db, metrics: Metrics): Promise<Show> {
  const results = await commandResults(db)
  return () => {
    for (const { name, ended_at, is_good } of results) {
      if (name === 'backup' && is_good) metrics.backupTime.set(ended_at)
      if (name === 'ledger_check') metrics.ledgerChecked.set(ended_at)
    }
    const checks = results.filter(({ name }) => name !== 'backup')
    if (checks.length > 0) metrics.ledgerDifferences.set(Number(checks.some(({ is_good }) => !is_good)))
  }
}

async function showMonths(db: Db, metrics: Metrics, days: RetentionDays): Promise<Show> {
  const months = await oldMonths(db, days)
  return () => {
    for (const table of emptiedTables) metrics.monthsOverdue.set({ table }, 0)
    for (const { parent: table } of months) metrics.monthsOverdue.inc({ table })
  }
}

const major = (minor: bigint, currency: string) => (isCurrency(currency) ? Number(formatMinor(minor, currency)) : 0)

interface Gauged<Labels> {
  readonly labels: Labels
  readonly value: number
}

/** Several groups share a series, which has the highest of their values. */
function setHighest<Name extends string>(gauge: Gauge<Name>, rows: readonly Gauged<Record<Name, string>>[]): void {
  const sorted = rows.toSorted((left, right) => left.value - right.value)
  for (const { labels, value } of sorted) gauge.set(labels, value)
}
