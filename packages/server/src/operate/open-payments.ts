import type { Cause } from '../events/emit.ts'
import type { CaseKind } from '../payments/late-money/suspense-cases.ts'
import type { State } from '../payments/model/state.ts'
import type { Attempt, Transaction } from '../payments/model/store.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import type { HeldBy, PaymentSummary } from './payment-summaries.ts'

/** Reads across all merchants, for the operator. Each reads only the open payments, or a bounded part of the rest. */

export interface OpenPaymentFilter {
  /** Only payments that need a person: in doubt, held back when due, or final with money in suspense. */
  readonly isDoubtOnly: boolean
  readonly merchant_id: string | undefined
  readonly env: Environment | undefined
  readonly provider: string | undefined
  readonly state: State | undefined
  readonly type: Transaction['type'] | undefined
  readonly currency: string | undefined
  readonly olderThanMinutes: number
  /** Of `readScope`. */
  readonly scope: string | null
  /** Only payments newer than this one. */
  readonly after: string
  readonly limit: number
}

/**
 * Open payments, and final ones with money in suspense, oldest first. The open ones are collected before they are sorted, so that
 * the query uses the index of open payments and never scans all payments.
 */
export function readOpenPayments(db: Db, wanted: OpenPaymentFilter): Promise<PaymentSummary[]> {
  const { isDoubtOnly, merchant_id = null, env = null, provider = null, state = null } = wanted
  const { type = null, currency = null } = wanted
  const { olderThanMinutes, scope, limit } = wanted
  return db.query<PaymentSummary>(sql`
    with found as materialized (
      select id, merchant_id, env, type, external_reference, amount, currency, country, method, code, state, doubt,
        provider, attempt, created_at, wake_at, '' as failure_code
      from transactions
      where state not in ('successful', 'failed')
      union all
      select t.id, t.merchant_id, t.env, t.type, t.external_reference, t.amount, t.currency, t.country, t.method,
        t.code, t.state, t.doubt, t.provider, t.attempt, t.created_at, t.wake_at, coalesce(t.failure->>'code', '')
      from suspense_cases c
      join transactions t on t.id = c.transaction_id
      where c.closed_at is null
        and t.state in ('successful', 'failed')
        and ${isDoubtOnly}::boolean
    ), clock as (
      select record_time() as at
    ), held as (
      select f.*, at, m.name as merchant_name, c.kind as case_kind,
        held_by(f.state, a.is_lost, m.frozen_at, l.paused_at) as held_by
      from clock, found f
      left join attempts a on a.transaction_id = f.id and a.number = f.attempt
      join merchants m on m.id = f.merchant_id
      left join lanes l on l.lane = f.env || '/' || f.provider
      left join suspense_cases c on c.transaction_id = f.id and c.closed_at is null
      where f.merchant_id = coalesce(${merchant_id}::uuid, f.merchant_id)
        and f.env = coalesce(${env}::text, f.env)
        and f.provider = coalesce(${provider}::text, f.provider)
        and f.state = coalesce(${state}::text, f.state)
        and f.type = coalesce(${type}::text, f.type)
        and f.currency = coalesce(${currency}::text, f.currency)
        and f.created_at <= at - make_interval(mins => ${olderThanMinutes}::int)
        and f.id > ${wanted.after}
        and is_in_scope(${scope}::jsonb, f.country, f.currency)
    )
    select id, merchant_id, merchant_name, env, type, external_reference, amount, currency, country, method, code, state,
      doubt, failure_code, provider, attempt, created_at, case_kind, held_by, extract(epoch from at - created_at)::int as age_seconds,
      extract(epoch from wake_at - at)::int as wake_in_seconds
    from held
    where not ${isDoubtOnly}::boolean
      or state = 'unknown'
      or doubt <> ''
      or case_kind is not null
      or (held_by is not null and wake_at <= at)
    order by id
    limit ${limit}`)
}

