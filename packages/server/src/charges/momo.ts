import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { KeyedRequest, Once } from '../idempotency/keys.ts'
import { type Replay, replayOf, submit } from '../payments/accept/replay.ts'
import { type Codes, queryProvider, resolveSent } from '../payments/dispatch/dispatch.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { publicStatus } from '../payments/model/state.ts'
import type { Payment, Transaction } from '../payments/model/store.ts'
import { timing } from '../payments/resolve/timing.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { presentAction } from '../transactions/present.ts'
import { type MomoChargeBody, priceMomoCharge } from './price-momo.ts'
import { replayResponse } from './replay.ts'
import { sendNow, takeTurnNow } from './send.ts'
import { startCharge } from './start.ts'

interface StartedCharge {
  readonly success: true
  readonly message: string
  readonly transactionId: string
  readonly status: string
  readonly nextAction: ReturnType<typeof presentAction>
}

/**
 * Starts a mobile money charge. The provider's lane sends a prompt. A charge with a customer's code, or with a page for the
 * customer, is sent at once: codes are never stored, and the caller waits for the page.
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
  const again = (replay: Replay) => replayResponse(ctx, owner, replay, (charge) => responseFor(ctx, charge))
  if (before) return again(before)
  const { priced, codes } = await priceMomoCharge(ctx, owner, body, keyed)
  if (priced.sent_via === 'request') {
    await takeTurnNow(ctx, owner, priced.provider)
    return startCharge(ctx, owner, {
      keyed,
      priced: { ...priced, scenario },
      send: (payment, elapsedMs) => sendUntilPageIsKnown(ctx, payment, elapsedMs, codes),
      responseFor: (charge, promised) => responseFor(ctx, charge ?? { ...promised, state: 'unknown' }),
      again,
    })
  }
  const responseOf = (id: string) => responseFor(ctx, { ...priced, id, state: 'accepted' })
  const outcome = await submit(ctx, { ...priced, responseOf, scenario })
  if (outcome.isReplay) return again(outcome)
  reach('momo.accepted')
  ctx.wakeups.wake(laneOf(owner.env, priced.provider))
  return { response: responseFor(ctx, outcome.transaction), isReplay: false }
}

/** The key's fingerprint covers the request without the data that must not be stored. */
function withoutCodes(keyed: KeyedRequest, body: MomoChargeBody): KeyedRequest {
  const { otpCode: _, voucherPin: __, ...asked } = body
  return { ...keyed, asked }
}

function responseFor(
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

/** Where the customer needs a page, queries a provider that only reports `submitted`, for as long as the caller waits. */
async function sendUntilPageIsKnown(
  ctx: Context,
  { transaction, attempt }: Payment,
  elapsedMs: () => number,
  codes: Codes,
): Promise<Transaction | undefined> {
  const askUntil = performance.now() + timing.callerWaitMs
  const sent = await sendNow(ctx, { payment: { transaction, attempt }, elapsedMs, given: { codes } })
  const hasPage = ctx.reference.operators.get(transaction.code)?.auth_type === 'REDIRECT'
  while (hasPage && sent?.state === 'submitted' && performance.now() < askUntil) {
    await pause(timing.pageQueryEveryMs)
    const found = await queryProvider(ctx, { transaction, attempt })
    if (found.observation.kind === 'reported' && found.observation.providerStatus.state !== 'submitted')
      return (await resolveSent(ctx, { transaction, attempt }, found, 'query')) ?? sent
  }
  return sent
}
