import { drawTransaction } from '../ledger/draw.ts'
import { formatMinor } from '../money/money.ts'
import { caseKinds } from '../payments/late-money/suspense-cases.ts'
import { doubts } from '../payments/model/doubts.ts'
import { isFinal } from '../payments/model/state.ts'
import type { Attempt, Transaction } from '../payments/model/store.ts'
import { timing } from '../payments/resolve/timing.ts'
import { mayRead } from '../people/principal.ts'
import type { Environment } from '../platform/db.ts'
import { attemptOfKey, providerKeyOf, readId, showId } from '../platform/ids.ts'
import { type Inspected, inspect } from './open-payments.ts'
import { type OperatorContext, OperatorError } from './operator-context.ts'
import type { PaymentSummary } from './payment-summaries.ts'
import { recordNumbersRead, type ShownNumber, shownFields, shownNumber } from './personal-numbers.ts'

export interface ListedPayment {
  readonly id: string
  readonly merchant: { readonly id: string; readonly name: string }
  readonly externalReference: string
  readonly env: Environment
  readonly type: 'payout' | 'charge' | 'refund' | 'conversion' | 'adjustment'
  readonly amount: string
  readonly currency: string
  readonly state: string
  /** Why it waits or is in doubt, or what is wrong with it; empty when it is on track. */
  readonly reason: string
  readonly provider: string
  readonly attempt: number
  readonly ageSeconds: number
  /** Negative when overdue; missing when no poll is scheduled. */
  readonly nextPollInSeconds?: number
}

export function listed(found: PaymentSummary): ListedPayment {
  const { id, env, type, amount, currency, state, provider, attempt, age_seconds, wake_in_seconds } = found
  return {
    id: showId('transaction', id),
    merchant: { id: showId('merchant', found.merchant_id), name: found.merchant_name },
    externalReference: found.external_reference,
    env,
    type: kindOf(type),
    amount: formatMinor(amount, currency),
    currency,
    state,
    reason: isFinal(state) && found.case_kind === null ? '' : reasonOf(found),
    provider,
    attempt,
    ageSeconds: age_seconds,
    ...(wake_in_seconds !== null && { nextPollInSeconds: wake_in_seconds }),
  }
}

const kindOf = (type: Transaction['type']) => (type === 'withdrew' ? 'payout' : type === 'deposit' ? 'charge' : type)

function reasonOf({
  state,
  doubt,
  case_kind,
  held_by,
}: Pick<PaymentSummary, 'state' | 'doubt' | 'case_kind' | 'held_by'>): string {
  if (case_kind !== null) return caseKinds[case_kind].summary
  if (state === 'unapproved') return 'waits for approval by a person of the merchant'
  const reasons = [held_by && heldBy[held_by], doubt !== '' && doubts[doubt].summary]
  return reasons.filter((reason) => reason).join('; ')
}

const heldBy = { frozen: 'held: the merchant is frozen', paused: 'held: the provider is paused' } as const

/** Everything about one payment for a person who investigates it. */
export interface PaymentView extends Omit<ListedPayment, 'ageSeconds' | 'nextPollInSeconds' | 'merchant'> {
  readonly merchant: { readonly id: string; readonly name: string; readonly isFrozen: boolean }
  /** The open case about its money in suspense. */
  readonly suspenseCase?: string
  /** Adjustments made after its end. */
  readonly adjustments?: readonly string[]
  /** For an adjustment: the payment it adjusts. */
  readonly adjusts?: string
  readonly method: string
  readonly destination: string
  readonly country: string
  readonly code: string
  readonly accountName: string
  /** In full for readers with `personal-data:read`, else its last digits. */
  readonly account: string
  readonly wallet: {
    readonly amount: string
    readonly fee: string
    readonly currency: string
    readonly country: string
  }
  readonly failure?: string
  readonly receipt?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly expiresAt?: string
  readonly attempts: readonly AttemptView[]
  readonly events: readonly EventView[]
  /** The ledger entries, drawn; missing when no money was touched. */
  readonly ledger?: string
  /** What happens next without a person. */
  readonly next: { readonly what: string; readonly at?: string }
}

interface AttemptView {
  readonly number: number
  readonly provider: string
  /** The provider key. */
  readonly key: string
  readonly sends: number
  readonly polls: number
  readonly sendDeadline?: string
  readonly outcome: string
}

interface EventView {
  readonly at: string
  readonly cause: string
  readonly state: string
  readonly message: string
  readonly notifiesMerchant: boolean
  readonly detail: Readonly<Record<string, unknown>>
}

export async function showPayment(context: OperatorContext, shownId: string): Promise<PaymentView> {
  const id = paymentId(shownId)
  const { inspected, drawing } = await context.db.write.snapshot(async (tx) => ({
    inspected: await inspect(tx, id),
    drawing: await drawTransaction(tx, id),
  }))
  if (!inspected || !mayRead(context.principal, 'payments:read', inspected.transaction)) throw noPayment(id)
  const shown = shownNumber(context, inspected.transaction)
  await recordNumbersRead(context, 'payments.show', [{ ...shown, payment: inspected.transaction }])
  return view(context, inspected, shown, drawing)
}