/** One payment in full, with what may hold it. */
export interface Inspected {
  readonly at: Date
  readonly transaction: Transaction
  readonly attempts: readonly Attempt[]
  readonly events: readonly RecordedEvent[]
  readonly merchant_name: string
  readonly is_frozen: boolean
  readonly held_by: HeldBy
  readonly pause_reason: string
  /** The open case about its money in suspense, if any. */
  readonly case_id: string | null
  readonly case_kind: CaseKind | null
}

interface RecordedEvent {
  readonly number: number
  readonly at: Date
  readonly cause: Cause
  /** Whether the merchant is notified. */
  readonly notifies_merchant: boolean
  readonly state: State
  readonly message: string
  readonly detail: Readonly<Record<string, unknown>>
}

export async function inspect(db: Db, id: string): Promise<Inspected | undefined> {
  const [transaction] = await db.query<Transaction>(sql`select * from transactions where id = ${id}`)
  if (!transaction) return undefined
  const attempts = await db.query<Attempt>(sql`
    select *
    from attempts
    where transaction_id = ${id}
    order by number`)
  const events = await db.query<RecordedEvent>(sql`
    select number, at, cause, name is not null as notifies_merchant, state, message, detail
    from events
    where transaction_id = ${id}
    order by number
    limit 1000`)
  const isLost = attempts.some(({ number, is_lost }) => number === transaction.attempt && is_lost)
  const [around] = await db.query<Omit<Inspected, 'transaction' | 'attempts' | 'events'>>(sql`
    select record_time() as at, m.name as merchant_name, m.frozen_at is not null as is_frozen,
      held_by(${transaction.state}, ${isLost}, m.frozen_at, l.paused_at) as held_by, coalesce(l.reason, '') as pause_reason,
      c.id as case_id, c.kind as case_kind
    from merchants m
    left join lanes l on l.lane = ${`${transaction.env}/${transaction.provider}`}
    left join suspense_cases c on c.transaction_id = ${id} and c.closed_at is null
    where m.id = ${transaction.merchant_id}`)
  return around && { ...around, transaction, attempts, events }
}

/** Payments of one provider, environment and state. */
export interface OpenCount {
  readonly env: Environment
  readonly provider: string
  readonly state: State
  readonly payments: number
  readonly in_doubt: number
  readonly oldest_seconds: number
}

export function countOpen(db: Db, scope: string | null): Promise<OpenCount[]> {
  return db.query<OpenCount>(sql`
    select env, provider, state, count(*)::int as payments,
      (count(*) filter (where state = 'unknown' or doubt <> ''))::int as in_doubt,
      extract(epoch from (select record_time()) - min(created_at))::int as oldest_seconds
    from transactions
    where state not in ('successful', 'failed')
      and is_in_scope(${scope}::jsonb, country, currency)
    group by env, provider, state`)
}

export interface OutcomeCount {
  readonly env: Environment
  readonly provider: string
  readonly successful: number
  readonly failed: number
  /** How many payments of all providers were read. */
  readonly looked: number
}

/** At most this many payments of the last hour are read, the newest. */
export const recentMax = 20_000

/** The outcomes of the last hour's payments. */
export function countRecent(db: Db, scope: string | null): Promise<OutcomeCount[]> {
  return db.query<OutcomeCount>(sql`
    with recent as materialized (
      select env, provider, state, country, currency
      from transactions
      where id >= (select id_at(record_time() - interval '1 hour'))
      order by id desc
      limit ${recentMax}
    )
    select env, provider, (count(*) filter (where state = 'successful'))::int as successful,
      (count(*) filter (where state = 'failed'))::int as failed, (select count(*)::int from recent) as looked
    from recent
    where is_in_scope(${scope}::jsonb, country, currency)
    group by env, provider`)
}

/** Open cases about money in suspense, by the provider that reported it. */
export function countCases(
  db: Db,
  scope: string | null,
): Promise<{ env: Environment; provider: string; cases: number }[]> {
  return db.query(sql`
    select env, provider, count(*)::int as cases
    from suspense_cases
    where closed_at is null
      and is_in_scope(${scope}::jsonb, country, currency)
    group by env, provider`)
}
