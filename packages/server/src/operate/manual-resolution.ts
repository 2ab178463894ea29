import { find } from '../merchants/store.ts'
import { formatMinor } from '../money/money.ts'
import { listLanes } from '../payments/dispatch/lanes.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import { isOutgoing } from '../payments/model/outgoing.ts'
import { isFinal } from '../payments/model/state.ts'
import type { Payment, Transaction } from '../payments/model/store.ts'
import type { Observation } from '../payments/resolve/decision.ts'
import { resolveBatch } from '../payments/resolve/resolve.ts'
import { timing } from '../payments/resolve/timing.ts'
import type { BatchTx } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { attemptOfKey, providerKeyOf, showId } from '../platform/ids.ts'
import { type Grounded, lockWithGround } from './lock-with-ground.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'
import { noPayment, paymentId } from './payments.ts'

export interface ManualResolution {
  readonly outcome: 'successful' | 'failed'
  readonly reason: string
  /** The proof: a line of the provider's statement, or a ticket in which the provider confirms it. */
  readonly evidence: string
}

export interface ResolvedPayment {
  readonly id: string
  readonly state: string
  /** The effect on the money. */
  readonly money: string
  /** What is left to do, if anything. */
  readonly caution?: string
}

/**
 * Resolves a payment by an operator's decision. State, money, event and audit row are one transaction, so no effect exists
 * without its reason.
 */
export async function resolvePayment(
  context: OperatorContext,
  shownId: string,
  resolution: ManualResolution,
): Promise<ResolvedPayment> {
  const id = paymentId(shownId)
  const { outcome, reason, evidence } = resolution
  refuseEmpty({ reason, evidence })
  return audited(context, async (tx) => {
    const { payment, ground } = await lockOpen(tx, id)
    reach('operator.locked')
    refuseUntimely(tx, payment, outcome)
    refuseOtherAttempt(payment, attemptOfKey(shownId)?.attempt, outcome)
    const observation = { kind: 'operator_resolved', outcome } as const
    const { isChanged, isPaidBefore, written } = await take(context, tx, payment, observation, { reason, evidence })
    if (!isChanged) throw new OperatorError(`${showId('transaction', id)} cannot be resolved as ${outcome} now`)
    const { transaction } = payment
    const caution = cautionOf(transaction, outcome)
    return {
      result: {
        id: showId('transaction', id),
        state: isPaidBefore ? 'successful' : outcome,
        money: isPaidBefore ? paidBefore : moneyOf(transaction, outcome),
        ...(caution !== undefined && { caution }),
      },
      entry: { ...trail('payment.resolve', payment, { outcome, evidence }), reason },
      written,
      ground,
      money: { amount: transaction.amount, currency: transaction.currency },
      place: { country: transaction.country, currency: transaction.currency },
    }
  })
}

export interface RetriedPayment {
  readonly id: string
  readonly provider: string
  /** The provider key, unchanged. */
  readonly key: string
  readonly isPaused: boolean
}

/** Sends a payout again under the same provider key, and only where that can move money at most once. */
export async function retryPayment(context: OperatorContext, shownId: string, reason: string): Promise<RetriedPayment> {
  const id = paymentId(shownId)
  refuseEmpty({ reason })
  const { transaction, attempt } = await audited(context, async (tx) => {
    const { payment } = await lockOpen(tx, id)
    await refuseFrozen(tx, payment.transaction)
    const { isChanged, written } = await take(context, tx, payment, { kind: 'retry' }, { reason })
    if (!isChanged) throw new OperatorError(whyNotAgain(payment.transaction))
    return { result: payment, entry: { ...trail('payment.retry', payment, {}), reason }, written }
  })
  const lane = laneOf(transaction.env, transaction.provider)
  context.wakeups.wake(lane)
  return {
    id: showId('transaction', id),
    provider: transaction.provider,
    key: providerKeyOf(id, attempt.number),
    isPaused: (await listLanes(context.db.write)).some((each) => each.lane === lane && each.paused_at !== null),
  }
}

function refuseEmpty(texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts))
    if (text.trim() === '') throw new OperatorError(`the ${name} must not be empty: auditors read it`)
}

async function lockOpen(tx: BatchTx, id: string): Promise<Grounded> {
  const locked = await lockWithGround(tx, id)
  if (!locked) throw noPayment(id)
  const { state } = locked.payment.transaction
  if (isFinal(state)) throw new OperatorError(`${showId('transaction', id)} is ${state} already, and that is final`)
  return locked
}

/** A payment that was never sent cannot have succeeded. While it may be on its way, no evidence can show its outcome. */
function refuseUntimely(tx: BatchTx, { transaction, attempt }: Payment, outcome: ManualResolution['outcome']): void {
  const { state } = transaction
  const shown = showId('transaction', transaction.id)
  if ((state === 'accepted' || state === 'unapproved') && outcome === 'successful')
    throw new OperatorError(`${shown} was not sent to a provider yet, so it cannot have succeeded`)
  if (transaction.method === 'bank-transfer' && outcome === 'successful')
    throw new OperatorError(
      `${shown} is paid by the transfers that its provider reports; resolve it as failed, or wait`,
    )
  const onItsWayUntil = (attempt.send_deadline?.getTime() ?? 0) + timing.submitTimeoutMs
  const isOnItsWay = (state === 'sending' || state === 'unknown') && Number(tx.atUs / 1000n) < onItsWayUntil
  if (!isOnItsWay) return
  const until = new Date(onItsWayUntil).toISOString().slice(11, 19)
  throw new OperatorError(`${shown} may still reach ${attempt.provider} until ${until} UTC: check again after that`)
}

