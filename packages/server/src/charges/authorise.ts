import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import { type Keep, type KeyedRequest, type Once, underKey } from '../idempotency/keys.ts'
import { replayOf } from '../payments/accept/replay.ts'
import { claimToAnswer } from '../payments/dispatch/claim.ts'
import { dropContinuation, keepContinuation, openContinuation } from '../payments/dispatch/continuations.ts'
import { followUp, type Sent, sendAnswer } from '../payments/dispatch/dispatch.ts'
import { openCounterparty } from '../payments/model/counterparty.ts'
import type { Payment, PendingAction, Transaction } from '../payments/model/store.ts'
import { isAnswerable } from '../payments/resolve/decision.ts'
import type { ResolveResult } from '../payments/resolve/resolve.ts'
import { startWatch } from '../platform/clock.ts'
import type { Owner, Tx } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { showId } from '../platform/ids.ts'
import type { BillingAddress, CustomerAnswer, ProviderStatus } from '../providers/contract.ts'
import { findTransaction } from '../transactions/read.ts'
import { takeTurnNow, tooLate, whileTheCallerWaits } from './send.ts'
import { countLateDecline } from './velocity.ts'

export interface AuthoriseBody {
  readonly type: 'otp' | 'pin' | 'address' | 'avs'
  readonly value: string | BillingAddress
}

interface Authorised {
  readonly success: true
  readonly message: string
}

const processing: Authorised = { success: true, message: 'Payment is processing.' }

/**
 * Passes on the customer's answer: a PIN, a code or an address. One answer is under way at a time, and answers are never stored.
 * When the provider takes longer than the caller waits, the outcome is visible on the transaction only.
 */
export async function authorise(
  ctx: Context,
  owner: Owner,
  wanted: string,
  body: AuthoriseBody,
  sentKey: KeyedRequest | undefined,
): Promise<Once<Authorised>> {
  const keyed = sentKey && { ...sentKey, asked: { type: body.type } }
  const before = await replayOf(ctx, owner, keyed)
  if (before?.response) return { response: processing, isReplay: true }
  const answer = answerOf(body)
  const charge = await findTransaction(ctx.db.read, owner, wanted)
  if (charge?.type !== 'deposit') throw new AppError('TRANSACTION_MISSING')
  refuseUnlessAsked(charge, answer)
  return underKey(ctx, owner, { keyed, transaction_id: charge.id }, async (keep) => {
    await takeTurnNow(ctx, owner, charge.provider)
    const elapsedMs = startWatch()
    const payment = await claimToAnswer(ctx.db.write, charge.id, ({ transaction }) =>
      refuseUnlessAsked(transaction, answer),
    )
    reach('authorise.claimed')
    const passing = passOn(ctx, payment, answer, elapsedMs)
    const sent = await ctx.limiter.outside(owner.env, owner.merchant_id, whileTheCallerWaits(passing))
    if (sent === tooLate) {
      void passing.then((late) => settle(ctx, payment, late)).catch((err: unknown) => leave(ctx, payment, err))
      await keep(ctx.db.write, processing)
    } else await conclude(ctx, owner, payment, sent, keep)
    return { response: processing, isReplay: false }
  })
}

function answerOf({ type, value }: AuthoriseBody): CustomerAnswer {
  if (type === 'pin' || type === 'otp') {
    if (typeof value === 'string' && /^\d{3,10}$/.test(value)) return { kind: type, value }
    throw invalid([{ field: 'value', message: 'value must be a text of 3 to 10 digits' }])
  }
  return { kind: 'address', address: addressOf(value) }
}

const line = /^.{1,200}$/
const forms = { street1: line, city: line, state: line, zip: /^.{1,20}$/, country: /^[A-Z]{2}$/ } as const
const addressFields = Object.keys(forms) as (keyof typeof forms)[]

