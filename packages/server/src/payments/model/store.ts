import assert from 'node:assert/strict'
import type { Currency } from '../../money/currencies.ts'
import type { KeptFeeRule } from '../../money/fees.ts'
import { type Db, type Environment, sql, type Tx } from '../../platform/db.ts'
import { monthsOf } from '../../platform/months.ts'
import type { CustomerAction, Failure } from '../../providers/contract.ts'
import type { Scenario } from '../../scenarios/catalogue.ts'
import type { DoubtOrNone } from './doubts.ts'
import { insertLookups, insertMerchantLookups, type Lookup, referenceLookup } from './lookups.ts'
import { allowed, type State } from './state.ts'

export type TransactionType = 'deposit' | 'withdrew' | 'refund' | 'conversion' | 'adjustment'
type Method = 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion'

/** The rate at which a payment across currencies was accepted. */
interface UsedRate {
  readonly pair: string
  readonly side: 'buy' | 'sell'
  readonly value: string
  readonly at: string
  /** Our markup on the wallet's side, in minor units of its currency: the FX income. Not shown to merchants. */
  readonly spread: string
}

/** Why money moved after a payment's end. */
export type AdjustmentReason =
  | 'late_success'
  | 'late_receipt'
  | 'payout_returned'
  | 'charge_reversed'
  | 'chargeback_won'
  | 'suspense_cleared'
  | 'operator'

/** What one transaction says of another. Direction and reason belong to adjustments only. */
interface Relating {
  /** Of an adjustment, the transaction whose money moved after its end. Of a refund, or a payout in its place, the charge. */
  readonly related_transaction_id: string | null
  readonly related_reference: string | null
  readonly direction: 'credit' | 'debit' | null
  readonly reason: AdjustmentReason | null
}

/** The fields of a payment that are known at acceptance and never change. */
export interface Promised {
  readonly id: string
  readonly merchant_id: string
  readonly env: Environment
  readonly type: TransactionType
  readonly method: Method
  readonly destination: string
  readonly country: string
  readonly external_reference: string
  readonly amount: bigint
  readonly currency: Currency
  readonly wallet_id: string
  readonly wallet_country: string
  readonly wallet_currency: Currency
  readonly wallet_amount: bigint
  /** The fee rule in force at acceptance. Null for payments accepted before rules were stored. */
  readonly fee_rule: KeptFeeRule | null
  readonly rate: UsedRate | null
  readonly account_name: string
  readonly code: string
  /** Sealed; see counterparty.ts. */
  readonly counterparty: string
  readonly created_at: Date
  /** Only a sandbox fast-forward changes this. */
  readonly expires_at: Date | null
  /** A lane can send the payment at any time. What a request sends, only that request can send. */
  readonly sent_via: 'lane' | 'request'
  /** The injected scenario. The database refuses any in live. */
  readonly scenario: Scenario | null
}

/** The action that the customer was asked for, with its current state. */
export type PendingAction = CustomerAction & {
  /** How many wrong answers are still allowed, when the merchant submits the customer's answers. */
  readonly attemptsLeft?: number
  /** The action was returned to the caller. Otherwise the next request with the same reference gets it. */
  readonly isReported?: true
}

/** The fields of a payment that change. */
export interface Progress {
  readonly state: State
  readonly attempt: number
  readonly provider: string
  /** Why the payment waits or is in doubt. */
  readonly doubt: DoubtOrNone
  readonly action: PendingAction | null
  readonly failure: Failure | null
  readonly receipt: string
  /** What came into the account of a bank transfer charge before its end. */
  readonly received: bigint
  /** The fee taken, in the wallet's currency. Until the payment ends, the expected fee. */
  readonly fee: bigint
  readonly events: number
  /** How many events the merchant was notified of. */
  readonly notified: number
  readonly wake_at: Date | null
  /** The adjustments that name this transaction, oldest first. */
  readonly adjustments: readonly string[]
  /** What adjustments after the end credited to the merchant less what they debited, in the payment's currency. */
  readonly adjusted: bigint
  /** Fees that adjustments charged less fees that they returned, in the wallet's currency. */
  readonly adjusted_fee: bigint
  /** What is in suspense for it after its end. Negative: money left that the operator must recover. */
  readonly suspended: bigint
  /** The number of postings made after the end. */
  readonly late_postings: number
}

/** The initial values: no money has moved after the end. */
export const unadjusted = {
  adjustments: [],
  adjusted: 0n,
  adjusted_fee: 0n,
  suspended: 0n,
  late_postings: 0,
} as const satisfies Partial<Progress>

export interface Transaction extends Promised, Progress, Relating {
  readonly updated_at: Date
}

