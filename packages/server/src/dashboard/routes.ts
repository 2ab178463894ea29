import type { FastifyRequest, FastifySchema } from 'fastify'
import { type TObject, Type } from 'typebox'
import { recordRefusal } from '../audit/record.ts'
import { bearerOf, hasBearer } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { conversionRoutes } from '../conversions/routes.ts'
import { AppError, catalogue } from '../errors.ts'
import { exportRoutes, privateExportRoute } from '../exports/routes.ts'
import { externalAccountRoutes } from '../external-accounts/routes.ts'
import type { Access, App } from '../http/app.ts'
import { payoutRoutes } from '../payouts/routes.ts'
import { maskNumbers } from '../people/personal-data.ts'
import { seesNumbers } from '../people/sees-numbers.ts'
import { Zone } from '../platform/days.ts'
import { referenceRoutes } from '../reference/routes.ts'
import { refundRoutes } from '../refunds/routes.ts'
import { requestLogRoutes } from '../request-log/routes.ts'
import { sandboxToolRoutes } from '../sandbox/routes.ts'
import { transactionRoutes } from '../transactions/routes.ts'
import { privateSearchRoute, searchRoute } from '../transactions/search-routes.ts'
import { profileRoute, webhookSecretRoute } from '../users/routes.ts'
import { walletRoutes } from '../wallets/routes.ts'
import { endpointRoutes } from '../webhooks/endpoint-routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { dashboardRoot, type MemberAccess, memberAccess } from './access.ts'
import { approvalRoutes } from './approvals.ts'
import { auditRoutes } from './audit.ts'
import { controlRoutes } from './controls.ts'
import { entryRoutes } from './entries.ts'
import { keyRoutes } from './keys.ts'
import { limitNumberSearches } from './limit-number-searches.ts'
import { moneyFlowRoute } from './money-flow.ts'
import { savedViewRoutes } from './saved-view-routes.ts'
import { streamRoute } from './stream.ts'
import { summaryRoute } from './summary.ts'
import { teamRoutes } from './team.ts'
import { webhookUrlRoutes } from './webhook-url.ts'

/**
 * The API of merchants' people: the routes of the merchant API, and what only people do. People do not charge: a charge is made by
 * the merchant's own pages and servers, and no role has a permission for it.
 */
export function dashboardRoutes(app: App, ctx: Context): void {
  app.register(
    (people, _, done) => {
      maskForReaders(people)
      auditRefusals(people, ctx)
      limitNumberSearches(people)
      profileRoute(people, ctx)
      webhookSecretRoute(people, ctx)
      walletRoutes(people, ctx)
      transactionRoutes(people, ctx)
      entryRoutes(people, ctx)
      streamRoute(people, ctx)
      moneyFlowRoute(people, ctx)
      savedViewRoutes(people, ctx)
      summaryRoute(people, ctx)
      searchRoute(people, ctx)
      privateSearchRoute(people, ctx)
      exportRoutes(people, ctx)
      privateExportRoute(people, ctx)
      payoutRoutes(people, ctx)
      refundRoutes(people, ctx)
      conversionRoutes(people, ctx)
      webhookRoutes(people, ctx)
      endpointRoutes(people, ctx)
      requestLogRoutes(people, ctx)
      externalAccountRoutes(people, ctx)
      referenceRoutes(people, ctx)
      approvalRoutes(people, ctx)
      webhookUrlRoutes(people, ctx)
      keyRoutes(people, ctx)
      controlRoutes(people, ctx)
      teamRoutes(people, ctx)
      auditRoutes(people, ctx)
      people.register((tools, __, registered) => {
        tools.addHook('preHandler', refuseLive)
        sandboxToolRoutes(tools, ctx)
        registered()
      })
      done()
    },
    { prefix: dashboardRoot },
  )
}

/** Scenarios and the clock exist in the sandbox only. */
async function refuseLive(request: FastifyRequest): Promise<void> {
  if (bearerOf(request).env !== 'sandbox') throw new AppError('SANDBOX_ONLY')
}

const Params = {
  merchantId: Type.String({ maxLength: 100, description: 'A merchant in which you have a role' }),
  env: Type.String({ maxLength: 100, description: '`live` or `sandbox`' }),
}

/**
 * Gives every route below the root the access of its row in the table, instead of the scope that a key pair needs, and a zone if it
 * reads days. Call it before the routes are collected. A route without a row prevents the start.
 */
export function giveToMembers(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith(`${dashboardRoot}/`)) return
    const { scope: _, refusal: __, ...config } = (route.config ?? {}) as Access
    if (config.isRefusal) return
    const name = `${route.method === 'HEAD' ? 'GET' : route.method} ${route.url.slice(dashboardRoot.length)}`
    const access = Object.hasOwn(memberAccess, name) ? memberAccess[name] : undefined
    if (!access) throw new Error(`${name} of the dashboard does not declare the permission that it needs`)
    const { hasZone, ...needed } = access
    route.config = { ...config, ...needed }
    route.schema = { ...route.schema, ...memberSchema(route.schema, access) }
  })
}

/** The parts of a schema that are other than in the merchant API. */
function memberSchema(schema: FastifySchema = {}, { hasZone }: MemberAccess): FastifySchema {
  const { params, querystring, body } = schema as Readonly<Record<string, TObject | undefined>>
  const own = { params: Type.Object({ ...Params, ...params?.properties }) }
  if (!hasZone) return own
  return body ? { ...own, body: withZone(body) } : { ...own, querystring: withZone(querystring) }
}

const withZone = (query: TObject | undefined): TObject =>
  Type.Object({ ...query?.properties, zone: Type.Optional(Zone) }, { additionalProperties: false })

/**
 * Records what a use case refused to a person, such as a payout in another currency than the role's, or an approval by the maker.
 * What the route itself refuses is recorded before: then the request has no bearer.
 */
function auditRefusals(app: App, { db, config }: Context): void {
  app.addHook('onError', async (request, _reply, error: unknown) => {
    const isChange = request.method !== 'GET' && request.method !== 'HEAD'
    if (!(error instanceof AppError) || !hasBearer(request) || unrecorded.has(error.key)) return
    if (!isChange && catalogue[error.key].status !== 403) return
    const { actor, merchant_id, env, origin } = bearerOf(request)
    await recordRefusal(db.write, config.cell, {
      ...{ actor, merchant_id, env, origin },
      action: `${request.method} ${request.routeOptions.url}`,
      subject: request.url.slice(0, 200).replace(/\?.*$/, ''),
      detail: { errorCode: catalogue[error.key].errorCode, message: error.message },
    })
  })
}

/** Mistakes in a request, and refusals that say nothing about the person. */
const unrecorded: ReadonlySet<string> = new Set(['VALIDATION', 'OVERLOADED', 'RATE_LIMIT_EXCEEDED', 'STEP_UP_REQUIRED'])

/** People without the permission get phone and account numbers masked, in every response. */
function maskForReaders(app: App): void {
  app.addHook('preSerialization', async (request, _reply, payload) => {
    if (!hasBearer(request)) return payload
    return seesNumbers(request) ? payload : maskNumbers(payload)
  })
}
