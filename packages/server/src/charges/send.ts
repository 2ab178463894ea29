import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Given, type Sent, send, settleSent } from '../payments/dispatch/dispatch.ts'
import { takeTurn } from '../payments/dispatch/lane-budget.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import type { Payment, Transaction } from '../payments/model/store.ts'
import type { News } from '../payments/resolve/decision.ts'
import { type Owner, sql } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'

/** The caller waits this long for the customer's next step; the call to the provider may go on. */
export const answerWithinMs = 8000

/**
 * What is sent from a request counts in the provider's lane, and does not pass it by when it is paused or has too much to
 * do. Of a frozen merchant nothing is sent.
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
  /** Started before the payment was promised or claimed. */
  readonly elapsedMs: () => number
  readonly given?: Given
  /** What becomes of news that came while the caller waited. */
  readonly inTime?: (news: News) => News
  /** Told where the charge stands once that is settled, in time or not. */
  readonly settled?: (charge: Transaction | undefined) => Promise<void>
}

/**
 * Sends a charge from this very request and has the outcome settled. Gives where it stands then; nothing when the provider
 * has not answered while the caller waits: what it says later is settled all the same.
 */
export async function sendNow(ctx: Context, sending: Sending): Promise<Transaction | undefined> {
  const { payment, elapsedMs, given, inTime = (news) => news, settled } = sending
  const finish = async (sent: Sent | undefined) => {
    const charge = sent && (await settleSent(ctx, payment, sent, 'attempt'))
    await settled?.(charge)
    return charge
  }
  const leave = (err: unknown) => {
    const transactionId = showId('transaction', payment.transaction.id)
    ctx.log.warn({ err, transactionId }, 'a charge is left to its lane')
    return undefined
  }
  const work = send(ctx, payment, elapsedMs, given)
  const { env, merchant_id } = payment.transaction
  const sent = await ctx.limiter.outside(env, merchant_id, whileTheCallerWaits(work)).catch(leave)
  if (sent !== tooLate) return finish(sent && { ...sent, news: inTime(sent.news) }).catch(leave)
  void work.then(finish).catch(leave)
  return undefined
}

export const tooLate = Symbol('the caller has been answered')

/**
 * The work's result, or `tooLate` when the caller must be answered without it. The clock ends with the work: it holds the
 * result for as long as it runs, and that may hold a card.
 */
export async function whileTheCallerWaits<Value>(work: Promise<Value>): Promise<Value | typeof tooLate> {
  const patience = new AbortController()
  const late = pause(answerWithinMs, tooLate, { ref: false, signal: patience.signal })
  return Promise.race([work, late]).finally(() => patience.abort())
}
