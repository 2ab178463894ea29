import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Given, resolveSent, type Sent, send } from '../payments/dispatch/dispatch.ts'
import { takeTurn } from '../payments/dispatch/lane-budget.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import type { Payment, Transaction } from '../payments/model/store.ts'
import type { Observation } from '../payments/resolve/decision.ts'
import { timing } from '../payments/resolve/timing.ts'
import { type Owner, sql } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'

/**
 * A charge sent by a request counts in the provider's lane, and respects its pause and its rate limit. A frozen merchant sends
 * nothing.
 */
export async function takeTurnNow({ connectors, db }: Context, owner: Owner, provider: string): Promise<void> {
  const connector = connectors[owner.env].get(provider)
  const [merchant] = await db.write.query<{ is_frozen: boolean }>(sql`
    select frozen_at is not null as is_frozen from merchants where id = ${owner.merchant_id}`)
  const lane = laneOf(owner.env, provider)
  const isOpen = connector && !merchant?.is_frozen && (await takeTurn(db.write, lane, connector))
  if (!isOpen) throw new AppError('PROVIDER_UNAVAILABLE')
}

interface Sending {
  readonly payment: Payment
  /** Started before the payment was accepted or claimed. */
  readonly elapsedMs: () => number
  readonly given?: Given
  /** Maps an observation that arrived while the caller waited. */
  readonly inTime?: (observation: Observation) => Observation
  /** Called with the charge once its observation is resolved, in time or late. */
  readonly settled?: (charge: Transaction | undefined) => Promise<void>
}

/**
 * Sends a charge from its own request and resolves the outcome. Returns the charge as it is then, or nothing when the provider
 * has not responded while the caller waits. A later response is still resolved.
 */
export async function sendNow(ctx: Context, sending: Sending): Promise<Transaction | undefined> {
  const { payment, elapsedMs, given, inTime = (observation) => observation, settled } = sending
  const finish = async (sent: Sent | undefined) => {
    const charge = sent && (await resolveSent(ctx, payment, sent, 'attempt'))
    await settled?.(charge)
    return charge
  }
  const leave = (err: unknown) => {
    const transactionId = showId('transaction', payment.transaction.id)
    ctx.log.warn({ err, transactionId }, 'charge left to its lane')
    return undefined
  }
  const work = send(ctx, payment, elapsedMs, given)
  const { env, merchant_id } = payment.transaction
  const sent = await ctx.limiter.outside(env, merchant_id, whileTheCallerWaits(work)).catch(leave)
  if (sent !== tooLate) return finish(sent && { ...sent, observation: inTime(sent.observation) }).catch(leave)
  void work.then(finish).catch(leave)
  return undefined
}

export const tooLate = Symbol('the response was already sent')

/**
 * The work's result, or `tooLate` when the caller gets its response without it. The timer ends with the work: a running timer
 * keeps the result in memory, and the result may hold a card.
 */
export async function whileTheCallerWaits<Value>(work: Promise<Value>): Promise<Value | typeof tooLate> {
  const patience = new AbortController()
  const late = pause(timing.callerWaitMs, tooLate, { ref: false, signal: patience.signal })
  return Promise.race([work, late]).finally(() => patience.abort())
}
