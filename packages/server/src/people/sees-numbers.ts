import type { FastifyRequest } from 'fastify'
import { bearerOf } from '../auth/request-bearer.ts'
import { grantsWith, grantsWithin } from './members.ts'
import { hasPrincipal, principalOf } from './request-principal.ts'

/** Whether the response may show phone and account numbers in full: to key pairs, and to people with the permission. */
export function seesNumbers(request: FastifyRequest): boolean {
  if (!hasPrincipal(request)) return true
  const { merchant_id, env } = bearerOf(request)
  return grantsWith(grantsWithin(principalOf(request), merchant_id), env, 'personal-data:read').length > 0
}
