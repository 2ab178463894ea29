import { type Db, sql } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import type { Principal } from './principal.ts'
import { merchantRoles, operatorRoles } from './roles.ts'
import { find } from './store.ts'

/** The signed-in person with its rights, as a client needs them to show what the person may do. */
export async function describeMe(db: Db, principal: Principal) {
  const [person, names] = await Promise.all([
    find(db, readId('person', principal.id) ?? ''),
    namesOf(
      db,
      principal.merchantGrants.map(({ merchant_id }) => merchant_id),
    ),
  ])
  return {
    id: principal.id,
    name: principal.name,
    email: person?.email ?? '',
    strength: principal.strength,
    provedAt: principal.provedAt === undefined ? null : new Date(principal.provedAt).toISOString(),
    hasPassword: person?.password_hash !== null,
    operator: principal.operatorGrants.map((grant) => ({
      ...grant,
      permissions: operatorRoles[grant.role].permissions,
    })),
    merchants: principal.merchantGrants.map(({ merchant_id, ...grant }) => {
      const role: { permissions: readonly string[]; sandbox?: readonly string[] } = merchantRoles[grant.role]
      return {
        merchant: showId('merchant', merchant_id),
        name: names.get(merchant_id) ?? '',
        ...grant,
        permissions: role.permissions,
        sandboxPermissions: role.sandbox ?? [],
      }
    }),
  }
}

async function namesOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{ id: string; name: string }>(
    sql`select id, name from merchants where id = any(${ids}::uuid[])`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
