import type { FastifyRequest } from 'fastify'
import { setBearer } from '../auth/request-bearer.ts'
import { type MemberAccess, readOwner } from '../dashboard/access.ts'
import { AppError } from '../errors.ts'
import { permissionDenied } from '../people/grants.ts'
import { grantsWith, grantsWithin, includesPlace } from '../people/members.ts'
import { actorOf, type Principal } from '../people/principal.ts'
import { merchantPermissions } from '../people/roles.ts'
import { principalOrigin } from './origin.ts'

/**
 * Admits a person to a route of the merchant in the path: afterwards the request has a bearer. Returns why not otherwise. Without a
 * role there, a merchant is the same as one that does not exist: nothing is read to find out which it is.
 */
export function admitMember(
  request: FastifyRequest,
  principal: Principal,
  { member, isForLimited }: MemberAccess,
): AppError | undefined {
  const owner = readOwner(request.params)
  const grants = owner ? grantsWithin(principal, owner.merchant_id) : []
  if (!owner || grants.length === 0) return new AppError('MERCHANT_MISSING')
  const having = member === 'member' ? grants : grantsWith(grants, owner.env, member)
  const usable = isForLimited
    ? having
    : having.filter(({ countries, currencies }) => countries.length + currencies.length === 0)
  if (usable.length === 0) return permissionDenied(member, merchantPermissions)
  setBearer(request, {
    kind: 'person',
    ...owner,
    actor: actorOf(principal),
    origin: principalOrigin(request, principal, usable),
    mayActIn: (place) => includesPlace(usable, place),
  })
  return undefined
}
