import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { createTokenBuckets } from '../platform/token-buckets.ts'
import { clientOf } from './browser.ts'
import { decideDevice, exchangeDevice, findDevice, startDevice } from './device-codes.ts'
import { permissionDenied } from './grants.ts'
import { peopleContext } from './people-context.ts'
import type { Principal } from './principal.ts'
import { principalOf } from './request-principal.ts'
import { Done, done, tags } from './schema.ts'

const UserCode = Type.Object(
  { userCode: Type.String({ minLength: 8, maxLength: 20, description: 'As shown in the terminal' }) },
  { additionalProperties: false },
)
const DeviceCode = Type.Object(
  { deviceCode: Type.String({ minLength: 1, maxLength: 100 }) },
  { additionalProperties: false },
)
const Started = Type.Object({
  success: Type.Literal(true),
  deviceCode: Type.String({ description: 'Secret; poll with it' }),
  userCode: Type.String({ description: 'Show it to the person' }),
  verificationUrl: Type.String({ description: 'Where the person approves it' }),
  expiresIn: Type.Integer({ description: 'Seconds' }),
  interval: Type.Integer({ description: 'Seconds between two polls' }),
})
const Token = Type.Object({ success: Type.Literal(true), token: Type.String(), person: Type.String() })
const Waiting = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({ address: Type.String(), userAgent: Type.String(), createdAt: Type.String() }),
})

/** A person may try this many codes, then one in ten seconds: one of 2.5 × 10^10 codes cannot be found by trying. */
const tries = { perSecond: 0.1, burst: 10 }

/** The sign-in of command lines: started and polled there, approved by a person in a browser. */
export function deviceRoutes(app: App, ctx: Context): void {
  const people = peopleContext(ctx)
  const buckets = createTokenBuckets()
  const limitTries = (principal: Principal) => {
    if (!buckets.take(principal.id, tries))
      throw new AppError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': '10' } })
  }
  const open = { isPublic: true, budget: 'sign_in' } as const

  app.post(
    '/device-codes',
    { config: open, schema: { summary: 'Start the sign-in of a command line', tags, response: { 200: Started } } },
    async (request) => {
      const started = await startDevice(ctx.db.write, people, clientOf(request))
      return { success: true as const, ...started, verificationUrl: `${people.publicUrl}/device` }
    },
  )

  app.post(
    '/device-codes/token',
    {
      config: { ...open, errors: ['DEVICE_CODE_PENDING', 'DEVICE_CODE_DENIED', 'DEVICE_CODE_INVALID'] },
      schema: { summary: 'Exchange an approved code for a session', tags, body: DeviceCode, response: { 200: Token } },
    },
    async (request) => {
      const order = { deviceCode: request.body.deviceCode, client: clientOf(request) }
      return { success: true as const, ...(await exchangeDevice(ctx.db.write, people, order)) }
    },
  )

  app.post(
    '/device-codes/show',
    {
      config: { isForPeople: true, errors: ['DEVICE_CODE_INVALID'] },
      schema: { summary: 'Show the command line that waits', tags, body: UserCode, response: { 200: Waiting } },
    },
    async (request) => {
      limitTries(principalOf(request))
      const found = await findDevice(ctx.db.write, ctx.vault, request.body.userCode)
      const { address, user_agent: userAgent, created_at } = found
      return { success: true as const, data: { address, userAgent, createdAt: created_at.toISOString() } }
    },
  )

  const decisions = { approve: { isApproved: true, isSteppedUp: true }, deny: { isApproved: false } } as const
  for (const [word, { isApproved, ...proof }] of Object.entries(decisions))
    app.post(
      `/device-codes/${word}`,
      {
        config: { isForPeople: true, ...proof, errors: ['DEVICE_CODE_INVALID'] },
        schema: { summary: `Decide about a command line: ${word}`, tags, body: UserCode, response: { 200: Done } },
      },
      async (request) => {
        const principal = principalOf(request)
        // A command line must not make further sessions: a stolen token would outlive its own.
        if (request.headers.authorization !== undefined) throw permissionDenied('a session in a browser')
        limitTries(principal)
        const order = { userCode: request.body.userCode, isApproved }
        await ctx.db.write.transaction((tx) => decideDevice(tx, people, principal, order))
        return done
      },
    )
}
