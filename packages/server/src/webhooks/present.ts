import { defaultEndpointId } from '../events/endpoint-tables.ts'
import type { Endpoint } from '../merchants/endpoints.ts'
import type { WebhookBody } from '../payments/notify/webhook-body.ts'
import { bodyWithCustomer } from '../payments/notify/webhook-customer.ts'
import { readId, showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import type { WebhookRecord } from './store.ts'

export function presentRecord(vault: Vault, record: WebhookRecord) {
  const { id, endpoint_id, event_id, event, created_at, status, attempts, next_attempt_at, url, response } = record
  const { data } = JSON.parse(bodyWithCustomer(vault, record)) as Pick<WebhookBody, 'data'>
  return {
    id: showId('webhook', id),
    endpointId: showEndpointId(endpoint_id),
    eventId: showId('webhook', event_id),
    createdAt: created_at.toISOString(),
    event,
    data,
    response,
    webhookUrl: url,
    status,
    attempts,
    ...(next_attempt_at && status === 'FAILED' && { nextAttemptAt: next_attempt_at.toISOString() }),
  }
}

/** The default endpoint is called so. */
export const showEndpointId = (id: string) => (id === defaultEndpointId ? 'default' : showId('webhook endpoint', id))

/** The id from its shown form; undefined when the text is not an endpoint's. */
export const readEndpointId = (shown: string) =>
  shown === 'default' ? defaultEndpointId : readId('webhook endpoint', shown)

export function presentEndpoint(endpoint: Endpoint) {
  const { id, url, description, events, is_enabled, failures, failing_since, disabled_at } = endpoint
  return {
    id: showEndpointId(id),
    url,
    description,
    events: [...events],
    isEnabled: is_enabled && disabled_at === null,
    health: {
      status: disabled_at ? ('disabled' as const) : failures > 0 ? ('failing' as const) : ('healthy' as const),
      failures,
      ...(failing_since && { failingSince: failing_since.toISOString() }),
      ...(disabled_at && { disabledAt: disabled_at.toISOString() }),
    },
  }
}
