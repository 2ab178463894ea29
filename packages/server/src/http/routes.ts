import type { FastifyRequest, HTTPMethods } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError } from '../errors.ts'
import type { Access, App } from './app.ts'

/** A declared route, for the documentation and for the list of methods that a path takes. */
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

/** Collects every route declared after this call. A route that does not declare who may call it fails at startup. */
export function collectRoutes(app: App): DeclaredRoute[] {
  const routes: DeclaredRoute[] = []
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const access = (config ?? {}) as Access
    if (access.isRefusal) return
    const { isPublic, scope, isForPeople, operator, member } = access
    const callers = [isPublic, scope, isForPeople, operator, member].filter((each) => each)
    if (callers.length !== 1) throw new Error(`${method} ${url} does not declare who may call it`)
    for (const each of [method].flat())
      routes.push({ method: each, url, access, schema: (schema ?? {}) as RouteSchema })
  })
  return routes
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies HTTPMethods[]

/** Registers a 405 response, which lists the allowed methods, for the methods that a declared path does not take. */
export function refuseOtherMethods(app: App, routes: readonly DeclaredRoute[]): void {
  const taken = Map.groupBy(routes, ({ url }) => url)
  for (const [url, declared] of taken) {
    const allowed = declared.map(({ method }) => method)
    const refuse = async () => {
      throw methodNotAllowed(allowed)
    }
    const isPublic = declared.some(({ access }) => access.isPublic)
    const isForPeople = declared.some(({ access }) => access.isForPeople || access.operator || access.member)
    const config: Access = { isRefusal: true, ...(isPublic ? { isPublic } : isForPeople && { isForPeople }) }
    const others = methods.filter((method) => !allowed.includes(method))
    app.route({ method: others, url, config, onRequest: refuse, handler: refuse })
  }
}

const allMethods: readonly string[] = ['GET', 'HEAD', ...methods.slice(1)]

/** Refuses a method that no path takes, whether the path exists or not. */
export function refuseUnknownMethods({ method }: FastifyRequest): void {
  if (!allMethods.includes(method)) throw methodNotAllowed()
}

export function methodNotAllowed(allowed = allMethods): AppError {
  return new AppError('METHOD_NOT_ALLOWED', { headers: { allow: allowed.join(', ') } })
}
