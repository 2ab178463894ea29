import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { numberFromMinor } from '../money/money.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import { type Outcome, replayOf, submit } from '../payments/accept/replay.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import type { Owner } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { priceRefund, type RefundBody, type RefundTerms } from './price.ts'

interface AcceptedRefund {
  readonly success: true
  readonly message: string
  readonly transactionId: string
  readonly refundOf: string
  readonly status: string
  readonly externalReference: string
  readonly amount: number
  readonly currency: string
}

interface AcceptedOnce {
  readonly response: AcceptedRefund
  readonly isReplay: boolean
}

/** How often all that is left is read again, when another refund was accepted meanwhile. */
const triesMax = 3

/** Accepts a refund: holds its money and stores the payment before the caller gets a response. */
export async function acceptRefund(
  ctx: Context,
  owner: Owner,
  wanted: string,
  body: RefundBody,
  terms: RefundTerms & { readonly scenario: Scenario | undefined },
): Promise<AcceptedOnce> {
  const before = await replayOf(ctx, owner, terms.keyed)
  if (before) return { response: before.response as AcceptedRefund, isReplay: true }
  try {
    return await acceptNew(ctx, owner, wanted, body, terms)
  } catch (error) {
    // What is missing may have gone by this very request: a repeat of it may have been faster.
    const again = isExcess(error) ? await replayOf(ctx, owner, terms.keyed) : undefined
    if (!again) throw error
    return { response: again.response as AcceptedRefund, isReplay: true }
  }
}

async function acceptNew(
  ctx: Context,
  owner: Owner,
  wanted: string,
  body: RefundBody,
  terms: RefundTerms & { readonly scenario: Scenario | undefined },
): Promise<AcceptedOnce> {
  for (let tries = 1; ; tries += 1) {
    const priced = await priceRefund(ctx, owner, wanted, body, terms)
    const responseOf = responseFor(priced)
    const outcome = await unlessLess(body, tries, () =>
      submit(ctx, { ...priced, responseOf, scenario: terms.scenario }),
    )
    if (outcome) return settled(ctx, owner, responseOf, outcome)
  }
}

function settled(
  ctx: Context,
  owner: Owner,
  responseOf: (id: string) => AcceptedRefund,
  outcome: Outcome,
): AcceptedOnce {
  if (outcome.isReplay) return { response: outcome.response as AcceptedRefund, isReplay: true }
  ctx.wakeups.wake(laneOf(owner.env, outcome.transaction.provider))
  return { response: responseOf(outcome.transaction.id), isReplay: false }
}

/** A refund of all that is left is priced again when less is left by now. */
async function unlessLess(body: RefundBody, tries: number, work: () => Promise<Outcome>): Promise<Outcome | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isExcess(error) && body.amount === undefined && tries < triesMax) return undefined
    throw error
  }
}

const isExcess = (error: unknown) => error instanceof AppError && error.key === 'REFUND_EXCEEDS_CHARGE'

function responseFor(priced: Omit<PricedPayment, 'responseOf'>) {
  const { amount, currency, external_reference, refundOf } = priced
  return (id: string): AcceptedRefund => ({
    success: true,
    message: 'Refund request accepted for processing.',
    transactionId: showId('transaction', id),
    refundOf: showId('transaction', refundOf?.charge_id ?? ''),
    status: 'PENDING',
    externalReference: external_reference,
    amount: numberFromMinor(amount, currency),
    currency,
  })
}
