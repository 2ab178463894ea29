import { type Environment, sql, type Tx } from '../../platform/db.ts'
import { newTransactionId } from '../../platform/ids.ts'
import type { Transaction } from '../model/store.ts'

/** Why money is in suspense, as staff read it. docs/operating/suspense.md says what to do about each kind. */
export const caseKinds = {
  underpaid: 'less than the amount was transferred before the account expired',
  amount_mismatch: 'the provider moved another amount than the payment has',
  abandoned_attempt_success: 'abandoned attempt moved money',
  paid_twice: 'the customer paid more than once',
  paid_after_failure: 'the payout failed and its money was returned to the merchant, but the provider paid',
  paid_after_return: 'the provider returned the payout, then paid it',
  unknown_payment: 'the provider reported money of an unknown payment',
  carried_over: 'in suspense since before cases existed',
} as const

export type CaseKind = keyof typeof caseKinds

export interface SuspenseCase {
  readonly id: string
  readonly env: Environment
  readonly kind: CaseKind
  readonly provider: string
  readonly provider_key: string
  readonly country: string
  readonly currency: string
  readonly amount: bigint
  readonly merchant_id: string | null
  readonly transaction_id: string | null
  readonly opened_at: Date
  readonly updated_at: Date
  readonly closed_at: Date | null
  readonly outcome: 'credited' | 'debited' | 'returned' | 'written_off' | 'resolved' | null
  readonly cleared_by: string | null
}

/** A payment whose amount in suspense changed, and the kind of the case to open if there is none. */
export interface CaseChange {
  readonly transaction: Transaction
  readonly kind: CaseKind
  /** The provider where the money moved. */
  readonly provider: string
}

/**
 * Keeps the case of each payment at its amount in suspense: opens one, changes its amount, or closes it when the provider's own
 * reports leave nothing. The payments are locked, so a case has one writer at a time.
 */
export async function keepCases(tx: Tx, at: Date, cell: number, changes: readonly CaseChange[]): Promise<void> {
  if (changes.length === 0) return
  const of = <Key extends keyof Transaction>(name: Key) => changes.map(({ transaction }) => transaction[name])
  await tx.query(sql`
    with wanted as (
      select *
      from unnest(${changes.map(() => newTransactionId(at.getTime(), cell))}::uuid[], ${of('id')}::uuid[], ${of('env')}::text[],
        ${changes.map(({ kind }) => kind)}::text[], ${changes.map(({ provider }) => provider)}::text[], ${of('country')}::text[],
        ${of('currency')}::text[], ${of('suspended')}::bigint[], ${of('merchant_id')}::uuid[])
        as w(id, transaction_id, env, kind, provider, country, currency, amount, merchant_id)
    ), changed as (
      update suspense_cases c
      set amount = w.amount, updated_at = ${at},
        closed_at = case when w.amount = 0 then ${at}::timestamptz end,
        outcome = case when w.amount = 0 then 'resolved' end
      from wanted w
      where c.transaction_id = w.transaction_id
        and c.closed_at is null
      returning c.transaction_id
    )
    insert into suspense_cases (id, env, kind, provider, country, currency, amount, merchant_id, transaction_id,
      opened_at, updated_at)
    select id, env, kind, provider, country, currency, amount, merchant_id, transaction_id, ${at}, ${at}
    from wanted
    where amount <> 0
      and transaction_id not in (select transaction_id from changed)`)
}
