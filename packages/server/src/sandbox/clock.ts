import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { pullWebhooks } from '../events/pull.ts'
import { areBeingSent, pullEnds, pullWakes } from '../payments/dispatch/fast-forward.ts'
import { pullAccounts } from '../payments/dispatch/paid-accounts.ts'
import type { Owner } from '../platform/db.ts'
import { createSemaphore } from '../platform/semaphore.ts'
import { createTurns } from '../platform/turns.ts'
import { createWaitingLimit } from '../platform/waiting-limit.ts'

/** From a second to thirty days. */
export const secondsMax = 30 * 24 * 3600

const looksMax = 60
const lookEveryMs = 50

/** How much was waiting, and waits for less now. */
export interface Pulled {
  readonly payments: number
  readonly webhooks: number
}

/**
 * Lets time pass for one merchant of the sandbox: what it waits for comes that much sooner, and what is due by then is done at
 * once, by the workers that would have done it later. So does what providers are still to do with the scenarios it plays. No
 * clock is moved, so nobody else notices.
 */
export async function advanceClock(ctx: Context, owner: Owner, seconds: number): Promise<Pulled> {
  if (owner.env !== 'sandbox') throw new AppError('SANDBOX_ONLY')
  const { merchant_id } = owner
  return limited(merchant_id, async () => {
    await sendingEnds(ctx, owner)
    return inTurn(merchant_id, () => fewAtOnce(() => advance(ctx, owner, seconds)))
  })
}

/** Requests of one merchant that are worked on or wait. */
const limited = createWaitingLimit(8)
const inTurn = createTurns()
/** Each uses a connection for writing, which live payments need too. */
const fewAtOnce = createSemaphore(2)

async function advance(ctx: Context, owner: Owner, seconds: number): Promise<Pulled> {
  const { write } = ctx.db
  const { payments, lanes } = await pullEnds(write, owner, seconds * 1000)
  // Before they are asked about: what their provider ends by then is to be found ended.
  const isPassed = await ctx.simulator?.passTime(owner.merchant_id, seconds * 1000)
  if (isPassed === false) ctx.log.warn('simulator unreachable: time did not pass for the scenarios of a merchant')
  await pullWakes(write, owner, seconds * 1000)
  const webhooks = await pullWebhooks(write, owner, seconds * 1000)
  await pullAccounts(write, owner, seconds)
  for (const topic of [...lanes, 'webhooks', 'accounts']) ctx.bell.ring(topic)
  return { payments, webhooks }
}

/** No time can pass at a provider for what it has not got yet. Without a worker nothing is sent, so nobody waits long for that. */
async function sendingEnds({ db }: Context, owner: Owner): Promise<void> {
  for (let looks = 0; looks < looksMax && (await areBeingSent(db.write, owner)); looks += 1) await pause(lookEveryMs)
}
