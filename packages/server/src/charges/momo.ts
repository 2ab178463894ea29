import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { KeyedRequest, Once } from '../idempotency/keys.ts'
import { outcomeOf, type Replay, replayOf } from '../payments/accept/replay.ts'
import { ask, type Codes, settleSent } from '../payments/dispatch/dispatch.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { publicStatus } from '../payments/model/state.ts'
import type { Payment, Transaction } from '../payments/model/store.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { presentAction } from '../transactions/present.ts'
import { answerAgain } from './answer.ts'
import { type MomoChargeBody, proposeMomoCharge } from './propose-momo.ts'
import { answerWithinMs, sendNow, takeTurnNow } from './send.ts'
import { startCharge } from './start.ts'

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
): Promise<Once<StartedCharge>> {
  const keyed = sentKey && withoutCodes(sentKey, body)
  const before = await replayOf(ctx, owner, keyed)
  const again = (replay: Replay) => answerAgain(ctx, owner, replay, (charge) => answerFor(ctx, charge))
  if (before) return again(before)
  const { proposal, codes } = await proposeMomoCharge(ctx, owner, body, keyed)
  if (proposal.sent_by === 'request') {
    await takeTurnNow(ctx, owner, proposal.provider)
    return startCharge(ctx, owner, {
      keyed,
      proposal: { ...proposal, scenario },
      send: (payment, elapsedMs) => sendUntilPageIsKnown(ctx, payment, elapsedMs, codes),
      answerFor: (charge, promised) => answerFor(ctx, charge ?? { ...promised, state: 'unknown' }),
      again,
    })
  }
  const answerOf = (id: string) => answerFor(ctx, { ...proposal, id, state: 'accepted' })
  const outcome = outcomeOf(await ctx.acceptor.submit({ ...proposal, answerOf, scenario }))
  if (outcome.isReplay) return again(outcome)
  reach('momo.accepted')
  ctx.bell.ring(laneOf(owner.env, proposal.provider))
  return { answer: answerFor(ctx, outcome.transaction), isReplay: false }
}

/** A key's fingerprint covers the request without what must not be kept. */
function withoutCodes(keyed: KeyedRequest, body: MomoChargeBody): KeyedRequest {
  const { otpCode: _, voucherPin: __, ...asked } = body
  return { ...keyed, asked }
}

function answerFor(
  ctx: Context,
  transaction: Pick<Transaction, 'id' | 'state' | 'action' | 'code' | 'provider'>,
): StartedCharge {
  return {
    success: true,
    message: 'Initiated request.',
    transactionId: showId('transaction', transaction.id),
    status: publicStatus[transaction.state].toUpperCase(),
    nextAction: presentAction(ctx.reference, transaction),
  }
}

/** Where the customer is sent to a page, asks while the provider only says that it has the charge, as long as the caller waits. */
async function sendUntilPageIsKnown(
  ctx: Context,
  { transaction, attempt }: Payment,
  elapsedMs: () => number,
  codes: Codes,
): Promise<Transaction | undefined> {
  const askUntil = performance.now() + answerWithinMs
  const sent = await sendNow(ctx, { payment: { transaction, attempt }, elapsedMs, given: { codes } })
  const hasPage = ctx.reference.operators.get(transaction.code)?.auth_type === 'REDIRECT'
  while (hasPage && sent?.state === 'submitted' && performance.now() < askUntil) {
    await pause(askEveryMs)
    const found = await ask(ctx, { transaction, attempt })
    if (found.news.kind === 'said' && found.news.said.state !== 'submitted')
      return (await settleSent(ctx, { transaction, attempt }, found, 'query')) ?? sent
  }
  return sent
}
