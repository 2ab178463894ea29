import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { countedAs } from '../platform/addresses.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import { newId, readId } from '../platform/ids.ts'
import { acceptAsNewPerson } from './accept-invitation.ts'
import { createChallenge, newChallengeId, takeChallenge } from './challenges.ts'
import { findOidcInvitation } from './invite.ts'
import type { Oidc, OidcIdentity, OidcRequest } from './oidc.ts'
import { peopleContext } from './people-context.ts'
import type { Principal } from './principal.ts'
import { type Browser, openBrowserSession, prove, refuse } from './sign-in.ts'

interface Kept extends OidcRequest {
  /** The path to continue at. */
  readonly next: string
}

interface Start {
  readonly browser: string
  /** The key under which the request is counted while it is handled, but not while the provider works. */
  readonly slot: string
  readonly next: string
  readonly principal?: Principal
}

/** Starts a sign-in at the provider, or with a principal a proof of presence. Returns where to send the browser. */
export async function startOidc(ctx: Context, oidc: Oidc, { browser, slot, next, principal }: Start): Promise<string> {
  const people = peopleContext(ctx)
  const id = await newChallengeId(ctx.db.write, people)
  const session = principal?.session_id
  const request = oidc.request(id, session === undefined ? {} : { session_id: session })
  const content: Kept = { ...request, next }
  await createChallenge(ctx.db.write, people, { id, browser, purpose: 'oidc', content: { ...content } })
  return ctx.limiter.outside(principal ? 'people' : 'sign_in', slot, oidc.urlFor(request))
}

interface Returned {
  readonly browser: Browser
  /** The path and query of the callback. */
  readonly url: string
  readonly state: string
  /** Who is signed in in this browser now. */
  readonly principal: Principal | undefined
}

/** Finishes what `startOidc` started. Returns the secret id of the session and where to continue. */
export async function finishOidc(
  ctx: Context,
  oidc: Oidc,
  { browser, url, state, principal }: Returned,
): Promise<{ readonly token: string; readonly next: string }> {
  const people = peopleContext(ctx)
  const order = { id: state.split('.')[0] ?? '', browser: browser.id, purpose: 'oidc' } as const
  const kept = await takeChallenge<Kept>(ctx.db.write, people, order)
  const identity = kept && (await identify(ctx, oidc, { browser, url, kept }))
  const personId = identity && (await personOf(ctx, browser, identity))
  if (!kept || !identity || personId === undefined)
    return refuse(ctx, { address: browser.address, account: 'oidc', how: 'oidc' })
  if (kept.session_id === undefined) {
    const proved_at = identity.authenticatedAt === undefined ? null : new Date(identity.authenticatedAt)
    const token = await openBrowserSession(ctx, browser, { person_id: personId, strength: 'oidc', proved_at })
    return { token, next: kept.next }
  }
  const isSame = principal?.session_id === kept.session_id && readId('person', principal.id) === personId
  if (!isSame) return refuse(ctx, { address: browser.address, account: principal?.id ?? 'oidc', how: 'step_up' })
  return { token: await prove(ctx, principal, 'oidc'), next: kept.next }
}

async function identify(
  ctx: Context,
  oidc: Oidc,
  { browser, url, kept }: { readonly browser: Browser; readonly url: string; readonly kept: Kept },
): Promise<OidcIdentity | undefined> {
  try {
    return await ctx.limiter.outside('sign_in', countedAs(browser.address), oidc.identify(url, kept))
  } catch (err) {
    ctx.log.warn({ err }, 'OIDC sign-in failed')
    return undefined
  }
}

/** The person whose subject is linked, or a new one who was invited for OIDC at the verified e-mail address. */
async function personOf(ctx: Context, browser: Browser, identity: OidcIdentity): Promise<string | undefined> {
  const linked = await findLinked(ctx.db.write, identity)
  if (linked !== undefined || identity.email === undefined) return linked
  const invitation = await findOidcInvitation(ctx.db.write, identity.email)
  if (!invitation) return undefined
  const people = peopleContext(ctx)
  const person_id = newId(await databaseTimeMs(ctx.db.write), people.cell)
  const origin = { address: browser.address, userAgent: browser.userAgent }
  const accepted = ctx.db.write.transaction((tx) =>
    acceptAsNewPerson(tx, people, { ...invitation, person_id, origin }, () => link(tx, identity, person_id)),
  )
  return accepted.then(
    () => person_id,
    (error) => {
      if (error instanceof AppError) return undefined // A person with this address signs in otherwise.
      throw error
    },
  )
}

async function findLinked(db: Db, { issuer, subject }: OidcIdentity): Promise<string | undefined> {
  const [found] = await db.query<{ person_id: string }>(sql`
    select o.person_id
    from oidc_subjects o
    join people p on p.id = o.person_id
    where o.issuer = ${issuer}
      and o.subject = ${subject}
      and p.disabled_at is null`)
  return found?.person_id
}

async function link(tx: Tx, { issuer, subject }: OidcIdentity, personId: string): Promise<void> {
  const linked = await tx.query(sql`
    insert into oidc_subjects (issuer, subject, person_id)
    values (${issuer}, ${subject}, ${personId})
    on conflict do nothing
    returning person_id`)
  if (linked.length === 0) throw new AppError('SIGN_IN_FAILED') // It belongs to a person who left.
}