/** Accepts an object, or the same object as JSON text. */
function addressOf(value: string | BillingAddress): BillingAddress {
  const address = (typeof value === 'string' ? parsed(value) : value) as Partial<Record<string, unknown>> | null
  const missing = addressFields.find((name) => {
    const part = address?.[name]
    return typeof part !== 'string' || !forms[name].test(part)
  })
  if (missing === undefined && address) return address as unknown as BillingAddress
  throw invalid([
    {
      field: 'value',
      message: `value must be an address with ${addressFields.join(', ')}; ${missing} is missing or invalid; country is a code such as NG`,
    },
  ])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function refuseUnlessAsked({ state, action }: Transaction, { kind }: CustomerAnswer): void {
  if (state !== 'waiting' || !action || !isAnswerable(action)) throw new AppError('CHARGE_NOT_AWAITING')
  if (action.kind !== kind)
    throw new AppError('AUTHORISATION_TYPE_MISMATCH', { message: `The charge asks for type ${action.kind}.` })
}

async function passOn(ctx: Context, payment: Payment, answer: CustomerAnswer, elapsedMs: () => number): Promise<Sent> {
  const { id, action } = payment.transaction
  const continuation = await openContinuation(ctx.vault, ctx.db.write, id)
  reach('authorise.opened')
  if (continuation === undefined || !action) return { observation: { kind: 'continuation_lost' } }
  return sendAnswer(ctx, payment, { action, answer, continuation }, elapsedMs)
}

/** Keeps the continuation while another answer may be tried. Replaces or drops it once the provider took this one. */
async function settle(
  ctx: Context,
  { transaction, attempt }: Payment,
  { observation, continuation }: Sent,
  remember?: (tx: Tx) => Promise<void>,
): Promise<ResolveResult | undefined> {
  const { id: transaction_id } = transaction
  const isLast = observation.kind === 'answer_refused' && (observation.action.attemptsLeft ?? 0) <= 1
  const mayTryAgain = (observation.kind === 'answer_refused' && !isLast) || observation.kind === 'answer_unsent'
  const alongside = async (tx: Tx) => {
    if (continuation !== undefined) await keepContinuation(ctx.vault, tx, transaction_id, continuation)
    else if (!mayTryAgain) await dropContinuation(tx, transaction_id)
    await remember?.(tx)
  }
  const common = { transaction_id, attempt: attempt.number, cause: 'attempt' } as const
  const result = await ctx.resolver.submit({ ...common, observation, alongside })
  await followUp(ctx, attempt.number, result, observation)
  return result
}

/** Resolves the outcome of the answer, and throws when the provider did not take it. */
async function conclude(
  ctx: Context,
  owner: Owner,
  payment: Payment,
  sent: Sent,
  keep: Keep<Authorised>,
): Promise<void> {
  const { action } = payment.transaction
  const { kind } = sent.observation
  const isTaken = (kind === 'reported' && !isAskedFor(sent.observation.providerStatus, action)) || kind === 'unknown'
  const settled = await settle(ctx, payment, sent, isTaken ? (tx) => keep(tx, processing) : undefined)
  // A callback was faster and left nothing to resolve. The caller still gets its response.
  if (isTaken && !settled?.isChanged) await keep(ctx.db.write, processing)
  const result: Transaction | undefined = settled?.transaction
  reach('authorise.resolved')
  await countFailure(ctx, owner, result)
  if (kind === 'answer_unsent') throw new AppError('PROVIDER_UNAVAILABLE')
  const isAskedAgain = result?.state === 'waiting' && result.action?.kind === action?.kind
  if (isTaken && !isAskedAgain) return
  const attemptsLeft = isAskedAgain ? (result.action?.attemptsLeft ?? 0) : 0
  throw new AppError('AUTHORISATION_FAILED', { attemptsLeft, message: refusalOf(attemptsLeft) })
}

/** A provider that asks the same question again did not take the answer. */
const isAskedFor = (providerStatus: ProviderStatus, action: PendingAction | null) =>
  providerStatus.state === 'waiting' && providerStatus.action.kind === action?.kind

function refusalOf(attemptsLeft: number): string {
  if (attemptsLeft === 0) return 'The value was not accepted, and the charge has failed.'
  return `The value was not accepted; it may be tried ${attemptsLeft} more ${attemptsLeft === 1 ? 'time' : 'times'}.`
}

async function countFailure(ctx: Context, owner: Owner, charge: Transaction | undefined): Promise<void> {
  const counterparty = charge && openCounterparty(ctx.vault, charge)
  if (counterparty?.role === 'cardholder') await countLateDecline(ctx, owner, counterparty.ipAddress, charge)
}

function leave(ctx: Context, { transaction: { id } }: Payment, err: unknown): void {
  ctx.log.warn({ err, transactionId: showId('transaction', id) }, 'authorisation left to its lane')
}
