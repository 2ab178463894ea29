import { type Db, type Environment, type Owner, type ReadDb, sql, type Tx } from '../../platform/db.ts'
import { monthsOf } from '../../platform/months.ts'
import type { Transaction } from '../model/store.ts'

/** Why a payout needs approval. The database accepts no other reason. */
export type ApprovalReason = 'above_amount' | 'new_beneficiary' | 'bulk'

/** What the controls did with a payout when it was accepted. */
export interface ControlledPayout {
  readonly transaction_id: string
  readonly merchant_id: string
  readonly env: Environment
  readonly made_by: string
  readonly counted_as: string
  readonly beneficiary: string
  readonly currency: string
  readonly amount: bigint
  readonly day: string
  /** The day limits of the wallet's currency that count it. */
  readonly counted: readonly string[]
  /** The paid side, if the wallet has another currency. */
  readonly paid_currency: string | null
  readonly paid_amount: bigint | null
  readonly paid_counted: readonly string[]
  readonly approval_reasons: readonly ApprovalReason[]
  readonly approval_expires_at: Date | null
}

export async function insertControlled(tx: Tx, rows: readonly ControlledPayout[]): Promise<void> {
  if (rows.length === 0) return
  const of = <Key extends keyof ControlledPayout>(name: Key) => rows.map((row) => row[name])
  const texts = (name: 'counted' | 'paid_counted' | 'approval_reasons') => rows.map((row) => `{${row[name].join()}}`)
  await tx.query(sql`
    insert into controlled_payouts (transaction_id, merchant_id, env, made_by, counted_as, beneficiary, currency, amount, day,
      counted, paid_currency, paid_amount, paid_counted, approval_reasons, approval_expires_at)
    select transaction_id, merchant_id, env, made_by, counted_as, beneficiary, currency, amount, day, counted::text[],
      paid_currency, paid_amount, paid_counted::text[], approval_reasons::text[], approval_expires_at
    from unnest(${of('transaction_id')}::uuid[], ${of('merchant_id')}::uuid[], ${of('env')}::text[],
      ${of('made_by')}::text[], ${of('counted_as')}::text[], ${of('beneficiary')}::text[], ${of('currency')}::text[], ${of('amount')}::bigint[],
      ${of('day')}::date[], ${texts('counted')}::text[], ${of('paid_currency')}::text[], ${of('paid_amount')}::bigint[],
      ${texts('paid_counted')}::text[], ${texts('approval_reasons')}::text[], ${of('approval_expires_at')}::timestamptz[])
      as n(transaction_id, merchant_id, env, made_by, counted_as, beneficiary, currency, amount, day, counted, paid_currency,
        paid_amount, paid_counted, approval_reasons, approval_expires_at)`)
}

/** A payout that needs or needed approval, and the decision if there is one. */
export interface Approval {
  readonly transaction_id: string
  readonly made_by: string
  readonly approval_reasons: readonly ApprovalReason[]
  readonly approval_expires_at: Date
  readonly decision: 'approved' | 'rejected' | 'expired' | null
  readonly decided_by: string | null
  readonly decided_by_name: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string | null
}

/** The approval of one payout; undefined when it needed none. */
export async function findApproval(db: ReadDb, owner: Owner, transactionId: string): Promise<Approval | undefined> {
  const months = monthsOf([transactionId])
  const [found] = await db.within<Approval>(
    owner,
    months,
    sql`
      select transaction_id, made_by, approval_reasons, approval_expires_at, decision, decided_by, decided_by_name,
        decided_at, decision_reason
      from controlled_payouts
      where transaction_id = ${transactionId}
        and transaction_id >= ${months.from}
        and transaction_id < ${months.below}
        and approval_expires_at is not null`,
  )
  return found
}

/** A payout that waits for approval, with what an approver needs to know. */
export type WaitingPayout = Transaction &
  Pick<Approval, 'made_by' | 'approval_reasons' | 'approval_expires_at'> & { readonly made_by_name: string | null }

/** Payouts of one merchant that wait for approval, those that expire first at the front. */
export function waitingPayouts(db: ReadDb, owner: Owner, limit: number): Promise<WaitingPayout[]> {
  return db.query<WaitingPayout>(
    owner,
    sql`
      select t.*, c.made_by, p.name as made_by_name, c.approval_reasons, c.approval_expires_at
      from controlled_payouts c
      join transactions t on t.id = c.transaction_id
      left join people p on p.id = case when c.made_by ~ '^person_[0-9a-f]{32}$' then substr(c.made_by, 8)::uuid end
      where c.merchant_id = ${owner.merchant_id}
        and c.env = ${owner.env}
        and c.approval_expires_at is not null
        and c.approval_closed_at is null
      order by c.approval_expires_at, c.transaction_id
      limit ${limit}`,
  )
}

/** A payout that a person approved or rejected. */
export type DecidedPayout = Transaction &
  Pick<Approval, 'made_by'> & {
    readonly made_by_name: string | null
    readonly decision: string
    readonly decided_by: string
    readonly decided_by_name: string
    readonly decided_at: Date
    readonly decision_reason: string
  }

