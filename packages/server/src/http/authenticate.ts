import type { FastifyRequest } from 'fastify'
import { bearerOf, hasBearer, setBearer } from '../auth/request-bearer.ts'
import type { Bearer } from '../auth/token-cache.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Access } from './app.ts'

/**
 * Identifies the sender of a request. Runs before the body is read, for every route that is not public and every unknown path
 * below /api/: without a token, a caller cannot find out which paths exist.
 */
export async function identify(ctx: Context, request: FastifyRequest): Promise<void> {
  if (isOpen(request)) return
  const token = tokenOf(request.headers.authorization)
  const bearer = await ctx.tokenCache.of(token)
  if (!bearer) {
    ctx.metrics.authFailures.inc({ at: 'token' })
    const [, kind] = keyForm.exec(token) ?? []
    throw new AppError('UNAUTHORIZED', kind === undefined ? {} : { message: keySent[kind as keyof typeof keySent] })
  }
  setBearer(request, bearer)
}

const keyForm = /^([sp]k)_(live|test)_/
const keySent = {
  sk: 'An API key is not an access token: exchange it for a token at POST /api/b2b/auth/generate-bearer-token.',
  pk: 'A public key is not an access token: send it with your API key to POST /api/b2b/auth/generate-bearer-token.',
} as const

/** Authorises an identified request: its token must be valid for its address, its environment and its route. */
export function authorise(request: FastifyRequest): void {
  if (!hasBearer(request)) return
  const bearer = bearerOf(request)
  if (!bearer.isAllowedFrom(request.ip)) throw new AppError('ADDRESS_NOT_ALLOWED')
  if (isBelow(request, '/api/sandbox/') && bearer.env !== 'sandbox') throw new AppError('SANDBOX_ONLY')
  requireScope(bearer, accessOf(request))
}

function accessOf(request: FastifyRequest): Access {
  return request.routeOptions.config as Access
}

/** Decides by the matched route where there is one: an encoded path reaches the same route. */
function isOpen(request: FastifyRequest): boolean {
  return isUnknown(request) ? !isBelow(request, '/api/') : accessOf(request).isPublic === true
}

const isUnknown = (request: FastifyRequest) => request.is404 || request.routeOptions.url === undefined

function isBelow(request: FastifyRequest, root: string): boolean {
  const path = isUnknown(request) ? decodedPath(request.url) : request.routeOptions.url
  return path === undefined || path.startsWith(root)
}

/** The path as a route sees it, without the origin that some clients send; undefined when it cannot be decoded. */
function decodedPath(url: string): string | undefined {
  try {
    return decodeURIComponent(url.replace(/^[a-z]+:\/\/[^/]*/i, ''))
  } catch {
    return undefined
  }
}

/** The token of an Authorization header; empty without one. */
export function tokenOf(authorization = ''): string {
  const [scheme = '', token = '', ...rest] = authorization.split(' ').filter((word) => word !== '')
  return scheme.toLowerCase() === 'bearer' && rest.length === 0 ? token : ''
}

function requireScope(bearer: Bearer, { scope }: Access): void {
  if (scope === undefined || bearer.scopes.has(scope)) return
  const message = `the token lacks the scope ${scope}`
  throw new AppError('INSUFFICIENT_SCOPE', { details: [{ field: 'scope', message }] })
}
