import { grantCovers, type OperatorGrant, type Place } from '../people/principal.ts'
import type { OperatorPermission } from '../people/roles.ts'
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

/** Whether a person made this machine or proposed it: then the person may have its key, and they count as one. */
export async function createdMachine(tx: Tx, shownPersonId: string, makerId: string): Promise<boolean> {
  const made = await tx.query(sql`
    select
    from machines
    where id = ${readId('machine', makerId) ?? null}::uuid
      and created_by = ${shownPersonId}
    union all
    select
    from proposals
    where subject = ${makerId}
      and operation = 'machines.create'
      and maker_id = ${shownPersonId}`)
  return made.length > 0
}
