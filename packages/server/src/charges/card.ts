import type { Context } from '../context.ts'
import type { KeyedRequest, Once } from '../idempotency/keys.ts'
import { type Replay, replayOf } from '../payments/accept/replay.ts'
import { publicStatus } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import { reasonOf } from '../payments/notify/webhook-body.ts'
import type { Owner } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { presentAction } from '../transactions/present.ts'
import { type CardChargeBody, priceCardCharge } from './price-card.ts'
import { replayResponse } from './replay.ts'
import { sendNow, takeTurnNow } from './send.ts'
import { startCharge } from './start.ts'
import { counted } from './velocity.ts'

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

/** Charges a card. The provider is called while the caller waits, because card data is never stored. */
export async function chargeCard(
  ctx: Context,
  owner: Owner,
  body: CardChargeBody,
  sentKey: KeyedRequest | undefined,
  scenario?: Scenario,
): Promise<Once<StartedCardCharge>> {
  const keyed = sentKey && withoutCard(sentKey, body)
  const again = (replay: Replay) => replayResponse(ctx, owner, replay, (charge) => responseFor(ctx, charge))
  const before = await replayOf(ctx, owner, keyed)
  if (before) return again(before)
  const { priced, given, fingerprint } = await priceCardCharge(ctx, owner, body, keyed)
  await takeTurnNow(ctx, owner, priced.provider)
  return counted(ctx, owner, { fingerprint, ipAddress: body.ipAddress }, (settled) =>
    startCharge(ctx, owner, {
      keyed,
      priced: { ...priced, scenario },
      send: (payment, elapsedMs) => sendNow(ctx, { payment, elapsedMs, given: { card: given }, settled }),
      responseFor: (charge, promised) => responseFor(ctx, charge ?? { ...promised, state: 'unknown' }),
      again: async (replay) => {
        await settled(undefined)
        return again(replay)
      },
    }),
  )
}

/** The key's fingerprint covers the request without the data that must not be stored. */
function withoutCard(keyed: KeyedRequest, body: CardChargeBody): KeyedRequest {
  const { cardDetails: _, ...asked } = body
  return { ...keyed, asked }
}

function responseFor(ctx: Context, transaction: Transaction): StartedCardCharge {
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
