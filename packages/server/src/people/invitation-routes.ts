import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { Type } from 'typebox'
import { originOf } from '../auth/request-origin.ts'
import type { Context } from '../context.ts'
import { AppError, type ErrorKey } from '../errors.ts'
import type { App } from '../http/app.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import type { Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { type AcceptedInvitation, acceptAsKnownPerson, acceptAsNewPerson } from './accept-invitation.ts'
import { browserOf, markedBrowser, setSession } from './browser.ts'
import { createChallenge, takeChallenge } from './challenges.ts'
import { clearCookie, cookiesFor } from './cookies.ts'
import { checkCode, findInvitation, type OpenInvitation } from './invite.ts'
import { addPasskey, registrationOptions } from './passkeys.ts'
import { addPassword, startTotp } from './password-sign-in.ts'
import { requireGoodPassword } from './passwords.ts'
import { peopleContext } from './people-context.ts'
import { acceptRecovery } from './recover.ts'
import { principalOf } from './request-principal.ts'
import {
  ChallengeId,
  Code,
  Done,
  done,
  Options,
  PasskeyName,
  Password,
  Registration,
  Ticket,
  TotpSetupResponse,
  tags,
} from './schema.ts'
import type { SignInStrength } from './sessions.ts'
import { type Browser, openBrowserSession } from './sign-in.ts'
import { findByEmail } from './store.ts'

const Token = Type.String({ minLength: 1, maxLength: 100, description: 'The text after `#` in the link' })
const Confirmation = Type.Optional(
  Type.String({ maxLength: 20, description: 'The code that the approver of the invitation gives' }),
)
const JoinBody = Type.Object({ token: Token, confirmation: Confirmation }, { additionalProperties: false })
const TokenBody = Type.Object({ token: Token }, { additionalProperties: false })
const PasskeyBody = Type.Object(
  { token: Token, confirmation: Confirmation, challenge: ChallengeId, name: PasskeyName, response: Registration },
  { additionalProperties: false },
)
const PasswordBody = Type.Object(
  { token: Token, confirmation: Confirmation, password: Password, ticket: Ticket, code: Code },
  { additionalProperties: false },
)
const Shown = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({
    email: Type.String(),
    name: Type.String(),
    role: Type.String(),
    merchant: Type.Union([Type.String(), Type.Null()], { description: 'Null for the operator’s staff' }),
    countries: Type.Array(Type.String()),
    currencies: Type.Array(Type.String()),
    isForOidc: Type.Boolean(),
    needsConfirmation: Type.Boolean({ description: 'Joining also needs a code of the approver' }),
    isKnownPerson: Type.Boolean({ description: 'The person exists, and must be signed in to accept' }),
    isRecovery: Type.Boolean({
      description: 'The person lost every way to sign in, and adds a new one; role is empty',
    }),
  }),
})

const errors: readonly ErrorKey[] = [
  'INVITATION_INVALID',
  'INVITATION_CODE_WRONG',
  'INVITATION_NEEDS_SIGN_IN',
  'ROLE_HELD',
  'CROSS_SITE_REQUEST',
]
const open = { isPublic: true, budget: 'sign_in', errors } as const

/**
 * Accepting an invitation: as a new person with a first way to sign in, as a signed-in person who gets a role, or as a person who
 * lost every way to sign in.
 */
export function invitationRoutes(app: App, ctx: Context): void {
  const people = peopleContext(ctx)
  app.post(
    '/invitations/show',
    { config: open, schema: { summary: 'Show an invitation', tags, body: TokenBody, response: { 200: Shown } } },
    async (request) => {
      const found = await findInvitation(ctx.db.write, ctx.vault, request.body.token)
      const isRecovery = found.recovers !== null
      const isKnownPerson = !isRecovery && (await findByEmail(ctx.db.write, found.email)) !== undefined
      const { email, name, role, merchant_name: merchant, countries, currencies, is_for_oidc: isForOidc } = found
      const data = { email, name, role, merchant, countries: [...countries], currencies: [...currencies] }
      return {
        success: true as const,
        data: { ...data, isForOidc, isKnownPerson, isRecovery, needsConfirmation: found.needs_code },
      }
    },
  )

  app.post(
    '/invitations/join',
    {
      config: { isForPeople: true, isSteppedUp: true, errors: [...errors, 'INVITATION_FOR_ANOTHER'] },
      schema: { summary: 'Accept an invitation as a signed-in person', tags, body: JoinBody, response: { 200: Done } },
    },
    async (request, reply) => {
      const { token, confirmation } = request.body
      const found = await findInvitation(ctx.db.write, ctx.vault, token)
      await checkCode(ctx.db.write, { ...people, origin: originOf(request) }, found, confirmation)
      const origin = originOf(request)
      await ctx.db.write.transaction((tx) =>
        acceptAsKnownPerson(tx, people, { ...found, origin }, principalOf(request)),
      )
      const cookies = cookiesFor(ctx.config.publicUrl)
      reply.header('set-cookie', clearCookie(cookies, cookies.session))
      return done
    },
  )
  byPasskey(app, ctx)
  byPassword(app, ctx)
}

