import { type Environment, sql, type Tx } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import type { MerchantGrant, Place, Principal } from './principal.ts'
import { type MerchantPermission, type MerchantRole, merchantRoles } from './roles.ts'

/** The permissions of a merchant's role in an environment. */
export function permissionsOf(role: MerchantRole, env: Environment): readonly MerchantPermission[] {
  const {
    permissions,
    sandbox = [],
  }: { permissions: readonly MerchantPermission[]; sandbox?: readonly MerchantPermission[] } = merchantRoles[role]
  return env === 'sandbox' ? [...permissions, ...sandbox] : permissions
}

/** The roles of a person within one merchant. Empty for everyone else, the operator's staff and machines included. */
export const grantsWithin = ({ kind, merchantGrants }: Principal, merchantId: string): readonly MerchantGrant[] =>
  kind === 'person' ? merchantGrants.filter(({ merchant_id }) => merchant_id === merchantId) : []

/** The roles that have this permission in this environment. */
export const grantsWith = (grants: readonly MerchantGrant[], env: Environment, permission: MerchantPermission) =>
  grants.filter(({ role }) => permissionsOf(role, env).includes(permission))

/** Whether one of these roles includes the country and currency. A limited role includes only what names one of its own. */
export const includesPlace = (grants: readonly MerchantGrant[], { country, currency }: Place): boolean =>
  grants.some(({ countries, currencies }) => isWithin(countries, country) && isWithin(currencies, currency))

const isWithin = (allowed: readonly string[], named: string | undefined) =>
  allowed.length === 0 || (named !== undefined && allowed.includes(named))

/** What a person must hold at the moment of a decision. */
interface Needed {
  readonly merchant_id: string
  readonly env: Environment
  readonly permission: MerchantPermission
  readonly places: readonly Place[]
}

/**
 * Whether a person holds a permission within a merchant now. The roles are locked until the transaction ends: a role that is ended
 * at the same moment either counts for this decision or ends after it.
 */
export async function holdsWithinNow(tx: Tx, shownPersonId: string, needed: Needed): Promise<boolean> {
  const held = await tx.query<MerchantGrant>(sql`
    select m.merchant_id, m.role, m.countries, m.currencies
    from memberships m
    join people p on p.id = m.person_id
    where m.person_id = ${readId('person', shownPersonId) ?? null}::uuid
      and m.merchant_id = ${needed.merchant_id}
      and m.ended_at is null
      and p.disabled_at is null
    for share of m, p`)
  const covering = grantsWith(held, needed.env, needed.permission)
  return covering.length > 0 && needed.places.every((place) => includesPlace(covering, place))
}
