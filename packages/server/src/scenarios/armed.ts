import { type Db, type Owner, type ReadDb, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { nameMerchants } from '../platform/named-merchants.ts'
import type { Scenario } from './catalogue.ts'

/** A scenario armed for the payment that will have this reference. */
export interface Armed {
  readonly reference: string
  readonly scenario: Scenario
  readonly set_at: Date
}

/** The most armed scenarios per merchant, and how long each is kept. */
export const armedMax = 1000
const keptDays = 7

/**
 * Arms a scenario for a future payment, in place of an earlier one. A merchant's calls run one at a time, so none exceeds the
 * maximum. A scenario for an existing payment is not armed, since it would never run.
 */
export function arm(
  db: WriteDb,
  { merchant_id, env }: Owner,
  reference: string,
  scenario: Scenario,
): Promise<'kept' | 'used' | 'too many'> {
  return db.transaction(async (tx) => {
    await nameMerchants(tx, [merchant_id])
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`scenarios ${merchant_id}`}, 0))`)
    const [counted] = await tx.query<{ others: number; is_used: boolean }>(sql`
      select exists (
        select from external_references r
        where (r.merchant_id, r.env, r.reference) = (${merchant_id}::uuid, ${env}, ${reference})
      ) as is_used, (
        select count(*)::int
        from scenarios s
        where s.merchant_id = ${merchant_id}
          and s.env = ${env}
          and s.reference <> ${reference}
      ) as others`)
    if (counted?.is_used) return 'used'
    if (counted && counted.others >= armedMax) return 'too many'
    await tx.query(sql`
      insert into scenarios (merchant_id, env, reference, scenario, set_at)
      values (${merchant_id}, ${env}, ${reference}, ${scenario}, record_time())
      on conflict (merchant_id, env, reference) do update
      set scenario = excluded.scenario, set_at = excluded.set_at`)
    return 'kept'
  })
}

/** Ordered by reference; never more than {@link armedMax}. */
export function listArmed(db: ReadDb, owner: Owner): Promise<Armed[]> {
  return db.query<Armed>(
    owner,
    sql`
      select reference, scenario, set_at
      from scenarios
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
      order by reference`,
  )
}

/** Returns false when none was armed. */
export async function disarm(db: Db, { merchant_id, env }: Owner, reference: string): Promise<boolean> {
  const removed = await db.query(sql`
    delete from scenarios
    where merchant_id = ${merchant_id}
      and env = ${env}
      and reference = ${reference}
    returning reference`)
  return removed.length > 0
}

interface Reference extends Owner {
  readonly reference: string
}

const nameOf = ({ merchant_id, reference }: Reference) => `${merchant_id} ${reference}`

/** The armed scenario for each of these future payments, in the sandbox only. */
export async function findArmed(
  tx: Tx,
  references: readonly Reference[],
): Promise<(reference: Reference) => Scenario | undefined> {
  const asked = references.filter(({ env }) => env === 'sandbox')
  if (asked.length === 0) return () => undefined
  const found = await tx.query<Reference & { scenario: Scenario }>(sql`
    select s.merchant_id, s.env, s.reference, s.scenario
    from unnest(${asked.map(({ merchant_id }) => merchant_id)}::uuid[], ${asked.map(({ env }) => env)}::text[],
      ${asked.map(({ reference }) => reference)}::text[]) as w(merchant_id, env, reference)
    join scenarios s using (merchant_id, env, reference)`)
  const byName = new Map(found.map((each) => [nameOf(each), each.scenario]))
  return (reference) => (reference.env === 'sandbox' ? byName.get(nameOf(reference)) : undefined)
}

/** Deletes the scenarios of payments that now exist. */
export async function useArmed(tx: Tx, used: readonly Reference[]): Promise<void> {
  if (used.length === 0) return
  await tx.query(sql`
    delete from scenarios as s
    using unnest(${used.map(({ merchant_id }) => merchant_id)}::uuid[], ${used.map(({ env }) => env)}::text[],
      ${used.map(({ reference }) => reference)}::text[]) as w(merchant_id, env, reference)
    where (s.merchant_id, s.env, s.reference) = (w.merchant_id, w.env, w.reference)`)
}

/** Deletes scenarios unused for a week. Rows locked by an accepting transaction are left to it. */
export async function forgetArmed(db: Db): Promise<void> {
  await db.query(sql`
    delete from scenarios
    where (merchant_id, env, reference) in (
      select merchant_id, env, reference
      from scenarios
      where set_at < record_time() - make_interval(days => ${keptDays})
      limit 1000
      for update skip locked
    )`)
}
