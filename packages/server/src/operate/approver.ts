import { grantCovers, type OperatorGrant, type Place } from '../people/principal.ts'
import type { OperatorPermission } from '../people/roles.ts'
import { identitiesOf } from '../people/same-person.ts'
import { sql, type Tx } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'

/**
 * Whether a person holds a permission of the operator's staff now, for this country and currency. The roles are locked until the transaction ends: a role that is
 * ended at the same moment either counts for this decision or ends after it.
 */
export async function holdsNow(
  tx: Tx,
  shownPersonId: string,
  permission: OperatorPermission,
  place: Place,
): Promise<boolean> {
  const held = await tx.query<OperatorGrant>(sql`
    select m.role, m.countries, m.currencies
    from memberships m
    join people p on p.id = m.person_id
    where m.person_id = ${readId('person', shownPersonId) ?? null}::uuid
      and m.merchant_id is null
      and m.ended_at is null
      and p.disabled_at is null
    for share of m, p`)
  return held.some((grant) => grantCovers(grant, permission, place))
}

/** Whether the person or machine that proposed something may still do so. */
export async function mayStillPropose(
  tx: Tx,
  makerId: string,
  permission: OperatorPermission,
  place: Place,
): Promise<boolean> {
  if (!makerId.startsWith('machine_')) return holdsNow(tx, makerId, permission, place)
  const living = await tx.query(sql`
    select
    from machines
    where id = ${readId('machine', makerId) ?? null}::uuid
      and revoked_at is null
      and ${permission} = any(permissions)
    for share`)
  return living.length > 0
}

/**
 * Whether a person, under any identity, may have the key of this machine: because the person made it or proposed it, or made or
 * proposed the machine that did. Then the two count as one.
 */
export async function holdsMachine(tx: Tx, shownPersonId: string, machineId: string): Promise<boolean> {
  if (!machineId.startsWith('machine_')) return false
  const holders = await holdersOf(tx, machineId)
  const identities = [shownPersonId, ...(await identitiesOf(tx, shownPersonId))]
  return identities.some((id) => holders.includes(id))
}

/** Who may have the key of a machine: people and machines, the machine itself included. */
async function holdersOf(tx: Tx, machineId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    with recursive holders(id) as (
      values (${machineId}::text)
      union
      select maker.id
      from holders h
      cross join lateral (
        select created_by from machines where machines.id = case when h.id like 'machine_%' then substr(h.id, 9)::uuid end
        union all
        select maker_id from proposals where operation = 'machines.create' and subject = h.id
      ) as maker(id)
    )
    select id from holders`)
  return rows.map(({ id }) => id)
}

/** Everything that acts for the same person: its identities, and the machines whose keys they may have. */
export async function actingWith(tx: Tx, actorId: string): Promise<string[]> {
  const known = actorId.startsWith('machine_') ? await holdersOf(tx, actorId) : [actorId]
  const identities: string[] = []
  for (const id of known) identities.push(...(await identitiesOf(tx, id)))
  const rows = await tx.query<{ id: string }>(sql`
    with recursive held(id) as (
      select unnest(${[...new Set([...known, ...identities])]}::text[])
      union
      select made.id
      from held h
      cross join lateral (
        select 'machine_' || replace(machines.id::text, '-', '') from machines where created_by = h.id
        union all
        select subject from proposals where operation = 'machines.create' and maker_id = h.id and subject is not null
      ) as made(id)
    )
    select id from held`)
  return rows.map(({ id }) => id)
}
