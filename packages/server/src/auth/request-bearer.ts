import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import type { Bearer } from './bearer.ts'

const bearerByRequest = new WeakMap<FastifyRequest, Bearer>()

/** Stores the bearer of a request after authentication. */
export function setBearer(request: FastifyRequest, bearer: Bearer): void {
  bearerByRequest.set(request, bearer)
}

/** The bearer of the request. Every route of merchants and their people has one, except public routes. */
export function bearerOf(request: FastifyRequest): Bearer {
  const bearer = bearerByRequest.get(request)
  assert(bearer, 'bearer requested on a public route')
  return bearer
}

export function hasBearer(request: FastifyRequest): boolean {
  return bearerByRequest.has(request)
}
