import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { countedAs } from '../platform/addresses.ts'
import { readId, showId } from '../platform/ids.ts'
import { createChallenge, takeChallenge } from './challenges.ts'
import type { FailedSignIn } from './failed-sign-ins.ts'
import { assertionOptions, personOfAssertion } from './passkeys.ts'
import { checkPassword } from './password-sign-in.ts'
import { type PeopleContext, peopleContext } from './people-context.ts'
import { actorById, actorOf, type Principal } from './principal.ts'
import {
  type Client,
  endReplaced,
  hasSignedInFrom,
  openSession,
  proveSession,
  type SignInStrength,
} from './sessions.ts'
import { find, findByEmail, type Person } from './store.ts'

/** A browser that signs in. */
export interface Browser extends Client {
  /** The value of the cookie that binds challenges to it. */
  readonly id: string
  /** The secret id of the session that it has; empty for none. */
  readonly token: string
}

export interface Answer {
  readonly challenge: string
  readonly response: AuthenticationResponseJSON
}

type PasskeyPurpose = 'sign_in' | 'step_up'

/** What a browser needs to ask the person for a passkey. */
export async function passkeyOptions(ctx: Context, browser: string, purpose: PasskeyPurpose) {
  const options = await assertionOptions(ctx.config)
  const content = { challenge: options.challenge }
  const challenge = await createChallenge(ctx.db.write, peopleContext(ctx), { browser, purpose, content })
  return { challenge, options }
}

/** Signs in with a passkey. It is never throttled: it cannot be guessed. */
export async function signInWithPasskey(ctx: Context, browser: Browser, answer: Answer): Promise<string> {
  const personId = await personOfAnswer(ctx, browser, 'sign_in', answer)
  if (personId === undefined) {
    const account = `passkey ${countedAs(browser.address)}`
    await refuse(ctx, { address: browser.address, account, how: 'passkey' })
  }
  return openBrowserSession(ctx, browser, { person_id: personId ?? '', strength: 'passkey' })
}

async function personOfAnswer(ctx: Context, { id: browser }: Browser, purpose: PasskeyPurpose, answer: Answer) {
  const people = peopleContext(ctx)
  const order = { id: answer.challenge, browser, purpose }
  const taken = await takeChallenge<{ challenge: string }>(ctx.db.write, people, order)
  if (!taken) return undefined
  return personOfAssertion(ctx.db.write, people, { challenge: taken.challenge, response: answer.response })
}

export interface PasswordSignIn {
  readonly email: string
  readonly password: string
  readonly code: string
}

/** Signs in with e-mail address, password and code. A wrong one of them gives the same response in the same time. */
export async function signInWithPassword(ctx: Context, browser: Browser, sent: PasswordSignIn): Promise<string> {
  const person = await findByEmail(ctx.db.write, sent.email.trim())
  const { address } = browser
  await requirePassword(ctx, { ...sent, person, address, slot: ['sign_in', countedAs(address)], how: 'password' })
  return openBrowserSession(ctx, browser, { person_id: person?.id ?? '', strength: 'password_totp' })
}

interface PasswordCheck extends PasswordSignIn, Pick<FailedSignIn, 'address' | 'how'> {
  readonly person: Person | undefined
  /** The budget and the key under which the request is counted while it is handled. */
  readonly slot: readonly ['people' | 'sign_in', string]
}

async function requirePassword(ctx: Context, { person, address, slot, how, ...sent }: PasswordCheck): Promise<void> {
  const { passwords, throttle } = ctx.signIn
  const account = ctx.vault.hash(sent.email.trim().toLowerCase(), 'sign-in account')
  const isFamiliar = await hasSignedInFrom(ctx.db.write, person?.id, address)
  const attempt = { address, account, isFamiliar }
  // A waiting attempt takes no slot of the requests that people send.
  const delayMs = await throttle.delayMs(attempt)
  if (delayMs > 0) await ctx.limiter.outside(...slot, throttle.admit(attempt, delayMs))
  const needs = { db: ctx.db.write, vault: ctx.vault, passwords }
  const { isRight, isPasswordRight } = await checkPassword(needs, person, sent)
  if (isRight) return throttle.succeed(attempt)
  await throttle.fail(attempt, { isPasswordRight })
  const known = person?.id
  await refuse(ctx, { address, account: known === undefined ? account : showId('person', known), how })
}

/** Audits the failure and refuses, without saying what was wrong. */
export async function refuse(ctx: Context, failure: FailedSignIn): Promise<never> {
  await ctx.signIn.failures.note(failure)
  ctx.metrics.authFailures.inc({ at: 'sign_in' })
  throw new AppError('SIGN_IN_FAILED')
}

interface Proved {
  readonly person_id: string
  readonly strength: SignInStrength
  /** See {@link openSession}. */
  readonly proved_at?: Date | null
  /** For the audit trail, where the strength does not say it. */
  readonly how?: 'link'
}

/** Opens a session with a new secret id, whatever the browser sent, and ends the one that it had. Returns the secret id. */
export function openBrowserSession(ctx: Context, browser: Browser, proved: Proved): Promise<string> {
  const people = peopleContext(ctx)
  return ctx.db.write.transaction(async (tx) => {
    await endReplaced(tx, people, browser.token)
    const { address, userAgent } = browser
    const { how, ...session } = proved
    const { id, token } = await openSession(tx, people, { ...session, address, userAgent, kind: 'browser' })
    const person = showId('person', proved.person_id)
    const detail = { session: showId('session', id), strength: proved.strength, address, ...(how && { how }) }
    await recordAudit(tx, people.cell, { actor: actorById(person), action: 'session.sign_in', subject: person, detail })
    return token
  })
}

/** Proves presence with a passkey of the signed-in person. Returns the new secret id of the session. */
export async function stepUpWithPasskey(
  ctx: Context,
  browser: Browser,
  principal: Principal,
  answer: Answer,
): Promise<string> {
  const personId = await personOfAnswer(ctx, browser, 'step_up', answer)
  if (personId === undefined || personId !== readId('person', principal.id))
    await refuse(ctx, { address: browser.address, account: principal.id, how: 'step_up' })
  return prove(ctx, principal, 'passkey')
}

/** Proves presence with password and code. */
export async function stepUpWithPassword(
  ctx: Context,
  browser: Browser,
  principal: Principal,
  sent: Omit<PasswordSignIn, 'email'>,
): Promise<string> {
  const person = await find(ctx.db.write, readId('person', principal.id) ?? '')
  const email = person?.email ?? ''
  const { address } = browser
  await requirePassword(ctx, { ...sent, email, person, address, slot: ['people', principal.id], how: 'step_up' })
  return prove(ctx, principal, 'password_totp')
}

export async function prove(ctx: Context, principal: Principal, strength: SignInStrength): Promise<string> {
  const people: PeopleContext = peopleContext(ctx)
  const id = principal.session_id ?? ''
  const token = await ctx.db.write.transaction(async (tx) => {
    const rotated = await proveSession(tx, people, { id, strength })
    const detail = { session: showId('session', id), strength }
    if (rotated !== undefined)
      await recordAudit(tx, people.cell, {
        actor: actorOf(principal),
        action: 'session.step_up',
        subject: principal.id,
        detail,
      })
    return rotated
  })
  if (token === undefined) throw new AppError('SIGN_IN_REQUIRED')
  return token
}
