import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { expireKeys } from '../idempotency/expire-keys.ts'
import { createLease } from '../platform/leases.ts'
import { dropOldLogDays } from '../platform/partitions.ts'
import type { Watch } from '../platform/wakeups.ts'
import { emptyMonth, type OldMonth, oldMonths } from './old-months.ts'

const runEveryMs = 60_000
/** After this without a run another worker takes over. */
const holdMs = 5 * runEveryMs
/** A month that claims of webhooks read many times a second is free between two of them. */
const triesARun = 20
const betweenTriesMs = 25

/** One worker of the cell removes what has passed its time (docs/operating/retention.md). */
export function startRetentionKeeper(ctx: Context): Watch {
  const stopping = new AbortController()
  const lease = createLease(ctx.db.write, 'retention', holdMs)
  const watch = ctx.wakeups.onWake('retention', runEveryMs, async () => {
    if (await lease.hold()) await keepRetention(ctx, stopping.signal)
  })
  return {
    stop: async () => {
      stopping.abort()
      await watch.stop()
      await lease.release().catch(() => undefined) // It ends by itself.
    },
  }
}

/** Every step runs, whatever happens to the others. Fails at its end when one failed. */
export async function keepRetention(ctx: Pick<Context, 'db' | 'config' | 'log'>, signal?: AbortSignal): Promise<void> {
  const failed: unknown[] = []
  const step = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (err) {
      ctx.log.warn({ err, what }, 'retention step failed')
      failed.push(err)
    }
  }
  await step('request_log', () => dropOldLogDays(ctx.db.write, ctx.config.requestLogDays))
  await step('idempotency_keys', () => expireKeys(ctx.db.write, signal))
  await step('old months', async () => {
    for (const old of await oldMonths(ctx.db.write, ctx.config)) await step(old.month, () => tryToEmpty(ctx, old))
  })
  if (failed.length > 0) throw new AggregateError(failed, 'retention incomplete')
}

async function tryToEmpty({ db, log }: Pick<Context, 'db' | 'log'>, old: OldMonth): Promise<void> {
  const { month } = old
  for (let tried = 0; tried < triesARun; tried += 1) {
    const outcome = await emptyMonth(db.write, old)
    if (outcome === 'emptied') log.info({ month }, 'month emptied: its rows have passed their time')
    if (outcome !== 'in use') return
    await pause(betweenTriesMs)
  }
}
