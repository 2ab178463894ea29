import type { FastifyRequest, HTTPMethods } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError } from '../errors.ts'
import type { Access, App } from './app.ts'

/** A route as it was declared, for the documentation and for telling which methods a path takes. */
export interface DeclaredRoute {
  readonly method: string
  readonly url: string
  readonly access: Access
  readonly schema: RouteSchema
}

interface RouteSchema {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly headers?: TSchema
  readonly params?: TSchema
  readonly querystring?: TSchema
  readonly body?: TSchema
  readonly response?: Readonly<Record<number, TSchema>>
}

/** Collects what is declared after this. A route below /api/ that says neither its scope nor that it is public stops the start. */
export function collectRoutes(app: App): DeclaredRoute[] {
  const routes: DeclaredRoute[] = []
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const access = (config ?? {}) as Access
    if (access.isRefusal) return
    if (!access.isPublic && !access.scope) throw new Error(`${method} ${url} does not say who may call it`)
    for (const each of [method].flat())
      routes.push({ method: each, url, access, schema: (schema ?? {}) as RouteSchema })
  })
  return routes
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies HTTPMethods[]

/** Gives every declared path an answer for the methods it does not take: 405 with those it does, not 404. */
export function refuseOtherMethods(app: App, routes: readonly DeclaredRoute[]): void {
  const taken = Map.groupBy(routes, ({ url }) => url)
  for (const [url, declared] of taken) {
    const allowed = declared.map(({ method }) => method)
    const refuse = async () => {
      throw methodNotAllowed(allowed)
    }
    const isPublic = declared.some(({ access }) => access.isPublic)
    const config: Access = { isRefusal: true, ...(isPublic && { isPublic }) }
    const others = methods.filter((method) => !allowed.includes(method))
    app.route({ method: others, url, config, onRequest: refuse, handler: refuse })
  }
}

const allMethods: readonly string[] = ['GET', 'HEAD', ...methods.slice(1)]

/** A method that no path takes is refused as such, whether something is at the path or not. */
export function refuseUnknownMethods({ method }: FastifyRequest): void {
  if (!allMethods.includes(method)) throw methodNotAllowed()
}

export function methodNotAllowed(allowed = allMethods): AppError {
  return new AppError('METHOD_NOT_ALLOWED', { headers: { allow: allowed.join(', ') } })
}
