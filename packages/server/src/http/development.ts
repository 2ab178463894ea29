import type { Context } from '../context.ts'
import { cookiesFor } from '../people/cookies.ts'

type Needs = Pick<Context, 'config' | 'connectors'>

/** Why the process must not start with `MALIPO_DEVELOPMENT` on: a link must never open a session that can move real money. */
export function developmentProblem({ config, connectors }: Needs): string | undefined {
  if (config.development === 'off') return undefined
  if (connectors.live.size > 0)
    return 'MALIPO_DEVELOPMENT is on, but live providers are configured. Turn it off, or remove their settings.'
  if (cookiesFor(config.publicUrl).isSecure)
    return 'MALIPO_DEVELOPMENT is on, but MALIPO_PUBLIC_URL is not on this machine. Turn it off, or use http://localhost.'
  return undefined
}

/** Whether the routes of a development stack exist. */
export const isDevelopment = (ctx: Needs): boolean =>
  ctx.config.development === 'on' && developmentProblem(ctx) === undefined
