import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import type { Bearer } from './token-cache.ts'

const bearers = new WeakMap<FastifyRequest, Bearer>()

/** Notes who a request comes from, once that is known. */
export function setBearer(request: FastifyRequest, bearer: Bearer): void {
  bearers.set(request, bearer)
}

/** Who the request comes from. Every route has one, except those that are marked as public. */
export function bearerOf(request: FastifyRequest): Bearer {
  const bearer = bearers.get(request)
  assert(bearer, 'a public route asked for its bearer')
  return bearer
}

export function hasBearer(request: FastifyRequest): boolean {
  return bearers.has(request)
}
