import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { isFinal, publicStatus } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { News } from '../payments/resolve/decision.ts'
import { type Owner, sql } from '../platform/db.ts'
import { providerKeyOf, showId } from '../platform/ids.ts'
import { createWaitingLimit } from '../platform/waiting-limit.ts'
import { findById, findTransaction } from '../transactions/read.ts'

export type Wish = 'successful' | 'failed' | 'pending'

const waitMs = 5000
/** How long it waits before it looks again: more and more. */
const firstPauseMs = 50
const pauseMaxMs = 800

/** Calls of one merchant at a time. */
const limited = createWaitingLimit(10)

/**
 * Brings a pending sandbox payment to an end through the simulator, with its money and its webhook; one that has ended, or
 * should stay pending, is only told of again. Gives the id of what the merchant was told, if that was in time.
 */
export async function simulateWebhook(
  ctx: Context,
  owner: Owner,
  reference: string,
  wish: Wish,
): Promise<string | undefined> {
  const transaction = await findTransaction(ctx.db.read, owner, reference)
  if (!transaction) throw new AppError('TRANSACTION_MISSING')
  return limited(owner.merchant_id, () => simulate(ctx, owner, transaction, wish))
}

async function simulate(ctx: Context, owner: Owner, transaction: Transaction, wish: Wish): Promise<string | undefined> {
  const giveUpAt = performance.now() + waitMs
  if (wish === 'pending' || isFinal(transaction.state)) await settle(ctx, transaction, { kind: 'announce' })
  else await bringTo(ctx, owner, transaction, wish, giveUpAt)
  for (const wait = pausesOf(ctx, owner); performance.now() < giveUpAt; await wait()) {
    const told = await toldSince(ctx, owner, transaction, wish)
    if (told !== undefined) return showId('webhook', told)
  }
  return undefined
}

/** Each is twice as long as the one before. */
function pausesOf({ limiter }: Context, { merchant_id }: Owner): () => Promise<void> {
  let pauseMs = firstPauseMs
  return () => {
    const paused = limiter.outside('sandbox', merchant_id, pause(pauseMs))
    pauseMs = Math.min(2 * pauseMs, pauseMaxMs)
    return paused
  }
}

function settle(ctx: Context, { id: transaction_id }: Transaction, news: News) {
  return ctx.settler.submit({ transaction_id, attempt: undefined, cause: 'request', news })
}

/** The simulator is told what the customer, or the recipient's bank, does; then the provider is asked at once. */
async function bringTo(ctx: Context, owner: Owner, first: Transaction, wish: Wish, giveUpAt: number): Promise<void> {
  const action = wish === 'successful' ? 'approve' : 'decline'
  let standing: Transaction | undefined = first
  const wait = pausesOf(ctx, owner)
  while (standing && !isFinal(standing.state) && performance.now() < giveUpAt) {
    const { id, attempt, env, provider } = standing
    if (await ctx.simulator?.act(providerKeyOf(id, attempt), action)) {
      await settle(ctx, standing, { kind: 'hint' })
      ctx.bell.ring(laneOf(env, provider))
    }
    await wait()
    standing = await findById(ctx.db.read, owner, first.id)
  }
}

/** The newest thing the merchant was told, if it was told after we began and says what was wished. */
async function toldSince(ctx: Context, owner: Owner, before: Transaction, wish: Wish): Promise<string | undefined> {
  const [row] = await ctx.db.read.query<{ id: string; state: Transaction['state'] }>(
    owner,
    sql`
      select id, state
      from events
      where transaction_id = ${before.id}
        and sequence > ${before.told}
      order by number desc
      limit 1`,
  )
  const isWished = row && (isFinal(before.state) || publicStatus[row.state] === wish)
  return isWished ? row.id : undefined
}
