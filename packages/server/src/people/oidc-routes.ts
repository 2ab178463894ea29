import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { countedAs } from '../platform/addresses.ts'
import { browserOf, markedBrowser, setSession } from './browser.ts'
import type { Oidc } from './oidc.ts'
import { finishOidc, startOidc } from './oidc-sign-in.ts'
import { principalOf } from './request-principal.ts'
import { tags } from './schema.ts'
import { sessionOf } from './sessions.ts'

const Next = Type.Object({
  next: Type.Optional(Type.String({ maxLength: 500, description: 'Where to continue: a path of this service' })),
})

/** The provider may add parameters of its own. */
const Returned = Type.Object({ state: Type.Optional(Type.String({ maxLength: 500 })) }, { additionalProperties: true })

/** Only a path of this service: another site must not receive the person after a sign-in. */
const pathIn = (next = '') => (/^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/account')

/** Sign-in at the operator's OIDC provider. The routes exist only if one is configured. */
export function oidcRoutes(app: App, ctx: Context, oidc: Oidc): void {
  const open = { isPublic: true, budget: 'sign_in' } as const
  app.get(
    '/sign-in/oidc',
    { config: open, schema: { summary: 'Sign in at the OIDC provider', tags, querystring: Next } },
    async (request, reply) => {
      const browser = markedBrowser(ctx, request, reply)
      const order = { browser, slot: countedAs(request.ip), next: pathIn(request.query.next) }
      return redirect(reply, await startOidc(ctx, oidc, order))
    },
  )

  app.get(
    '/step-up/oidc',
    {
      config: { isForPeople: true },
      schema: { summary: 'Prove presence at the OIDC provider', tags, querystring: Next },
    },
    async (request, reply) => {
      const browser = markedBrowser(ctx, request, reply)
      const principal = principalOf(request)
      const order = { browser, slot: principal.id, next: pathIn(request.query.next), principal }
      return redirect(reply, await startOidc(ctx, oidc, order))
    },
  )

  app.get(
    '/sign-in/oidc/callback',
    { config: open, schema: { summary: 'Finish the sign-in at the OIDC provider', tags, querystring: Returned } },
    async (request, reply) => {
      const { cookie } = request.headers
      const { state = '' } = request.query
      const principal = await sessionOf(ctx, { cookie, authorization: undefined })
      const returned = { browser: browserOf(ctx, request), url: request.url, state, principal }
      try {
        const { token, next } = await finishOidc(ctx, oidc, returned)
        setSession(ctx, reply, token)
        return redirect(reply, next)
      } catch (error) {
        if (error instanceof AppError && error.key === 'SIGN_IN_FAILED') return redirect(reply, '/sign-in?refused')
        throw error
      }
    },
  )
}

const redirect = (reply: FastifyReply, url: string) => reply.redirect(url, 303)
