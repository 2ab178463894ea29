import assert from 'node:assert/strict'
import { inviteOperator } from '../people/invite.ts'
import { peopleContext } from '../people/people-context.ts'
import type { OperatorRole } from '../people/roles.ts'
import { stepAt, totpCode } from '../people/totp.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Authenticator, createAuthenticator, type RegistrationOptions } from './authenticator.ts'
import { type ApiResponse, call, type Malipo } from './malipo.ts'
import { breakGlass } from './people.ts'

/** Requests come from the test's own address, so a browser names another one in X-Forwarded-For. */
export const behindProxy = { MALIPO_PUBLIC_URL: 'https://pay.example.com', MALIPO_TRUSTED_PROXIES: '127.0.0.1' }

/** Keeps cookies and sends what a page of Malipo sends. */
export interface TestBrowser {
  readonly cookies: Map<string, string>
  /** Every Set-Cookie header that it received. */
  readonly setCookies: string[]
  post(path: string, body?: unknown): Promise<ApiResponse>
  send(method: string, path: string, body?: unknown): Promise<ApiResponse>
  get(path: string): Promise<ApiResponse>
}

export function testBrowser(malipo: Malipo, address = '198.51.100.1'): TestBrowser {
  const cookies = new Map<string, string>()
  const setCookies: string[] = []
  const plain = async (method: string, path: string, body?: unknown, extra: Record<string, string> = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { origin: malipo.ctx.config.publicUrl, 'x-forwarded-for': address, ...extra }
    const response = await call(
      malipo.url,
      method,
      `/people/v1${path}`,
      { ...headers, ...(cookie && { cookie }) },
      body,
    )
    for (const line of response.headers.getSetCookie()) {
      setCookies.push(line)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const send = async (method: string, path: string, body?: unknown) => {
    const me = await plain('GET', '/me')
    const { csrf } = (me.body['data'] ?? {}) as { csrf?: string }
    return plain(method, path, body, csrf === undefined ? {} : { 'x-malipo-csrf': csrf })
  }
  return {
    cookies,
    setCookies,
    send,
    post: (path, body) => send('POST', path, body),
    get: (path) => plain('GET', path),
  }
}

/** A link's token for a new member of the operator's staff. */
export async function invitedStaff(
  { ctx }: Malipo,
  { email, role = 'support' }: { readonly email: string; readonly role?: OperatorRole },
): Promise<string> {
  const order = { email, name: 'Wanjiru Kamau', role }
  const { link } = await ctx.db.write.transaction((tx) => inviteOperator(tx, peopleContext(ctx), breakGlass, order))
  return link.split('#')[1] ?? ''
}

interface Started {
  readonly challenge: string
  readonly options: RegistrationOptions
}

/** What an invited person has: the token of the link, and where two people made the invitation, the code. */
export interface HeldInvitation {
  readonly token: string
  readonly confirmation?: string
}

/** Accepts an invitation with a new passkey; the browser is signed in afterwards. */
export async function joinWithPasskey(
  malipo: Malipo,
  browser: TestBrowser,
  invitation: string | HeldInvitation,
  authenticator: Authenticator = createAuthenticator(malipo.ctx.config.publicUrl),
): Promise<ApiResponse & { readonly authenticator: Authenticator }> {
  const held = typeof invitation === 'string' ? { token: invitation } : invitation
  const { status, body } = await browser.post('/invitations/passkey/options', { token: held.token })
  assert.equal(status, 200, JSON.stringify(body))
  const { challenge, options } = body as unknown as Started
  const response = authenticator.register(options)
  const accepted = await browser.post('/invitations/passkey', { ...held, challenge, name: 'Laptop', response })
  return { ...accepted, authenticator }
}

/** Accepts an invitation with a password and an authenticator app. Returns the app's secret. */
export async function joinWithPassword(
  malipo: Malipo,
  browser: TestBrowser,
  { token, password, confirmation }: HeldInvitation & { readonly password: string },
): Promise<ApiResponse & { readonly secret: string }> {
  const { status, body } = await browser.post('/invitations/totp', { token })
  assert.equal(status, 200, JSON.stringify(body))
  const { secret, ticket } = body as { secret: string; ticket: string }
  const code = await codeNow(malipo, secret)
  const answer = { token, confirmation, password, ticket, code }
  return { ...(await browser.post('/invitations/password', answer)), secret }
}

/** The code that an authenticator app shows now, or some steps later. */
export async function codeNow({ ctx }: Malipo, secret: string, stepsLater = 0): Promise<string> {
  return totpCode(secret, stepAt(await databaseTimeMs(ctx.db.write)) + stepsLater)
}
