import type { Context } from '../context.ts'
import { foldDeltas } from '../ledger/deltas.ts'
import type { Watch } from '../platform/bell.ts'
import { attachPartitions } from '../platform/partitions.ts'
import { keepSeals } from './seal-keeper.ts'

const attachEveryMs = 10 * 60_000
const foldEveryMs = 1000
const sealEveryMs = 60_000

/** What goes on without anybody asking. Each watch works alone and may run in any number of processes. */
export function startWorker(ctx: Context): Watch[] {
  return [
    ctx.bell.onRing('partitions', attachEveryMs, () => attachPartitions(ctx.db.write)),
    ctx.bell.onRing('deltas', foldEveryMs, () => foldDeltas(ctx.db.write)),
    ctx.bell.onRing('seals', sealEveryMs, () => keepSeals(ctx)),
  ]
}