/** Parses the id of a payment as people write it, or its provider key. */
export function paymentId(shownId: string): string {
  const id = readId('transaction', shownId) ?? attemptOfKey(shownId)?.transactionId
  if (id === undefined)
    throw new OperatorError(
      `${shownId} is not a payment; use an id such as txn_0193…, or the key of an attempt at its provider`,
    )
  return id
}

export function noPayment(id: string): OperatorError {
  return new OperatorError(`no payment has the id ${showId('transaction', id)}`)
}

function view(
  context: OperatorContext,
  inspected: Inspected,
  shown: ShownNumber,
  drawing: string | undefined,
): PaymentView {
  const { transaction, attempts, merchant_name, is_frozen, case_id, case_kind } = inspected
  const { id, env, type, amount, currency, state, provider, attempt, failure, receipt } = transaction
  return {
    id: showId('transaction', id),
    env,
    type: kindOf(type),
    amount: formatMinor(amount, currency),
    currency,
    state,
    reason: isFinal(state) && case_kind === null ? '' : reasonOf({ ...transaction, ...inspected }),
    ...(case_id !== null && { suspenseCase: showId('case', case_id) }),
    ...(transaction.adjustments.length > 0 && {
      adjustments: transaction.adjustments.map((each) => showId('transaction', each)),
    }),
    ...(transaction.related_transaction_id !== null && {
      adjusts: showId('transaction', transaction.related_transaction_id),
    }),
    provider,
    attempt,
    merchant: { id: showId('merchant', transaction.merchant_id), name: merchant_name, isFrozen: is_frozen },
    ...sidesOf(transaction),
    account: shown.account,
    ...(failure && {
      failure: shown.hide([failure.code, failure.message, failure.providerCode ?? ''].join(' ').trim()),
    }),
    ...(receipt !== '' && { receipt }),
    createdAt: transaction.created_at.toISOString(),
    updatedAt: transaction.updated_at.toISOString(),
    ...(transaction.expires_at && { expiresAt: transaction.expires_at.toISOString() }),
    attempts: attempts.map(viewOfAttempt),
    events: shown.hide(inspected.events.map((event) => viewOfEvent(context, event))),
    ...(drawing !== undefined && { ledger: drawing }),
    next: nextOf(inspected),
  }
}

function sidesOf(transaction: Transaction) {
  const { external_reference, method, destination, country, code, account_name } = transaction
  const { wallet_amount, fee, wallet_currency, wallet_country } = transaction
  return {
    externalReference: external_reference,
    method,
    destination,
    country,
    code,
    accountName: account_name,
    wallet: {
      amount: formatMinor(wallet_amount, wallet_currency),
      fee: formatMinor(fee, wallet_currency),
      currency: wallet_currency,
      country: wallet_country,
    },
  }
}

function viewOfAttempt({ transaction_id, number, provider, sends, polls, send_deadline, is_lost, outcome }: Attempt) {
  return {
    number,
    provider,
    key: providerKeyOf(transaction_id, number),
    sends,
    polls,
    ...(send_deadline && { sendDeadline: send_deadline.toISOString() }),
    outcome: outcome ?? (is_lost ? 'to be sent again' : 'open'),
  }
}

function viewOfEvent(context: OperatorContext, event: Inspected['events'][number]): EventView {
  const { at, cause, state, message, notifies_merchant: notifiesMerchant, detail } = event
  return { at: at.toISOString(), cause, state, message, notifiesMerchant, detail: shownFields(context, detail) }
}

function nextOf(inspected: Inspected): PaymentView['next'] {
  const { transaction, held_by, pause_reason, case_id } = inspected
  const { state, provider, env, wake_at, doubt } = transaction
  if (isFinal(state))
    return {
      what:
        case_id === null
          ? 'Nothing: it is final.'
          : `Nothing by itself: it is final. Clear the case about its money in suspense: malipo suspense show ${showId('case', case_id)}`,
    }
  if (state === 'unapproved')
    return {
      what: 'A person of the merchant with the role approver or owner, other than its maker, approves or rejects it; without a decision it fails and its money goes back.',
      at: new Date(transaction.created_at.getTime() + timing.approvalMs).toISOString(),
    }
  if (held_by === 'paused')
    return { what: `Held until ${provider} is resumed in ${env}; it was paused because of: ${pause_reason}` }
  if (held_by === 'frozen') return { what: 'Held until the merchant is unfrozen.' }
  if (doubt === 'earlier_refund')
    return { what: `Malipo sends it to ${provider} once the earlier refund of its charge has ended.` }
  return { what: stepOf(inspected), ...(wake_at && { at: wake_at.toISOString() }) }
}

function stepOf({ transaction: { state, type, provider, attempt }, attempts }: Inspected): string {
  const isLost = attempts.some(({ number, is_lost }) => number === attempt && is_lost)
  if (isLost) return `Malipo sends it to ${provider} again, with the same key.`
  if (state === 'accepted') return `Malipo sends it to ${provider}.`
  if (state === 'sending') return `It is being sent; without an outcome by then, Malipo queries ${provider}.`
  const isCharge = type === 'deposit'
  return `Malipo queries ${provider} again${isCharge ? '; the charge ends when the provider reports its end, or does not know it at its expiry' : ''}.`
}
