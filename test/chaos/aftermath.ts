import { until } from '../../packages/server/src/dev-stack/until.ts'
import type { Site } from './site.ts'

/** How the clocks were moved after the load stopped. */
export interface Aftermath {
  readonly realSeconds: number
  readonly movedSeconds: number
  /** Payments still open, and events not delivered, after all the time they could need. */
  readonly unfinished: readonly string[]
  /** Payments still in doubt, with the reason. */
  readonly inDoubt: readonly { readonly id: string; readonly doubt: string }[]
}

const dueMs = 30_000
const minute = 60_000
/** Small steps through the query schedule and the providers' windows, then steps past the expiry of a card and of an account. */
const steps = [
  ...Array<number>(10).fill(minute),
  ...Array<number>(4).fill(10 * minute),
  60 * minute,
  60 * minute,
  26 * 60 * minute,
]
const lastSteps = [
  ...Array<number>(6).fill(minute),
  ...Array<number>(5).fill(30 * minute),
  ...Array<number>(8).fill(6 * 60 * minute),
]

/** Real time first: every payment that is not in doubt ends within it. */
export async function waitForPayments(site: Site, quietMs: number): Promise<number> {
  const startedAt = performance.now()
  const isDone = async () => (await countOf(site, inMotion)) === 0
  await until('payments to end', isDone, { timeoutMs: quietMs }).catch(() => undefined)
  return (performance.now() - startedAt) / 1000
}

/** Then moves the clocks of the database and of the simulator, only while nothing is due, until every payment has ended. */
export async function letTimePass(site: Site): Promise<Aftermath> {
  const startedAt = performance.now()
  let movedMs = 0
  const move = async (ms: number) => {
    await untilNothingIsDue(site)
    await site.simulatorControl().advance(ms)
    await site.ask(`update clock_offset set ahead = ahead + make_interval(secs => $1)`, [ms / 1000])
    await site.ask(`select attach_timer_hours(24, 6)`)
    movedMs += ms
  }
  const isAny = async (...what: string[]) => {
    for (const each of what) if ((await countOf(site, each)) > 0) return true
    return false
  }
  for (const step of steps) if (await isAny(open, paidAccounts)) await move(step)
  await untilNothingIsDue(site)
  for (const step of lastSteps) if (await isAny(undelivered, paidAccounts)) await move(step)
  await until('webhooks to be delivered', async () => (await countOf(site, undelivered)) === 0, {
    timeoutMs: dueMs,
  }).catch(() => undefined)
  return {
    realSeconds: (performance.now() - startedAt) / 1000,
    movedSeconds: movedMs / 1000,
    unfinished: await unfinishedOf(site),
    inDoubt: await site.ask<{ id: string; doubt: string }>(`select id, doubt from ${open} and doubt <> '' order by id`),
  }
}

const open = `transactions where state not in ('successful', 'failed')`
const inMotion = `${open} and state <> 'waiting' and doubt = ''`
/** A refund that waits for an earlier one is due when that has ended. */
const overdue = `${open} and wake_at <= record_time() and doubt <> 'earlier_refund'`
/** Accounts of paid charges, which get one last query. */
const paidAccounts = 'paid_accounts'
const undelivered = `webhook_records where status <> 'SUCCESS'`

async function countOf(site: Site, what: string): Promise<number> {
  const [row] = await site.ask<{ count: number }>(`select count(*)::int as count from ${what}`)
  return row?.count ?? 0
}

/** The sweeper runs every ten seconds and takes payments a minute late: the clock was moved past their timers. */
async function untilNothingIsDue(site: Site): Promise<void> {
  const isDone = async () =>
    (await countOf(site, overdue)) === 0 && (await countOf(site, `${paidAccounts} where due <= record_time()`)) === 0
  await until('everything due to be done', isDone, { timeoutMs: dueMs }).catch(() => undefined)
}

async function unfinishedOf(site: Site): Promise<string[]> {
  const payments = await site.ask<{ id: string; state: string; doubt: string; wake_at: Date | null }>(
    `select id, state, doubt, wake_at from ${open} and doubt = '' order by id limit 50`,
  )
  const hooks = await site.ask<{ id: string; attempts: number; response: unknown }>(
    `select id, attempts, response from ${undelivered} order by id limit 50`,
  )
  return [
    ...payments.map(
      ({ id, state, wake_at }) =>
        `payment ${id} is ${state} without a reason for doubt, next poll at ${wake_at?.toISOString()}`,
    ),
    ...hooks.map(
      ({ id, attempts, response }) =>
        `webhook ${id} was not accepted in ${attempts} attempts: ${JSON.stringify(response)}`,
    ),
  ]
}
