import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { isFinal, publicStatus } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { Observation } from '../payments/resolve/decision.ts'
import { type Owner, sql } from '../platform/db.ts'
import { providerKeyOf, showId } from '../platform/ids.ts'
import { createWaitingLimit } from '../platform/waiting-limit.ts'
import { findById, findTransaction } from '../transactions/read.ts'

export type Input = 'successful' | 'failed' | 'pending'

const waitMs = 5000
/** The pause between polls doubles from the first to the longest. */
const firstPauseMs = 50
const pauseMaxMs = 800

/** Concurrent calls per merchant. */
const limited = createWaitingLimit(10)

/**
 * Ends a pending sandbox payment through the simulator, with its money and its webhook. A payment that has ended, or should stay
 * pending, is only announced again. Returns the id of the merchant's notification, if it was in time.
 */
export async function simulateWebhook(
  ctx: Context,
  owner: Owner,
  reference: string,
  input: Input,
): Promise<string | undefined> {
  const transaction = await findTransaction(ctx.db.read, owner, reference)
  if (!transaction) throw new AppError('TRANSACTION_MISSING')
  return limited(owner.merchant_id, () => simulate(ctx, owner, transaction, input))
}

async function simulate(
  ctx: Context,
  owner: Owner,
  transaction: Transaction,
  input: Input,
): Promise<string | undefined> {
  const giveUpAt = performance.now() + waitMs
  if (input === 'pending' || isFinal(transaction.state)) await settle(ctx, transaction, { kind: 'announce' })
  else await bringTo(ctx, owner, transaction, input, giveUpAt)
  for (const wait = pausesOf(ctx, owner); performance.now() < giveUpAt; await wait()) {
    const notified = await notifiedSince(ctx, owner, transaction, input)
    if (notified !== undefined) return showId('webhook', notified)
  }
  return undefined
}

function pausesOf({ limiter }: Context, { merchant_id }: Owner): () => Promise<void> {
  let pauseMs = firstPauseMs
  return () => {
    const paused = limiter.outside('sandbox', merchant_id, pause(pauseMs))
    pauseMs = Math.min(2 * pauseMs, pauseMaxMs)
    return paused
  }
}

function settle(ctx: Context, { id: transaction_id }: Transaction, observation: Observation) {
  return ctx.resolver.submit({ transaction_id, attempt: undefined, cause: 'request', observation })
}

/** Makes the simulator act as the customer, or as the recipient's bank, and then queries the provider at once. */
async function bringTo(ctx: Context, owner: Owner, first: Transaction, input: Input, giveUpAt: number): Promise<void> {
  const action = input === 'successful' ? 'approve' : 'decline'
  let current: Transaction | undefined = first
  const wait = pausesOf(ctx, owner)
  while (current && !isFinal(current.state) && performance.now() < giveUpAt) {
    const { id, attempt, env, provider } = current
    if (await ctx.simulator?.act(providerKeyOf(id, attempt), action)) {
      await settle(ctx, current, { kind: 'hint' })
      ctx.wakeups.wake(laneOf(env, provider))
    }
    await wait()
    current = await findById(ctx.db.read, owner, first.id)
  }
}

/** The merchant's newest notification, if it came after the start and has the requested status. */
async function notifiedSince(
  ctx: Context,
  owner: Owner,
  before: Transaction,
  input: Input,
): Promise<string | undefined> {
  const [row] = await ctx.db.read.query<{ id: string; state: Transaction['state'] }>(
    owner,
    sql`
      select id, state
      from events
      where transaction_id = ${before.id}
        and sequence > ${before.notified}
      order by number desc
      limit 1`,
  )
  const isRequested = row && (isFinal(before.state) || publicStatus[row.state] === input)
  return isRequested ? row.id : undefined
}
