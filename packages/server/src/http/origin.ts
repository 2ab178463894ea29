import type { FastifyRequest } from 'fastify'
import type { Origin } from '../audit/record.ts'
import type { Principal } from '../people/principal.ts'

/** Where a person's or machine's request comes from, with the roles that allowed it or should have. */
export function originOf(
  { id: requestId, ip: address, headers }: FastifyRequest,
  { strength }: Principal,
  roles: readonly { readonly role: string }[],
): Origin {
  const role = roles.map((grant) => grant.role).join(', ')
  return { requestId, address, userAgent: headers['user-agent'], role, strength }
}