function byPasskey(app: App, ctx: Context): void {
  const people = peopleContext(ctx)
  app.post(
    '/invitations/passkey/options',
    {
      config: open,
      schema: {
        summary: 'Start to accept an invitation with a passkey',
        tags,
        body: TokenBody,
        response: { 200: Options },
      },
    },
    async (request, reply) => {
      const browser = markedBrowser(ctx, request, reply)
      const { id, email, name, recovers } = await requireWithoutSignIn(ctx, request.body.token)
      const personId = recovers ?? newId(await databaseTimeMs(ctx.db.write), people.cell)
      const options = await registrationOptions(ctx.db.write, people, { id: personId, email, name })
      const content: Started = { challenge: options.challenge, person_id: personId, invitation_id: id }
      const order = { browser, purpose: 'invitation', content: { ...content } } as const
      return { success: true as const, challenge: await createChallenge(ctx.db.write, people, order), options }
    },
  )

  app.post(
    '/invitations/passkey',
    {
      config: { ...open, errors: [...errors, 'PASSKEY_REFUSED', 'PASSKEY_USED'] },
      schema: { summary: 'Accept an invitation with a passkey', tags, body: PasskeyBody, response: { 200: Done } },
    },
    async (request, reply) => {
      const { token, confirmation, challenge: id, name, response } = request.body
      const browser = browserOf(ctx, request)
      const order = { id, browser: browser.id, purpose: 'invitation' } as const
      const taken = await takeChallenge<Started>(ctx.db.write, people, order)
      const found = await requireWithoutSignIn(ctx, token)
      if (taken?.invitation_id !== found.id) throw new AppError('PASSKEY_REFUSED')
      await checkCode(ctx.db.write, { ...people, origin: originOf(request) }, found, confirmation)
      const { challenge, person_id } = taken
      const made = { person_id, name, challenge, response: response as unknown as RegistrationResponseJSON }
      const accepted = {
        found: { ...found, origin: originOf(request) },
        person_id,
        browser,
        strength: 'passkey',
      } as const
      setSession(ctx, reply, await acceptNew(ctx, accepted, async (tx) => void (await addPasskey(tx, people, made))))
      return done
    },
  )
}

/** What is kept between the two steps of a passkey. */
interface Started {
  readonly challenge: string
  readonly person_id: string
  readonly invitation_id: string
}

function byPassword(app: App, ctx: Context): void {
  const people = peopleContext(ctx)
  app.post(
    '/invitations/totp',
    {
      config: open,
      schema: {
        summary: 'Start to accept an invitation with a password',
        tags,
        body: TokenBody,
        response: { 200: TotpSetupResponse },
      },
    },
    async (request) => {
      const { id: owner, email } = await requireWithoutSignIn(ctx, request.body.token)
      return { success: true as const, ...(await startTotp(ctx.db.write, ctx.vault, { owner, email })) }
    },
  )

  app.post(
    '/invitations/password',
    {
      config: { ...open, errors: [...errors, 'CODE_REFUSED'] },
      schema: { summary: 'Accept an invitation with a password', tags, body: PasswordBody, response: { 200: Done } },
    },
    async (request, reply) => {
      const { token, confirmation, password, ticket, code } = request.body
      const found = await requireWithoutSignIn(ctx, token)
      requireGoodPassword(password, found.email)
      await checkCode(ctx.db.write, { ...people, origin: originOf(request) }, found, confirmation)
      const hash = await ctx.signIn.passwords.hash(password)
      const person_id = found.recovers ?? newId(await databaseTimeMs(ctx.db.write), ctx.config.cell)
      const order = { owner: found.id, person_id, ticket, code }
      const browser = browserOf(ctx, request)
      const accepted = {
        found: { ...found, origin: originOf(request) },
        person_id,
        browser,
        strength: 'password_totp',
      } as const
      const add = (tx: Tx) => addPassword(tx, { vault: ctx.vault, hash }, order)
      setSession(ctx, reply, await acceptNew(ctx, accepted, add))
      return done
    },
  )
}

/**
 * The invitation of a token, for a person who has no way to sign in: one who does not exist yet and does not sign in at the OIDC
 * provider, or one who lost them all.
 */
async function requireWithoutSignIn(ctx: Context, token: string): Promise<OpenInvitation> {
  const found = await findInvitation(ctx.db.write, ctx.vault, token)
  if (found.recovers !== null) return found
  const isElsewhere = found.is_for_oidc || (await findByEmail(ctx.db.write, found.email)) !== undefined
  if (isElsewhere) throw new AppError('INVITATION_NEEDS_SIGN_IN')
  return found
}

interface Accepted {
  readonly found: AcceptedInvitation
  readonly person_id: string
  readonly browser: Browser
  readonly strength: SignInStrength
}

/** Creates the person, or adds the new way to sign in, and signs the person in. Returns the secret id of the session. */
async function acceptNew(
  ctx: Context,
  { found, person_id, browser, strength }: Accepted,
  addSignIn: (tx: Tx) => Promise<void>,
): Promise<string> {
  const people = peopleContext(ctx)
  await ctx.db.write.transaction((tx) =>
    found.recovers === null
      ? acceptAsNewPerson(tx, people, { ...found, person_id }, () => addSignIn(tx))
      : acceptRecovery(tx, people, found, () => addSignIn(tx)),
  )
  return openBrowserSession(ctx, browser, { person_id, strength })
}
