import type { Context } from '../context.ts'
import type { Watch } from '../platform/bell.ts'
import { attachPartitions } from '../platform/partitions.ts'

const attachEveryMs = 10 * 60_000

/** What goes on without anybody asking. Each watch works alone and may run in any number of processes. */
export function startWorker(ctx: Context): Watch[] {
  return [ctx.bell.onRing('partitions', attachEveryMs, () => attachPartitions(ctx.db.write))]
}
