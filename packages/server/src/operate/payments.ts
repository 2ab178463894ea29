import { archivedMonthOf } from '../ledger/archive/archived-months.ts'
import { type Drawn, drawEntries, drawnEntries, sumsOf } from '../ledger/draw.ts'
import { formatMinor } from '../money/money.ts'
import { caseKinds } from '../payments/late-money/suspense-cases.ts'
import { type Doubt, doubts } from '../payments/model/doubts.ts'
import { kindOf } from '../payments/model/payment-kind.ts'
import { isFinal, type Stage, stageOf } from '../payments/model/state.ts'
import type { Attempt, Transaction } from '../payments/model/store.ts'
import { timing } from '../payments/resolve/timing.ts'
import { mayOperate, mayRead } from '../people/principal.ts'
import type { Environment } from '../platform/db.ts'
import { attemptOfKey, providerKeyOf, readId, showId } from '../platform/ids.ts'
import { callbackCommands, type ListedCallback } from './callbacks.ts'
import type { PostingView } from './dry-run.ts'
import { type Inspected, inspect } from './open-payments.ts'
import { type OperatorContext, OperatorError } from './operator-context.ts'
import type { PaymentSummary } from './payment-summaries.ts'
import { recordNumbersRead, type ShownNumber, shownFields, shownNumber } from './personal-numbers.ts'
import { type ProposalView, proposalsAbout } from './proposals.ts'
import { shownMinor } from './wallets.ts'

export interface ListedPayment {
  readonly id: string
  readonly merchant: { readonly id: string; readonly name: string }
  readonly externalReference: string
  readonly env: Environment
  readonly type: 'payout' | 'charge' | 'refund' | 'conversion' | 'adjustment'
  readonly amount: string
  readonly currency: string
  readonly state: string
  /** The state as merchants see it. */
  readonly stage: Stage
  /** The name of the doubt; empty when it neither waits for a reason nor is in doubt. */
  readonly doubt: string
  readonly country: string
  readonly method: string
  /** The mobile money operator, the bank or the kind of card. */
  readonly code: string
  readonly createdAt: string
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
    country: found.country,
    method: found.method,
    code: found.code,
    state,
    stage: stageOf(state, found.failure_code),
    doubt: found.doubt,
    createdAt: found.created_at.toISOString(),
    reason: isFinal(state) && found.case_kind === null ? '' : reasonOf(found),
    provider,
    attempt,
    ageSeconds: age_seconds,
    ...(wake_in_seconds !== null && { nextPollInSeconds: wake_in_seconds }),
  }
}

export const typeOf = (kind: ListedPayment['type']): Transaction['type'] =>
  kind === 'payout' ? 'withdrew' : kind === 'charge' ? 'deposit' : kind

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
  readonly destination: string
  /** What its doubt means, what Malipo does by itself, and what staff should check and do. */
  readonly guidance?: Guidance
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
  readonly updatedAt: string
  readonly expiresAt?: string
  readonly attempts: readonly AttemptView[]
  readonly events: readonly EventView[]
  /** The ledger entries, drawn; missing when no money was touched, or when all of them are archived. */
  readonly ledger?: string
  /** The same entries as data, and what is posted of them per currency. */
  readonly entries: readonly EntryView[]
  readonly sums: readonly EntrySum[]
  /** Such as `2025-01`: entries of this month are archived, and `malipo archive read` draws them. Only later ones are here. */
  readonly archivedMonth?: string
  /** What happens next without a person. */
  readonly next: { readonly what: string; readonly at?: string }
  /** Callbacks of providers about it, newest first; missing without `providers:read`. */
  readonly callbacks?: readonly ListedCallback[]
  /** Proposals about it, or about its money in suspense, that wait for a decision. */
  readonly proposals: readonly ProposalView[]
}

interface EntryView extends PostingView {
  readonly number: number
  readonly at: string
}

interface EntrySum {
  readonly currency: string
  readonly debits: string
  readonly credits: string
}

interface Guidance {
  readonly meaning: string
  readonly withoutHelp: string
  readonly check: string
  readonly action: string
}

interface AttemptView {
  readonly number: number
  readonly provider: string
  /** The provider key. */
  readonly key: string
  readonly sends: number
  readonly polls: number
  /** How often in a row the provider could not accept it. */
  readonly refusals: number
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
  const { inspected, drawn } = await context.db.write.snapshot(async (tx) => ({
    inspected: await inspect(tx, id),
    drawn: await drawnEntries(tx, id),
  }))
  if (!inspected || !mayRead(context.principal, 'payments:read', inspected.transaction)) throw noPayment(id)
  const shown = shownNumber(context, inspected.transaction)
  await recordNumbersRead(context, 'payments.show', [{ ...shown, payment: inspected.transaction }])
  const around = await aroundOf(context, inspected)
  // Read after the entries: a month that is archived in between is named.
  const archivedMonth = await archivedMonthOf(context.db.write, id)
  return { ...view(context, inspected, shown, drawn), ...around, ...(archivedMonth && { archivedMonth }) }
}

const callbacksMax = 20

/** What else staff look at before they decide. */
async function aroundOf(
  context: OperatorContext,
  { transaction: { id }, attempts, case_id }: Inspected,
): Promise<Pick<PaymentView, 'callbacks' | 'proposals'>> {
  const payment = showId('transaction', id)
  const names = [payment, ...attempts.map(({ number }) => providerKeyOf(id, number))]
  const proposals = await proposalsAbout(context, case_id === null ? names : [...names, showId('case', case_id)])
  if (!mayOperate(context.principal, 'providers:read')) return { proposals }
  return { proposals, callbacks: await callbackCommands(context).list({ payment, limit: callbacksMax }) }
}

function guidanceOf(doubt: Doubt): Guidance {
  const { meaning, withoutHelp, check, action } = doubts[doubt]
  return { meaning, withoutHelp, check, action }
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
  drawn: readonly Drawn[],
): Omit<PaymentView, 'callbacks' | 'proposals' | 'archivedMonth'> {
  const { transaction, attempts, merchant_name, is_frozen, case_id, case_kind } = inspected
  const { id, env, type, amount, currency, state, provider, attempt, failure, receipt } = transaction
  return {
    id: showId('transaction', id),
    env,
    type: kindOf(type),
    amount: formatMinor(amount, currency),
    currency,
    state,
    stage: stageOf(state, failure?.code),
    doubt: transaction.doubt,
    ...(transaction.doubt !== '' && { guidance: guidanceOf(transaction.doubt) }),
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
    ...(drawn.length > 0 && { ledger: drawEntries(id, drawn) }),
    ...entriesOf(drawn),
    next: nextOf(inspected),
  }
}

const entriesOf = (drawn: readonly Drawn[]): Pick<PaymentView, 'entries' | 'sums'> => ({
  entries: drawn.map(({ at, amount, ...entry }) => ({
    ...entry,
    at: new Date(Number(at / 1000n)).toISOString(),
    amount: shownMinor(amount, entry.currency),
  })),
  sums: sumsOf(drawn).map(({ currency, debits, credits }) => ({
    currency,
    debits: shownMinor(debits, currency),
    credits: shownMinor(credits, currency),
  })),
})

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

function viewOfAttempt(attempt: Attempt): AttemptView {
  const { transaction_id, number, provider, sends, polls, refusals, send_deadline, is_lost, outcome } = attempt
  return {
    number,
    provider,
    key: providerKeyOf(transaction_id, number),
    sends,
    polls,
    refusals,
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
