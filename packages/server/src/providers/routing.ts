import type { Environment } from '../platform/db.ts'
import type { Connector, Operation } from './contract.ts'

/** The operation to route, and where. */
export interface RouteQuery {
  readonly operation: Operation
  readonly country: string
  readonly currency: string
  /** An operator's id, a bank's code, or `*` for any business or till. */
  readonly target: string
}

export interface Route extends RouteQuery {
  readonly providers: readonly string[]
}

/** The connectors in each environment, by id. */
export type Connectors = Readonly<Record<Environment, ReadonlyMap<string, Connector>>>

export interface Routing {
  /** The providers that support it: usable ones first, each group in order of preference. May be empty. */
  providersOf(env: Environment, routeQuery: RouteQuery): readonly Connector[]
  /** Whether a provider is neither paused nor unhealthy. */
  isUsable(env: Environment, provider: string): boolean
}

/**
 * Routes are data. reference/data.ts refuses a route that names an unknown provider. Routing skips a provider that is
 * not configured or does not support the operation.
 */
export function createRouting(
  routes: readonly Route[],
  connectors: Connectors,
  isUsable: Routing['isUsable'] = () => true,
): Routing {
  const known = new Map(routes.map((route) => [keyOf(route), route.providers]))
  const wanted = (routeQuery: RouteQuery) =>
    known.get(keyOf(routeQuery)) ??
    known.get(keyOf({ ...routeQuery, target: '*' })) ??
    known.get(keyOf({ ...routeQuery, country: '*', target: '*' })) ??
    known.get(keyOf({ operation: routeQuery.operation, country: '*', currency: '*', target: '*' })) ??
    []
  return {
    isUsable,
    providersOf: (env, routeQuery) => {
      const able = wanted(routeQuery).flatMap((id) => {
        const connector = connectors[env].get(id)
        return connector && doesIt(connector, routeQuery) ? [connector] : []
      })
      const usable = able.filter(({ id }) => isUsable(env, id))
      return usable.length === able.length ? able : [...new Set([...usable, ...able])]
    },
  }
}

const keyOf = ({ operation, country, currency, target }: RouteQuery) => [operation, country, currency, target].join(' ')

function doesIt({ capabilities }: Connector, routeQuery: RouteQuery): boolean {
  return capabilities.some(
    ({ operation, country, currency, target }) =>
      operation === routeQuery.operation &&
      fits(country, routeQuery.country) &&
      fits(currency, routeQuery.currency) &&
      fits(target, routeQuery.target),
  )
}

const fits = (offered: string, asked: string) => offered === '*' || offered === asked
