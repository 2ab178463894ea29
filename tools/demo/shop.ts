/** The demo's shop as a client of the stack: its server by key pair, and its people by sign-in links. */
import { signInLinks } from '../../packages/server/src/dev-stack/people.ts'
import { providerKeyOf, readId } from '../../packages/server/src/platform/ids.ts'

type Variables = Readonly<Record<string, string>>
type Body = Readonly<Record<string, unknown>>

export interface ShopClient {
  /** Throws unless the response is a success. */
  send(method: string, path: string, body?: object, headers?: Variables): Promise<Body>
  /** As a person of the merchant, who signs in for this request: sessions end while the clock moves. */
  asPerson(role: 'owner' | 'approver', method: string, path: string, body: object): Promise<Body>
}

/** The provider key of a payment's first attempt, by which the simulator knows it. */
export const keyOf = (transactionId: string) => providerKeyOf(readId('transaction', transactionId) ?? '', 1)

export async function openShop(variables: Variables): Promise<ShopClient> {
  const { MALIPO_URL = '', MALIPO_PUBLIC_URL = '', MALIPO_PUBLIC_KEY = '', MALIPO_API_KEY = '' } = variables
  const pair = { publicKey: MALIPO_PUBLIC_KEY }
  const path = '/api/b2b/auth/generate-bearer-token'
  const { token } = await ask(MALIPO_URL, 'POST', path, pair, { 'api-key': MALIPO_API_KEY })
  const authorization = `Bearer ${String(token)}`
  return {
    send: (method, path, body, headers = {}) =>
      ask(MALIPO_URL, method, `/api/b2b${path}`, body, { authorization, ...headers }),
    asPerson: async (role, method, path, body) => {
      const links = await signInLinks(variables)
      const link = links.find((each) => !each.isStaff && each.role === role)?.link ?? ''
      const origin = { origin: MALIPO_PUBLIC_URL }
      const signedIn = await respond(
        MALIPO_URL,
        'POST',
        '/people/v1/sign-in/link',
        { code: link.split('#')[1] },
        origin,
      )
      const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      const me = (await ask(MALIPO_URL, 'GET', '/people/v1/me', undefined, { cookie }))['data'] as Me
      const headers = { ...origin, cookie, 'x-malipo-csrf': me.csrf }
      return ask(
        MALIPO_URL,
        method,
        `/dashboard/v1/merchants/${me.merchants[0]?.merchant}/sandbox${path}`,
        body,
        headers,
      )
    },
  }
}

interface Me {
  readonly csrf: string
  readonly merchants: readonly { readonly merchant: string }[]
}

async function ask(url: string, method: string, path: string, body?: object, headers: Variables = {}): Promise<Body> {
  return (await (await respond(url, method, path, body, headers)).json()) as Body
}

async function respond(url: string, method: string, path: string, body?: object, headers: Variables = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response
}
