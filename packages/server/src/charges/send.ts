import { setTimeout as pause } from 'node:timers/promises'
import { laneOf } from '../alarms/alarms.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Owner } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { takeTurn } from '../transactions/claim.ts'
import type { News } from '../transactions/decision.ts'
import { type Given, type Sent, send, settleSent } from '../transactions/dispatch.ts'
import type { Payment, Transaction } from '../transactions/store.ts'

/** The caller waits this long for the customer's next step; the call to the provider may go on. */
export const answerWithinMs = 8000

/** What is sent from a request counts in the provider's lane, and does not pass it by when it is paused. */
export async function waitForTurn({ connectors, db }: Context, { env }: Owner, provider: string): Promise<void> {
  const connector = connectors[env].get(provider)
  if (connector && (await takeTurn(db.write, laneOf(env, provider), connector.requestsPerSecond))) return
  throw new AppError('PROVIDER_UNAVAILABLE')
}

interface Sending {
  readonly payment: Payment
  /** Started before the payment was promised or claimed. */
  readonly elapsedMs: () => number
  readonly given?: Given
  /** What becomes of news that came when the caller had gone. */
  readonly late?: (news: News) => News
}

/**
 * Sends a charge from this very request and has the outcome settled. Gives where it stands then; nothing when the provider
 * has not answered while the caller waits: what it says later is settled all the same.
 */
export async function sendNow(
  ctx: Context,
  { payment, elapsedMs, given, late }: Sending,
): Promise<Transaction | undefined> {
  const settled = (sent: Sent | undefined) => (sent ? settleSent(ctx, payment, sent, 'attempt') : undefined)
  const leave = (err: unknown) => {
    const transactionId = showId('transaction', payment.transaction.id)
    ctx.log.warn({ err, transactionId }, 'a charge is left to its lane')
    return undefined
  }
  const sending = send(ctx, payment, elapsedMs, given)
  const inTime = await whileTheCallerWaits(sending).catch(leave)
  if (inTime !== tooLate) return await settled(inTime)?.catch(leave)
  void sending.then((sent) => settled(sent && late ? { ...sent, news: late(sent.news) } : sent)).catch(leave)
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
