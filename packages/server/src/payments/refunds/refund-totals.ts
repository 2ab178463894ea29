import { type Db, type Environment, type Owner, type Query, type ReadDb, sql, type Tx } from '../../platform/db.ts'
import { monthsOf } from '../../platform/months.ts'
import type { Transaction } from '../model/store.ts'
import { noRefunds, type RefundSums } from './refundable.ts'

/** A row of `refund_totals`. */
export interface RefundTotals extends RefundSums {
  readonly charge_id: string
  readonly merchant_id: string
  readonly env: Environment
  /** The one refund that may be sent now, where the provider takes one at a time. */
  readonly turn_of: string | null
}

/** The fields of a charge that its refunds depend on. */
export type RefundedRow = Pick<
  Transaction,
  | 'id'
  | 'merchant_id'
  | 'env'
  | 'type'
  | 'state'
  | 'method'
  | 'amount'
  | 'received'
  | 'adjusted'
  | 'suspended'
  | 'fee'
  | 'fee_rule'
  | 'provider'
>

/** Locks charges that are about to be refunded. A provider that takes money of them back waits, and so do other refunds. */
export async function lockCharges(tx: Tx, ids: readonly string[]): Promise<Map<string, RefundedRow>> {
  if (ids.length === 0) return new Map()
  const months = monthsOf(ids)
  const rows = await tx.query<RefundedRow>(sql`
    select *
    from transactions
    where id = any(${[...new Set(ids)]}::uuid[])
      and id >= ${months.from}
      and id < ${months.below}
    order by id
    for no key update`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Locks the totals of these charges until the transaction ends, sorted by key. A missing row is created, so that it can be locked. */
export async function lockTotals(tx: Tx, charges: Iterable<RefundedRow>): Promise<Map<string, RefundTotals>> {
  const rows = [...charges]
  if (rows.length === 0) return new Map()
  const totals = await tx.query<RefundTotals>(sql`
    insert into refund_totals as r (charge_id, merchant_id, env, pending, successful)
    select *, 0, 0
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map((row) => row.merchant_id)}::uuid[],
      ${rows.map(({ env }) => env)}::text[]) as w(charge_id, merchant_id, env)
    order by charge_id
    on conflict (charge_id) do update set pending = r.pending
    returning charge_id, merchant_id, env, pending, successful, turn_of`)
  return new Map(totals.map((row) => [row.charge_id, row]))
}

export async function writeTotals(tx: Tx, rows: readonly RefundTotals[]): Promise<void> {
  if (rows.length === 0) return
  const of = <Key extends keyof RefundTotals>(name: Key) => rows.map((row) => row[name])
  const months = monthsOf(of('charge_id'))
  await tx.query(sql`
    update refund_totals as r
    set pending = n.pending, successful = n.successful, turn_of = n.turn_of
    from unnest(${of('charge_id')}::uuid[], ${of('pending')}::bigint[], ${of('successful')}::bigint[],
      ${of('turn_of')}::uuid[]) as n(charge_id, pending, successful, turn_of)
    where r.charge_id = n.charge_id
      and r.charge_id >= ${months.from}
      and r.charge_id < ${months.below}`)
}

export interface RefundLink {
  readonly charge_id: string
  readonly transaction_id: string
  readonly merchant_id: string
  readonly env: Environment
  /** The merchant's words. */
  readonly reason: string | undefined
}

/** Connects refunds, and payouts in their place, with their charges. */
export async function insertLinks(tx: Tx, links: readonly RefundLink[]): Promise<void> {
  if (links.length === 0) return
  const of = <Key extends keyof RefundLink>(name: Key) => links.map((link) => link[name])
  await Promise.all([
    tx.query(sql`
      insert into refunds_of_charges (charge_id, transaction_id, merchant_id, env)
      select *
      from unnest(${of('charge_id')}::uuid[], ${of('transaction_id')}::uuid[], ${of('merchant_id')}::uuid[],
        ${of('env')}::text[])`),
    insertReasons(
      tx,
      links.filter(({ reason }) => reason !== undefined),
    ),
  ])
}

async function insertReasons(tx: Tx, links: readonly RefundLink[]): Promise<void> {
  if (links.length === 0) return
  const of = <Key extends keyof RefundLink>(name: Key) => links.map((link) => link[name])
  await tx.query(sql`
    insert into refund_reasons (transaction_id, merchant_id, env, reason)
    select *
    from unnest(${of('transaction_id')}::uuid[], ${of('merchant_id')}::uuid[], ${of('env')}::text[],
      ${of('reason')}::text[])`)
}

/** The oldest refund of a charge that waits for its turn, other than these. */
export async function nextInTurn(tx: Tx, charge_id: string, others: readonly string[]): Promise<string | null> {
  const months = monthsOf([charge_id])
  const [row] = await tx.query<{ id: string }>(sql`
    select t.id
    from refunds_of_charges l
    join transactions t on t.id = l.transaction_id
    where l.charge_id = ${charge_id}
      and l.charge_id >= ${months.from}
      and l.charge_id < ${months.below}
      and t.type = 'refund'
      and t.state = 'accepted'
      and t.id <> all(${others}::uuid[])
    order by t.id
    limit 1`)
  return row?.id ?? null
}

/** What went back of these charges. The caller has locked the charges, so their refunds can neither be added nor end meanwhile. */
export async function sumsOf(db: Db, chargeIds: readonly string[]): Promise<Map<string, RefundSums>> {
  if (chargeIds.length === 0) return new Map()
  const months = monthsOf(chargeIds)
  const rows = await db.query<RefundTotals>(sql`
    select charge_id, pending, successful
    from refund_totals
    where charge_id = any(${chargeIds}::uuid[])
      and charge_id >= ${months.from}
      and charge_id < ${months.below}`)
  return new Map(rows.map((row) => [row.charge_id, row]))
}

/** The parts of their charges' fees that these refunds returned. */
export async function feesReturnedBy(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  if (ids.length === 0) return new Map()
  const months = monthsOf(ids)
  const rows = await tx.query<{ id: string; amount: bigint }>(sql`
    select transaction_id as id, sum(amount)::bigint as amount
    from transfers
    where transaction_id = any(${ids}::uuid[])
      and transaction_id >= ${months.from}
      and transaction_id < ${months.below}
      and event = 'refund_successful'
      and kind = 'transfer'
      and wallet_id = credit_account
    group by transaction_id`)
  return new Map(rows.map(({ id, amount }) => [id, amount]))
}

interface PaidLate {
  readonly charge_id: string
  readonly amount: bigint
}

/** What was paid by refunds of these charges that had failed: in suspense, or debited from the merchant by staff since. */
function paidLateOf(chargeIds: readonly string[]): Query {
  const months = monthsOf(chargeIds)
  return sql`
    select l.charge_id, sum(-t.suspended - t.adjusted)::bigint as amount
    from refunds_of_charges l
    join transactions t on t.id = l.transaction_id
    where l.charge_id = any(${chargeIds}::uuid[])
      and l.charge_id >= ${months.from}
      and l.charge_id < ${months.below}
      and t.state = 'failed'
      and t.suspended + t.adjusted < 0
    group by l.charge_id`
}

const byCharge = (rows: readonly PaidLate[]) => new Map(rows.map(({ charge_id, amount }) => [charge_id, amount]))

export const findPaidLate = async (tx: Tx, chargeIds: readonly string[]): Promise<ReadonlyMap<string, bigint>> =>
  byCharge(await tx.query<PaidLate>(paidLateOf(chargeIds)))

function readTotals(db: ReadDb, owner: Owner, chargeIds: readonly string[]): Promise<RefundTotals[]> {
  const months = monthsOf(chargeIds)
  return db.within<RefundTotals>(
    owner,
    months,
    sql`
      select charge_id, pending, successful
      from refund_totals
      where charge_id = any(${chargeIds}::uuid[])
        and charge_id >= ${months.from}
        and charge_id < ${months.below}`,
  )
}

/** What went back of a merchant's charges, for its reads. */
export async function readSums(
  db: ReadDb,
  owner: Owner,
  charges: readonly Pick<Transaction, 'id' | 'type'>[],
): Promise<(id: string) => RefundSums> {
  const ids = charges.filter(({ type }) => type === 'deposit').map(({ id }) => id)
  const rows = ids.length === 0 ? [] : await readTotals(db, owner, ids)
  const refunded = rows.map(({ charge_id }) => charge_id)
  const late = refunded.length === 0 ? [] : await db.find<PaidLate>(owner, paidLateOf(refunded))
  const paidLate = byCharge(late)
  const sums = new Map(rows.map((row) => [row.charge_id, { ...row, paidLate: paidLate.get(row.charge_id) }]))
  return (id) => sums.get(id) ?? noRefunds
}
