import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { type KeyedRequest, type Once, underKey } from '../idempotency/keys.ts'
import { minorFromNumber } from '../money/money.ts'
import { replayOf } from '../payments/accept/replay.ts'
import { claimToSend, isTooLateToOpen } from '../payments/dispatch/claim.ts'
import { openCounterparty } from '../payments/model/counterparty.ts'
import type { Payment, Transaction } from '../payments/model/store.ts'
import type { Observation } from '../payments/resolve/decision.ts'
import { timing } from '../payments/resolve/timing.ts'
import { startWatch } from '../platform/clock.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { presentAccount } from '../transactions/present.ts'
import { findById, findTransaction } from '../transactions/read.ts'
import { priceTransferCharge, type TransferChargeBody } from './price-transfer.ts'
import { sendNow, takeTurnNow } from './send.ts'
import { startCharge } from './start.ts'

interface OpenedAccount {
  readonly success: true
  readonly message: string
  readonly data: {
    readonly transactionId: string
    readonly virtualAccount: NonNullable<ReturnType<typeof presentAccount>>
    readonly nextAction: { readonly type: 'BANK_TRANSFER' }
  }
}

const tooOld = 'No account was opened for this charge in time. Start another with a new reference.'

/**
 * Charges by bank transfer: opens an account that takes money for this charge only. When the bank does not respond while the
 * caller waits, the response is 503, and the same request sent again continues the same charge.
 */
export async function chargeByTransfer(
  ctx: Context,
  owner: Owner,
  body: TransferChargeBody,
  keyed: KeyedRequest | undefined,
  scenario?: Scenario,
): Promise<Once<OpenedAccount>> {
  const before = await replayOf(ctx, owner, keyed)
  if (before?.response) return { response: before.response as OpenedAccount, isReplay: true }
  const known = before?.transactionId ?? (await unfinishedOf(ctx, owner, body))?.id
  const continued = (transaction_id: string | null) =>
    continueCharge(ctx, owner, { keyed, transaction_id, isReplay: before !== undefined })
  if (known !== undefined) return continued(known)
  const priced = await priceTransferCharge(ctx, owner, body, keyed)
  await takeTurnNow(ctx, owner, priced.provider)
  return startCharge(ctx, owner, {
    keyed,
    priced: { ...priced, scenario },
    send: (payment, elapsedMs) => sendNow(ctx, { payment, elapsedMs, inTime: withReported }),
    responseFor: (charge) => responseFor(ctx, charge),
    again: ({ transactionId }) => continued(transactionId),
  })
}

interface Continued {
  readonly keyed: KeyedRequest | undefined
  readonly transaction_id: string | null
  readonly isReplay: boolean
}

/** Continues a charge whose account no caller got yet. */
function continueCharge(
  ctx: Context,
  owner: Owner,
  { keyed, transaction_id, isReplay }: Continued,
): Promise<Once<OpenedAccount>> {
  if (transaction_id === null) throw new AppError('IDEMPOTENCY_KEY_IN_PROGRESS')
  return underKey(ctx, owner, { keyed, transaction_id }, async (keep) => {
    const response = responseFor(ctx, await sendOrWait(ctx, owner, transaction_id))
    reach('transfer.resolved')
    await keep(ctx.db.write, response)
    reach('transfer.stored')
    return { response, isReplay }
  })
}

/** The charge with this reference, if the request is identical and the caller got a 503. */
async function unfinishedOf(ctx: Context, owner: Owner, body: TransferChargeBody): Promise<Transaction | undefined> {
  const charge = await findTransaction(ctx.db.read, owner, body.externalReference)
  const isSame = charge?.external_reference === body.externalReference && isOf(ctx, charge, body)
  return isSame && isUnfinished(charge) ? charge : undefined
}

function isOf({ vault }: Context, charge: Transaction, { amount, currency, email }: TransferChargeBody): boolean {
  if (charge.method !== 'bank-transfer' || charge.currency !== currency) return false
  const counterparty = openCounterparty(vault, charge)
  return (
    minorFromNumber(amount, charge.currency) === charge.amount &&
    counterparty.role === 'depositor' &&
    counterparty.email === email
  )
}

function isUnfinished({ state, action }: Transaction): boolean {
  return ['accepted', 'sending', 'unknown'].includes(state) || (state === 'waiting' && !action?.isReported)
}

/** This response carries the account, so a repeat of the request fails as a used reference. */
function withReported(observation: Observation): Observation {
  if (observation.kind !== 'reported' || observation.providerStatus.state !== 'waiting') return observation
  const { providerStatus } = observation
  const action = { ...providerStatus.action, isReported: true as const }
  return { ...observation, providerStatus: { ...providerStatus, action } }
}

/** Sends the charge again if no request is sending it. Otherwise waits for that request, for as long as the caller waits. */
async function sendOrWait(ctx: Context, owner: Owner, id: string): Promise<Transaction | undefined> {
  const elapsedMs = startWatch()
  while (elapsedMs() < timing.callerWaitMs) {
    const charge = await findById(ctx.db.read, owner, id)
    if (charge?.state === 'accepted' || charge?.state === 'unknown') return sendAgain(ctx, owner, charge)
    if (charge?.state === 'failed')
      throw new AppError('REFERENCE_USED', { message: 'This charge has failed. Start another with a new reference.' })
    if (charge?.state !== 'sending') return charge
    await pause(timing.sendingPollEveryMs)
  }
  return undefined
}

/** The provider may open another account under the same key: money into either counts for this charge. */
async function sendAgain(ctx: Context, owner: Owner, { id, provider }: Transaction): Promise<Transaction | undefined> {
  await takeTurnNow(ctx, owner, provider)
  const elapsedMs = startWatch()
  const payment: Payment = await claimToSend(ctx.db.write, id, ({ transaction }, at) => {
    if (isTooLateToOpen(transaction, at)) throw new AppError('REFERENCE_USED', { message: tooOld })
    if (transaction.state !== 'accepted' && transaction.state !== 'unknown') throw new AppError('PROVIDER_UNAVAILABLE')
  })
  reach('transfer.claimed')
  return sendNow(ctx, { payment, elapsedMs, inTime: withReported })
}

function responseFor(ctx: Context, charge: Transaction | undefined): OpenedAccount {
  const virtualAccount = charge && presentAccount(ctx.config.publicUrl, charge)
  if (!charge || !virtualAccount)
    throw new AppError('PROVIDER_UNAVAILABLE', {
      message: 'The bank has not responded yet. Send the same request again to continue this charge.',
    })
  return {
    success: true,
    message: 'Account created successfully.',
    data: {
      transactionId: showId('transaction', charge.id),
      virtualAccount,
      nextAction: { type: 'BANK_TRANSFER' },
    },
  }
}
