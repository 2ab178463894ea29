import { forgetTries } from '../charges/velocity.ts'
import type { Context } from '../context.ts'
import { createRelay } from '../events/relay.ts'
import { foldDeltas } from '../ledger/deltas.ts'
import { forgetDays } from '../payments/controls/day-counts.ts'
import { dropExpiredContinuations } from '../payments/dispatch/continuations.ts'
import { expireApprovals } from '../payouts/approve.ts'
import { forgetCommits } from '../platform/batch.ts'
import type { Db } from '../platform/db.ts'
import { openStream } from '../platform/stream.ts'
import type { Watch } from '../platform/wakeups.ts'
import { forgetArmed } from '../scenarios/armed.ts'
import { sweepEndpoints } from '../webhooks/sweep.ts'
import { startCellMetrics } from './cell-metrics.ts'
import { startDayKeeper } from './day-keeper.ts'
import { startDeliveries } from './deliveries.ts'
import { startLanes } from './lanes.ts'
import { startLookupKeeper } from './lookup-keeper.ts'
import { pollPaidAccounts } from './paid-accounts.ts'
import { keepRates } from './rate-keeper.ts'
import { startRetentionKeeper } from './retention-keeper.ts'
import { keepSeals } from './seal-keeper.ts'

const foldEveryMs = 1000
const sealEveryMs = 60_000
const rateEveryMs = 60_000
const relayEveryMs = 1000
const forgetEveryMs = 30_000
const commitsEveryMs = 10 * 60_000
const accountEveryMs = 10_000
const approvalEveryMs = 10_000
const endpointEveryMs = 5 * 60_000

/** Starts all background work. Each watch works alone and may run in any number of processes. */
export function startWorker(ctx: Context): Watch[] {
  return [
    ...startLanes(ctx),
    startDeliveries(ctx),
    ...startRelay(ctx),
    startLookupKeeper(ctx),
    startDayKeeper(ctx),
    startCellMetrics(ctx),
    startRetentionKeeper(ctx),
    ctx.wakeups.onWake('deltas', foldEveryMs, () => foldDeltas(ctx.db.write)),
    ctx.wakeups.onWake('rates', rateEveryMs, () => keepRates(ctx)),
    ctx.wakeups.onWake('forget', forgetEveryMs, () => forget(ctx.db.write)),
    ctx.wakeups.onWake('commits', commitsEveryMs, () => forgetCommits(ctx.db.write)),
    ctx.wakeups.onWake('accounts', accountEveryMs, () => pollPaidAccounts(ctx)),
    ctx.wakeups.onWake('approvals', approvalEveryMs, () => endOverdueApprovals(ctx)),
    ctx.wakeups.onWake('endpoints', endpointEveryMs, () => sweep(ctx)),
    ctx.wakeups.onWake('seals', sealEveryMs, () => keepSeals(ctx)),
  ]
}

/** Deletes what has expired. */
async function forget(db: Db): Promise<void> {
  await dropExpiredContinuations(db)
  await forgetTries(db)
  await forgetArmed(db)
  await forgetDays(db)
}

/** One page after another, until none is overdue. */
async function endOverdueApprovals(ctx: Context): Promise<void> {
  const ended = await expireApprovals(ctx)
  if (ended > 0) await endOverdueApprovals(ctx)
}

async function sweep({ db, log }: Context): Promise<void> {
  const endpoints = await sweepEndpoints(db.write)
  if (endpoints > 0) log.warn({ endpoints }, 'overdue webhook records found')
}

/** Without NATS nothing is relayed; events wait in their table until NATS is configured. */
function startRelay(ctx: Context): Watch[] {
  const { config } = ctx
  if (config.natsUrl === undefined) return []
  const { cell, natsReplicas: replicas } = config
  const stream = openStream({ url: config.natsUrl.reveal(), access: config, replicas, cell })
  const relay = createRelay(ctx.db.write, stream)
  const watch = ctx.wakeups.onWake('relay', relayEveryMs, () => relay.poll())
  const stop = async () => {
    await watch.stop()
    await stream.close()
  }
  return [{ stop }]
}
