import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { AppError, type ErrorKey } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { Simulator } from '../providers/sandbox/simulator.ts'
import { answerPrompt, listPrompts } from './handset.ts'

const closed = { additionalProperties: false }
const PhoneNumber = Type.String({ minLength: 1, maxLength: 30, description: 'In international form' })
const Prompts = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(
    Type.Object({
      key: Type.String(),
      merchant: Type.String(),
      reference: Type.String(),
      operator: Type.String(),
      amount: Type.String({ description: 'In major units' }),
      currency: Type.String(),
      secondsLeft: Type.Union([Type.Integer(), Type.Null()]),
    }),
  ),
})

const errors: readonly ErrorKey[] = ['PROVIDER_UNAVAILABLE', 'CROSS_SITE_REQUEST']
const config = { isPublic: true, budget: 'people', errors } as const

/**
 * What the page of the handset calls. Registered only on a development stack, whose only provider is the simulator. The number is in
 * the body: paths are logged. The PIN stays in the page: no request has it.
 */
export function handsetRoutes(app: App, ctx: Context, simulator: Simulator): void {
  const needs = { ...ctx, simulator }
  app.post(
    '/handset/v1/prompts',
    {
      config,
      schema: {
        summary: 'List the prompts of a phone',
        body: Type.Object({ phoneNumber: PhoneNumber }, closed),
        response: { 200: Prompts },
      },
    },
    async (request) => {
      requireOwnPage(ctx, request)
      return { success: true as const, data: await listPrompts(needs, request.body.phoneNumber) }
    },
  )

  app.post(
    '/handset/v1/answer',
    {
      config: { ...config, errors: [...errors, 'PROMPT_MISSING'] },
      schema: {
        summary: 'Answer a prompt',
        body: Type.Object(
          {
            phoneNumber: PhoneNumber,
            key: Type.String({ minLength: 1, maxLength: 50 }),
            answer: Type.Union([Type.Literal('approve'), Type.Literal('decline')]),
          },
          closed,
        ),
        response: { 200: Type.Object({ success: Type.Literal(true) }) },
      },
    },
    async (request) => {
      requireOwnPage(ctx, request)
      await answerPrompt(needs, request.body)
      return { success: true as const }
    },
  )
}

/**
 * A page of another site must not answer for the customer. On the local network the page has the machine's address instead of the
 * public one, so its origin is compared with the address of the request. A foreign name that resolves to this machine is refused.
 */
function requireOwnPage({ config: { publicUrl } }: Context, { headers }: FastifyRequest): void {
  const { origin, host = '' } = headers
  const isKnownHost = host === new URL(publicUrl).host || /^(\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\])(:\d+)?$/i.test(host)
  if (!isKnownHost || (origin !== undefined && origin !== `http://${host}`)) throw new AppError('CROSS_SITE_REQUEST')
}
