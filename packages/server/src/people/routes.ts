import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { readId, showId } from '../platform/ids.ts'
import { clearCookie, cookiesFor } from './cookies.ts'
import { describeMe } from './me.ts'
import { peopleContext } from './people-context.ts'
import { principalOf } from './request-principal.ts'
import { Done, done, tags } from './schema.ts'
import { browserToken, csrfOf, endSession, listSessions } from './sessions.ts'

const Strength = Type.String({ description: '`passkey`, `password_totp` or `oidc`' })
const ScopeFields = { countries: Type.Array(Type.String()), currencies: Type.Array(Type.String()) }

const Me = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    strength: Strength,
    provedAt: Type.Union([Type.String(), Type.Null()]),
    hasPassword: Type.Boolean(),
    operator: Type.Array(Type.Object({ role: Type.String(), ...ScopeFields, permissions: Type.Array(Type.String()) })),
    merchants: Type.Array(
      Type.Object({
        merchant: Type.String(),
        name: Type.String(),
        role: Type.String(),
        ...ScopeFields,
        permissions: Type.Array(Type.String()),
        sandboxPermissions: Type.Array(Type.String()),
      }),
    ),
    csrf: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `x-malipo-csrf` with every request that changes something; null on a command line',
    }),
  }),
})

const Sessions = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      kind: Type.String(),
      strength: Strength,
      address: Type.String(),
      userAgent: Type.String(),
      createdAt: Type.String(),
      lastSeenAt: Type.String(),
      endsAt: Type.String(),
      isThis: Type.Boolean(),
    }),
  ),
})

const SessionId = Type.Object({ id: Type.String({ maxLength: 60 }) })

/** What a signed-in person sees and ends of its own: rights and sessions. */
export function peopleRoutes(app: App, ctx: Context): void {
  const cookies = cookiesFor(ctx.config.publicUrl)
  const people = peopleContext(ctx)

  app.get(
    '/me',
    { config: { isForPeople: true }, schema: { summary: 'Show the signed-in person', tags, response: { 200: Me } } },
    async (request) => {
      const { cookie, authorization } = request.headers
      const csrf = authorization === undefined ? csrfOf(ctx.vault, browserToken(ctx, cookie)) : null
      const data = await describeMe(ctx.db.write, principalOf(request))
      return { success: true as const, data: { ...data, csrf } } as never
    },
  )

  app.get(
    '/sessions',
    { config: { isForPeople: true }, schema: { summary: 'List own sessions', tags, response: { 200: Sessions } } },
    async (request) => {
      const { id, session_id = '' } = principalOf(request)
      const sessions = await listSessions(ctx.db.write, readId('person', id) ?? '')
      const own = showId('session', session_id)
      return { success: true as const, data: sessions.map((each) => ({ ...each, isThis: each.id === own })) }
    },
  )

  app.delete(
    '/sessions/:id',
    {
      config: { isForPeople: true, errors: ['SESSION_MISSING'] },
      schema: { summary: 'End one of your sessions', tags, params: SessionId, response: { 200: Done } },
    },
    async (request) => {
      const { id: actor } = principalOf(request)
      const order = { actor, person_id: readId('person', actor) ?? '', session: request.params.id }
      if (!(await ctx.db.write.transaction((tx) => endSession(tx, people, order))))
        throw new AppError('SESSION_MISSING')
      return done
    },
  )

  app.post(
    '/sign-out',
    { config: { isForPeople: true }, schema: { summary: 'Sign out', tags, response: { 200: Done } } },
    async (request, reply) => {
      const { id: actor, session_id = '' } = principalOf(request)
      const order = { actor, person_id: readId('person', actor) ?? '', session: showId('session', session_id) }
      await ctx.db.write.transaction((tx) => endSession(tx, people, order))
      reply.header('set-cookie', clearCookie(cookies, cookies.session))
      return done
    },
  )
}
