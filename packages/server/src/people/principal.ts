import type { Actor } from '../audit/record.ts'
import { type MerchantRole, type OperatorPermission, type OperatorRole, operatorRoles } from './roles.ts'

/** How the sender of a request proved who it is. */
export type Strength = 'passkey' | 'password_totp' | 'oidc' | 'api_key' | 'database'

/** Limits a role to countries and currencies; an empty list means all. */
export interface Scope {
  readonly countries: readonly string[]
  readonly currencies: readonly string[]
}

export interface OperatorGrant extends Scope {
  readonly role: OperatorRole
}

export interface MerchantGrant extends Scope {
  readonly merchant_id: string
  readonly role: MerchantRole
}

/** A person, or a machine of the operator, with its rights at the time of the request. */
export interface Principal {
  readonly kind: 'person' | 'machine' | 'break_glass'
  /** The id as people see it: `person_…` or `machine_…`; for break-glass the account of the machine. */
  readonly id: string
  readonly name: string
  readonly operatorGrants: readonly OperatorGrant[]
  readonly merchantGrants: readonly MerchantGrant[]
  /** A machine's permissions; people have theirs from roles. */
  readonly scopes?: ReadonlySet<OperatorPermission>
  readonly session_id?: string
  readonly strength: Strength
  /** When the person last proved presence, in milliseconds since 1970. Undefined for machines, which never step up. */
  readonly provedAt?: number
}

/** The principal as the audit trail names it. */
export const actorOf = ({ kind, id, name }: Principal): Actor => ({ kind, id, name })

/** An actor by its shown id, where its name is not at hand. */
export function actorById(id: string, name = id): Actor {
  const kind = id.startsWith('person_') ? 'person' : id.startsWith('machine_') ? 'machine' : 'break_glass'
  return { kind, id, name }
}

/** A person with access to the database itself: every right, and no second person. */
export const breakGlass = (name: string): Principal => ({
  kind: 'break_glass',
  id: name,
  name,
  operatorGrants: [],
  merchantGrants: [],
  strength: 'database',
})

/** Whether an operator's staff member or machine has this permission. */
export function mayOperate(principal: Principal, permission: OperatorPermission): boolean {
  if (principal.kind === 'break_glass') return true
  if (principal.scopes) return principal.scopes.has(permission)
  return principal.operatorGrants.some(({ role }) => includes(operatorRoles[role].permissions, permission))
}

/** Where and in what an action moves money, as far as it says. */
export interface Place {
  readonly country?: string | undefined
  readonly currency?: string | undefined
}

/** The same for a change. A role that is limited to countries or currencies changes only what names one of them. */
export function mayOperateOn(principal: Principal, permission: OperatorPermission, place: Place): boolean {
  if (principal.kind !== 'person') return mayOperate(principal, permission)
  return principal.operatorGrants.some((grant) => grantCovers(grant, permission, place))
}

/** The scopes of the roles that give a permission; null when one of them has no limit. */
export function scopesOf(principal: Principal, permission: OperatorPermission): readonly Scope[] | null {
  if (principal.kind !== 'person') return null
  const held = principal.operatorGrants.filter(({ role }) => includes(operatorRoles[role].permissions, permission))
  const isUnlimited = held.some(({ countries, currencies }) => countries.length + currencies.length === 0)
  return isUnlimited ? null : held.map(({ countries, currencies }) => ({ countries, currencies }))
}

/** The same for a read. Data without a country or a currency is not limited by it. Must equal `is_in_scope` of the database. */
export function mayRead(principal: Principal, permission: OperatorPermission, place: Place): boolean {
  if (!mayOperate(principal, permission)) return false
  const isWithin = (allowed: readonly string[], named: string | undefined) =>
    allowed.length === 0 || named === undefined || allowed.includes(named)
  const scopes = scopesOf(principal, permission)
  return (
    scopes === null ||
    scopes.some((scope) => isWithin(scope.countries, place.country) && isWithin(scope.currencies, place.currency))
  )
}

export function grantCovers(grant: OperatorGrant, permission: OperatorPermission, place: Place): boolean {
  const isWithin = (allowed: readonly string[], named: string | undefined) =>
    allowed.length === 0 || (named !== undefined && allowed.includes(named))
  return (
    includes(operatorRoles[grant.role].permissions, permission) &&
    isWithin(grant.countries, place.country) &&
    isWithin(grant.currencies, place.currency)
  )
}

const includes = (list: readonly string[], wanted: string) => list.includes(wanted)
