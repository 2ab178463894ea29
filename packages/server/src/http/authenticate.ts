import type { FastifyRequest } from 'fastify'
import type { Bearer } from '../auth/bearers.ts'
import { setBearer } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Access } from './app.ts'

const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' }

/**
 * Lets a request in when its token is genuine, may be used from where it comes, and has the route's scope. Runs before
 * the body is read, for every route not marked as public and for every unknown path below /api/: nobody without a token
 * learns what is there.
 */
export async function authenticate(ctx: Context, request: FastifyRequest): Promise<void> {
  if (isOpen(request)) return
  const bearer = await ctx.bearers.of(tokenOf(request))
  if (!bearer) {
    ctx.metrics.authFailures.inc({ at: 'token' })
    throw new AppError('UNAUTHORIZED', { headers: challenge })
  }
  setBearer(request, bearer)
  if (!bearer.isAllowedFrom(request.ip)) throw new AppError('ADDRESS_NOT_ALLOWED')
  if (isSandboxPath(request) && bearer.env !== 'sandbox') throw new AppError('SANDBOX_ONLY')
  requireScope(bearer, accessOf(request))
}

function accessOf(request: FastifyRequest): Access {
  return request.routeOptions.config as Access
}

/** By the matched route, never by the path as sent: an encoded path reaches the same route. */
function isOpen(request: FastifyRequest): boolean {
  const isUnknown = request.is404 || request.routeOptions.url === undefined
  return isUnknown ? !request.url.startsWith('/api/') : accessOf(request).isPublic === true
}

function isSandboxPath(request: FastifyRequest): boolean {
  return (request.routeOptions.url ?? request.url).startsWith('/api/sandbox/')
}

function tokenOf({ headers }: FastifyRequest): string {
  const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  return token ?? ''
}

function requireScope(bearer: Bearer, { scope }: Access): void {
  if (scope === undefined || bearer.scopes.has(scope)) return
  const message = `the token lacks the scope ${scope}`
  throw new AppError('INSUFFICIENT_SCOPE', { details: [{ field: 'scope', message }] })
}
