import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { accountRoutes } from '../people/account-routes.ts'
import { deviceRoutes } from '../people/device-routes.ts'
import { invitationRoutes } from '../people/invitation-routes.ts'
import { machineRoutes } from '../people/machine-routes.ts'
import { oidcRoutes } from '../people/oidc-routes.ts'
import { peopleRoutes } from '../people/routes.ts'
import { signInLinkRoute } from '../people/sign-in-link.ts'
import { signInRoutes } from '../people/sign-in-routes.ts'
import type { Access, App } from './app.ts'
import { isDevelopment } from './development.ts'
import { registerDashboard } from './pages/dashboard-files.ts'
import { registerHandset } from './pages/handset.ts'
import { registerPages } from './pages/routes.ts'
import { isSameOrigin } from './principals.ts'

/** People's own API and pages, and the token exchange of the operator's machines. */
export function registerPeople(app: App, ctx: Context): void {
  registerPages(app, ctx)
  registerDashboard(app)
  if (isDevelopment(ctx) && ctx.simulator) registerHandset(app, ctx, ctx.simulator)
  app.register(
    (people, _, done) => {
      refuseForeignSignIn(people, ctx)
      signInRoutes(people, ctx)
      peopleRoutes(people, ctx)
      accountRoutes(people, ctx)
      invitationRoutes(people, ctx)
      deviceRoutes(people, ctx)
      if (isDevelopment(ctx)) signInLinkRoute(people, ctx)
      if (ctx.signIn.oidc) oidcRoutes(people, ctx, ctx.signIn.oidc)
      done()
    },
    { prefix: '/people/v1' },
  )
  app.register(
    (operator, _, done) => {
      machineRoutes(operator, ctx)
      done()
    },
    { prefix: '/operator/v1' },
  )
}

/**
 * Another site must not sign a browser in, as its own user. Routes with a session are checked by `identify`; these have none. Command
 * lines send neither header.
 */
function refuseForeignSignIn(app: App, ctx: Context): void {
  app.addHook('onRequest', async (request) => {
    const { isPublic } = request.routeOptions.config as Access
    const isFromBrowser = request.headers.origin !== undefined || request.headers['sec-fetch-site'] !== undefined
    if (isPublic && request.method === 'POST' && isFromBrowser && !isSameOrigin(ctx, request))
      throw new AppError('CROSS_SITE_REQUEST')
  })
}
