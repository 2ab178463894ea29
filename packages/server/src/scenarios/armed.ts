import { type Db, type Owner, type ReadDb, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { nameMerchants } from '../platform/named-merchants.ts'
import type { Scenario } from './catalogue.ts'

/** What is to be played to the payment that will have a reference. */
export interface Standing {
  readonly reference: string
  readonly scenario: Scenario
  readonly set_at: Date
}

/** So many may wait for their payments, for so long. */
export const standingMax = 1000
const keptDays = 7

/**
 * Keeps a scenario for a payment to come, in the place of an earlier one. Merchants take turns, so that nobody has more than
 * the most; not kept either where the payment is there already, since it would never be played.
 */
export function setStanding(
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
    if (counted && counted.others >= standingMax) return 'too many'
    await tx.query(sql`
      insert into scenarios (merchant_id, env, reference, scenario, set_at)
      values (${merchant_id}, ${env}, ${reference}, ${scenario}, record_time())
      on conflict (merchant_id, env, reference) do update
      set scenario = excluded.scenario, set_at = excluded.set_at`)
    return 'kept'
  })
}

/** By reference; there are never more than {@link standingMax}. */
export function listStanding(db: ReadDb, owner: Owner): Promise<Standing[]> {
  return db.query<Standing>(
    owner,
    sql`
      select reference, scenario, set_at
      from scenarios
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
      order by reference`,
  )
}

/** False when there was none. */
export async function removeStanding(db: Db, { merchant_id, env }: Owner, reference: string): Promise<boolean> {
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

/** What stands for each of these payments to be; only the sandbox is looked at. */
export async function findStanding(
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

/** What stood for payments that are there now has been used. */
export async function useStanding(tx: Tx, used: readonly Reference[]): Promise<void> {
  if (used.length === 0) return
  await tx.query(sql`
    delete from scenarios as s
    using unnest(${used.map(({ merchant_id }) => merchant_id)}::uuid[], ${used.map(({ env }) => env)}::text[],
      ${used.map(({ reference }) => reference)}::text[]) as w(merchant_id, env, reference)
    where (s.merchant_id, s.env, s.reference) = (w.merchant_id, w.env, w.reference)`)
}

/** What nobody used in a week is not waited for any more. What somebody is using at this moment is left to them. */
export async function forgetStanding(db: Db): Promise<void> {
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
