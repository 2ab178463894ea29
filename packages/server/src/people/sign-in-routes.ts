import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import type { ErrorKey } from '../errors.ts'
import type { App } from '../http/app.ts'
import { browserOf, markedBrowser, setSession } from './browser.ts'
import { principalOf } from './request-principal.ts'
import { Assertion, ChallengeId, Code, Done, done, Email, Options, Password, tags } from './schema.ts'
import {
  passkeyOptions,
  signInWithPasskey,
  signInWithPassword,
  stepUpWithPasskey,
  stepUpWithPassword,
} from './sign-in.ts'

const PasskeyBody = Type.Object({ challenge: ChallengeId, response: Assertion }, { additionalProperties: false })
const PasswordBody = Type.Object({ email: Email, password: Password, code: Code }, { additionalProperties: false })
const ProofBody = Type.Object({ password: Password, code: Code }, { additionalProperties: false })

const errors: readonly ErrorKey[] = ['SIGN_IN_FAILED', 'RATE_LIMIT_EXCEEDED', 'CROSS_SITE_REQUEST']
const open = { isPublic: true, budget: 'sign_in', errors } as const
const own = { isForPeople: true, errors } as const

/** Signing in, and proving presence again, by passkey or by password and code. */
export function signInRoutes(app: App, ctx: Context): void {
  app.post(
    '/sign-in/passkey/options',
    { config: open, schema: { summary: 'Start to sign in with a passkey', tags, response: { 200: Options } } },
    async (request, reply) => ({
      success: true as const,
      ...(await passkeyOptions(ctx, markedBrowser(ctx, request, reply), 'sign_in')),
    }),
  )

  app.post(
    '/sign-in/passkey',
    { config: open, schema: { summary: 'Sign in with a passkey', tags, body: PasskeyBody, response: { 200: Done } } },
    async (request, reply) => {
      const { challenge, response } = request.body
      const answer = { challenge, response: response as unknown as AuthenticationResponseJSON }
      setSession(ctx, reply, await signInWithPasskey(ctx, browserOf(ctx, request), answer))
      return done
    },
  )

  app.post(
    '/sign-in/password',
    {
      config: open,
      schema: { summary: 'Sign in with password and code', tags, body: PasswordBody, response: { 200: Done } },
    },
    async (request, reply) => {
      setSession(ctx, reply, await signInWithPassword(ctx, browserOf(ctx, request), request.body))
      return done
    },
  )

  app.post(
    '/step-up/passkey/options',
    { config: own, schema: { summary: 'Start to prove presence with a passkey', tags, response: { 200: Options } } },
    async (request, reply) => ({
      success: true as const,
      ...(await passkeyOptions(ctx, markedBrowser(ctx, request, reply), 'step_up')),
    }),
  )

  app.post(
    '/step-up/passkey',
    {
      config: own,
      schema: { summary: 'Prove presence with a passkey', tags, body: PasskeyBody, response: { 200: Done } },
    },
    async (request, reply) => {
      const { challenge, response } = request.body
      const answer = { challenge, response: response as unknown as AuthenticationResponseJSON }
      const browser = browserOf(ctx, request)
      setSession(ctx, reply, await stepUpWithPasskey(ctx, browser, principalOf(request), answer))
      return done
    },
  )

  app.post(
    '/step-up/password',
    {
      config: own,
      schema: { summary: 'Prove presence with password and code', tags, body: ProofBody, response: { 200: Done } },
    },
    async (request, reply) => {
      const browser = browserOf(ctx, request)
      setSession(ctx, reply, await stepUpWithPassword(ctx, browser, principalOf(request), request.body))
      return done
    },
  )
}
