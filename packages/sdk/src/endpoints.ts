import type { Operations, Schemas } from './generated/api.ts'
import { type List, listOf } from './lists.ts'
import type { CallOptions, Transport } from './transport.ts'

export type WebhookEndpoint = Omit<Schemas['WebhookEndpoint'], 'secret'>

/** With its signing secret, which is shown only this once. */
export interface NewWebhookEndpoint extends WebhookEndpoint {
  secret: string
}

export type WebhookEndpointInput = Operations['postWebhookEndpoints']['body']
export type WebhookEndpointChange = Operations['putWebhookEndpointsId']['body']

/** Where your events go. The endpoint `default` has the URL of the profile; add up to 9 beside it. */
export interface WebhookEndpoints {
  list(options?: CallOptions): Promise<WebhookEndpoint[]>
  get(id: string, options?: CallOptions): Promise<WebhookEndpoint>
  create(endpoint: WebhookEndpointInput, options?: CallOptions): Promise<NewWebhookEndpoint>
  /** Changes only the given fields. Enabling an endpoint does not send the events from before: read them with `account.events`. */
  update(id: string, change: WebhookEndpointChange, options?: CallOptions): Promise<WebhookEndpoint>
  delete(id: string, options?: CallOptions): Promise<{ message: string }>
  /** For 24 hours deliveries are signed with the old secret too. */
  rotateSecret(id: string, options?: CallOptions): Promise<{ secret: string }>
}

export function webhookEndpointsOf({ call }: Transport): WebhookEndpoints {
  return {
    list: async (options) => (await call('getWebhookEndpoints', {}, options)).body.data,
    get: async (id, options) => (await call('getWebhookEndpointsId', { path: { id } }, options)).body.data,
    create: async (endpoint, options) => {
      const { body } = await call('postWebhookEndpoints', { body: endpoint }, options)
      return body.data as NewWebhookEndpoint
    },
    update: async (id, change, options) =>
      (await call('putWebhookEndpointsId', { path: { id }, body: change }, options)).body.data,
    delete: async (id, options) => {
      const { body } = await call('deleteWebhookEndpointsId', { path: { id } }, options)
      return { message: body.message }
    },
    rotateSecret: async (id, options) =>
      (await call('postWebhookEndpointsIdRotateSecret', { path: { id } }, options)).body.data,
  }
}

export type LoggedRequest = Schemas['LoggedRequest']
export type RequestLogFilter = Omit<NonNullable<Operations['getRequestLog']['query']>, 'limit' | 'cursor'>

/** Your own requests of at least the last 7 days. */
export interface RequestLog {
  /** Newest first. */
  list(filter?: RequestLogFilter, options?: CallOptions): List<LoggedRequest>
}

const pageMax = 200

export function requestLogOf({ call }: Transport): RequestLog {
  return {
    list: (filter = {}, options) =>
      listOf<LoggedRequest, string>(async (cursor) => {
        const query = { ...filter, limit: pageMax, ...(cursor !== undefined && { cursor }) }
        const { body } = await call('getRequestLog', { query }, options)
        return { items: body.data, next: body.nextCursor }
      }),
  }
}
