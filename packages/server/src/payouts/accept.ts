import type { Context } from '../context.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import { replayOf, submit } from '../payments/accept/replay.ts'
import type { PayoutOrigin } from '../payments/controls/control-batch.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import { createRateOf, type RateOf } from '../reference/rates.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { quotedFigures } from './execute-quote.ts'
import { paymentOf } from './figures.ts'
import { type PayoutBody, type PricingTerms, pricePayout } from './price.ts'
import { refundedBy } from './refund-of.ts'

interface AcceptedPayout {
  readonly success: true
  readonly message: string
  readonly transactionId: string
  readonly status: string
  readonly externalReference: string
}

interface AcceptedOnce {
  readonly response: AcceptedPayout
  readonly isReplay: boolean
}

interface Terms {
  /** Who makes the payout: its limits count by this, and a person other than this approves it. */
  readonly origin: PayoutOrigin
  /** Defaults to the current rates. */
  readonly rateOf?: RateOf
  readonly scenario?: Scenario | undefined
  /** Runs the submission after those of the payouts before it. */
  readonly inOrder?: InOrder
}

export type InOrder = <Result>(submit: () => Promise<Result>) => Promise<Result>

const atOnce: InOrder = (submit) => submit()

/** Accepts a payout: holds its money and stores the payment before the caller gets a response. */
export async function acceptPayout(
  ctx: Context,
  owner: Owner,
  body: PayoutBody,
  keyed: KeyedRequest | undefined,
  terms: Terms,
): Promise<AcceptedOnce> {
  const before = await replayOf(ctx, owner, keyed)
  if (before) return { response: before.response as AcceptedPayout, isReplay: true }
  return acceptNew(ctx, owner, body, keyed, terms)
}

/** As `acceptPayout` for a request whose key is new: skips the lookup of an earlier response. */
export async function acceptNew(
  ctx: Context,
  owner: Owner,
  body: PayoutBody,
  keyed: KeyedRequest | undefined,
  { origin, rateOf = createRateOf(ctx, owner), scenario, inOrder = atOnce }: Terms,
): Promise<AcceptedOnce> {
  const priced = await pricedFor(ctx, owner, body, keyed, { origin, rateOf })
  const responseOf = (id: string) => responseFor(id, body.externalReference)
  const outcome = await inOrder(() => submit(ctx, { ...priced, responseOf, scenario }))
  if (outcome.isReplay) return { response: outcome.response as AcceptedPayout, isReplay: true }
  reach('payout.accepted')
  if (outcome.transaction.wake_at) ctx.wakeups.wake(laneOf(owner.env, outcome.transaction.provider))
  return { response: responseOf(outcome.transaction.id), isReplay: false }
}

/** At the current prices, or exactly as quoted. */
async function pricedFor(
  ctx: Context,
  owner: Owner,
  body: PayoutBody,
  keyed: KeyedRequest | undefined,
  terms: PricingTerms,
): ReturnType<typeof pricePayout> {
  const { quoteId, externalReference: external_reference } = body
  if (quoteId === undefined) return pricePayout(ctx, owner, body, keyed, terms)
  const { quote, figures } = await quotedFigures(ctx, owner, quoteId, body, terms.origin)
  const refundOf = await refundedBy(ctx, owner, body.refundOf, terms.origin, figures)
  return paymentOf(ctx, owner, figures, { ...terms, external_reference, keyed, quote, refundOf })
}

function responseFor(id: string, externalReference: string): AcceptedPayout {
  return {
    success: true,
    message: 'Withdrawal request accepted for processing.',
    transactionId: showId('transaction', id),
    status: 'PENDING',
    externalReference,
  }
}
