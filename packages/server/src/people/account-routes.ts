import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { recordAudit } from '../audit/record.ts'
import { originOf } from '../auth/request-origin.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { Tx } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { browserOf, markedBrowser } from './browser.ts'
import { createChallenge, takeChallenge } from './challenges.ts'
import { addPasskey, listPasskeys, registrationOptions } from './passkeys.ts'
import { addPassword, startTotp } from './password-sign-in.ts'
import { requireGoodPassword } from './passwords.ts'
import { peopleContext } from './people-context.ts'
import { actorOf, type Principal } from './principal.ts'
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
import { endSessions } from './sessions.ts'
import { find, lock, type Person } from './store.ts'
import { removeOwnPasskey, removeOwnPassword } from './ways-to-sign-in.ts'

const Passkeys = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      createdAt: Type.String(),
      lastUsedAt: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
})
const PasskeyBody = Type.Object(
  { challenge: ChallengeId, name: PasskeyName, response: Registration },
  { additionalProperties: false },
)
const PasskeyId = Type.Object({ id: Type.String({ maxLength: 1400 }) })
const PasswordBody = Type.Object({ password: Password, ticket: Ticket, code: Code }, { additionalProperties: false })

const provedNow = { isForPeople: true, isSteppedUp: true } as const
const personIdOf = (request: FastifyRequest) => readId('person', principalOf(request).id) ?? ''

/** A person's own ways to sign in. Every change needs a proof of presence. */
export function accountRoutes(app: App, ctx: Context): void {
  passkeyRoutes(app, ctx)
  passwordRoutes(app, ctx)
}

function passkeyRoutes(app: App, ctx: Context): void {
  const people = peopleContext(ctx)
  app.get(
    '/passkeys',
    { config: { isForPeople: true }, schema: { summary: 'List own passkeys', tags, response: { 200: Passkeys } } },
    async (request) => {
      const rows = await listPasskeys(ctx.db.write, personIdOf(request))
      const data = rows.map(({ credential_id, name, created_at, last_used_at }) => ({
        id: credential_id,
        name,
        createdAt: created_at.toISOString(),
        lastUsedAt: last_used_at?.toISOString() ?? null,
      }))
      return { success: true as const, data }
    },
  )

  app.post(
    '/passkeys/options',
    { config: provedNow, schema: { summary: 'Start to add a passkey', tags, response: { 200: Options } } },
    async (request, reply) => {
      const browser = markedBrowser(ctx, request, reply)
      const person = await self(ctx, request)
      const options = await registrationOptions(ctx.db.write, people, person)
      const content = { challenge: options.challenge, person_id: person.id }
      const challenge = await createChallenge(ctx.db.write, people, { browser, purpose: 'passkey', content })
      return { success: true as const, challenge, options }
    },
  )

  app.post(
    '/passkeys',
    {
      config: { ...provedNow, errors: ['PASSKEY_REFUSED', 'PASSKEY_USED'] },
      schema: { summary: 'Add a passkey', tags, body: PasskeyBody, response: { 200: Done } },
    },
    async (request) => {
      const { challenge: id, name, response } = request.body
      const order = { id, browser: browserOf(ctx, request).id, purpose: 'passkey' } as const
      const taken = await takeChallenge<{ challenge: string; person_id: string }>(ctx.db.write, people, order)
      const person_id = personIdOf(request)
      if (taken?.person_id !== person_id) throw new AppError('PASSKEY_REFUSED')
      const made = {
        person_id,
        name,
        challenge: taken.challenge,
        response: response as unknown as RegistrationResponseJSON,
      }
      await ctx.db.write.transaction(async (tx) => {
        const passkey = await addPasskey(tx, people, made)
        const by = principalOf(request)
        const actor = actorOf(by)
        const origin = originOf(request)
        const detail = { passkey, name }
        await recordAudit(tx, people.cell, { actor, action: 'passkey.add', subject: by.id, detail, origin })
      })
      return done
    },
  )

  app.delete(
    '/passkeys/:id',
    {
      config: { ...provedNow, errors: ['PASSKEY_MISSING', 'LAST_SIGN_IN_METHOD'] },
      schema: { summary: 'Remove a passkey', tags, params: PasskeyId, response: { 200: Done } },
    },
    async (request) => {
      const person = personIdOf(request)
      await ctx.db.write.transaction(async (tx) => {
        await endOtherSessions(tx, principalOf(request))
        await removeOwnPasskey(tx, people, person, { passkey: request.params.id, origin: originOf(request) })
      })
      return done
    },
  )
}

function passwordRoutes(app: App, ctx: Context): void {
  const people = peopleContext(ctx)
  app.post(
    '/totp',
    {
      config: provedNow,
      schema: { summary: 'Start to set up an authenticator app', tags, response: { 200: TotpSetupResponse } },
    },
    async (request) => {
      const { id: owner, email } = await self(ctx, request)
      return { success: true as const, ...(await startTotp(ctx.db.write, ctx.vault, { owner, email })) }
    },
  )

  app.put(
    '/password',
    {
      config: { ...provedNow, errors: ['CODE_REFUSED'] },
      schema: { summary: 'Set password and authenticator app', tags, body: PasswordBody, response: { 200: Done } },
    },
    async (request) => {
      const person = await self(ctx, request)
      const { password, ticket, code } = request.body
      requireGoodPassword(password, person.email)
      const hash = await ctx.signIn.passwords.hash(password)
      const order = { owner: person.id, person_id: person.id, ticket, code }
      await ctx.db.write.transaction(async (tx) => {
        await lock(tx, person.id)
        await addPassword(tx, { vault: ctx.vault, hash }, order)
        const by = principalOf(request)
        await endOtherSessions(tx, by)
        const origin = originOf(request)
        await recordAudit(tx, people.cell, { actor: actorOf(by), action: 'password.set', subject: by.id, origin })
      })
      return done
    },
  )

  app.delete(
    '/password',
    {
      config: { ...provedNow, errors: ['LAST_SIGN_IN_METHOD'] },
      schema: { summary: 'Remove password and authenticator app', tags, response: { 200: Done } },
    },
    async (request) => {
      const person = personIdOf(request)
      await ctx.db.write.transaction(async (tx) => {
        await endOtherSessions(tx, principalOf(request))
        await removeOwnPassword(tx, people, person, originOf(request))
      })
      return done
    },
  )
}

/** A changed or removed way to sign in may have been used by another: sessions that it opened end. */
async function endOtherSessions(tx: Tx, { id, session_id }: Principal): Promise<void> {
  await endSessions(tx, readId('person', id) ?? '', { ...(session_id !== undefined && { except: session_id }) })
}

async function self(ctx: Context, request: FastifyRequest): Promise<Person> {
  const person = await find(ctx.db.write, personIdOf(request))
  if (!person) throw new AppError('SIGN_IN_REQUIRED')
  return person
}
