import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { App } from '../app.ts'
import { isDevelopment } from '../development.ts'
import { dashboardFont } from './dashboard-files.ts'
import { scripts } from './page-scripts.ts'
import { peoplePages } from './people-pages.ts'
import { signInLinkPage } from './sign-in-link-page.ts'
import { styleWith } from './style.ts'

/** `/sign-in`, `/invitation`, `/device` and `/account`: the same bytes for every visitor, and no request to another host. */
export function registerPages(app: App, ctx: Context): void {
  const { config, signIn } = ctx
  const { host } = new URL(config.publicUrl)
  const identityProvider = signIn.oidc && config.oidcIssuer ? new URL(config.oidcIssuer).host : undefined
  const style = styleWith(dashboardFont())
  for (const [name, text] of Object.entries(peoplePages({ host, identityProvider, style })))
    register(app, `/${name}`, { text, style, script: scripts[name as keyof typeof scripts] })
  if (isDevelopment(ctx)) register(app, '/sign-in/link', signInLinkPage(host, style))
}

interface Registered {
  readonly text: string
  readonly style: string
  readonly script: string
}

function register(app: App, path: string, { text, style, script }: Registered): void {
  const policy = policyFor(style, script)
  app.get(path, { config: { isPublic: true } }, (_, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(text),
  )
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** A page may use its own style and script, the font of this server, and call this server. */
const policyFor = (style: string, script: string) =>
  `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
