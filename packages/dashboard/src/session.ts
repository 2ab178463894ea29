import { queryOptions } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { CallError, call, keepCsrf } from './api/call.ts'
import type { AnswerOf } from './api/caller.ts'
import type { Environment, Place } from './api/place.ts'
import type { Operations } from './generated/people-api.ts'

export type Me = AnswerOf<Operations['getMe']>['data']

/** The one call of the shell: the table of all others is loaded by what needs them. */
const getMe = { method: 'GET', path: '/me' } as const

/** The first person of this window. Another one never acts in it: what it shows, and what was filled in, is the first one's. */
let owner: string | undefined

/**
 * The signed-in person. Without a session, the browser goes to the sign-in page and comes back. If another person has signed in, the
 * page is loaded again, and until then the query waits.
 */
export const meQuery = queryOptions({
  queryKey: ['me'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Me> => {
    try {
      const { data } = (await call('/people/v1', getMe, { signal })) as AnswerOf<Operations['getMe']>
      owner ??= data.id
      if (owner !== data.id) {
        location.reload()
        await new Promise(() => undefined)
      }
      keepCsrf(data.csrf)
      return data
    } catch (error) {
      if (error instanceof CallError && error.status === 401) goToSignIn()
      throw error
    }
  },
})

function goToSignIn(): void {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
}

/** Read by the router before any page. */
export const useMe = (): Me => useRouteContext({ from: '__root__', select: ({ me }) => me })

/** What the person may do in a merchant's environment. The server decides; this only hides what it would refuse. */
export function permissionsIn(me: Me, { merchantId, env }: Place): ReadonlySet<string> {
  const roles = me.merchants.filter(({ merchant }) => merchant === merchantId)
  return new Set(
    roles.flatMap(({ permissions, sandboxPermissions }) =>
      env === 'sandbox' ? [...permissions, ...sandboxPermissions] : permissions,
    ),
  )
}

export const operatorPermissions = (me: Me): ReadonlySet<string> =>
  new Set(me.operator.flatMap(({ permissions }) => permissions))

/** Where a person starts: the first merchant, or the operator's work. */
export function firstPath({ merchants, operator }: Me, env: Environment): string {
  const [first] = merchants
  if (first) return `/m/${first.merchant}/${env}`
  return operator.length > 0 ? '/operator' : '/nothing'
}