/** How many entries of the merchant's audit trail are searched for decisions. */
const searchedMax = 5000

/** Payouts of one merchant that people decided, the last decision first. Their order is that of the audit trail. */
export function decidedPayouts(db: ReadDb, owner: Owner, limit: number): Promise<DecidedPayout[]> {
  return db.query<DecidedPayout>(
    owner,
    sql`
      with searched as (
        select id, action, result, env, subject
        from audit_entries
        where merchant_id = ${owner.merchant_id}
        order by id desc
        limit ${searchedMax}
      ), decisions as materialized (
        select id, subject
        from searched
        where action in ('payout.approve', 'payout.reject')
          and result = 'done'
          and env = ${owner.env}
          and subject ~ '^txn_[0-9a-f]{32}$'
        order by id desc
        limit ${limit}
      )
      select t.*, c.made_by, p.name as made_by_name, c.decision, c.decided_by, c.decided_by_name, c.decided_at,
        c.decision_reason
      from decisions d
      join controlled_payouts c on c.transaction_id = substr(d.subject, 5)::uuid
      join transactions t on t.id = c.transaction_id
      left join people p on p.id = case when c.made_by ~ '^person_[0-9a-f]{32}$' then substr(c.made_by, 8)::uuid end
      where c.decided_by is not null
      order by d.id desc`,
  )
}

/** A person's decision about a payout. */
export interface Decision {
  readonly decision: 'approved' | 'rejected'
  readonly by: { readonly id: string; readonly name: string }
  readonly reason: string
}

/**
 * Stores a decision in the transaction that carries it out. The database refuses one by the maker. From an approval on, the
 * beneficiary is known.
 */
export async function storeDecision(tx: Tx, transactionId: string, { decision, by, reason }: Decision): Promise<void> {
  const months = monthsOf([transactionId])
  await tx.query(sql`
    with decided as (
      update controlled_payouts
      set decision = ${decision}, decided_by = ${by.id}, decided_by_name = ${by.name}, decision_reason = ${reason},
        decided_at = record_time()
      where transaction_id = ${transactionId}
        and transaction_id >= ${months.from}
        and transaction_id < ${months.below}
      returning merchant_id, env, beneficiary, decision, decided_at
    )
    insert into known_beneficiaries (merchant_id, env, beneficiary, first_paid_at)
    select merchant_id, env, beneficiary, decided_at
    from decided
    where decision = 'approved'
    on conflict do nothing`)
}

export async function storeExpiry(tx: Tx, transactionId: string): Promise<void> {
  const months = monthsOf([transactionId])
  await tx.query(sql`
    update controlled_payouts
    set decision = 'expired', decided_at = record_time()
    where transaction_id = ${transactionId}
      and transaction_id >= ${months.from}
      and transaction_id < ${months.below}`)
}

/** Payouts that stopped waiting for approval in this transaction, whatever the cause. */
export async function closeApprovals(tx: Tx, at: Date, transactionIds: readonly string[]): Promise<void> {
  if (transactionIds.length === 0) return
  const months = monthsOf(transactionIds)
  await tx.query(sql`
    update controlled_payouts
    set approval_closed_at = ${at}
    where transaction_id = any(${transactionIds}::uuid[])
      and transaction_id >= ${months.from}
      and transaction_id < ${months.below}`)
}

/** When each of these payouts stopped waiting for approval; those that never waited are absent. */
export async function closedApprovals(tx: Tx, transactionIds: readonly string[]): Promise<[string, Date][]> {
  if (transactionIds.length === 0) return []
  const months = monthsOf(transactionIds)
  const rows = await tx.query<{ transaction_id: string; approval_closed_at: Date }>(sql`
    select transaction_id, approval_closed_at
    from controlled_payouts
    where transaction_id = any(${transactionIds}::uuid[])
      and transaction_id >= ${months.from}
      and transaction_id < ${months.below}
      and approval_closed_at is not null`)
  return rows.map(({ transaction_id, approval_closed_at }) => [transaction_id, approval_closed_at])
}

/** Payouts that waited for approval too long, the longest first. */
export async function overdueApprovals(db: Db, limit: number): Promise<string[]> {
  const rows = await db.query<{ transaction_id: string }>(sql`
    select transaction_id
    from controlled_payouts
    where approval_expires_at is not null
      and approval_closed_at is null
      and approval_expires_at <= record_time()
    order by approval_expires_at
    limit ${limit}`)
  return rows.map(({ transaction_id }) => transaction_id)
}

/** Brings the expiry of the approvals of one sandbox merchant forward. */
export async function fastForwardApprovals(tx: Tx, transactionIds: readonly string[], aheadMs: number): Promise<void> {
  if (transactionIds.length === 0) return
  await tx.query(sql`
    update controlled_payouts
    set approval_expires_at = approval_expires_at - make_interval(secs => ${aheadMs / 1000})
    where transaction_id = any(${transactionIds}::uuid[])
      and env = 'sandbox'`)
}
