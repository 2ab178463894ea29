import type { FastifyRequest } from 'fastify'
import { recordRefusal } from '../audit/record.ts'
import { tokenOf } from '../auth/bearer-token.ts'
import type { Context } from '../context.ts'
import { readOwner } from '../dashboard/access.ts'
import { AppError, catalogue } from '../errors.ts'
import { permissionDenied } from '../people/grants.ts'
import { machineOf } from '../people/machines.ts'
import { actorOf, mayOperate, type Principal } from '../people/principal.ts'
import { principalOf } from '../people/request-principal.ts'
import { browserToken, isCsrf, sessionOf } from '../people/sessions.ts'
import type { Access } from './app.ts'
import { admitMember } from './members.ts'
import { principalOrigin } from './origin.ts'

/** Identifies the person or machine that sends a request. A request with a cookie that changes something must be same-origin. */
export async function identifyPrincipal(ctx: Context, request: FastifyRequest): Promise<Principal> {
  const { cookie, authorization } = request.headers
  const principal =
    (await sessionOf(ctx, { cookie, authorization })) ??
    (authorization === undefined
      ? undefined
      : await machineOf(ctx, { token: tokenOf(authorization), address: request.ip }))
  if (!principal) {
    ctx.metrics.authFailures.inc({ at: 'session' })
    throw new AppError('SIGN_IN_REQUIRED')
  }
  if (authorization === undefined && changesState(request)) {
    const token = browserToken(ctx, cookie)
    const sent = request.headers['x-malipo-csrf']
    const isOwn = typeof sent === 'string' && isCsrf(ctx.vault, token, sent)
    if (!isOwn || !isSameOrigin(ctx, request)) {
      const refusal = new AppError('CROSS_SITE_REQUEST')
      await auditRefusal(ctx, request, principal, refusal)
      throw refusal
    }
  }
  return principal
}

const changesState = ({ method }: FastifyRequest) => method !== 'GET' && method !== 'HEAD'

/** Browsers send at least one of the two headers with every request that is not a GET, and no page can forge them. */
export function isSameOrigin({ config }: Pick<Context, 'config'>, { headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  return headers.origin === undefined ? site !== undefined : headers.origin === config.publicUrl
}

/** Records a refused attempt of a known person or machine, with the route that it tried; for the merchant of its person too. */
async function auditRefusal(
  ctx: Context,
  request: FastifyRequest,
  principal: Principal,
  error: AppError,
): Promise<void> {
  const { member } = request.routeOptions.config as Access
  const { method, routeOptions } = request
  await recordRefusal(ctx.db.write, ctx.config.cell, {
    actor: actorOf(principal),
    action: `${method} ${routeOptions.url ?? 'unknown path'}`,
    subject: request.url.slice(0, 200).replace(/\?.*$/, ''),
    detail: { errorCode: catalogue[error.key].errorCode, message: error.message },
    origin: principalOrigin(request, principal, [...principal.operatorGrants, ...principal.merchantGrants]),
    ...(error.key === 'PERMISSION_DENIED' && member && readOwner(request.params)),
  })
}

/** A session proves presence for this long. */
const provedForMs = 5 * 60_000

/**
 * Authorises an identified person or machine for its route. A machine cannot prove presence: it passes a route that requires it only
 * where machines are allowed at all, by a permission of the operator.
 */
export async function authorisePrincipal(ctx: Context, request: FastifyRequest, access: Access): Promise<void> {
  const principal = principalOf(request)
  const refusal =
    (access.member && admitMember(request, principal, { ...access, member: access.member })) ??
    refusalOf(principal, access)
  if (!refusal) return
  if (refusal.key !== 'STEP_UP_REQUIRED') await auditRefusal(ctx, request, principal, refusal)
  throw refusal
}

/** Why a route refuses a person or machine; undefined when it does not. */
export function refusalOf(principal: Principal, { operator, isForPeople, isSteppedUp }: Access): AppError | undefined {
  if (isForPeople && principal.kind !== 'person') return permissionDenied('a signed-in person')
  if (operator !== undefined && !mayOperate(principal, operator)) return permissionDenied(operator)
  const isProved = Date.now() - (principal.provedAt ?? 0) <= provedForMs
  return isSteppedUp && principal.kind !== 'machine' && !isProved ? new AppError('STEP_UP_REQUIRED') : undefined
}
