import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { fastForwardWebhooks } from '../events/fast-forward.ts'
import { areBeingSent, fastForwardEnds, fastForwardTimers } from '../payments/dispatch/fast-forward.ts'
import { fastForwardAccounts } from '../payments/dispatch/paid-accounts.ts'
import { timing } from '../payments/resolve/timing.ts'
import type { Owner } from '../platform/db.ts'
import { createSemaphore } from '../platform/semaphore.ts'
import { createTurns } from '../platform/turns.ts'
import { createWaitingLimit } from '../platform/waiting-limit.ts'

/** From one second to thirty days. */
export const secondsMax = 30 * 24 * 3600

/** How many payments and webhooks were waiting, and now wait for less. */
export interface FastForwarded {
  readonly payments: number
  readonly webhooks: number
}

/**
 * Advances time for one sandbox merchant: its timers are due that much sooner, and the usual workers run due work at once. The
 * simulator moves its scenarios by the same time. No clock is changed, so no other merchant is affected.
 */
export async function advanceClock(ctx: Context, owner: Owner, seconds: number): Promise<FastForwarded> {
  if (owner.env !== 'sandbox') throw new AppError('SANDBOX_ONLY')
  const { merchant_id } = owner
  return limited(merchant_id, async () => {
    await sendingEnds(ctx, owner)
    return inTurn(merchant_id, () => fewAtOnce(() => advance(ctx, owner, seconds)))
  })
}

/** Requests of one merchant that run or wait. */
const limited = createWaitingLimit(8)
const inTurn = createTurns()
/** Each uses a write connection, which live payments need too. */
const fewAtOnce = createSemaphore(2)

async function advance(ctx: Context, owner: Owner, seconds: number): Promise<FastForwarded> {
  const { write } = ctx.db
  const { payments, lanes } = await fastForwardEnds(write, owner, seconds * 1000)
  // Before the queries: a payment that its provider ends by then must be found ended.
  const isPassed = await ctx.simulator?.passTime(owner.merchant_id, seconds * 1000)
  if (isPassed === false) ctx.log.warn('simulator unreachable, scenarios not advanced')
  await fastForwardTimers(write, owner, seconds * 1000)
  const webhooks = await fastForwardWebhooks(write, owner, seconds * 1000)
  await fastForwardAccounts(write, owner, seconds)
  for (const topic of [...lanes, 'webhooks', 'accounts', 'approvals']) ctx.wakeups.wake(topic)
  return { payments, webhooks }
}

/**
 * Time cannot pass at a provider that does not have the payment yet. Without a worker nothing is being sent, so this wait is
 * short.
 */
async function sendingEnds({ db }: Context, owner: Owner): Promise<void> {
  const pollsMax = timing.sandboxSendWaitMs / timing.sandboxSendPollEveryMs
  for (let polls = 0; polls < pollsMax && (await areBeingSent(db.write, owner)); polls += 1)
    await pause(timing.sandboxSendPollEveryMs)
}
