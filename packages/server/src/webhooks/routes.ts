import { Type } from 'typebox'
import { recordAudit } from '../audit/record.ts'
import { auditOf } from '../auth/bearer.ts'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { DayFields, readDays } from '../platform/days.ts'
import type { Owner } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { nameMerchants } from '../platform/named-merchants.ts'
import { findTransaction } from '../transactions/read.ts'
import { FeedLine, WebhookData } from '../transactions/schema.ts'
import { readFeed } from './feed.ts'
import { presentRecord } from './present.ts'
import { type Input, simulateWebhook } from './simulate.ts'
import { find, list, sendAgain } from './store.ts'

const closed = { additionalProperties: false }

const WebhookRecord = Type.Object(
  {
    id: Type.String({ description: 'The id of the record. At the default endpoint it is the id of the event' }),
    endpointId: Type.String({ description: '`default`, or the id of an endpoint that you added' }),
    eventId: Type.String({
      description: 'The same as `id` in the body and as the header `webhook-id`, at every endpoint and every attempt',
    }),
    createdAt: Type.String(),
    event: Type.String({ description: 'transaction_created or transaction_updated' }),
    data: WebhookData,
    response: Type.Object(
      {
        status: Type.String({ description: 'HTTP status of the last response; empty if there was none' }),
        body: Type.Optional(Type.String({ description: 'Its first 2 KiB' })),
        durationMs: Type.Optional(Type.Number()),
        error: Type.Optional(Type.String()),
      },
      { additionalProperties: true },
    ),
    webhookUrl: Type.String(),
    status: Type.String({ description: 'CREATED until the first attempt has ended, then SUCCESS or FAILED' }),
    attempts: Type.Integer(),
    nextAttemptAt: Type.Optional(Type.String()),
  },
  { title: 'WebhookRecord' },
)

const Reference = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }))

const ListQuery = Type.Object(
  {
    status: Type.Optional(Type.Union([Type.Literal('CREATED'), Type.Literal('FAILED'), Type.Literal('SUCCESS')])),
    ...DayFields,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: '50 if omitted' })),
    reference: Reference('A transaction id or external reference'),
    transactionId: Reference('The same as reference'),
    externalReference: Reference('The same as reference'),
  },
  closed,
)

const tags = ['Webhooks']

/** Events for merchants, and their delivery. */
export function webhookRoutes(app: App, ctx: Context): void {
  readingRoutes(app, ctx)
  feedRoute(app, ctx)

  app.post(
    '/webhooks/:id/resend',
    {
      config: { scope: 'webhooks:write', errors: Object.values(resendErrors) },
      schema: {
        summary: 'Send a webhook again',
        description: 'Sends the stored body with the same id to the current URL of its endpoint.',
        tags,
        params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
        response: {
          200: Type.Object({ success: Type.Literal(true), message: Type.String() }, { title: 'Resent' }),
        },
      },
    },
    async (request) => {
      const id = idOf(request.params.id)
      const owner = bearerOf(request)
      await ctx.db.write.transaction(async (tx) => {
        await nameMerchants(tx, [owner.merchant_id])
        const resent = await sendAgain(tx, owner, id)
        if (resent !== 'due') throw new AppError(resendErrors[resent])
        const entry = { ...auditOf(owner, 'webhook.resend'), subject: showId('webhook', id) }
        if (owner.kind === 'person') await recordAudit(tx, ctx.config.cell, entry)
      })
      ctx.wakeups.wake('webhooks')
      return { success: true as const, message: 'The webhook is sent again.' }
    },
  )
}

const resendErrors = {
  'no record': 'WEBHOOK_MISSING',
  'no endpoint': 'WEBHOOK_ENDPOINT_MISSING',
  disabled: 'WEBHOOK_ENDPOINT_DISABLED',
} as const

function readingRoutes(app: App, ctx: Context): void {
  app.get(
    '/webhooks',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        summary: 'List webhook records',
        tags,
        querystring: ListQuery,
        response: { 200: Type.Object({ success: Type.Literal(true), data: Type.Array(WebhookRecord) }) },
      },
    },
    async (request) => {
      const owner = bearerOf(request)
      const { status, limit = 50, reference, transactionId, externalReference } = request.query
      const days = readDays(request.query, { oldest: '1970-01-01' })
      const named = reference ?? transactionId ?? externalReference
      const transaction_id = named === undefined ? undefined : await transactionNamed(ctx, owner, named)
      if (named !== undefined && transaction_id === undefined) return { success: true as const, data: [] }
      const wanted = { ...days, status, transaction_id, limit }
      const records = await list(ctx.db.read, owner, wanted)
      return { success: true as const, data: records.map((record) => presentRecord(ctx.vault, record)) }
    },
  )

  for (const path of ['/webhook/:id', '/webhooks/:id'])
    app.get(
      path,
      {
        config: { scope: 'webhooks:read', errors: ['WEBHOOK_MISSING'] },
        schema: {
          summary: 'Read a webhook record',
          tags,
          params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
          response: { 200: Type.Object({ success: Type.Literal(true), data: WebhookRecord }) },
        },
      },
      async (request) => {
        const record = await find(ctx.db.read, bearerOf(request), idOf(request.params.id))
        if (!record) throw new AppError('WEBHOOK_MISSING')
        return { success: true as const, data: presentRecord(ctx.vault, record) }
      },
    )
}

function feedRoute(app: App, ctx: Context): void {
  app.get(
    '/events',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        summary: 'Read the feed of events',
        description: 'All events of webhooks, including those from before a URL was set, in order and without gaps.',
        tags,
        querystring: Type.Object(
          {
            after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: '50 if omitted' })),
          },
          closed,
        ),
        response: { 200: Type.Object({ success: Type.Literal(true), data: Type.Array(FeedLine) }) },
      },
    },
    async (request) => {
      const { after = 0, limit = 50 } = request.query
      const lines = await readFeed({ read: ctx.db.read, vault: ctx.vault }, bearerOf(request), {
        after: BigInt(after),
        limit,
      })
      return { success: true as const, data: lines }
    },
  )
}

/** Registered only below the sandbox's own root. */
export function simulateRoute(app: App, ctx: Context): void {
  app.post(
    '/utilities/simulate-webhook',
    {
      config: { scope: 'webhooks:write', errors: ['SANDBOX_ONLY', 'TRANSACTION_MISSING'] },
      schema: {
        summary: 'End a sandbox payment',
        tags,
        body: Type.Object(
          {
            externalReference: Type.String({ maxLength: 100 }),
            webhookStatus: Type.String({ maxLength: 100, description: 'successful, failed or pending, in any case' }),
          },
          closed,
        ),
        response: { 200: Type.Object({}) },
      },
    },
    async (request, reply) => {
      const { externalReference, webhookStatus } = request.body
      const notified = await simulateWebhook(ctx, bearerOf(request), externalReference, inputOf(webhookStatus))
      if (notified !== undefined) reply.header('x-webhook-id', notified)
      return {}
    },
  )
}

function inputOf(text: string): Input {
  const input = (['successful', 'failed', 'pending'] as const).find((word) => word === text.toLowerCase())
  if (input) return input
  throw invalid([{ field: 'webhookStatus', message: 'webhookStatus must be one of successful, failed, pending' }])
}

function idOf(shown: string): string {
  const id = readId('webhook', shown)
  if (id === undefined) throw new AppError('WEBHOOK_MISSING')
  return id
}

async function transactionNamed(ctx: Context, owner: Owner, named: string): Promise<string | undefined> {
  return (await findTransaction(ctx.db.read, owner, named))?.id
}
