import { forgetTries } from '../charges/velocity.ts'
import type { Context } from '../context.ts'
import { createRelay } from '../events/relay.ts'
import { foldDeltas } from '../ledger/deltas.ts'
import { dropExpiredContinuations } from '../payments/dispatch/continuations.ts'
import { dropOldCallbacks } from '../payments/resolve/callback-log.ts'
import { forgetCommits } from '../platform/batch.ts'
import type { Db } from '../platform/db.ts'
import { openStream } from '../platform/stream.ts'
import type { Watch } from '../platform/wakeups.ts'
import { forgetStanding } from '../scenarios/armed.ts'
import { sweepEndpoints } from '../webhooks/sweep.ts'
import { startDeliveries } from './deliveries.ts'
import { startLanes } from './lanes.ts'
import { lookAtPaidAccounts } from './paid-accounts.ts'
import { keepRates } from './rate-keeper.ts'
import { keepSeals } from './seal-keeper.ts'

const foldEveryMs = 1000
const sealEveryMs = 60_000
const rateEveryMs = 60_000
const relayEveryMs = 1000
const forgetEveryMs = 30_000
const commitsEveryMs = 10 * 60_000
const accountEveryMs = 10_000
const dropEveryMs = 3_600_000
const endpointEveryMs = 5 * 60_000

/** What goes on without anybody asking. Each watch works alone and may run in any number of processes. */
export function startWorker(ctx: Context): Watch[] {
  return [
    ...startLanes(ctx),
    startDeliveries(ctx),
    ...startRelay(ctx),
    ctx.bell.onRing('deltas', foldEveryMs, () => foldDeltas(ctx.db.write)),
    ctx.bell.onRing('rates', rateEveryMs, () => keepRates(ctx)),
    ctx.bell.onRing('forget', forgetEveryMs, () => forget(ctx.db.write)),
    ctx.bell.onRing('commits', commitsEveryMs, () => forgetCommits(ctx.db.write)),
    ctx.bell.onRing('callbacks', dropEveryMs, () => dropOldCallbacks(ctx.db.write)),
    ctx.bell.onRing('accounts', accountEveryMs, () => lookAtPaidAccounts(ctx)),
    ctx.bell.onRing('endpoints', endpointEveryMs, () => sweep(ctx)),
    ctx.bell.onRing('seals', sealEveryMs, () => keepSeals(ctx)),
  ]
}

/** What is kept for a while and no longer. */
async function forget(db: Db): Promise<void> {
  await dropExpiredContinuations(db)
  await forgetTries(db)
  await forgetStanding(db)
}

async function sweep({ db, log }: Context): Promise<void> {
  const endpoints = await sweepEndpoints(db.write)
  if (endpoints > 0) log.warn({ endpoints }, 'overdue webhook records found')
}

/** Without a NATS there is nobody to tell; what happened waits in its table until there is. */
function startRelay(ctx: Context): Watch[] {
  const { config } = ctx
  if (config.natsUrl === undefined) return []
  const { cell, natsReplicas: replicas } = config
  const stream = openStream({ url: config.natsUrl.reveal(), access: config, replicas, cell })
  const relay = createRelay(ctx.db.write, stream)
  const watch = ctx.bell.onRing('relay', relayEveryMs, () => relay.look())
  const stop = async () => {
    await watch.stop()
    await stream.close()
  }
  return [{ stop }]
}