export interface Attempt {
  readonly transaction_id: string
  readonly number: number
  readonly provider: string
  readonly sends: number
  readonly polls: number
  readonly refusals: number
  readonly send_deadline: Date | null
  readonly is_lost: boolean
  /** The provider hinted at a change after it was last queried or sent to; after an end: it was queried about the end. */
  readonly is_hinted: boolean
  readonly outcome: 'successful' | 'failed' | 'not_submitted' | 'unwritable' | null
  /** What the provider reported to have moved, once it reported anything after the end. */
  readonly moved: bigint | null
  /** What the operator returned to the payer through the provider, which may or may not report that. */
  readonly returned: bigint
}

/** A payment with its current attempt. */
export interface Payment {
  readonly transaction: Transaction
  readonly attempt: Attempt
}

/** One transfer into the account of a charge. */
export interface BookedReceipt {
  readonly transaction_id: string
  readonly receipt_id: string
  readonly number: number
  readonly amount: bigint
  readonly is_late: boolean
  /** It does not count: the bank took it back, or its currency is not the charge's. */
  readonly is_reversed: boolean
}

/** A payment with the receipts of its account, if it has one. */
export interface KnownPayment extends Payment {
  readonly receipts: readonly BookedReceipt[]
}

/** A payment with its abandoned attempts. */
export interface FullPayment extends KnownPayment {
  readonly abandoned: readonly Attempt[]
}

/** Inserts payments, and what they are found by: references, and numbers and names that only the caller knows unsealed. */
export async function insert(tx: Tx, rows: readonly Transaction[], lookups: readonly Lookup[] = []): Promise<void> {
  if (rows.length === 0) return
  const owners = new Map(rows.map(({ id, merchant_id, env }) => [id, { merchant_id, env }]))
  const owned = lookups.flatMap((lookup) => {
    const owner = owners.get(lookup.transaction_id)
    return owner ? [{ ...lookup, ...owner }] : []
  })
  await Promise.all([
    insertRows(tx, rows),
    insertLookups(tx, [...rows.map(referenceLookup), ...lookups]),
    insertMerchantLookups(tx, owned),
  ])
}

async function insertRows(tx: Tx, rows: readonly Transaction[]): Promise<void> {
  const of = <Key extends keyof Transaction>(name: Key) => rows.map((row) => row[name])
  const json = (name: 'rate' | 'fee_rule' | 'action' | 'failure') =>
    rows.map((row) => (row[name] ? JSON.stringify(row[name]) : null))
  await tx.query(sql`
    insert into transactions (id, merchant_id, env, type, method, destination, country, external_reference, amount,
      currency, wallet_id, wallet_country, wallet_currency, wallet_amount, fee, fee_rule, rate, account_name, code, counterparty,
      created_at, expires_at, sent_via, scenario, state, attempt, provider, doubt, action, events, notified, wake_at,
      updated_at, related_transaction_id, related_reference, direction, reason)
    select *
    from unnest(${of('id')}::uuid[], ${of('merchant_id')}::uuid[], ${of('env')}::text[], ${of('type')}::text[],
      ${of('method')}::text[], ${of('destination')}::text[], ${of('country')}::text[],
      ${of('external_reference')}::text[], ${of('amount')}::bigint[], ${of('currency')}::text[],
      ${of('wallet_id')}::uuid[], ${of('wallet_country')}::text[], ${of('wallet_currency')}::text[],
      ${of('wallet_amount')}::bigint[], ${of('fee')}::bigint[], ${json('fee_rule')}::jsonb[], ${json('rate')}::jsonb[],
      ${of('account_name')}::text[], ${of('code')}::text[], ${of('counterparty')}::text[], ${of('created_at')}::timestamptz[],
      ${of('expires_at')}::timestamptz[], ${of('sent_via')}::text[], ${of('scenario')}::text[], ${of('state')}::text[],
      ${of('attempt')}::smallint[], ${of('provider')}::text[], ${of('doubt')}::text[], ${json('action')}::jsonb[], ${of('events')}::smallint[],
      ${of('notified')}::smallint[], ${of('wake_at')}::timestamptz[], ${of('updated_at')}::timestamptz[],
      ${of('related_transaction_id')}::uuid[], ${of('related_reference')}::text[], ${of('direction')}::text[], ${of('reason')}::text[])`)
}

