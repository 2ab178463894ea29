import { setTimeout as pause } from 'node:timers/promises'
import { laneOf } from '../alarms/alarms.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { type KeyedRequest, keepAnswer } from '../idempotency/keys.ts'
import { startWatch } from '../platform/clock.ts'
import type { Owner } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { outcomeOf, type Replay, replayOf } from '../transactions/answer.ts'
import { takeTurn } from '../transactions/claim.ts'
import type { News } from '../transactions/decide.ts'
import { ask, type Codes, send } from '../transactions/dispatch.ts'
import { presentAction } from '../transactions/present.ts'
import { findById } from '../transactions/read.ts'
import { publicStatus } from '../transactions/state.ts'
import type { Payment, Transaction } from '../transactions/store.ts'
import { type MomoChargeBody, proposeMomoCharge } from './propose.ts'

interface StartedCharge {
  readonly success: true
  readonly message: string
  readonly transactionId: string
  readonly status: string
  readonly nextAction: ReturnType<typeof presentAction>
}

type Started = { readonly answer: StartedCharge; readonly isReplay: boolean }

/** The caller waits this long for the customer's next step; the call itself may go on. */
const answerWithinMs = 8000
const askEveryMs = 300

/**
 * Starts a mobile money charge. A prompt is sent by the provider's lane; what needs a code the customer has got, or a page
 * to send the customer to, is sent at once, because codes are kept nowhere and the page is what the caller waits for.
 */
export async function chargeMomo(
  ctx: Context,
  owner: Owner,
  body: MomoChargeBody,
  sentKey: KeyedRequest | undefined,
): Promise<Started> {
  const keyed = sentKey && withoutCodes(sentKey, body)
  const before = await replayOf(ctx, owner, keyed)
  if (before) return { answer: await answerAgain(ctx, owner, before), isReplay: true }
  const { proposal, codes } = await proposeMomoCharge(ctx, owner, body, keyed)
  const isSentHere = proposal.sent_by === 'request'
  if (isSentHere) await waitForTurn(ctx, owner, proposal.provider)
  const elapsedMs = startWatch()
  const answerOf = isSentHere ? undefined : (id: string) => answerFor(ctx, { ...proposal, id, state: 'accepted' })
  const outcome = outcomeOf(await ctx.acceptor.submit({ ...proposal, answerOf }))
  if (outcome.isReplay) return { answer: await answerAgain(ctx, owner, outcome), isReplay: true }
  if (isSentHere) return { answer: await sendAndAnswer(ctx, outcome, elapsedMs, codes, keyed), isReplay: false }
  ctx.bell.ring(laneOf(owner.env, proposal.provider))
  return { answer: answerFor(ctx, outcome.transaction), isReplay: false }
}

/** A key's fingerprint covers the request without what must not be kept. */
function withoutCodes(keyed: KeyedRequest, body: MomoChargeBody): KeyedRequest {
  const { otpCode: _, voucherPin: __, ...asked } = body
  return { ...keyed, asked }
}

/** What is sent from a request counts in the provider's lane, and does not pass it by when it is paused. */
async function waitForTurn({ connectors, db }: Context, { env }: Owner, provider: string): Promise<void> {
  const connector = connectors[env].get(provider)
  if (connector && (await takeTurn(db.write, laneOf(env, provider), connector.requestsPerSecond))) return
  throw new AppError('PROVIDER_UNAVAILABLE')
}

function answerFor(ctx: Context, transaction: Pick<Transaction, 'id' | 'state' | 'action' | 'code'>): StartedCharge {
  return {
    success: true,
    message: 'Initiated request.',
    transactionId: showId('transaction', transaction.id),
    status: publicStatus[transaction.state].toUpperCase(),
    nextAction: presentAction(ctx.reference, transaction),
  }
}

/** What was answered before; while that is not known, where the charge stands, unless it is only just being sent. */
async function answerAgain(ctx: Context, owner: Owner, { answer, transactionId }: Replay): Promise<StartedCharge> {
  if (answer) return answer as StartedCharge
  const transaction = transactionId ? await findById(ctx.db.read, owner, transactionId) : undefined
  if (!transaction || transaction.state === 'sending') throw new AppError('IDEMPOTENCY_KEY_IN_PROGRESS')
  return answerFor(ctx, transaction)
}

async function sendAndAnswer(
  ctx: Context,
  payment: Payment,
  elapsedMs: () => number,
  codes: Codes,
  keyed: KeyedRequest | undefined,
): Promise<StartedCharge> {
  const { transaction } = payment
  const sent = sendNow(ctx, payment, elapsedMs, codes)
  const standing = await Promise.race([sent, pause(answerWithinMs, undefined, { ref: false })])
  const answer = answerFor(ctx, standing ?? { ...transaction, state: 'unknown' })
  if (keyed) await keepAnswer(ctx.db.write, transaction, keyed.key, answer)
  return answer
}

/** Sends a charge from this very request, and asks until the customer's page is known where there is one. Never throws. */
async function sendNow(
  ctx: Context,
  payment: Payment,
  elapsedMs: () => number,
  codes: Codes,
): Promise<Transaction | undefined> {
  const { id: transaction_id, wallet_id, code } = payment.transaction
  const attempt = payment.attempt.number
  const settle = async (news: News | undefined, cause: 'attempt' | 'query') =>
    news && (await ctx.settler.submit({ transaction_id, wallet_id, attempt, cause, news }))?.transaction
  try {
    const standing = await settle(await send(ctx, payment, elapsedMs, codes), 'attempt')
    const hasPage = ctx.reference.operators.get(code)?.auth_type === 'REDIRECT'
    if (!hasPage || standing?.state !== 'submitted') return standing
    return (await settle(await untilPageIsKnown(ctx, payment), 'query')) ?? standing
  } catch (err) {
    ctx.log.warn({ err, transactionId: showId('transaction', transaction_id) }, 'a charge is left to its lane')
    return undefined
  }
}

/** Asks while the provider only says that it has the charge, for as long as the caller waits. */
async function untilPageIsKnown(ctx: Context, payment: Payment): Promise<News | undefined> {
  const askUntil = performance.now() + answerWithinMs
  while (performance.now() < askUntil) {
    await pause(askEveryMs)
    const news = await ask(ctx, payment)
    if (news.kind === 'said' && news.said.state !== 'submitted') return news
  }
  return undefined
}
