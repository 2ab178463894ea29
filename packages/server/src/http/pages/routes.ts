import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { App } from '../app.ts'
import { isDevelopment } from '../development.ts'
import { scripts } from './page-scripts.ts'
import { peoplePages } from './people-pages.ts'
import { signInLinkPage } from './sign-in-link-page.ts'
import { style } from './style.ts'

/** `/sign-in`, `/invitation`, `/device` and `/account`: the same bytes for every visitor, and no request to another host. */
export function registerPages(app: App, ctx: Context): void {
  const { config, signIn } = ctx
  const { host } = new URL(config.publicUrl)
  const identityProvider = signIn.oidc && config.oidcIssuer ? new URL(config.oidcIssuer).host : undefined
  for (const [name, text] of Object.entries(peoplePages({ host, identityProvider })))
    register(app, `/${name}`, { text, script: scripts[name as keyof typeof scripts] })
  if (isDevelopment(ctx)) register(app, '/sign-in/link', signInLinkPage(host))
}

function register(app: App, path: string, { text, script }: { readonly text: string; readonly script: string }): void {
  const policy = policyFor(script)
  app.get(path, { config: { isPublic: true } }, (_, reply) =>
    reply
      .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(text),
  )
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** A page may use its own style and script, and call this server. */
const policyFor = (script: string) =>
  `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
