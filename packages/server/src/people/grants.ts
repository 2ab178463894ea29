import { AppError, invalid } from '../errors.ts'
import { mayOperate, type Principal, type Scope } from './principal.ts'
import { type MerchantRole, merchantRoles, type OperatorRole, operatorPermissions, operatorRoles } from './roles.ts'

export const isOperatorRole = (text: string): text is OperatorRole => Object.hasOwn(operatorRoles, text)
export const isMerchantRole = (text: string): text is MerchantRole => Object.hasOwn(merchantRoles, text)

/**
 * Refuses to give a role of the operator's staff unless the giver may change people and holds each of the role's permissions, in
 * a scope at least as wide. Machines never give roles.
 */
export function requireMayGrantOperator(by: Principal, role: OperatorRole, scope: Scope): void {
  if (by.kind === 'break_glass') return
  const covering = by.kind === 'person' ? by.operatorGrants.filter((grant) => covers(grant, scope)) : []
  const held = new Set<string>(covering.flatMap((grant) => operatorRoles[grant.role].permissions))
  requireAll(held, ['people:write', ...operatorRoles[role].permissions])
}

/**
 * The same for a role within a merchant. The operator's staff with `people:write` may give any of them, because a new merchant has
 * no person who could.
 */
export function requireMayGrantWithin(by: Principal, merchantId: string, role: MerchantRole, scope: Scope): void {
  if (by.kind === 'break_glass') return
  const staff = by.kind === 'person' ? by.operatorGrants.filter((grant) => covers(grant, scope)) : []
  if (staff.some((grant) => hasPeopleWrite(grant.role))) return
  const own = by.merchantGrants.filter((grant) => grant.merchant_id === merchantId && covers(grant, scope))
  const held = new Set<string>(own.flatMap((grant) => merchantRoles[grant.role].permissions))
  const { permissions, sandbox = [] }: { permissions: readonly string[]; sandbox?: readonly string[] } =
    merchantRoles[role]
  requireAll(held, ['people:write', ...permissions, ...sandbox])
}

/** A role may be ended by staff that may change people, and within a merchant by its people who may. */
export function requireMayEnd(by: Principal, merchantId: string | null): void {
  if (mayOperate(by, 'people:write')) return
  const isWithin = by.merchantGrants.some(
    (grant) => grant.merchant_id === merchantId && hasOwn(merchantRoles[grant.role].permissions, 'people:write'),
  )
  if (!isWithin) throw permissionDenied('people:write')
}

const hasOwn = (list: readonly string[], wanted: string) => list.includes(wanted)
const hasPeopleWrite = (role: OperatorRole) => hasOwn(operatorRoles[role].permissions, 'people:write')

export function requireUsableScope({ countries, currencies }: Scope): void {
  if (!countries.every((code) => /^[A-Z]{2}$/.test(code)))
    throw invalid([{ field: 'countries', message: 'countries must be two-letter codes such as KE' }])
  if (!currencies.every((code) => /^[A-Z]{3}$/.test(code)))
    throw invalid([{ field: 'currencies', message: 'currencies must be three-letter codes such as KES' }])
}

/** Whether the outer scope includes the inner one. An empty list means all. */
function covers(outer: Scope, inner: Scope): boolean {
  const includes = (all: readonly string[], some: readonly string[]) =>
    all.length === 0 || (some.length > 0 && some.every((each) => all.includes(each)))
  return includes(outer.countries, inner.countries) && includes(outer.currencies, inner.currencies)
}

function requireAll(held: ReadonlySet<string>, wanted: readonly string[]): void {
  const missing = wanted.find((permission) => !held.has(permission))
  if (missing !== undefined) throw permissionDenied(missing)
}

/** A refusal that names the missing permission. */
export function permissionDenied(
  permission: string,
  about: Readonly<Record<string, string>> = operatorPermissions,
): AppError {
  const meaning = about[permission] ? ` (${about[permission]})` : ''
  const message = `the permission ${permission}${meaning} is missing, or its scope is too narrow`
  return new AppError('PERMISSION_DENIED', { details: [{ field: 'permission', message }] })
}
