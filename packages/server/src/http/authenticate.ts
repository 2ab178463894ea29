import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import type { KeyPairBearer } from '../auth/bearer.ts'
import { tokenOf } from '../auth/bearer-token.ts'
import { bearerOf, hasBearer, setBearer } from '../auth/request-bearer.ts'
import { originOf } from '../auth/request-origin.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { hasPrincipal, setPrincipal } from '../people/request-principal.ts'
import type { Access } from './app.ts'
import { authorisePrincipal, identifyPrincipal } from './principals.ts'

/**
 * Identifies the sender of a request. Runs before the body is read, for every route that is not public and every unknown path
 * below the roots of the APIs: without a token or session, a caller cannot find out which paths exist.
 */
export async function identify(ctx: Context, request: FastifyRequest): Promise<void> {
  if (isOpen(request)) return
  if (isForPrincipals(request)) return setPrincipal(request, await identifyPrincipal(ctx, request))
  const token = tokenOf(request.headers.authorization)
  const bearer = await ctx.tokenCache.of(token)
  if (!bearer) {
    ctx.metrics.authFailures.inc({ at: 'token' })
    const [, kind] = keyForm.exec(token) ?? []
    throw new AppError('UNAUTHORIZED', kind === undefined ? {} : { message: keySent[kind as keyof typeof keySent] })
  }
  setBearer(request, { ...bearer, origin: originOf(request) })
}

const keyForm = /^([sp]k)_(live|test)_/
const keySent = {
  sk: 'An API key is not an access token: exchange it for a token at POST /api/b2b/auth/generate-bearer-token.',
  pk: 'A public key is not an access token: send it with your API key to POST /api/b2b/auth/generate-bearer-token.',
} as const

/** Authorises an identified request: its token must be valid for its address, its environment and its route. */
export async function authorise(ctx: Context, request: FastifyRequest): Promise<void> {
  if (hasPrincipal(request)) return authorisePrincipal(ctx, request, accessOf(request))
  if (!hasBearer(request)) return
  const bearer = bearerOf(request)
  assert(bearer.kind === 'key pair', 'a person has a principal')
  if (!bearer.isAllowedFrom(request.ip)) throw new AppError('ADDRESS_NOT_ALLOWED')
  if (isBelow(request, '/api/sandbox/') && bearer.env !== 'sandbox') throw new AppError('SANDBOX_ONLY')
  requireScope(bearer, accessOf(request))
}

function accessOf(request: FastifyRequest): Access {
  return request.routeOptions.config as Access
}

/** Decides by the matched route where there is one: an encoded path reaches the same route. */
function isOpen(request: FastifyRequest): boolean {
  const isKnownRoot = ['/api/', ...principalRoots].some((root) => isBelow(request, root))
  return isUnknown(request) ? !isKnownRoot : accessOf(request).isPublic === true
}

/** The APIs of people and of the operator's machines. */
const principalRoots = ['/people/', '/operator/', '/dashboard/']

/** Whether the sender must be a person or a machine of the operator. A merchant's token does not work there, and the reverse. */
function isForPrincipals(request: FastifyRequest): boolean {
  if (isUnknown(request)) return principalRoots.some((root) => isBelow(request, root)) && !isBelow(request, '/api/')
  const { isForPeople, operator, member } = accessOf(request)
  return isForPeople === true || operator !== undefined || member !== undefined
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

function requireScope(bearer: KeyPairBearer, { scope }: Access): void {
  if (scope === undefined || bearer.scopes.has(scope)) return
  const message = `the token lacks the scope ${scope}`
  throw new AppError('INSUFFICIENT_SCOPE', { details: [{ field: 'scope', message }] })
}