/**
 * A statement reports one attempt. Money that an abandoned attempt moved is booked or flagged as such. It must not count for the
 * current attempt too: that would book it twice.
 */
function refuseOtherAttempt({ transaction, attempt }: Payment, named: number | undefined, outcome: string): void {
  const { id, suspended } = transaction
  const key = providerKeyOf(id, attempt.number)
  if (named !== undefined && named !== attempt.number)
    throw new OperatorError(`attempt ${named} was abandoned; the current one is ${key} at ${attempt.provider}`)
  if (outcome === 'successful' && suspended !== 0n && attempt.moved !== null)
    throw new OperatorError(
      `another amount was collected for ${showId('transaction', id)} and is in suspense: resolve it as failed, then clear the case (malipo suspense list)`,
    )
  if (outcome === 'successful' && named === undefined && suspended !== 0n)
    throw new OperatorError(
      `an abandoned attempt at ${showId('transaction', id)} moved money, which is in suspense with its own case. If ${attempt.provider} moved it too, name it by the key on its statement, ${key}; else resolve it as failed`,
    )
}

async function refuseFrozen(tx: BatchTx, { merchant_id }: Transaction): Promise<void> {
  const merchant = await find(tx, merchant_id)
  if (merchant?.frozen_at)
    throw new OperatorError(`${showId('merchant', merchant_id)} is frozen: nothing is sent for it`)
}

function whyNotAgain({ id, state, type, provider }: Transaction): string {
  const shown = showId('transaction', id)
  if (state === 'unapproved') return `${shown} waits for approval by a person of the merchant: nothing is sent before`
  if (state === 'sending') return `${shown} is being sent right now`
  if (type === 'deposit') return `${shown} is a charge: a resend could prompt the customer twice`
  if (type === 'refund')
    return `${shown} is a refund: ${provider} may take a resend for a second one. Malipo sends it again when ${provider} must have listed it`
  return `${shown} is pending at ${provider}: Malipo queries it again and never sends it twice`
}

async function take(
  context: OperatorContext,
  tx: BatchTx,
  { transaction, attempt }: Payment,
  observation: Observation,
  note: object,
) {
  const resolution = {
    transaction_id: transaction.id,
    attempt: attempt.number,
    cause: 'operator',
    observation,
    note: { ...note, by: context.principal.name },
  } as const
  const { results, ...written } = await resolveBatch(context.resolving, context.writer, tx, [resolution])
  const [status] = results
  const isPaidBefore =
    status?.transaction.state === 'successful' &&
    observation.kind === 'operator_resolved' &&
    observation.outcome === 'failed'
  return { isChanged: status?.isChanged === true, isPaidBefore, written }
}

/** For a payout whose current attempt failed. */
const paidBefore =
  'An earlier attempt had paid it: it is successful, and the money in suspense is its price to the merchant.'

function trail(action: string, { transaction, attempt }: Payment, detail: object) {
  const { id, merchant_id, env, state, doubt, provider } = transaction
  const from = { state, doubt, provider, key: providerKeyOf(id, attempt.number) }
  return { action, merchant_id, env, subject: showId('transaction', id), detail: { ...detail, from } }
}

function moneyOf(transaction: Transaction, outcome: ManualResolution['outcome']): string {
  const { amount, currency, wallet_amount, wallet_currency, fee, provider, country } = transaction
  const paid = `${formatMinor(amount, currency)} ${currency}`
  const own = `${formatMinor(wallet_amount, wallet_currency)} ${wallet_currency}`
  const charged = `the fee of ${formatMinor(fee, wallet_currency)} ${wallet_currency}`
  const float = `The float at ${provider} in ${country}`
  if (isOutgoing(transaction))
    return outcome === 'successful'
      ? `${own} and ${charged} have permanently left the merchant's wallet. ${float} is lower by ${paid}.`
      : `${own} and ${charged} are back in the merchant's wallet. If the provider pays later, the loss is yours.`
  return outcome === 'successful'
    ? `${own} less ${charged} were credited to the merchant's wallet. ${float} is higher by ${paid}.`
    : 'Nothing was credited. If the provider reports later that the customer paid, the merchant is credited by an adjustment.'
}

function cautionOf({ doubt, amount, currency }: Transaction, outcome: ManualResolution['outcome']): string | undefined {
  if (doubt !== 'amount_mismatch' || outcome === 'failed') return undefined
  const asked = `${formatMinor(amount, currency)} ${currency}`
  return `The books show the requested ${asked}; the provider reported another amount. Correct the float: malipo floats adjust`
}
