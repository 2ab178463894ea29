import type { Currency } from '../money/currencies.ts'
import type { CaseKind } from '../payments/late-money/suspense-cases.ts'
import type { DoubtOrNone } from '../payments/model/doubts.ts'
import type { Transaction } from '../payments/model/store.ts'
import { mayRead } from '../people/principal.ts'
import type { OperatorPermission } from '../people/roles.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import type { OperatorContext } from './operator-context.ts'

/** Why a payment is held, as the database's `held_by` returns it; null when it is not held. */
export type HeldBy = 'paused' | 'frozen' | null

/** A payment of any merchant in one line of a list, with what may hold it. */
export interface PaymentSummary
  extends Pick<
    Transaction,
    | 'id'
    | 'merchant_id'
    | 'env'
    | 'type'
    | 'external_reference'
    | 'amount'
    | 'country'
    | 'method'
    | 'code'
    | 'state'
    | 'provider'
    | 'created_at'
  > {
  readonly merchant_name: string
  readonly currency: Currency
  readonly doubt: DoubtOrNone
  /** Empty unless it failed. */
  readonly failure_code: string
  /** Why its money is in suspense, if any is. */
  readonly case_kind: CaseKind | null
  readonly attempt: number
  readonly age_seconds: number
  /** Negative when overdue; null when no poll is scheduled. */
  readonly wake_in_seconds: number | null
  readonly held_by: HeldBy
}

/** A summary with the columns that a find compares. */
export interface FoundRow extends PaymentSummary, Pick<Transaction, 'counterparty' | 'receipt'> {}

/** Whether the reader's countries and currencies include this payment; what is not a payment has none. */
export async function mayReadPayment(
  { db, principal }: OperatorContext,
  permission: OperatorPermission,
  id: string,
): Promise<boolean> {
  const [place] = await db.write.query<Pick<Transaction, 'country' | 'currency'>>(sql`
    select country, currency from transactions where id = ${id}`)
  return mayRead(principal, permission, place ?? {})
}

interface SummaryFilter {
  readonly merchant_id: string | undefined
  readonly env: Environment | undefined
  /** Of `readScope`. */
  readonly scope: string | null
}

/** These payments, newest first, without those of other merchants and environments where one is named, and outside the scope. */
export function readSummaries(
  db: Db,
  ids: readonly string[],
  { merchant_id, env, scope }: SummaryFilter,
): Promise<FoundRow[]> {
  return db.query<FoundRow>(sql`
    with clock as (
      select record_time() as at
    )
    select t.id, t.merchant_id, t.env, t.type, t.external_reference, t.amount, t.currency, t.state, t.doubt, t.provider,
      t.attempt, t.created_at, t.counterparty, t.receipt, t.country, t.method, t.code,
      coalesce(t.failure->>'code', '') as failure_code, m.name as merchant_name, c.kind as case_kind,
      extract(epoch from at - t.created_at)::int as age_seconds, extract(epoch from t.wake_at - at)::int as wake_in_seconds,
      case when t.state not in ('successful', 'failed') then held_by(t.state, a.is_lost, m.frozen_at, l.paused_at) end as held_by
    from clock, transactions t
    left join attempts a on a.transaction_id = t.id and a.number = t.attempt and a.transaction_id = any(${ids}::uuid[])
    join merchants m on m.id = t.merchant_id
    left join lanes l on l.lane = t.env || '/' || t.provider
    left join suspense_cases c on c.transaction_id = t.id and c.closed_at is null
    where t.id = any(${ids}::uuid[])
      and t.merchant_id = coalesce(${merchant_id ?? null}::uuid, t.merchant_id)
      and t.env = coalesce(${env ?? null}::text, t.env)
      and is_in_scope(${scope}::jsonb, t.country, t.currency)
    order by t.id desc`)
}
