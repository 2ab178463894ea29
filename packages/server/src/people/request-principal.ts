import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import type { Principal } from './principal.ts'

const principalByRequest = new WeakMap<FastifyRequest, Principal>()

/** Stores the sender of a request to a people's or operator's route, after authentication. */
export function setPrincipal(request: FastifyRequest, principal: Principal): void {
  principalByRequest.set(request, principal)
}

/** The sender of the request. Routes for people and for the operator have one. */
export function principalOf(request: FastifyRequest): Principal {
  const principal = principalByRequest.get(request)
  assert(principal, 'principal requested on a route that is not for people')
  return principal
}

export function hasPrincipal(request: FastifyRequest): boolean {
  return principalByRequest.has(request)
}