export async function insertAttempts(tx: Tx, rows: readonly Attempt[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into attempts (transaction_id, number, provider, sends, send_deadline)
    select *
    from unnest(${rows.map((row) => row.transaction_id)}::uuid[], ${rows.map((row) => row.number)}::smallint[],
      ${rows.map((row) => row.provider)}::text[], ${rows.map((row) => row.sends)}::smallint[],
      ${rows.map((row) => row.send_deadline)}::timestamptz[])`)
}

export interface Move extends Progress {
  readonly id: string
}

/**
 * Moves each payment if the transition table allows it from its current state. The caller has locked the rows, so a payment that
 * does not move is a bug in the caller and rolls everything back. Only this statement writes `state`.
 */
export async function move(tx: Tx, at: Date, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  const of = <Key extends keyof Move>(name: Key) => moves.map((each) => each[name])
  const json = (name: 'action' | 'failure') => moves.map((each) => (each[name] ? JSON.stringify(each[name]) : null))
  const moved = await tx.query(sql`
    update transactions as t
    set state = m.target, attempt = m.attempt, provider = m.provider, doubt = m.doubt,
      action = m.action, failure = m.failure, receipt = m.receipt, received = m.received, fee = m.fee,
      events = m.events, notified = m.notified, wake_at = m.wake_at,
      updated_at = ${at}
    from unnest(${of('id')}::uuid[], ${of('state')}::text[], ${of('attempt')}::smallint[], ${of('provider')}::text[],
      ${of('doubt')}::text[], ${json('action')}::jsonb[], ${json('failure')}::jsonb[],
      ${of('receipt')}::text[], ${of('received')}::bigint[], ${of('fee')}::bigint[],
      ${of('events')}::smallint[], ${of('notified')}::smallint[], ${of('wake_at')}::timestamptz[])
      as m(id, target, attempt, provider, doubt, action, failure, receipt, received, fee, events,
        notified, wake_at)
    join unnest(${allowed.sources}::text[], ${allowed.targets}::text[]) as a(source, target) using (target)
    where t.id = m.id
      and t.state = a.source
    returning t.id`)
  assert.equal(moved.length, moves.length, 'a payment made a transition that is not allowed')
}

export async function updateAttempts(tx: Tx, rows: readonly Attempt[]): Promise<void> {
  if (rows.length === 0) return
  const of = <Key extends keyof Attempt>(name: Key) => rows.map((row) => row[name])
  await tx.query(sql`
    update attempts as a
    set sends = n.sends, polls = n.polls, refusals = n.refusals, send_deadline = n.send_deadline, is_lost = n.is_lost,
      is_hinted = n.is_hinted, outcome = n.outcome
    from unnest(${of('transaction_id')}::uuid[], ${of('number')}::smallint[], ${of('sends')}::smallint[],
      ${of('polls')}::smallint[], ${of('refusals')}::smallint[], ${of('send_deadline')}::timestamptz[], ${of('is_lost')}::boolean[],
      ${of('is_hinted')}::boolean[], ${of('outcome')}::text[])
      as n(transaction_id, number, sends, polls, refusals, send_deadline, is_lost, is_hinted, outcome)
    where a.transaction_id = n.transaction_id
      and a.number = n.number`)
}

/** A numbered query about an attempt. */
export interface Question {
  readonly number: number
  /** It was put after the end of the payment. The response to one from before may be older than the end. */
  readonly isAfterEnd: boolean
}

/** Numbers a query about an attempt, in one order for all processes. Locks the payment, as every writer of its attempts does. */
export async function putQuestion(db: Db, transactionId: string, number: number): Promise<Question> {
  const months = monthsOf([transactionId])
  const [question] = await db.query<Question>(sql`
    with locked as (
      select id, attempt, state in ('successful', 'failed') as has_ended
      from transactions
      where id = ${transactionId}
        and id >= ${months.from}
        and id < ${months.below}
      for no key update
    )
    update attempts a
    set polls = least(a.polls + 1, 32767),
      is_hinted = a.is_hinted or locked.has_ended or locked.attempt <> a.number
    from locked
    where a.transaction_id = locked.id
      and a.transaction_id >= ${months.from}
      and a.transaction_id < ${months.below}
      and a.number = ${number}
    returning a.polls as number, locked.has_ended as "isAfterEnd"`)
  assert(question, `payment ${transactionId} has no attempt ${number}`)
  return question
}

export async function walletOf(db: Db, id: string): Promise<string> {
  const months = monthsOf([id])
  const [found] = await db.query<{ wallet_id: string }>(sql`
    select wallet_id
    from transactions
    where id = ${id}
      and id >= ${months.from}
      and id < ${months.below}`)
  return found?.wallet_id ?? ''
}

/** An attempt before its first send. */
export const freshAttempt = {
  sends: 0,
  polls: 0,
  refusals: 0,
  send_deadline: null,
  is_lost: false,
  is_hinted: false,
  outcome: null,
  moved: null,
  returned: 0n,
} as const

/** The caller has locked the charges and booked the money. */
export async function insertReceipts(tx: Tx, at: Date, rows: readonly BookedReceipt[]): Promise<void> {
  if (rows.length === 0) return
  const of = <Key extends keyof BookedReceipt>(name: Key) => rows.map((row) => row[name])
  await tx.query(sql`
    insert into receipts (transaction_id, receipt_id, number, amount, is_late, at)
    select *, ${at}::timestamptz
    from unnest(${of('transaction_id')}::uuid[], ${of('receipt_id')}::text[], ${of('number')}::smallint[],
      ${of('amount')}::bigint[], ${of('is_late')}::boolean[])`)
}
