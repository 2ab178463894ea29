import { randomUUID } from 'node:crypto'
import { cookiesFor } from '../people/cookies.ts'
import { insertMembership } from '../people/memberships.ts'
import { peopleContext } from '../people/people-context.ts'
import type { Principal, Scope } from '../people/principal.ts'
import type { MerchantRole, OperatorRole } from '../people/roles.ts'
import { csrfOf, openSession } from '../people/sessions.ts'
import { insert } from '../people/store.ts'
import { newId, readId, showId } from '../platform/ids.ts'
import { type ApiResponse, call, type Malipo } from './malipo.ts'

export interface PersonOptions extends Partial<Scope> {
  readonly email?: string
  readonly name?: string
  /** Roles of the operator's staff. */
  readonly operator?: readonly OperatorRole[]
  /** Roles within a merchant. */
  readonly merchant?: { readonly id: string; readonly roles: readonly MerchantRole[] }
  /** False: the person proved presence too long ago for a step-up. */
  readonly isProved?: boolean
  readonly kind?: 'browser' | 'cli'
}

/** A signed-in person, made in the database without the pages. */
export interface TestPerson {
  readonly id: string
  readonly person_id: string
  readonly email: string
  readonly session_id: string
  /** The secret id of the session. */
  readonly token: string
  /** What the person's browser or command line sends with each request. */
  readonly headers: Readonly<Record<string, string>>
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>
}

export async function testPerson(
  { ctx, url }: Pick<Malipo, 'ctx' | 'url'>,
  options: PersonOptions = {},
): Promise<TestPerson> {
  const { countries = [], currencies = [], isProved = true, kind = 'browser', name = 'Wanjiru Kamau' } = options
  const people = peopleContext(ctx)
  const person_id = newId(Date.now(), ctx.config.cell)
  const email = options.email ?? `${randomUUID()}@example.com`
  const merchant = options.merchant && { ...options.merchant, id: readId('merchant', options.merchant.id) ?? '' }
  const { token, id: session_id } = await ctx.db.write.transaction(async (tx) => {
    await insert(tx, { id: person_id, email, name })
    const scope = { person_id, countries, currencies }
    for (const role of options.operator ?? [])
      await insertMembership(tx, people, 'test', { ...scope, merchant_id: null, role })
    for (const role of merchant?.roles ?? [])
      await insertMembership(tx, people, 'test', { ...scope, merchant_id: merchant?.id ?? '', role })
    const client = { address: '127.0.0.1', userAgent: 'test' }
    const proved = isProved ? {} : { proved_at: null }
    return openSession(tx, people, { ...client, ...proved, person_id, kind, strength: 'passkey' })
  })
  const headers = headersOf(ctx, kind, token)
  const send = (method: string, path: string, body?: unknown) => call(url, method, path, headers, body)
  return { id: showId('person', person_id), person_id, email, session_id, token, headers, call: send }
}

/** What a browser or a command line with this session sends. */
export function headersOf(
  { config, vault }: Pick<Malipo['ctx'], 'config' | 'vault'>,
  kind: 'browser' | 'cli',
  token: string,
): Record<string, string> {
  if (kind === 'cli') return { authorization: `Bearer ${token}` }
  const cookie = `${cookiesFor(config.publicUrl).session}=${token}`
  return { cookie, origin: config.publicUrl, 'x-malipo-csrf': csrfOf(vault, token) }
}

/** Everything is allowed to it, as to an operator with access to the database. */
export const breakGlass: Principal = {
  kind: 'break_glass',
  id: 'test',
  name: 'test',
  operatorGrants: [],
  merchantGrants: [],
  strength: 'database',
}
