import type { Environment } from '../platform/db.ts'
import type { Connector, Operation } from './contract.ts'

/** What is to be done, and where. */
export interface Errand {
  readonly operation: Operation
  readonly country: string
  readonly currency: string
  /** An operator's id, a bank's code, or `*` where any business or till will do. */
  readonly target: string
}

export interface Route extends Errand {
  readonly providers: readonly string[]
}

/** Which connectors there are in each environment, by id. */
export type Connectors = Readonly<Record<Environment, ReadonlyMap<string, Connector>>>

export interface Routing {
  /** Who can do it: the usable ones first, each in order of preference. Without any the list is empty. */
  providersOf(env: Environment, errand: Errand): readonly Connector[]
  /** Whether a provider is neither paused nor unhealthy. */
  isUsable(env: Environment, provider: string): boolean
}

/**
 * Routes are data. A route that names a provider nobody knows, or one that does not do what it is asked for, is a
 * mistake in the data and refused here, not when a customer pays.
 */
export function createRouting(
  routes: readonly Route[],
  connectors: Connectors,
  isUsable: Routing['isUsable'] = () => true,
): Routing {
  const known = new Map(routes.map((route) => [keyOf(route), route.providers]))
  const wanted = (errand: Errand) =>
    known.get(keyOf(errand)) ??
    known.get(keyOf({ ...errand, target: '*' })) ??
    known.get(keyOf({ ...errand, country: '*', target: '*' })) ??
    known.get(keyOf({ operation: errand.operation, country: '*', currency: '*', target: '*' })) ??
    []
  return {
    isUsable,
    providersOf: (env, errand) => {
      const able = wanted(errand).flatMap((id) => {
        const connector = connectors[env].get(id)
        return connector && doesIt(connector, errand) ? [connector] : []
      })
      const usable = able.filter(({ id }) => isUsable(env, id))
      return usable.length === able.length ? able : [...new Set([...usable, ...able])]
    },
  }
}

const keyOf = ({ operation, country, currency, target }: Errand) => [operation, country, currency, target].join(' ')

function doesIt({ capabilities }: Connector, errand: Errand): boolean {
  return capabilities.some(
    ({ operation, country, currency, target }) =>
      operation === errand.operation &&
      fits(country, errand.country) &&
      fits(currency, errand.currency) &&
      fits(target, errand.target),
  )
}

const fits = (offered: string, asked: string) => offered === '*' || offered === asked
