import type { Context } from '../context.ts'
import { type KeyedRequest, keepAnswer } from '../idempotency/keys.ts'
import { startWatch } from '../platform/clock.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { outcomeOf, type Replay, replayOf } from '../transactions/answer.ts'
import { presentAction } from '../transactions/present.ts'
import { publicStatus } from '../transactions/state.ts'
import type { Transaction } from '../transactions/store.ts'
import { reasonOf } from '../transactions/tell.ts'
import { type Answered, answerAgain } from './answer.ts'
import { type CardChargeBody, type CardProposal, proposeCardCharge } from './propose-card.ts'
import { sendNow, takeTurnNow } from './send.ts'
import { countOutcome, countTry } from './velocity.ts'

interface StartedCardCharge {
  readonly success: true
  readonly message: string
  readonly data: {
    readonly transactionId: string
    readonly status: string
    readonly nextAction: ReturnType<typeof presentAction>
    readonly failureReason?: ReturnType<typeof reasonOf>
  }
}

/** Charges a card. The provider is called while the caller waits, because the card is kept nowhere. */
export async function chargeCard(
  ctx: Context,
  owner: Owner,
  body: CardChargeBody,
  sentKey: KeyedRequest | undefined,
  scenario?: Scenario,
): Promise<Answered<StartedCardCharge>> {
  const keyed = sentKey && withoutCard(sentKey, body)
  const again = (replay: Replay) => answerAgain(ctx, owner, replay, (charge) => answerFor(ctx, charge))
  const before = await replayOf(ctx, owner, keyed)
  if (before) return again(before)
  const { proposal, given, fingerprint } = await proposeCardCharge(ctx, owner, body, keyed)
  await takeTurnNow(ctx, owner, proposal.provider)
  await countTry(ctx, owner, fingerprint, body.ipAddress)
  const elapsedMs = startWatch()
  const settled = (charge?: Transaction) => countOutcome(ctx, owner, body.ipAddress, charge)
  const outcome = await accept(ctx, { ...proposal, scenario }).catch(async (refusal) => {
    await settled()
    throw refusal
  })
  if (outcome.isReplay) {
    await settled()
    return again(outcome)
  }
  const standing = await sendNow(ctx, { payment: outcome, elapsedMs, given: { card: given }, settled })
  reach('card.settled')
  const answer = answerFor(ctx, standing ?? { ...outcome.transaction, state: 'unknown' })
  if (keyed) await keepAnswer(ctx.db.write, owner, keyed.key, answer)
  reach('card.kept')
  return { answer, isReplay: false }
}

const accept = async ({ acceptor }: Context, proposal: CardProposal['proposal']) =>
  outcomeOf(await acceptor.submit({ ...proposal, answerOf: undefined }))

/** A key's fingerprint covers the request without what must not be kept. */
function withoutCard(keyed: KeyedRequest, body: CardChargeBody): KeyedRequest {
  const { cardDetails: _, ...asked } = body
  return { ...keyed, asked }
}

function answerFor(ctx: Context, transaction: Transaction): StartedCardCharge {
  return {
    success: true,
    message: 'Initiated request.',
    data: {
      transactionId: showId('transaction', transaction.id),
      status: publicStatus[transaction.state].toUpperCase(),
      nextAction: presentAction(ctx.reference, transaction),
      ...(transaction.state === 'failed' && transaction.failure && { failureReason: reasonOf(transaction.failure) }),
    },
  }
}
