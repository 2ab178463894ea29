import type { Context } from '../context.ts'
import { emptyOldQuotes } from '../payments/accept/quotes.ts'
import { attachPartitions, dropOldHours } from '../platform/partitions.ts'
import { noteKeys } from '../platform/secret-keys.ts'
import type { Watch } from '../platform/wakeups.ts'

const keepEveryMs = 10 * 60_000

/** Runs in every process, api included: while one process of any role runs, there are partitions to write to. */
export function startPartitionKeeper(ctx: Context): Watch {
  return ctx.wakeups.onWake('partitions', keepEveryMs, async () => {
    await keepPartitions(ctx)
    await noteKeys(ctx.db.write, ctx.vault)
  })
}

/**
 * Attaches new partitions first, without waiting for old hours to be dropped. Runs again after: an hour whose detaching finished
 * may be needed again.
 */
export async function keepPartitions({ db, config, log }: Pick<Context, 'db' | 'config' | 'log'>): Promise<void> {
  await attachPartitions(db.write)
  const hours = await dropOldHours(db.write, config.databaseUrl)
  await attachPartitions(db.write)
  await emptyOldQuotes(db.write)
  if (hours > 0) log.info({ hours }, 'old timer hours not dropped: a reader holds them')
}
