import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { countedAs } from '../platform/addresses.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { browserOf, setSession } from './browser.ts'
import { createChallenge, takeChallenge } from './challenges.ts'
import { type PeopleContext, peopleContext } from './people-context.ts'
import { Done, done, tags } from './schema.ts'
import { type Browser, openBrowserSession, refuse } from './sign-in.ts'
import { find } from './store.ts'

const linkMinutes = 15
const presentForMs = 12 * 3_600_000
/** A link is a challenge that is bound to the secret in its code instead of to a browser's cookie. */
const purpose = 'sign_in'

interface LinkContent {
  readonly person_id: string
}

/** A link that signs a person in once, within 15 minutes, on a development stack only. Its code is after `#`, which browsers do not send. */
export async function createSignInLink(db: Db, context: PeopleContext, person_id: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const content: LinkContent = { person_id }
  const id = await createChallenge(db, context, {
    browser: secret,
    purpose,
    content: { ...content },
    minutes: linkMinutes,
  })
  return `${context.publicUrl}/sign-in/link#${id}.${secret}`
}

const Body = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 200, description: 'The text after `#` in the link' }) },
  { additionalProperties: false },
)

/** Registered only on a development stack: see `http/development.ts`. */
export function signInLinkRoute(app: App, ctx: Context): void {
  app.post(
    '/sign-in/link',
    {
      config: { isPublic: true, budget: 'sign_in', errors: ['SIGN_IN_FAILED', 'CROSS_SITE_REQUEST'] },
      schema: { summary: 'Sign in with a link of npm run dev', tags, body: Body, response: { 200: Done } },
    },
    async (request, reply) => {
      setSession(ctx, reply, await signInWithLink(ctx, browserOf(ctx, request), request.body.code))
      return done
    },
  )
}

/**
 * The session counts as present until it ends: a person of a development stack has neither passkey nor password to prove presence
 * with, and every action must be possible there.
 */
async function signInWithLink(ctx: Context, browser: Browser, code: string): Promise<string> {
  const [id = '', secret = ''] = code.split('.')
  const taken = await takeChallenge<Partial<LinkContent>>(ctx.db.write, peopleContext(ctx), {
    ...{ id, browser: secret, purpose },
  })
  const person = taken?.person_id === undefined ? undefined : await find(ctx.db.write, taken.person_id)
  if (!person || person.disabled_at) {
    const account = `link ${countedAs(browser.address)}`
    return refuse(ctx, { address: browser.address, account, how: 'link' })
  }
  const proved_at = new Date((await databaseTimeMs(ctx.db.write)) + presentForMs)
  return openBrowserSession(ctx, browser, { person_id: person.id, strength: 'passkey', proved_at, how: 'link' })
}
