import type { FastifyRequest } from 'fastify'
import type { Origin } from '../audit/record.ts'
import { originOf } from '../auth/request-origin.ts'
import type { Principal } from '../people/principal.ts'

/** Where a person's or machine's request comes from, with the roles that allowed it or should have. */
export function principalOrigin(
  request: FastifyRequest,
  { strength }: Principal,
  roles: readonly { readonly role: string }[],
): Origin {
  return { ...originOf(request), role: roles.map((grant) => grant.role).join(', '), strength }
}
