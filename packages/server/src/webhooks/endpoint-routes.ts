import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import { eventNames } from '../events/catalogue.ts'
import type { App } from '../http/app.ts'
import { listEndpoints } from '../merchants/endpoints.ts'
import { addEndpoint, changeEndpoint, deleteEndpoint, findEndpoint, rotateSecret } from './endpoints.ts'
import { presentEndpoint, readEndpointId } from './present.ts'

const closed = { additionalProperties: false }
const names = Object.keys(eventNames)

const Fields = {
  url: Type.String({ minLength: 1, maxLength: 2048, description: 'https; in the sandbox also http' }),
  description: Type.String({ maxLength: 200, description: 'For yourself' }),
  events: Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: 50,
    description: `The events it gets: ${names.join(', ')}. Empty or omitted: all`,
  }),
  isEnabled: Type.Boolean({ description: 'false: it gets no events. Default: true' }),
}

const WebhookEndpoint = Type.Object(
  {
    id: Type.String({ description: '`default` for the URL of the profile' }),
    url: Type.String({ description: 'Where events are posted' }),
    description: Type.String({ description: 'Your words' }),
    events: Type.Array(Type.String(), { description: 'Empty: all events' }),
    isEnabled: Type.Boolean({ description: 'false: disabled by you, or by Malipo after 5 days of failures or a 410' }),
    health: Type.Object(
      {
        status: Type.Union([Type.Literal('healthy'), Type.Literal('failing'), Type.Literal('disabled')], {
          description: 'failing: the last delivery failed; disabled: it gets no deliveries',
        }),
        failures: Type.Integer({ description: 'Failed deliveries in a row' }),
        failingSince: Type.Optional(Type.String({ description: 'ISO 8601: the first of these failures' })),
        disabledAt: Type.Optional(Type.String({ description: 'ISO 8601' })),
      },
      { description: 'How its deliveries fare' },
    ),
    secret: Type.Optional(
      Type.String({ description: '`whsec_…`; only in the response that creates the endpoint, and shown this once' }),
    ),
  },
  { title: 'WebhookEndpoint' },
)

const One = Type.Object({ success: Type.Literal(true), data: WebhookEndpoint })
const Id = Type.Object({ id: Type.String({ maxLength: 100, description: '`default`, or an id from the list' }) })
const tags = ['Webhooks']

/** A merchant's webhook endpoints in one environment. */
export function endpointRoutes(app: App, ctx: Context): void {
  readingRoutes(app, ctx)
  addingRoute(app, ctx)
  changingRoutes(app, ctx)
  rotatingRoute(app, ctx)
}

function readingRoutes(app: App, ctx: Context): void {
  app.get(
    '/webhook-endpoints',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        summary: 'List webhook endpoints',
        tags,
        response: { 200: Type.Object({ success: Type.Literal(true), data: Type.Array(WebhookEndpoint) }) },
      },
    },
    async (request) => {
      const found = await listEndpoints(ctx.db.read, bearerOf(request))
      return { success: true as const, data: found.map(presentEndpoint) }
    },
  )

  app.get(
    '/webhook-endpoints/:id',
    {
      config: { scope: 'webhooks:read', errors: ['WEBHOOK_ENDPOINT_MISSING'] },
      schema: { summary: 'Read a webhook endpoint', tags, params: Id, response: { 200: One } },
    },
    async (request) => {
      const found = await findEndpoint(ctx, bearerOf(request), idOf(request.params.id))
      return { success: true as const, data: presentEndpoint(found) }
    },
  )
}

function addingRoute(app: App, ctx: Context): void {
  app.post(
    '/webhook-endpoints',
    {
      config: { scope: 'webhooks:write', errors: ['WEBHOOK_ENDPOINT_LIMIT'] },
      schema: {
        summary: 'Add a webhook endpoint',
        description:
          'It gets the events from now on, beside the default endpoint, and has its own secret and retries. An environment has at most 10 endpoints: the default, and 9 that you add.',
        tags,
        body: Type.Object(
          {
            url: Fields.url,
            description: Type.Optional(Fields.description),
            events: Type.Optional(Fields.events),
            isEnabled: Type.Optional(Fields.isEnabled),
          },
          closed,
        ),
        response: { 200: One },
      },
    },
    async (request) => {
      const { url, description = '', events = [], isEnabled: is_enabled = true } = request.body
      const made = { url, description, events: knownEvents(events), is_enabled }
      const { endpoint, secret } = await addEndpoint(ctx, bearerOf(request), made)
      return { success: true as const, data: { ...presentEndpoint(endpoint), secret } }
    },
  )
}

function changingRoutes(app: App, ctx: Context): void {
  app.put(
    '/webhook-endpoints/:id',
    {
      config: { scope: 'webhooks:write', errors: ['WEBHOOK_ENDPOINT_MISSING'] },
      schema: {
        summary: 'Change a webhook endpoint',
        description:
          'Changes only the fields sent. A disabled endpoint gets no events, and enabling it does not send those of the time before: read them in the feed. One that Malipo disabled gets what waited for it.',
        tags,
        params: Id,
        body: Type.Partial(Type.Object(Fields), closed),
        response: { 200: One },
      },
    },
    async (request) => {
      const { url, description, events, isEnabled: is_enabled } = request.body
      const change = { url, description, events: events && knownEvents(events), is_enabled }
      const changed = await changeEndpoint(ctx, bearerOf(request), idOf(request.params.id), change)
      return { success: true as const, data: presentEndpoint(changed) }
    },
  )

  app.delete(
    '/webhook-endpoints/:id',
    {
      config: { scope: 'webhooks:write', errors: ['WEBHOOK_ENDPOINT_MISSING'] },
      schema: {
        summary: 'Delete a webhook endpoint',
        description:
          'Its open records end as FAILED, and all of them stay readable. Deleting the default empties the URL of the profile.',
        tags,
        params: Id,
        response: {
          200: Type.Object(
            { success: Type.Literal(true), message: Type.String() },
            { title: 'WebhookEndpointDeleted' },
          ),
        },
      },
    },
    async (request) => {
      await deleteEndpoint(ctx, bearerOf(request), idOf(request.params.id))
      return { success: true as const, message: 'The webhook endpoint is deleted.' }
    },
  )
}

function rotatingRoute(app: App, ctx: Context): void {
  app.post(
    '/webhook-endpoints/:id/rotate-secret',
    {
      config: { scope: 'webhooks:write', errors: ['WEBHOOK_ENDPOINT_MISSING'] },
      schema: {
        summary: 'Get a new signing secret of one endpoint',
        description:
          'For 24 hours deliveries to this endpoint are signed with the old one too, so that receivers can be updated without a gap.',
        tags,
        params: Id,
        response: {
          200: Type.Object({
            success: Type.Literal(true),
            data: Type.Object({ secret: Type.String({ description: '`whsec_…`; shown this once' }) }),
          }),
        },
      },
    },
    async (request) => ({
      success: true as const,
      data: { secret: await rotateSecret(ctx, bearerOf(request), idOf(request.params.id)) },
    }),
  )
}

function idOf(shown: string): string {
  const id = readEndpointId(shown)
  if (id === undefined) throw new AppError('WEBHOOK_ENDPOINT_MISSING')
  return id
}

/** Each name once. */
function knownEvents(events: readonly string[]): string[] {
  const unknown = events.find((name) => !names.includes(name))
  if (unknown === undefined) return [...new Set(events)]
  throw invalid([{ field: 'events', message: `events must be names of events: ${names.join(', ')}` }])
}
