import { setTimeout as pause } from 'node:timers/promises'
import { laneOf } from '../alarms/alarms.ts'
import type { Context } from '../context.ts'
import { type KeyedRequest, keepAnswer } from '../idempotency/keys.ts'
import { startWatch } from '../platform/clock.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { outcomeOf, type Replay, replayOf } from '../transactions/answer.ts'
import { ask, type Codes, settleSent } from '../transactions/dispatch.ts'
import { presentAction } from '../transactions/present.ts'
import { publicStatus } from '../transactions/state.ts'
import type { Payment, Transaction } from '../transactions/store.ts'
import { type Answered, answerAgain } from './answer.ts'
import { type MomoChargeBody, proposeMomoCharge } from './propose-momo.ts'
import { answerWithinMs, sendNow, takeTurnNow } from './send.ts'

interface StartedCharge {
  readonly success: true
  readonly message: string
  readonly transactionId: string
  readonly status: string
  readonly nextAction: ReturnType<typeof presentAction>
}

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
  scenario?: Scenario,
): Promise<Answered<StartedCharge>> {
  const keyed = sentKey && withoutCodes(sentKey, body)
  const before = await replayOf(ctx, owner, keyed)
  const again = (replay: Replay) => answerAgain(ctx, owner, replay, (charge) => answerFor(ctx, charge))
  if (before) return again(before)
  const { proposal, codes } = await proposeMomoCharge(ctx, owner, body, keyed)
  const isSentHere = proposal.sent_by === 'request'
  if (isSentHere) await takeTurnNow(ctx, owner, proposal.provider)
  const elapsedMs = startWatch()
  const answerOf = isSentHere ? undefined : (id: string) => answerFor(ctx, { ...proposal, id, state: 'accepted' })
  const outcome = outcomeOf(await ctx.acceptor.submit({ ...proposal, answerOf, scenario }))
  if (outcome.isReplay) return again(outcome)
  if (isSentHere) return { answer: await sendAndAnswer(ctx, outcome, elapsedMs, codes, keyed), isReplay: false }
  reach('momo.accepted')
  ctx.bell.ring(laneOf(owner.env, proposal.provider))
  return { answer: answerFor(ctx, outcome.transaction), isReplay: false }
}

/** A key's fingerprint covers the request without what must not be kept. */
function withoutCodes(keyed: KeyedRequest, body: MomoChargeBody): KeyedRequest {
  const { otpCode: _, voucherPin: __, ...asked } = body
  return { ...keyed, asked }
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

async function sendAndAnswer(
  ctx: Context,
  payment: Payment,
  elapsedMs: () => number,
  codes: Codes,
  keyed: KeyedRequest | undefined,
): Promise<StartedCharge> {
  const { transaction } = payment
  const askUntil = performance.now() + answerWithinMs
  const sent = await sendNow(ctx, { payment, elapsedMs, given: { codes } })
  const standing = sent && ((await untilPageIsKnown(ctx, payment, sent, askUntil)) ?? sent)
  const answer = answerFor(ctx, standing ?? { ...transaction, state: 'unknown' })
  reach('momo.settled')
  if (keyed) await keepAnswer(ctx.db.write, transaction, keyed.key, answer)
  reach('momo.kept')
  return answer
}

/** Where the customer is sent to a page, asks while the provider only says that it has the charge, as long as the caller waits. */
async function untilPageIsKnown(
  ctx: Context,
  { transaction, attempt }: Payment,
  sent: Transaction,
  askUntil: number,
): Promise<Transaction | undefined> {
  const hasPage = ctx.reference.operators.get(transaction.code)?.auth_type === 'REDIRECT'
  while (hasPage && sent.state === 'submitted' && performance.now() < askUntil) {
    await pause(askEveryMs)
    const found = await ask(ctx, { transaction, attempt })
    if (found.news.kind === 'said' && found.news.said.state !== 'submitted')
      return settleSent(ctx, { transaction, attempt }, found, 'query')
  }
  return undefined
}
